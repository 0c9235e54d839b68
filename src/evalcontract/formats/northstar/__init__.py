"""NorthStar: recorded runs of an agent as JSON or JSONL, judged as its pydantic models judge.

Written from the table of fields in its documentation, and from what was measured of its loader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, Format, RowLayout
from evalcontract.formats.northstar.checker import CaseChecker
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.source.external import ExternalFile

_KEYS = frozenset({"id", "input", "messages", "expected", "metrics", "metadata", "trace"})
# An empty file of JSONL is a dataset without cases.
_PASSED_OVER = frozenset({"source/empty"})


def _find_rows(read: ExternalFile, _variant: str | None, schema: SchemaChecker) -> RowLayout:
    if read.has_mark:
        message = "NorthStar refuses a file that begins with a byte order mark"
        return _lost(message, "save it as UTF-8 without one")
    if read.document is None:
        return RowLayout(passed_over=_PASSED_OVER)
    value = read.document.value
    if isinstance(value, list):
        return RowLayout(value, (), _empty(value))
    if not isinstance(value, dict):
        message = "the file holds neither cases nor one case"
        return _lost(message, 'write a list of cases, or `{"cases": […]}`')
    rows = value.get("cases")
    if not isinstance(rows, list):
        found = _misread(value)
        return (
            RowLayout(problems=(found,), is_lost=True) if found else RowLayout([value], is_row=True)
        )
    beside = schema.unread({**value, "cases": []}, (), "file")
    return RowLayout(rows, ("cases",), (*_empty(rows, "cases"), *beside))


def _row_checker(_variant: str | None, schema: SchemaChecker) -> RowChecker:
    return CaseChecker(schema)


def _name_of(row: Any) -> str | None:
    id_ = row.get("id") if isinstance(row, dict) else None
    return id_ if isinstance(id_, str) else None


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Return the dialect of a case that says what is expected, and has no key of others.

    One key may be misspelled: what is to be found must not hide whose file it is.
    """
    rows = value.get("cases")
    row = next(iter(rows), None) if isinstance(rows, list) else value
    if not isinstance(row, dict):
        return None
    meant = {key: nearest(key, _KEYS) for key in row if key not in _KEYS}
    if len(meant) > 1 or None in meant.values():
        return None
    row = {meant.get(key) or key: part for key, part in row.items()}
    messages = row.get("messages")
    is_case = (
        isinstance(row.get("id"), str)
        and isinstance(messages, list)
        and all(isinstance(each, dict) for each in messages)
        and any(isinstance(row.get(key), dict) for key in ("expected", "metrics"))
    )
    return Dialect(NORTHSTAR, None) if is_case else None


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    from evalcontract.formats._predictions import predictions  # not for a check
    from evalcontract.formats.northstar.predictions import FACTS

    return predictions("northstar", row, variant, FACTS)


def _reader(read: ExternalFile, variant: str | None) -> Reader:
    from evalcontract.formats.northstar.conversion import CaseReader  # not for a check

    del variant
    return CaseReader(read)


def _writer(medium: str, variant: str | None) -> Writer:
    from evalcontract.formats.northstar.conversion import CaseWriter  # not for a check

    del variant
    return CaseWriter(medium)


def _lost(message: str, advice: str) -> RowLayout:
    return RowLayout(problems=(Problem("northstar/rejected", message, (), advice),), is_lost=True)


def _misread(value: dict[str, Any]) -> Problem | None:
    """Say that a whole document holds cases, and that NorthStar takes it for one case."""
    if not value.keys().isdisjoint(("id", "messages")):
        return None
    if "cases" in value:
        message = "`cases` must be a list: NorthStar takes the file for one case otherwise"
        advice = "write a list of cases, each with its `id`"
        return Problem("northstar/wrong-type", message, ("cases",), advice)
    found = [key for key, part in value.items() if _is_mappings(part)]
    if len(found) != 1:
        return None
    message = f"`{found[0]}` is not read: without `cases`, NorthStar takes the file for one case"
    return Problem("northstar/unknown-key", message, (found[0],), "call it `cases`", on_key=True)


def _is_mappings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _empty(rows: list[Any], *prefix: str) -> tuple[Problem, ...]:
    if rows:
        return ()
    message = "there are no cases: NorthStar loads that, and a run over nothing passes"
    return (Problem("northstar/empty", message, prefix, "add one"),)


NORTHSTAR = Format(
    name="northstar",
    title="NorthStar",
    variants=(),
    media=("json", "jsonl"),
    basis="what the loader of NorthStar did in 2026-06, with pydantic 2.14",
    find_rows=_find_rows,
    row_checker=_row_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
)
