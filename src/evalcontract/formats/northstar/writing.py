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
        case, losses = to_case(row, rubric)
        stash = own_stash(row, unnamed(rubric), case, index)
        if stash:
            case = {**case, "metadata": {**case.get("metadata", {}), OURS: stash}}
        return TheirRow(case, (*losses, *_lost(stash, row)))

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


def _lost(stash: dict[str, Any], row: dict[str, Any]) -> Iterator[Loss]:
    for key in stash.get("row", ()):
        if key == "rubric_ref":
            continue  # where the rubric is lost, that is told
        yield Loss((key,), f"a case has no place for this `{key}`", is_kept=True)
    if stash.get("rubric") is not None:
        where = ("rubric_ref",) if "rubric_ref" in row else ()
        yield Loss(where, "a case says what is expected, and not how a rubric does", is_kept=True)
