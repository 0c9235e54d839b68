"""Convert goldens of DeepEval to rows of evalcontract and back; no golden loses anything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import (
    BUNDLES,
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    conversation_of,
    criteria_of,
    default_id,
    guidelines_of,
    reference_of,
    with_bundle,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._residual import Form, ResidualPlace, difference, is_row
from evalcontract.formats.deepeval.fields import FIELDS, RUBRIC, calls_of, tools_of
from evalcontract.formats.deepeval.reading import (
    DELIMITER,
    LISTS,
    METADATA,
    OF_INPUT,
    OF_SCENARIO,
    as_read,
    document_of,
    documents_of,
    has_scenario,
    texts_of_documents,
)
from evalcontract.formats.deepeval.rows import is_nothing, kind_of
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.formats._residual import Residual

_NO_CELL = "no cell of a table is read as this value"
_KIND = "pandas reads a column of {} as such, and DeepEval refuses it"
# In this order; tables have no personas.
_COLUMNS = tuple(dict.fromkeys(key for key in (*OF_INPUT, *OF_SCENARIO) if key != "persona"))
_TEXTS = (
    *("input", "actual_output", "expected_output", "comments", "name", "source_file"),
    *("scenario", "expected_outcome", "user_description"),
)
_COUNTS = ("token_cost", "input_token_count", "output_token_count")
# Without these there is no golden.
_NEEDED = ("input", "scenario")


def cells_of(golden: dict[str, Any]) -> tuple[dict[str, str], list[Loss], list[Problem]]:
    """Return a golden as cells of a table, what no cell can hold, and why it cannot be written."""
    cells: dict[str, str] = {}
    losses: list[Loss] = []
    problems: list[Problem] = []
    for key, value in golden.items():
        if value is None:
            continue
        if key in LISTS and value == []:
            cells[key] = ""  # In a column of lists, an empty cell is an empty list.
            continue
        cell = _cell(key, value) if key in _COLUMNS else None
        if cell is not None and not is_nothing(cell):
            cells[key] = cell
        elif key in _NEEDED:
            problems.append(Problem("deepeval/null-text", f"`{key}`: {_NO_CELL}", ()))
        else:
            losses.append(Loss((key,), _NO_CELL, is_kept=False))
    return cells, losses, problems


def table_of(
    rows: list[dict[str, str]],
) -> tuple[list[str], list[dict[str, str]], Sequence[Loss]]:
    """Return the header and the rows of a table, without columns that DeepEval would refuse."""
    used = {key for row in rows for key in row}
    losses = []
    for key in sorted(used & {*_TEXTS}):
        kind = kind_of([row[key] for row in rows if key in row])
        if kind:
            losses.append(Loss((key,), _KIND.format(kind), is_kept=False))
            used -= {key} - {*_NEEDED}
    header = [key for key in _COLUMNS if key in used]
    return header, [{key: row[key] for key in header if key in row} for row in rows], losses


def _cell(key: str, value: Any) -> str | None:
    """Return the cell that is read as a value; None if there is none."""
    if key in LISTS:
        return _joined(value)
    if key in _COUNTS:
        return str(value) if isinstance(value, int | float) else None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else None


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


_ROOT = "a dataset of DeepEval is a list of goldens"
_NESTED: dict[str, Any] = {"expected": {}}
_ROLES = ("user", "assistant")
_FORM = Form("set", "absent")
_IN_THEIRS = ResidualPlace(METADATA, OURS, "_metadata")
_IN_OURS = ResidualPlace("metadata", "deepeval", "_metadata")
#: Says that a row comes from a golden of a conversation, beside what is preserved of it.
_SCENARIO = "scenario"
#: The keys that a row has a field for, which may hold less.
_PARTLY = frozenset(
    {"expected_output", "expected_outcome", "expected_tools", "context", "retrieval_context"}
    | {"actual_output", "turns"}
)
_MORE = "the field of a row has no place for all that it says"
#: Values that say nothing.
_EMPTY: tuple[Any, ...] = ("", [], {})
_MIXED = "the row is of a golden with a `scenario`, and the first of one without, or the reverse"


class GoldenReader(Reader):
    """Converts goldens to evalcontract; preserves everything else in `metadata.deepeval`."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid golden; a foreign value in place of the residual is ordinary data."""
        whole = as_read(row)
        is_conversation = has_scenario(whole)
        bare, kept = _IN_THEIRS.split(whole, _is_kept)
        id_ = self._id_of(bare, index)
        ours = _FORM.applied(to_ours(bare, id_), kept, _NESTED)
        if not (is_row(ours) and ours.get("id") and "input" in ours):
            bare, ours = whole, to_ours(whole, id_)
        residual = difference(to_theirs(ours, index, is_conversation=is_conversation), bare)
        losses = [*_losses_of_golden(residual, bare)]
        written = _FORM.written(residual)
        if is_conversation:
            written[_SCENARIO] = True
        return OurRow(_IN_OURS.joined(ours, written), None, tuple(losses))

    def _id_of(self, golden: dict[str, Any], index: int) -> str:
        """Return the name of a golden as an id, if it is the first with that name."""
        id_ = _name_of(golden) or default_id(index)
        id_ = default_id(index) if id_ in self._ids else id_
        self._ids.add(id_)
        return id_


