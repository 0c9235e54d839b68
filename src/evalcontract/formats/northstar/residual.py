"""What a row of ours and a case keep of each other, each below its `metadata`.

A row keeps below `northstar` what it cannot say of a case: `written` is the part of the case that
does not come back by itself, `unwritable` what is no JSON. A case keeps below `evalcontract` what
it cannot say of a row: `row` are keys of the row as they were, `without` keys that it had not, and
`rubric` is the rubric that graded it, or null, where the case gives another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats._conversion import OURS
from evalcontract.formats._residual import Form, ResidualPlace, applied, difference, is_row
from evalcontract.formats.northstar.mapping import NESTED, THEIRS, to_case, to_row
from evalcontract.formats.northstar.unwritable import without_unwritable
from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from evalcontract.model.path import Path

_FORM = Form("row", "without")
_IN_CASE = ResidualPlace("metadata", OURS, "metadata")
_NAMES = ("id", "version")


class Row(NamedTuple):
    """A row of ours, its rubric, and where the case has values that are no JSON."""

    row: dict[str, Any]
    rubric: dict[str, Any] | None
    unwritable: tuple[Path, ...] = ()


def row_of(case: dict[str, Any], index: int) -> Row:
    """Turn a sound case into a row; whatever does not come back by itself is kept."""
    plain, unwritable = without_unwritable(case)
    row, rubric = to_row(plain, index)
    native = to_case(row, rubric).case
    kept = {"written": difference(native, plain, NESTED).set, "unwritable": unwritable}
    if kept := {key: part for key, part in kept.items() if part}:
        row["metadata"] = {**row.get("metadata", {}), THEIRS: kept}
    return Row(row, rubric, tuple(tuple(path) for *path, _ in unwritable))


def row_kept_in(case: dict[str, Any], index: int) -> Row | None:
    """Return the row that a case was written from.

    None where it was not, or where what it expects was changed since, so that it is no longer
    what the kept rubric asks for.
    """
    bare, kept = _IN_CASE.split(case, _FORM.fits)
    residual = _FORM.read(kept) if kept is not None else None
    if residual is None:
        return None
    plain = row_of(bare, index)
    found = Row(applied(plain.row, residual), kept.get("rubric", plain.rubric))
    return found if _is_of(found, case, index) else None


def kept_of(
    row: dict[str, Any], rubric: dict[str, Any] | None, case: dict[str, Any], index: int
) -> dict[str, Any]:
    """Return what is to be kept of a row beside the case that it became; nothing, mostly."""
    plain = row_of(case, index)
    rubric = rubric and {key: part for key, part in rubric.items() if key not in _NAMES}
    residual = difference(plain.row, row)
    if not json_equal(rubric, plain.rubric):
        return {**_FORM.written(residual), "rubric": rubric}
    if rubric:
        residual.set.pop("rubric_ref", None)  # it is made again, and named
    return _FORM.written(residual)


def with_kept(case: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Return a case that keeps something of the row that it was written from."""
    return _IN_CASE.joined(case, kept)


def _is_of(found: Row, case: dict[str, Any], index: int) -> bool:
    """Whether a row becomes this very case."""
    if not _is_ours(found.row, found.rubric):
        return False
    try:
        native = to_case(found.row, found.rubric).case
        return json_equal(with_kept(native, kept_of(found.row, found.rubric, native, index)), case)
    except (AttributeError, KeyError, TypeError):
        return False  # somebody else has written below that key


def _is_ours(row: dict[str, Any], rubric: Any) -> bool:
    """Whether what was read has the form of a row and of a rubric of ours."""
    if not is_row(row):
        return False
    if rubric is None:
        return True
    checks = rubric.get("checks") if isinstance(rubric, dict) else None
    return (
        isinstance(checks, list)
        and bool(checks)
        and all(isinstance(each, dict) and isinstance(each.get("kind"), str) for each in checks)
        and isinstance(rubric.get("scoring"), dict)
    )
