"""Convert records of Inspect to rows of evalcontract and back; no record loses anything."""

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
    default_id,
    reference_of,
    with_bundle,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._residual import Form, ResidualPlace, difference, is_row
from evalcontract.formats.inspect.fields import FIELDS, RUBRIC, SECOND
from evalcontract.formats.inspect.reading import (
    cells_of,
    choices_of,
    id_of,
    metadata_of,
    question_of,
    table_of,
)

if TYPE_CHECKING:
    from evalcontract.formats._residual import Residual

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_ROOT = "a dataset of Inspect is a list of samples"
_NESTED: dict[str, Any] = {"expected": {}, "context": {}}
# Longer ids of digits are texts.
_DIGITS = 16
_FORM = Form("set", "absent")
_IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
_IN_OURS = ResidualPlace("metadata", "inspect", "_metadata")


class RecordReader(Reader):
    """Converts records to evalcontract; preserves everything else in `metadata.inspect`."""

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid record; a foreign value in place of the residual is ordinary data."""
        whole = _plain(row)
        bare, kept = _IN_THEIRS.split(whole, _is_kept)
        ours = _FORM.applied(to_ours(bare, index), kept, _NESTED)
        if not (is_row(ours) and ours.get("id") and ours.get("input")):
            bare, ours = whole, to_ours(whole, index)
        residual = difference(to_theirs(ours, index), bare)
        losses = [
            Loss((key,), reason_for(FIELDS, (key,)), is_kept=True)
            for key, part in residual.set.items()
            if key not in ("id", "input", "target", "choices", "metadata") and part is not None
        ]
        return OurRow(_IN_OURS.joined(ours, _FORM.written(residual)), None, tuple(losses))


class RecordWriter(Writer):
    """Converts rows to records; preserves everything else in `metadata.evalcontract`."""

    def __init__(self, *, is_table: bool) -> None:
        self._is_table = is_table
        self._columns: dict[str, None] = {}

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row."""
        bare, kept = _IN_OURS.split(row, _is_kept)
        theirs = _FORM.applied(to_theirs(bare, index), kept, {})
        residual = difference(to_ours(theirs, index), bare, _NESTED)
        losses = [*_losses(residual, bare)]
        if rubric is not None and "rubric_ref" not in row:
            losses.append(Loss(("rubric_ref",), RUBRIC, is_kept=True))
        whole = _IN_THEIRS.joined(theirs, _FORM.written(residual))
        if not self._is_table:
            return TheirRow(whole, tuple(losses))
        cells, lost = cells_of(whole)
        self._columns |= dict.fromkeys(cells)
        return TheirRow(cells, (*losses, *lost))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the list of records, or the header and the rows of a table."""
        losses = [Loss((key,), _ROOT, is_kept=False) for key in root]
        if not self._is_table:
            return rows, losses
        header, filled, lost = table_of(rows, self._columns)
        return (header, filled), [*losses, *lost]


def _losses(rest: Residual, row: dict[str, Any]) -> Iterator[Loss]:
    """Yield the losses of a row, given the rest of it that a record does not represent."""
    for key, part in rest.set.items():
        if key == "metadata" or (key == "bundle" and part in BUNDLES):
            continue
        if key == "must_contain_any" and reference_of(row):
            yield Loss((key,), SECOND, is_kept=True)
        elif key in _NESTED and isinstance(part, dict):
            for name in part:
                yield Loss((key, name), reason_against(FIELDS, (key, name)), is_kept=True)
        elif key == "messages":
            if conversation_of(row).run:
                reason = "a sample ends with the question; the run after it is no input"
                yield Loss((key,), reason, is_kept=True)
        else:
            yield Loss((key,), reason_against(FIELDS, (key,)), is_kept=True)


def _is_kept(value: dict[str, Any]) -> bool:
    """Whether a mapping is what a conversion preserved, and not the author's own."""
    return _FORM.has_written(value, _IN_OURS.was)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a record with its metadata as a mapping."""
    return {**row, "metadata": metadata_of(row)} if isinstance(row.get("metadata"), str) else row


def to_ours(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a record to evalcontract, without a residual."""
    given = row.get("input")
    question = question_of(given) if isinstance(given, list) else given
    if not isinstance(question, str) or not question:
        question = json.dumps(given, ensure_ascii=False)
    ours: dict[str, Any] = {"id": id_of(row) or default_id(index), "input": question}
    if isinstance(given, list):
        ours["messages"] = given
    target = row.get("target")
    if isinstance(target, list):
        if target and all(isinstance(part, str) and part for part in target):
            ours["must_contain_any"] = target
    elif target is not None and str(target).strip():
        ours["expected"] = {"reference": str(target)}
    if choices := choices_of(row):
        ours["context"] = {"choices": choices}
    if isinstance(row.get("metadata"), dict) and row["metadata"]:
        ours["metadata"] = row["metadata"]
    return with_bundle(ours)


def to_theirs(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a row of evalcontract to a record, without a residual."""
    theirs: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        theirs["id"] = _id_of(row.get("id"))
    asked = conversation_of(row).asked
    theirs["input"] = asked if asked and all(map(_is_message, asked)) else row.get("input")
    if reference := reference_of(row):
        theirs["target"] = reference
    elif isinstance(values := row.get("must_contain_any"), list) and values:
        theirs["target"] = values
    context = row.get("context")
    choices = context.get("choices") if isinstance(context, dict) else None
    if isinstance(choices, list) and choices and all(isinstance(c, str) and c for c in choices):
        theirs["choices"] = choices
    if isinstance(row.get("metadata"), dict) and row["metadata"]:
        theirs["metadata"] = row["metadata"]
    return theirs


def _id_of(id_: Any) -> Any:
    """Return an id, as a number if it is the digits of one, which is the same id for Inspect."""
    is_number = isinstance(id_, str) and id_.isascii() and id_.isdecimal() and len(id_) < _DIGITS
    return int(id_) if is_number and str(int(id_)) == id_ else id_


def _is_message(message: Any) -> bool:
    """Whether Inspect surely reads a message: a role and a text, without calls of tools."""
    return (
        isinstance(message, dict)
        and message.get("role") in _ROLES
        and isinstance(message.get("content"), str)
        and message.keys() <= {"role", "content"}
    )
