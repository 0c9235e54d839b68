"""Items of datasets of Langfuse, as its API gives them and as `create_dataset_item` takes them.

What its server makes of an item is per public documentation; the request is checked against
`CreateDatasetItemRequest` of langfuse 5.0.4. Exports have the keys of the API, in camel case.
"""

from __future__ import annotations

from types import MappingProxyType

from evalcontract.formats._format import codes_of_system
from evalcontract.formats._plain import PlainFormat


class Langfuse(PlainFormat):
    """Items, whose input and expected output may be anything."""

    name = "langfuse"
    title = "Langfuse"
    media = ("json", "jsonl", "csv")
    basis = "per public documentation; the request of langfuse 5.0.4, run"
    codes = codes_of_system(
        "langfuse", rejected=("unknown-value", "ragged-row"), never=("missing-key",)
    )
    values = ("input", "expectedOutput")
    signs = (
        frozenset({"input", "expectedOutput"}),
        frozenset({"input", "datasetId"}),
        frozenset({"input", "sourceTraceId"}),
    )
    others = frozenset({"inputs", "target", "scenario", "vars", "prompt"})
    meant = MappingProxyType(
        dict.fromkeys(("expected_output", "expected", "output"), "expectedOutput")
        | {"source_trace_id": "sourceTraceId", "source_observation_id": "sourceObservationId"}
    )
    duplicate = "Langfuse replaces the first item with the second"
