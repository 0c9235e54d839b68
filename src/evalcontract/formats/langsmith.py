"""Examples of datasets of LangSmith, as its API gives them and as `create_examples` takes them.

What its server makes of an example is per public documentation; each is checked against
`ExampleCreate` of langsmith 0.15.1. A table of the web application has a column for each key of
the inputs and outputs, which only whoever uploads it can tell apart.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from evalcontract.formats._format import codes_of_system
from evalcontract.formats._plain import PlainFormat
from evalcontract.model.startup import lazy_pattern

_UUID = lazy_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _uuid(id_: Any) -> Any:
    """Return the id of an example; None for a name that is none."""
    return id_ if isinstance(id_, str) and _UUID.fullmatch(id_) else None


class Langsmith(PlainFormat):
    """Examples, whose inputs and outputs are mappings."""

    name = "langsmith"
    title = "LangSmith"
    media = ("json", "jsonl", "csv")
    basis = "per public documentation; `ExampleCreate` of langsmith 0.15.1, run"
    codes = codes_of_system(
        "langsmith",
        rejected=("malformed-value", "conflicting-key", "ragged-row"),
        never=("missing-key",),
    )
    ways = MappingProxyType({"uuid": (None, _uuid)})
    values = ("inputs", "outputs")
    named = ("question", "answer")
    signs = (
        *(frozenset({"inputs", key}) for key in ("dataset_id", "reference_outputs", "attachments")),
        *(
            frozenset({"inputs", "outputs", key})
            for key in ("split", "source_run_id", "modified_at")
        ),
    )
    others = frozenset({"input", "expectations", "cases", "dataset_record_id", "source"})
    duplicate = "LangSmith refuses the second"
