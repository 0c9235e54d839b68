"""The tables of fields are true: between any two dialects a value means the same, or is a loss."""

from __future__ import annotations

import importlib
import json
from io import BytesIO
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT
from examples import mostly_costly, some
from plain_dialects import PLAIN, ending
from tables import every_case

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats import FORMATS, dialect_of, dialects
from evalcontract.formats._conversion import Field, conversation_of
from evalcontract.source.document import value_at
from evalcontract.source.external import read_external_stream
from evalcontract.source.installed import table
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.formats import Format

NAMES = [str(each) for each in dialects()]
#: Is only read.
UNWRITTEN = "databricks:outputs"
ASKED, ANSWERED = {"role": "user", "content": "How deep?"}, {"role": "assistant", "content": "9 m"}
#: A row of each system with one value for each of its fields. Rows of one file differ in their
#: questions, because MLflow merges those that do not.
VALUES: dict[str, dict[str, Any]] = {
    "agent_skills": {
        "id": "depth",
        "prompt": "How deep?",
        "expected_output": "A depth in metres.",
        "files": ["evals/files/wick.csv"],
        "assertions": ["Names a depth.", "Is short."],
        "expectations": ["Names a depth.", "Is short."],
        "must_contain_any": ["9 m"],
        "must_not_contain": ["8 m"],
        "check_php_lint": True,
        "check_markdown_structure": {"min_headings": 1},
        "source": {"date": "2026-05-08"},
    },
    "databricks": {
        "request_id": "depth",
        "request": "How deep?",
        "request.messages": [ASKED, ANSWERED, {"role": "user", "content": "Where?"}],
        "request.history": [ASKED, ANSWERED],
        "expected_response": "9 m",
        "expected_facts": ["9 m"],
        "guidelines": ["Be kind.", "Be short."],
        "custom_expected.own": [1],
        "custom_expected.reference": "9 m",
        "custom_expected.format": "text",
        "expected_retrieved_context": [{"doc_uri": "d1"}],
        "response": "9 m",
        "retrieved_context": [{"doc_uri": "d1"}],
        "trace": "{}",
        "custom": 1,
    },
    "mlflow": {
        "dataset_record_id": "depth",
        "request_id": "depth",
        "inputs": {"question": "How deep?"},
        "inputs.messages": [ASKED, ANSWERED, {"role": "user", "content": "Where?"}],
        "inputs.port": "Wick",
        "expectations.expected_response": "9 m",
        "expectations.expected_facts": ["9 m"],
        "expectations.guidelines": ["Be kind.", "Be short."],
        "expectations.expected_tool_calls": [{"name": "chart"}],
        "expectations.expected_retrieved_context": [{"doc_uri": "d1"}],
        "expectations.own": [1],
        "expectations.reference": "9 m",
        "expectations.format": "text",
        "outputs": "9 m",
        "tags": {"port": "Wick"},
    },
    "deepeval": {
        "name": "depth",
        "scenario": "A skipper asks.",
        "expected_output": "9 m",
        "expected_outcome": "Knows the depth.",
        "expectations.must": ["Names the depth.", "Is short."],
        "context": ["It is 9 m."],
        "retrieval_context": ["It is 9 m.", {"source": "d1", "context": "9 m"}],
        "actual_output": "9 m",
        "expected_tools": [{"name": "chart"}],
        "turns": [ASKED],
        "additional_metadata": {"port": "Wick"},
        "expectations": {"must_not": ["Guesses."]},
        "tools_called": [{"name": "chart"}],
        "comments": "a note",
        "source_file": "d1.md",
        "token_cost": 0.5,
        "input_token_count": 5,
        "output_token_count": 5,
        "custom_column_key_values": {"port": "Wick"},
        "persona": {"characteristics": "hurried"},
        "user_description": "hurried",
        "level": "easy",
    },
    "inspect": {
        "id": "depth",
        "target": "9 m",
        "choices": ["8 m", "9 m"],
        "metadata": {"port": "Wick"},
        "files": {"chart.txt": "9 m"},
        "setup": "sail",
        "sandbox": "docker",
        "checkpoint": {},
        "custom": 1,
    },
    "promptfoo": {
        "description": "depth",
        "vars": {"question": "How deep is it?", "port": "Wick"},
        "assert": [{"type": "icontains", "value": "9 m"}],
        "threshold": 0.5,
        "metadata": {"port": "Wick"},
        "provider": "echo",
        "providers": ["echo"],
        "prompts": ["short"],
        "providerOutput": "9 m",
        "assertScoringFunction": "file://score.js",
        "options": {"prefix": "Be brief. "},
        "level": "easy",
    },
    "northstar": {
        "id": "depth",
        "messages": [ASKED, ANSWERED],
        "input": "How deep is it?",
        "expected.goal": "Names the depth.",
        "expected.rubric": "Names the depth.",
        "expected.ground_truth": "9 m",
        "expected.contains": ["9 m"],
        "expected.not_contains": ["8 m"],
        "expected.required_tools": ["chart"],
        "expected.tool_arguments": [{"name": "chart", "arguments": {"port": "Wick"}}],
        "expected.tool_sequence": ["chart", "chart"],
        "expected.forbidden_tools": ["delete"],
        "expected.max_tool_calls": 2,
        "expected.context": ["It is 9 m."],
        "expected.trace.relevant_retrieval_ids": ["d1"],
        "trace": {"run_id": "r"},
        "metrics": {"latency_ms": 5},
        "metadata": {"port": "Wick"},
        "expected.max_latency_ms": 5,
        "expected.trace.max_step_cost_usd": 0.5,
    },
    "evret": {
        "query_id": "depth",
        "query_text": "How deep?",
        "expected_doc_ids": ["d1"],
        "relevant_doc_ids": ["d1"],
        "relevant_docs": ["d1"],
        "expected_answers": ["9 m"],
        "metadata": {"port": "Wick"},
        "level": "easy",
    },
    "openai": {
        "item.id": "depth",
        "item.input": "How deep is it?",
        "item.reference": "9 m",
        "item.criteria": "Names the depth.",
        "item.expected_facts": ["9 m"],
        "item.expected_tools": ["chart"],
        "item.must_contain_any": ["9 m"],
        "item.expected_documents": [{"id": "d1"}],
        "item.retrieved_documents": [{"id": "d1"}],
        "item.tags": ["harbour"],
        "item.messages": [ASKED],
        "item.expected.own": [1],
        "item.port": "Wick",
        "item.context": ["It is 9 m."],
        "sample.output_text": "9 m",
        "sample.output_tools": [{"name": "chart"}],
        "id": "depth",
        "input": [ASKED, ANSWERED, {"role": "user", "content": "Where?"}],
        "ideal": "9 m",
        "completion": "9 m",
        "port": "Wick",
    },
}
BASE: dict[str, Any] = {
    "agent_skills": {"prompt": "Row {}?"},
    "azure": {"query": "Row {}?"},
    "databricks": {"request": "Row {}?", "response": "Yes."},
    "deepeval": {"input": "Row {}?"},
    "inspect": {"input": "Row {}?"},
    "langfuse": {"input": {"question": "Row {}?"}},
    "langsmith": {"inputs": {"question": "Row {}?"}},
    "braintrust": {"input": {"question": "Row {}?"}},
    "mlflow": {"inputs": {"question": "Row {}?"}},
    "promptfoo": {"vars": {"input": "Row {}?"}},
    "northstar": {"id": "r{}", "messages": [{"role": "user", "content": "Row {}?"}]},
    "evret": {"query_id": "r{}", "query_text": "Row {}?"},
    "openai:hosted": {"item": {"input": "Row {}?"}},
    "openai:samples": {"input": "Row {}?"},
    "pydantic_evals": {"inputs": {"question": "Row {}?"}},
    "ragas": {"user_input": "Row {}?"},
}
#: Fields that the entry for every other key stands for.
UNMATCHED = {
    "agent_skills": {"name", "params", "source", "tool_assertions", "tool_choice", "tools"},
    "azure": {"tool_calls", "tool_definitions", "retrieval_ground_truth", "retrieved_documents"},
    "langfuse": {"datasetName", "createdAt", "updatedAt"},
    "langsmith": {
        *("created_at", "modified_at", "use_source_run_io", "use_source_run_attachments"),
    },
    "braintrust": {
        *("dataset_id", "project_id", "root_span_id", "span_id", "is_root", "_pagination_key"),
    },
    "ragas": {
        *("multi_responses", "persona_name", "query_style", "query_length", "reference_topics"),
        *("retrieved_context_ids", "synthesizer_name"),
    },
}
#: The keys of the rows of files that are always mappings.
LISTS = {"agent_skills": "evals", "evret": "queries"} | {
    each.name: each.below for each in PLAIN if each.below
}
#: The fields of goldens of conversations, which a file has none but.
IN_SCENARIO = ("scenario", "expected_outcome", "turns", "persona", "user_description")
#: The fields of rows that other values imply, and that no target could be without.
IMPLIED = ("id", "input", "messages", "metadata")


