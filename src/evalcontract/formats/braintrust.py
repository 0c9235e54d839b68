"""Records of datasets of Braintrust, as its web application exports them and as `Eval` takes them.

What its server makes of a record is per public documentation; each is checked against `EvalCase`
and the tags that `Dataset.insert` of braintrust 0.48.1 takes.
"""

from __future__ import annotations

from types import MappingProxyType

from evalcontract.formats._format import codes_of_system
from evalcontract.formats._plain import PlainFormat


class Braintrust(PlainFormat):
    """Records, whose input and expected output may be anything."""

    name = "braintrust"
    title = "Braintrust"
    media = ("json", "jsonl", "csv")
    basis = "per public documentation; `EvalCase` of braintrust 0.48.1, run"
    codes = codes_of_system("braintrust", rejected=("repeated-item", "ragged-row"))
    values = ("input", "expected")
    signs = (
        *(frozenset({"input", key}) for key in ("_xact_id", "trial_count", "upsert_id")),
        frozenset({"input", "expected", "dataset_id"}),
    )
    others = frozenset({"inputs", "target", "ideal", "scenario", "vars", "messages"})
    meant = MappingProxyType(
        dict.fromkeys(("expected_output", "expectedOutput", "output", "outputs"), "expected")
    )
    duplicate = "Braintrust replaces the first record with the second"
