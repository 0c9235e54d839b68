"""What a row preserves of a case, and a case of a row, each in its `metadata`.

A row has under `northstar` what it cannot represent: `written` is the part of the case that it does
not imply, `unwritable` the values that are not valid JSON. A case has under `evalcontract` what it
cannot represent: `row` are keys of the row as they were, `without` the keys that the row lacked,
and `rubric` is its rubric, or null, if the case implies another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._findings import is_list_of
from evalcontract.formats._residual import Form, ResidualPlace, applied, difference, is_row
from evalcontract.formats.northstar.mapping import THEIRS, to_case, to_row
from evalcontract.formats.northstar.restoring import NESTED
from evalcontract.formats.northstar.unwritable import without_unwritable
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path

_FORM = Form("row", "without")
_IN_CASE = ResidualPlace("metadata", OURS, "metadata")
# The mappings of a row that are compared key by key.
_NESTED: dict[str, Any] = {"expected": {}}
_NAMES = ("id", "version")


class ConvertedRow(NamedTuple):
    """A row, its rubric, and the paths of the values of its case that are not valid JSON."""

    row: dict[str, Any]
    rubric: dict[str, Any] | None
    unwritable: tuple[Path, ...] = ()


def row_of(case: dict[str, Any], index: int) -> ConvertedRow:
    """Convert a valid case to a row that preserves what it does not imply."""
    plain, unwritable = without_unwritable(case)
    row, rubric = to_row(plain, index)
    native = to_case(row, rubric).case
    kept = {"written": difference(native, plain, NESTED).set, "unwritable": unwritable}
    if kept := {key: part for key, part in kept.items() if part}:
        own = row.get("metadata", {})
        row["metadata"] = {**own, THEIRS: {**own.get(THEIRS, {}), **kept}}
    return ConvertedRow(row, rubric, tuple(tuple(path) for *path, _ in unwritable))


def row_kept_in(case: dict[str, Any], index: int) -> ConvertedRow | None:
    """Return the row that a case was converted from.

    None if there is none, or if the case was edited since and no longer matches it.
    """
    bare, kept = _IN_CASE.split(case, _FORM.fits)
    residual = _FORM.read(kept) if kept is not None else None
    if residual is None:
        return None
    plain = row_of(bare, index)
    own = ConvertedRow(applied(plain.row, residual, _NESTED), kept.get("rubric", plain.rubric))
    return own if _becomes(own, case, index) else None


def kept_of(
    row: dict[str, Any], rubric: dict[str, Any] | None, case: dict[str, Any], index: int
) -> dict[str, Any]:
    """Return what the case of a row must preserve; usually nothing."""
    plain = row_of(case, index)
    rubric = rubric and {key: part for key, part in rubric.items() if key not in _NAMES}
    residual = difference(plain.row, row, _NESTED)
    if not json_equal(rubric, plain.rubric):
        return {**_FORM.written(residual), "rubric": rubric}
    if rubric:
        residual.set.pop("rubric_ref", None)  # the rubric is generated and named again
    return _FORM.written(residual)


def with_kept(case: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Return a case with what it preserves of its row."""
    return _IN_CASE.joined(case, kept)


def _becomes(own: ConvertedRow, case: dict[str, Any], index: int) -> bool:
    """Whether a row converts to this very case."""
    row, rubric, _ = own
    if not is_row(row) or not _is_rubric(rubric):
        return False
    try:
        native = to_case(row, rubric).case
        return json_equal(with_kept(native, kept_of(row, rubric, native, index)), case)
    except (AttributeError, KeyError, TypeError):
        return False  # the value under that key is foreign


def _is_rubric(rubric: Any) -> bool:
    """Whether a value has the form of a rubric, or is None."""
    if rubric is None:
        return True
    checks = rubric.get("checks") if isinstance(rubric, dict) else None
    return (
        bool(checks)
        and is_list_of(checks, dict)
        and all(isinstance(check.get("kind"), str) for check in checks)
        and isinstance(rubric.get("scoring"), dict)
    )
