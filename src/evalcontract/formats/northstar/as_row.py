"""A case as the row of ours that becomes this very case again: with its stash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats.northstar.stash import THEIRS, without_unwritable, written
from evalcontract.formats.northstar.to_case import to_case
from evalcontract.formats.northstar.to_row import to_row

if TYPE_CHECKING:
    from evalcontract.model.path import Path


class Row(NamedTuple):
    """A row of ours, its rubric, and where the case has values that are no JSON."""

    row: dict[str, Any]
    rubric: dict[str, Any] | None
    unwritable: tuple[Path, ...] = ()


def as_row(case: dict[str, Any], index: int) -> Row:
    """Turn a sound case into a row; whatever does not come back by itself is stashed."""
    plain, unwritable = without_unwritable(case)
    row, rubric = to_row(plain, index)
    native = to_case(row, rubric).case
    stash = {"written": written(plain, native), "unwritable": unwritable}
    if stash := {key: part for key, part in stash.items() if part}:
        row["metadata"] = {**row.get("metadata", {}), THEIRS: stash}
    return Row(row, rubric, tuple(tuple(path) for *path, _ in unwritable))