class GoldenWriter(Writer):
    """Converts rows to goldens; preserves everything else in `additional_metadata.evalcontract`."""

    def __init__(self, *, is_table: bool) -> None:
        self._is_table = is_table
        self._is_conversation: bool | None = None

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row."""
        bare, kept = _IN_OURS.split(row, _is_kept)
        kept = dict(kept or {})
        is_conversation = bool(kept.pop(_SCENARIO, False))
        theirs = _FORM.applied(to_theirs(bare, index, is_conversation=is_conversation), kept, {})
        id_ = _name_of(theirs) or default_id(index)
        residual = difference(to_ours(theirs, id_), bare, _NESTED)
        losses = [*_losses_of_row(residual, bare)]
        if rubric is not None and "rubric_ref" not in row:
            losses.append(Loss(("rubric_ref",), RUBRIC, is_kept=True))
        if self._is_conversation is None:
            self._is_conversation = is_conversation
        problems: tuple[Problem, ...] = ()
        if self._is_conversation is not is_conversation:
            problems = (Problem("deepeval/mixed-goldens", _MIXED, ()),)
        whole = _IN_THEIRS.joined(theirs, _FORM.written(residual))
        if not self._is_table:
            return TheirRow(whole, tuple(losses), problems)
        cells, lost, wrong = cells_of(whole)
        return TheirRow(cells, (*losses, *lost), (*problems, *wrong))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the list of goldens, or the header and the rows of a table."""
        losses = [Loss((key,), _ROOT, is_kept=False) for key in root]
        if not self._is_table:
            return rows, losses
        header, filled, lost = table_of(rows)
        return (header, filled), [*losses, *lost]


def _name_of(golden: dict[str, Any]) -> str | None:
    name = golden.get("name")
    return name if isinstance(name, str) and name.strip() else None


def _losses_of_golden(rest: Residual, golden: dict[str, Any]) -> Iterator[Loss]:
    """Yield the losses of a golden, given the rest of it that a row does not represent."""
    carried = {"name", "input", "scenario", METADATA}
    partly = _PARTLY.intersection(OF_SCENARIO if has_scenario(golden) else OF_INPUT)
    for key in rest.set:
        if key in carried or golden.get(key) in _EMPTY:
            continue
        reason = _MORE if key in partly else reason_for(FIELDS, (key,))
        yield Loss((key,), reason, is_kept=True)


def _losses_of_row(rest: Residual, row: dict[str, Any]) -> Iterator[Loss]:
    """Yield the losses of a row, given the rest of it that a golden does not represent."""
    for key, part in rest.set.items():
        if key == "metadata" or (key == "bundle" and part in BUNDLES):
            continue
        if key == "expected" and isinstance(part, dict):
            for name in part:
                yield Loss((key, name), reason_against(FIELDS, (key, name)), is_kept=True)
        elif key != "messages" or conversation_of(row).has_more or len(row["messages"]) > 1:
            yield Loss((key,), reason_against(FIELDS, (key,)), is_kept=True)


def _is_kept(value: dict[str, Any]) -> bool:
    """Whether a mapping is what a conversion preserved, and not the author's own."""
    own = {key: part for key, part in value.items() if key != _SCENARIO}
    is_marked = value.get(_SCENARIO, True) is True
    return is_marked and _FORM.has_written(own, _IN_OURS.was)


def to_ours(golden: dict[str, Any], id_: str) -> dict[str, Any]:
    """Convert a golden to evalcontract, without a residual."""
    is_conversation = has_scenario(golden)
    ours: dict[str, Any] = {
        "id": id_,
        "input": golden.get("scenario" if is_conversation else "input"),
    }
    given = golden.get("expectations")
    musts = given.get("must") if isinstance(given, dict) else None
    criteria = golden.get("expected_outcome") if is_conversation else criteria_of(musts)
    if isinstance(criteria, str) and criteria.strip():
        ours["criteria"] = criteria
    output = golden.get("expected_output")
    if not is_conversation and isinstance(output, str) and output.strip():
        ours["expected"] = {"reference": output}
    if context := golden.get("context"):
        ours["context"] = context
    if is_conversation:
        turns = golden.get("turns")
        if turns and all(turn.keys() <= {"role", "content"} for turn in turns):
            ours["messages"] = turns
    else:
        if tools := tools_of(golden.get("expected_tools")):
            ours["expected_tools"] = tools
        if documents := documents_of(golden.get("retrieval_context")):
            ours["retrieved_documents"] = documents
        if isinstance(golden.get("actual_output"), str):
            ours["recorded_output"] = golden["actual_output"]
    if isinstance(golden.get(METADATA), dict) and golden[METADATA]:
        ours["metadata"] = golden[METADATA]
    return with_bundle(ours)


def to_theirs(row: dict[str, Any], index: int, *, is_conversation: bool) -> dict[str, Any]:
    """Convert a row of evalcontract to a golden, without a residual."""
    theirs = _of_conversation(row) if is_conversation else _of_question(row)
    context = row.get("context")
    if isinstance(context, list) and context and all(isinstance(text, str) for text in context):
        theirs["context"] = context
    if row.get("id") != default_id(index):
        theirs["name"] = row.get("id")
    if isinstance(row.get("metadata"), dict) and row["metadata"]:
        theirs[METADATA] = row["metadata"]
    return theirs


def _of_conversation(row: dict[str, Any]) -> dict[str, Any]:
    theirs: dict[str, Any] = {"scenario": row.get("input")}
    messages = row.get("messages")
    if isinstance(messages, list) and messages and all(map(_is_turn, messages)):
        theirs["turns"] = messages
    if criteria := _criteria_of(row):
        theirs["expected_outcome"] = criteria
    return theirs


def _of_question(row: dict[str, Any]) -> dict[str, Any]:
    theirs: dict[str, Any] = {"input": row.get("input")}
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


def _criteria_of(row: dict[str, Any]) -> str | None:
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
