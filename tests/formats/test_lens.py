"""What holds of every dialect: rows come back, edits in between count, and nothing is silent."""

from __future__ import annotations

import json
from copy import deepcopy
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from examples import mostly_costly
from tables import every_case
from test_fields import LISTS, NAMES, field_of, row_with, rows_of

from evalcontract.formats import OURS as OURS_NAME
from evalcontract.formats import dialect_of
from evalcontract.model.values import json_equal
from evalcontract.source.document import value_at
from evalcontract.source.external import read_external_stream
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.workspace.catalogue import is_rejection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats import Format
    from evalcontract.formats._conversion import OurRow, TheirRow

#: Fields of ours that stand for something whose edit is no edit of the row.
NOT_EDITED = ("rubric_ref",)
#: A row of ours with much that a system has no place for.
OURS: dict[str, Any] = {
    "id": "depth",
    "input": "How deep?",
    "criteria": "Names a depth.",
    "expected": {"reference": "9 m", "own": "1", "format": "text"},
    "expected_facts": ["9 m", "deep"],
    "expected_tools": ["chart"],
    "must_contain_any": ["9 m", "nine"],
    "must_not_contain": ["8 m"],
    "context": {"port": "Wick"},
    "tags": ["harbour"],
    "metadata": {"by": "Ada"},
    "own": 5,
}


def read(dialect: Format, row: Any) -> OurRow:
    """Return a row as that of evalcontract, read from a file of its own."""
    value = {LISTS[dialect.name]: [row]} if dialect.name in LISTS else [row]
    file = read_external_stream(BytesIO(json.dumps(value).encode()), "rows.json")
    return dialect.reader(file).read(row, 0)


def written(dialect: Format, row: Any, rubric: Any = None) -> TheirRow:
    found = dialect.writer("json").write(row, rubric, 0)
    assert found.problems == ()
    return found


def write(dialect: Format, row: Any, rubric: Any = None) -> Any:
    return written(dialect, row, rubric).row


def unsaid(dialect: Format, row: Any, rubric: Any, path: tuple[str, ...]) -> Any:
    """Return what is told or said of a value of a row, if that is not the value; else None."""
    found = written(dialect, row, rubric)
    here = value_at(said(dialect, found.row), path)
    told = [each.path for each in found.losses]
    is_told = any(path[: len(each)] == each[: len(path)] for each in told)
    return None if is_told or here == value_at(row, path) else (path, here, told)


def said(dialect: Format, theirs: Any) -> Any:
    """Return what a row says to the system itself, without what it keeps for evalcontract."""
    return read(dialect, without_kept(theirs)).row


def without_kept(theirs: Any) -> Any:
    """Return a row without what it keeps for evalcontract."""
    return {
        key: {name: each for name, each in part.items() if name != OURS_NAME}
        if isinstance(part, dict)
        else part
        for key, part in theirs.items()
    }


def edited(value: Any) -> Any:
    """Return another value of the same form."""
    if isinstance(value, str):
        return f"{value} Edited."
    if isinstance(value, list):
        return [edited(part) for part in value]
    if isinstance(value, dict) and value:
        key = "content" if "content" in value else next(iter(value))
        return {**value, key: edited(value[key])}
    return not value if isinstance(value, bool) else value + 1


def set_at(row: Any, path: tuple[str, ...], value: Any) -> Any:
    row = deepcopy(row)
    part = row
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return row


#: Values that evalcontract says in another form, so that the older form is kept.
ODD: list[tuple[str, dict[str, Any]]] = [
    ("inspect", {"id": 7, "input": "2+3?", "target": 5, "choices": "4,5"}),
    ("inspect", {"id": "a", "input": [{"role": "user", "content": "2+3?"}], "target": ["5", ""]}),
    ("deepeval", {"input": "2+3?", "expectations": {"must": [" Is short."], "must_not": ["a"]}}),
    ("deepeval", {"input": "2+3?", "expected_tools": [{"name": "a", "type": "MCP"}]}),
    ("deepeval", {"input": "2+3?", "expected_output": " ", "retrieval_context": ["a", {}]}),
    ("agent_skills:guide", {"id": "07", "prompt": "2+3?", "assertions": [{"text": "Is 5."}]}),
    ("agent_skills:guide", {"id": "1", "prompt": "2+3?", "expected_output": ""}),
    ("agent_skills:best_practices", {"prompt": "2+3?", "must_contain_any": ["5", "5"]}),
    ("openai:samples", {"input": "2+3?", "ideal": "5"}),
    ("openai:samples", {"input": "2+3?", "ideal": ["5", ""], "id": 7}),
    ("openai:hosted", {"item": {"input": "2+3?", "id": 7, "reference": 5}}),
    ("databricks", {"request": {"query": "2+3?"}, "expected_facts": ["5", ""]}),
    ("databricks", {"request": "2+3?", "expected_facts": ["5"], "expected_response": "6"}),
    ("mlflow:evaluate", {"inputs": {"question": "2+3?"}, "outputs": 5, "tags": {"a": "b"}}),
    ("promptfoo", {"vars": {"question": "2+3?"}, "assert": [{"type": "equals", "value": 5}]}),
    ("evret", {"query": " 2+3? ", "id": 7, "expected_answers": ["5", "5"]}),
]
CHANGES: dict[str, Any] = {
    "id": "another",
    "input": "4+4?",
    "criteria": "Is even.",
    "expected": {"reference": "8"},
    "must_contain_any": ["8"],
    "expected_tools": ["b"],
    "context": {"choices": ["7", "8"]},
}


