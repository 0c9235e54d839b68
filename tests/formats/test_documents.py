"""What a document has beside its rows comes back, and is listed where a target has no place."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from examples import a_few
from test_lens import MARK, SOMEBODYS, mappings, set_at

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.diagnostic import format_path

if TYPE_CHECKING:
    from pathlib import Path

CASE = {"id": 1, "prompt": "How deep?"}
CRITERION = {
    "type": "string_check",
    "name": "equal",
    "input": "{{sample.output_text}}",
    "reference": "{{item.reference}}",
    "operation": "eq",
}
ITEM = {"item": {"input": "How deep?", "reference": "9 m"}}
ITEM_SCHEMA = {"type": "object", "properties": {"input": {}, "reference": {}}}
TEST = {"vars": {"question": "How deep?"}, "assert": [{"type": "icontains", "value": "9 m"}]}
#: A document of each system that has a place beside the rows, and the key of its rows.
DOCUMENTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "agent_skills:guide": ({"skill_name": "tides", "evals": [CASE]}, ("evals",)),
    "agent_skills:best_practices": (
        {"skill_name": "tides", "evals": [CASE], "metadata": {"by": "Ada"}},
        ("evals",),
    ),
    "evret": (
        {
            "queries": [{"query_id": "q", "query_text": "How deep?", "expected_doc_ids": ["d1"]}],
            "documents": [{"doc_id": "d1", "text": "9 m"}],
            "metadata": {"by": "Ada"},
        },
        ("queries",),
    ),
    "northstar": (
        {
            "cases": [{"id": "a", "messages": [{"role": "user", "content": "How deep?"}]}],
            "metadata": {"by": "Ada"},
        },
        ("cases",),
    ),
    "openai:hosted": (
        {
            "name": "tides",
            "data_source_config": {"type": "custom", "item_schema": ITEM_SCHEMA},
            "testing_criteria": [CRITERION],
            "data_source": {
                "type": "jsonl",
                "source": {"type": "file_content", "content": [ITEM]},
            },
        },
        ("data_source", "source", "content"),
    ),
    "pydantic_evals": (
        {
            "name": "tides",
            "cases": [{"inputs": "How deep?", "expected_output": "9 m"}],
            "evaluators": ["EqualsExpected", {"Contains": {"value": "9 m"}}],
            "report_evaluators": [{"name": "Own", "arguments": {"share": 0.5}}],
            "$schema": "cases_schema.json",
        },
        ("cases",),
    ),
    "promptfoo": (
        {
            "description": "tides",
            "prompts": [{"raw": "{{question}}"}],
            "providers": [{"id": "echo", "config": {}}],
            "tests": [TEST],
            "defaultTest": {"options": {"prefix": "Be brief. "}},
            "env": {"PORT": "Wick"},
        },
        ("tests",),
    ),
}

#: Where a system rejects a file with a key that it does not know.
CLOSED = {"pydantic_evals": ((), ("evaluators", 1), ("report_evaluators", 0))}


def converted(value: Any, folder: Path, from_: str, to: str) -> tuple[Any, list[str]]:
    """Return a document in another dialect, and the paths of what is lost."""
    source, out, report = folder / "in.json", folder / "out.json", folder / "losses.json"
    source.write_text(json.dumps(value), encoding="utf-8")
    options = ConvertOptions(from_, to, report, force=True)
    done = convert(Input(source), out, options, Options(root=folder))
    assert done.refusal is None, [each.message for each in done.diagnostics]
    losses = json.loads(report.read_text(encoding="utf-8"))["losses"]
    return json.loads(out.read_text(encoding="utf-8")), [each["path"] for each in losses]


@pytest.mark.costly
@pytest.mark.parametrize(("name", "key"), a_few(product(DOCUMENTS, SOMEBODYS), 8))
def test_a_key_beside_the_rows_comes_back_or_is_listed(name: str, key: str, tmp_path: Path) -> None:
    value, rows = DOCUMENTS[name]
    for above in mappings(value):
        if above[: len(rows)] == rows:
            continue  # it is that of a row
        if above in CLOSED.get(name, ()):
            continue  # its system rejects such a file
        whole = set_at(value, (*above, key), MARK)
        ours, _ = converted(whole, tmp_path, name, "evalcontract")
        assert converted(ours, tmp_path, "evalcontract", name)[0] == whole
        listed = converted(whole, tmp_path, name, "databricks")[1]
        here = format_path((*above, key))
        at_row = here.replace("$.defaultTest", "$.tests[0]")  # where it was added
        assert any(each.startswith(path) for path in listed for each in (here, at_row)), here
        # What is listed is in the source.
        assert [path for path in listed if path in ("$", "$.label", "$.metadata")] == (
            ["$.metadata"] if "metadata" in whole else []
        )