def field_of(dialect: Format, name: str) -> list[Field]:
    """Return what a table says of a field, by its own entry or by the one for every other key."""
    known = dialect.own_fields
    any_key = ".".join([*name.split(".")[:-1], "*"])
    found = [each for each in known if each.theirs == name]
    found = [each for each in found if each.ours] or found
    return found or [each for each in known if each.theirs == any_key]


def values_of(dialect: Format) -> dict[str, Any]:
    """Return a value of each field: those of a plain dialect are the examples of its schema."""
    keys = load(dialect.schema)["$defs"]["row"]["properties"]
    known = {name: key["examples"][0] for name, key in keys.items() if key.get("examples")}
    names = [each.theirs or "" for each in dialect.own_fields]
    known |= {f"{name[:-1]}port": "Wick" for name in names if name.endswith(".*")}
    return VALUES.get(dialect.name) or known


def row_with(dialect: Format, name: str, number: int) -> dict[str, Any]:
    """Return a row with a value in one field."""
    system = dialect.name
    base = BASE.get(system) or BASE[str(dialect)]
    row = json.loads(json.dumps(base).replace("{}", str(number)))
    *above, last = name.split(".")
    part = row
    for key in above:
        if not isinstance(part.get(key), dict):
            part[key] = {}
        part = part[key]
    part[last] = values_of(dialect)[name]
    if system == "deepeval" and name in IN_SCENARIO:
        row = {"scenario": row.pop("input"), **row}
    if name == "request.history":
        part["query"] = "When?"
    if name == "inputs.messages":
        del part["question"]
    return dict(row)


