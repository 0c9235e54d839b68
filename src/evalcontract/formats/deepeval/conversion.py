"""Goldens of DeepEval and rows of evalcontract: how they correspond."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any

from evalcontract.formats._conversion import (
    OURS,
    Loss,
    criteria_of,
    default_id,
    guidelines_of,
    reference_of,
)
from evalcontract.formats._lens import At, Cells, Lens
from evalcontract.formats._residual import ResidualPlace, Row
from evalcontract.formats.deepeval.reading import (
    COLUMNS,
    DELIMITER,
    LISTS,
    METADATA,
    OF_INPUT,
    OF_SCENARIO,
    as_read,
    calls_of,
    document_of,
    documents_of,
    has_scenario,
    is_nothing,
    kind_of,
    texts_of_documents,
    tools_of,
)
from evalcontract.model.diagnostic import Path, Problem

_NO_CELL = "no cell of a table is read as this value"
_KIND = "pandas reads a column of {} as such, and DeepEval refuses it"
_TEXTS = (
    *("input", "actual_output", "expected_output", "comments", "name", "source_file"),
    *("scenario", "expected_outcome", "user_description"),
)
_COUNTS = ("token_cost", "input_token_count", "output_token_count")
# Without these there is no golden.
_NEEDED = ("input", "scenario")


_ROLES = ("user", "assistant")
#: Notes that a row comes from a golden of a conversation.
_SCENARIO = "scenario"
#: The keys that a row has a field for, which may hold less.
_PARTLY = frozenset(
    {"expected_output", "expected_outcome", "expected_tools", "context", "retrieval_context"}
    | {"actual_output", "turns"}
)
_MORE = "the field of a row has no place for all that it says"
_MIXED = "the row is of a golden with a `scenario`, and the first of one without, or the reverse"


class GoldenLens(Lens):
    """Keeps everything else of a golden in `metadata.deepeval`, and of ours in its metadata."""

    in_theirs = ResidualPlace(METADATA, OURS, "_metadata")
    nested_ours = MappingProxyType({"expected": {}})
    quiet = frozenset({"name", "input", "scenario"})
    nothing = (None, "", [], {})
    no_root = "a dataset of DeepEval is a list of goldens"

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        self._ids: set[str] = set()
        self._is_conversation: bool | None = None

    def plain(self, row: Row) -> Row:
        return as_read(row)

    def place_of(self, row: Row, index: int) -> At:
        """Return where a golden stands; its name is its id, if it is the first with that name."""
        id_ = _name_of(row) or default_id(index)
        id_ = default_id(index) if id_ in self._ids else id_
        self._ids.add(id_)
        return At(index, id_, hints={_SCENARIO: True} if has_scenario(row) else {})

    def are_hints(self, hints: Row) -> bool:
        return not hints or (hints.keys() == {_SCENARIO} and hints[_SCENARIO] is True)

    def to_ours(self, row: Row, at: At) -> Row:
        is_conversation = has_scenario(row)
        unnamed = default_id(at.number)
        ours: Row = {
            "id": unnamed if at.id == unnamed else _name_of(row) or unnamed,
            "input": row.get("scenario" if is_conversation else "input"),
        }
        given = row.get("expectations")
        musts = given.get("must") if isinstance(given, dict) else None
        criteria = row.get("expected_outcome") if is_conversation else criteria_of(musts)
        if isinstance(criteria, str) and criteria.strip():
            ours["criteria"] = criteria
        output = row.get("expected_output")
        if not is_conversation and isinstance(output, str) and output.strip():
            ours["expected"] = {"reference": output}
        if context := row.get("context"):
            ours["context"] = context
        if is_conversation:
            turns = row.get("turns")
            if turns and all(turn.keys() <= {"role", "content"} for turn in turns):
                ours["messages"] = turns
            return ours
        if tools := tools_of(row.get("expected_tools")):
            ours["expected_tools"] = tools
        if documents := documents_of(row.get("retrieval_context")):
            ours["retrieved_documents"] = documents
        if isinstance(row.get("actual_output"), str):
            ours["recorded_output"] = row["actual_output"]
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        theirs = _of_conversation(row) if at.hints.get(_SCENARIO) else _of_question(row)
        context = row.get("context")
        if isinstance(context, list) and context and all(isinstance(text, str) for text in context):
            theirs["context"] = context
        if row.get("id") != default_id(at.number):
            theirs["name"] = row.get("id")
        return theirs

    def says_messages(self, row: Row, again: Row) -> bool:
        return row["messages"] in ([], [{"role": "user", "content": row.get("input")}])

    def reason_for(self, path: Path, row: Row) -> str:
        partly = _PARTLY.intersection(OF_SCENARIO if has_scenario(row) else OF_INPUT)
        return _MORE if path[0] in partly else super().reason_for(path, row)

    def problems(self, theirs: Row, at: At) -> Iterator[Problem]:
        """Yield that a file has goldens of both kinds."""
        is_conversation = bool(at.hints.get(_SCENARIO))
        if self._is_conversation is None:
            self._is_conversation = is_conversation
        if self._is_conversation is not is_conversation:
            yield Problem("deepeval/mixed-goldens", _MIXED, ())

    def cells_of(self, row: Row) -> Cells:
        cells: Row = {}
        losses: list[Loss] = []
        problems: list[Problem] = []
        for key, value in row.items():
            if value is None:
                continue
            if key in LISTS and value == []:
                cells[key] = ""  # In a column of lists, an empty cell is an empty list.
                continue
            is_unread = key not in COLUMNS
            cell = _cell(key, value)
            if cell is not None and (is_unread or not is_nothing(cell)):
                cells[key] = cell
            elif key in _NEEDED:
                problems.append(Problem("deepeval/null-text", f"`{key}`: {_NO_CELL}", ()))
            else:
                losses.append(Loss((key,), _NO_CELL, is_kept=False))
        return Cells(cells, losses, problems)

    def table_of(self, rows: list[Row]) -> tuple[list[str], list[Row], Sequence[Loss]]:
        """Return the header and the rows of a table, without columns that DeepEval would refuse."""
        used = {key for row in rows for key in row}
        losses = []
        for key in sorted(used & {*_TEXTS}):
            kind = kind_of([row[key] for row in rows if key in row])
            if kind:
                losses.append(Loss((key,), _KIND.format(kind), is_kept=False))
                used -= {key} - {*_NEEDED}
        header = [*(key for key in COLUMNS if key in used), *sorted(used - {*COLUMNS})]
        return header, [{key: row[key] for key in header if key in row} for row in rows], losses


def _name_of(golden: Row) -> str | None:
    name = golden.get("name")
    return name if isinstance(name, str) and name.strip() else None


def _cell(key: str, value: Any) -> str | None:
    """Return the cell that is read as a value; None if there is none."""
    if key in LISTS:
        return _joined(value)
    if key in _COUNTS:
        return str(value) if isinstance(value, int | float) else None
    if isinstance(value, dict | list) and key in COLUMNS:
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) and key.strip() else None


def _joined(items: Any) -> str | None:
    """Return texts in one text; None if they would be split otherwise."""
    texts = []
    for item in items if isinstance(items, list) else ():
        source, text = document_of(item) or (None, None)
        if text is None or DELIMITER in text or DELIMITER in (source or ""):
            return None
        texts.append(
            f"deepeval_source={source},deepeval_context={text}" if source is not None else text
        )
    joined = DELIMITER.join(texts)
    return joined if joined and kind_of([joined]) is None else None


def _of_conversation(row: Row) -> Row:
    theirs: Row = {"scenario": row.get("input")}
    messages = row.get("messages")
    if isinstance(messages, list) and messages and all(map(_is_turn, messages)):
        theirs["turns"] = messages
    if criteria := _criteria_of(row):
        theirs["expected_outcome"] = criteria
    return theirs


def _of_question(row: Row) -> Row:
    theirs: Row = {"input": row.get("input")}
    if reference := reference_of(row):
        theirs["expected_output"] = reference
    if isinstance(row.get("recorded_output"), str):
        theirs["actual_output"] = row["recorded_output"]
    if texts := texts_of_documents(row.get("retrieved_documents")):
        theirs["retrieval_context"] = texts
    if calls := calls_of(row.get("expected_tools")):
        theirs["expected_tools"] = calls
    if criteria := _criteria_of(row):
        theirs["expectations"] = {"must": [text.strip() for text in guidelines_of(criteria)]}
    return theirs


def _criteria_of(row: Row) -> str | None:
    criteria = row.get("criteria")
    return criteria if isinstance(criteria, str) and criteria.strip() else None


def _is_turn(message: Any) -> bool:
    """Whether a message is a turn as it stands."""
    return (
        isinstance(message, dict)
        and message.keys() == {"role", "content"}
        and message["role"] in _ROLES
        and isinstance(message["content"], str)
    )