@every_case(("name", "theirs"), ODD, ids=json.dumps)
@every_case("key", CHANGES)
def test_an_edit_counts_where_an_older_form_is_kept(name: str, theirs: Any, key: str) -> None:
    dialect = dialect_of(name)
    found = read(dialect, theirs)
    assert json_equal(write(dialect, found.row, found.rubric), theirs)
    if key not in found.row or (key == "context" and name != "inspect"):
        return
    ours = {**found.row, key: CHANGES[key]}
    assert unsaid(dialect, ours, found.rubric, (key,)) is None
    if key == "id":
        assert said(dialect, write(dialect, ours, found.rubric))["id"] == "another"


CASES = [(name, field) for name in NAMES for field in rows_of(dialect_of(name))]


@every_case(("name", "field"), CASES)
def test_an_edit_of_a_converted_row_is_said_when_it_comes_back(name: str, field: str) -> None:
    dialect = dialect_of(name)
    theirs = row_with(dialect, field, 1)
    found = read(dialect, theirs)
    for each in field_of(dialect, field):
        if each.ours is None or each.ours in NOT_EDITED:
            continue
        path = tuple(each.ours.replace("*", field.rpartition(".")[2]).split("."))
        value = value_at(found.row, path)
        if value is None:
            continue
        ours = set_at(found.row, path, edited(value))
        assert unsaid(dialect, ours, found.rubric, path) is None


@every_case("name", NAMES)
def test_an_edit_of_a_written_row_is_said_when_it_is_read(name: str) -> None:
    dialect = dialect_of(name)
    theirs = write(dialect, {**OURS, **NEEDED.get(name, {})})
    for field in dialect.own_fields:
        path = tuple((field.theirs or "").split("."))
        value = value_at(theirs, path)
        if field.ours is None or value is None or field.ours in ("metadata", *NOT_EDITED):
            continue
        changed = set_at(theirs, path, edited(value))
        found = read(dialect, changed)
        back = write(dialect, found.row, found.rubric)
        assert value_at(back, path) == edited(value), path


NEEDED = {"databricks:outputs": {"recorded_output": "9 m"}}


MARK = "only here"
#: Keys that no system knows.
SOMEBODYS = ("somebody", "x_own", "a note ")
#: What a system may have beside what its fields say.
BESIDE: dict[str, Any] = {
    key: {"metadata": {"by": "Ada"}} for key in ("agent_skills", "databricks", "openai")
}
#: A row of ours with everything that `OURS` has no place for.
RECORDED: dict[str, Any] = {
    **OURS,
    "messages": [{"role": "user", "content": "How deep?"}],
    "expected_documents": [{"id": "d1"}],
    "bundle": "agent",
    "context": {"port": "Wick", "berth": {"quay": "north"}},
}


def mappings(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each mapping in a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, dict):
        yield path
    for key, part in parts:
        if isinstance(part, dict | list):
            yield from mappings(part, (*path, key))


def with_key(value: Any, key: str) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield a value with a key of somebody else's at each level, and the path of the key."""
    for above in mappings(value):
        yield set_at(value, (*above, key), MARK), (*above, key)


def has_mark(*values: Any) -> bool:
    return MARK in json.dumps(values)


def is_listed(path: tuple[Any, ...], found: OurRow | TheirRow) -> bool:
    """Whether the losses of a row have a path, or one above it."""
    return any(path[: len(each.path)] == each.path for each in found.losses)


@pytest.mark.parametrize("name", mostly_costly(NAMES))
@every_case("key", SOMEBODYS)
def test_a_row_comes_back_and_what_is_not_mapped_is_listed(name: str, key: str) -> None:
    dialect = dialect_of(name)
    stage = dialect_checker(*dialect.stage)
    odd = [theirs for system, theirs in ODD if dialect_of(system) == dialect]
    silent = []
    for each in (*rows_of(dialect).values(), *odd):
        for row, path in with_key({**BESIDE.get(dialect.name, {}), **each}, key):
            if any(is_rejection(fault.code) for fault in stage.faults(row, ())):
                continue
            found = read(dialect, row)
            assert json_equal(write(dialect, found.row, found.rubric), row)
            assert all(value_at(row, loss.path) is not None for loss in found.losses)
            metadata = found.row.get("metadata", {})
            own = [part for name, part in metadata.items() if not name.startswith(dialect.name)]
            free = {name: part for name, part in found.row.items() if name != "metadata"}
            if not has_mark(free, own, found.rubric) and not is_listed(path, found):
                silent.append((path, each))
    assert silent == []


@pytest.mark.parametrize("name", mostly_costly(NAMES))
@every_case("key", SOMEBODYS)
def test_a_row_of_ours_comes_back_and_what_is_not_written_is_listed(name: str, key: str) -> None:
    dialect = dialect_of(name)
    silent = []
    for each in (OURS, RECORDED):
        for row, path in with_key({**each, **NEEDED.get(name, {})}, key):
            found = written(dialect, row)
            assert json_equal(read(dialect, found.row).row, row)
            if not has_mark(without_kept(found.row)) and not is_listed(path, found):
                silent.append(path)
    assert silent == []
