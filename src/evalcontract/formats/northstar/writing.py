"""Rows of ours become cases; what a case has no place for is kept in its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, TheirRow
from evalcontract.formats.northstar.own_stash import own_stash, unnamed
from evalcontract.formats.northstar.stash import THEIRS
from evalcontract.formats.northstar.to_case import to_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class CaseWriter:
    """Turns rows of ours into cases; see `formats._conversion.Writer`."""

    says_rubrics = True

    def __init__(self, medium: str) -> None:
        self._has_root = medium == "json"

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Turn a row; `rubric` is the value of the rubric that it refers to, where it does."""
        case, losses, said = to_case(row, rubric)
        stash = own_stash(row, unnamed(rubric), case, index)
        if stash:
            case = {**case, "metadata": {**case.get("metadata", {}), OURS: stash}}
        return TheirRow(case, (*losses, *_lost(stash, row, said, is_told=bool(losses))))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return a list of cases, or an object where something stands beside them."""
        metadata = root.get("metadata")
        theirs = metadata.get(THEIRS) if isinstance(metadata, dict) else None
        beside = theirs.get("beside") if isinstance(theirs, dict) else None
        reason = "NorthStar has no place for what stands beside the cases"
        losses = [Loss((key,), reason, is_kept=self._has_root) for key in root]
        if not self._has_root or not root:
            return rows, losses
        if isinstance(beside, dict) and root == {"metadata": {THEIRS: {"beside": beside}}}:
            return {**beside, "cases": rows}, ()
        return {"cases": rows, "metadata": {OURS: root}}, losses


def _lost(
    stash: dict[str, Any], row: dict[str, Any], said: set[str], *, is_told: bool
) -> Iterator[Loss]:
    """Yield what is kept of a row and said nowhere else; `is_told` is what its rubric loses."""
    for key in stash.get("row", ()):
        # Where the rubric is lost, that is told.
        if key != "rubric_ref" and key not in said:
            yield Loss((key,), f"a case has no place for this `{key}`", is_kept=True)
    if stash.get("rubric") is not None and not is_told:
        where = ("rubric_ref",) if "rubric_ref" in row else ()
        reason = "a case says what the rubric asks for, and not which rubric it is"
        yield Loss(where, reason, is_kept=True)