def rows_of(dialect: Format) -> dict[str, dict[str, Any]]:
    """Return a row for each field of a dialect."""
    names = [name for name in values_of(dialect) if field_of(dialect, name)]
    return {name: row_with(dialect, name, number) for number, name in enumerate(names)}


def own(row: Any, dialect: Format, *, is_target: bool = False) -> dict[str, Any]:
    """Return what a row means here, without what it preserves for converting back.

    In a target, a conversation has the history before its last question.
    """
    kept = ("metadata",) if dialect.name == "braintrust" else ("metadata", "tags")
    bare = {key: part for key, part in row.items() if key not in kept}
    read = read_external_stream(BytesIO(b"[]"), "rows.json")
    ours = dialect.reader(read).read(bare, 0).row
    said = conversation_of(ours)
    if dialect.name in ("northstar", "ragas"):  # its conversation has the answer
        ours = {"recorded_output": said.answer, **ours}
    if is_target and dialect.name in ("northstar", "mlflow") and said.asked[1:]:
        ours = {"context": {"history": said.asked[:-1]}, **ours}
    return ours


@pytest.mark.parametrize(
    ("source", "target"),
    mostly_costly((one for one in some(product(NAMES, NAMES), 8) if one[1] != UNWRITTEN), 23),
)
def test_a_value_means_the_same_or_is_a_loss(source: str, target: str, tmp_path: Path) -> None:
    one, other = dialect_of(source), dialect_of(target)
    rows = rows_of(one)
    kinds = [
        {n: row for n, row in rows.items() if (n in IN_SCENARIO) is kind} for kind in (False, True)
    ]
    for number, part in enumerate(filter(None, kinds)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert differences(part, one, other, folder) == []


def differences(
    rows: dict[str, dict[str, Any]], one: Format, other: Format, tmp_path: Path
) -> list[Any]:
    """Return the fields whose values mean something else in another system, and are no loss."""
    source, target = str(one), str(other)
    values = [*rows.values()]
    value: Any = {LISTS[one.name]: values} if one.name in LISTS else values
    there, back = (tmp_path / f"{name}{ending(d)}" for name, d in (("in", one), ("out", other)))
    lines = "".join(f"{json.dumps(row)}\n" for row in values)
    there.write_text(lines if ending(one) == ".jsonl" else json.dumps(value), encoding="utf-8")
    done = convert(
        Input(there),
        back,
        ConvertOptions(source, target, tmp_path / "losses.json"),
        Options(root=tmp_path),
    )
    assert done.refusal is None, done.diagnostics
    text = back.read_text(encoding="utf-8")
    is_lines = ending(other) == ".jsonl"
    written: Any = [*map(json.loads, text.splitlines())] if is_lines else json.loads(text)
    if isinstance(written, dict) and other.name == "openai":
        written = written["data_source"]["source"]["content"]
    elif isinstance(written, dict):
        written = written[LISTS.get(other.name, "cases")]
    losses = json.loads((tmp_path / "losses.json").read_text(encoding="utf-8"))["losses"]
    differ: list[Any] = []
    for index, (name, row) in enumerate(rows.items()):
        told = [each["path"] for each in losses if each["row_index"] == index]
        is_told = any(path.endswith(f"].{name}") for path in told)
        before, after = own(row, one), own(written[index], other, is_target=True)
        for field in field_of(one, name):
            if field.ours in IMPLIED or (field.ours == "rubric_ref" and one is other):
                continue
            path = tuple((field.ours or "").replace("*", name.rpartition(".")[2]).split("."))
            is_same = field.ours is not None and (
                value_at(before, path) is None or value_at(after, path) == value_at(before, path)
            )
            is_restored = value_at(written[index], tuple(name.split("."))) == value_at(
                row, tuple(name.split("."))
            )
            if not is_same and not is_told and not (is_restored and type(one) is type(other)):
                differ.append((name, field.ours, value_at(before, path), value_at(after, path)))
        # Nothing is told that the source does not hold.
        paths = [path.partition("].")[2].split(".") for path in told]
        differ += [(name, path) for path in paths if value_at(row, tuple(path)) is None]
    return differ


@every_case("name", NAMES)
def test_a_table_has_each_field_of_the_schema(name: str) -> None:
    dialect = dialect_of(name)
    known = {(each.theirs or "").split(".")[0] for each in dialect.own_fields}
    keys = load(dialect.schema)["$defs"]["row"]["properties"].keys()
    unknown = UNMATCHED.get(dialect.name, set())
    assert keys - known <= {"id", "query", "expectations", "metadata", "tags"} | unknown, (
        keys - known
    )


@pytest.mark.slow
def test_the_pages_have_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    for page, text in importlib.import_module("build_formats").pages().items():
        assert page.read_text(encoding="utf-8") == text, page.name
    # Each meaning is carried, or is a loss with a reason.
    meanings = importlib.import_module("build_meanings")
    assert meanings.PAGE.read_text(encoding="utf-8") == meanings.page()


@every_case("format_", FORMATS, ids=lambda each: each.name)
def test_the_table_of_a_system_names_its_ways_and_nothing_else(format_: type[Format]) -> None:
    rows = table(f"formats/{format_.name}.fields")["fields"]
    assert {key for row in rows for key in row} <= {"theirs", "ours", "note", "variants", "way"}
    assert {row["way"] for row in rows if "way" in row} == {*format_.ways}
    assert all("theirs" in row or "ours" in row for row in rows)
    assert all("note" in row for row in rows if not {"theirs", "ours"} <= row.keys())
