"""Cases become rows of ours, and rows of ours become cases; neither way loses anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, OurRow, TheirRow
from evalcontract.formats.northstar.mapping import THEIRS, to_case
from evalcontract.formats.northstar.normalization import EXPECTED, TRACE, is_blank
from evalcontract.formats.northstar.residual import kept_of, row_kept_in, row_of, with_kept
from evalcontract.formats.northstar.rubric_synthesis import judges_of
from evalcontract.formats.northstar.unwritable import without_unwritable
from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.source.external import ExternalFile


class CaseReader:
    """Turns cases into rows of ours; see `formats._conversion.Reader`."""

    def __init__(self, read: ExternalFile) -> None:
        value = read.document.value if read.document else None
        is_wrapped = isinstance(value, dict) and isinstance(value.get("cases"), list)
        beside = {k: v for k, v in value.items() if k != "cases"} if is_wrapped and value else None
        self._root, self._losses = _of_root(beside)

    @property
    def root(self) -> dict[str, Any]:
        """What belongs beside the rows."""
        return self._root

    @property
    def losses(self) -> Sequence[Loss]:
        """What stands beside `cases`, which NorthStar does not read either."""
        return self._losses

    def read(self, row: Any, index: int) -> OurRow:
        """Turn a sound case."""
        if own := row_kept_in(row, index):
            # The rubric that a row refers to has its name already.
            rubric = None if "rubric_ref" in own.row else own.rubric
            return OurRow(own.row, rubric, (), judges_of(rubric))
        found = row_of(row, index)
        reason = "it is no JSON, and only Python reads it"
        losses = [Loss(path, reason, is_kept=True) for path in found.unwritable]
        losses += _uncarried(without_unwritable(row)[0])
        if OURS in row.get("metadata", {}):
            reason = (
                "the case was changed since it was a row of ours, and what was kept is not put back"
            )
            losses.append(Loss(("metadata", OURS), reason, is_kept=True))
        return OurRow(found.row, found.rubric, tuple(losses), judges_of(found.rubric))


def _of_root(beside: dict[str, Any] | None) -> tuple[dict[str, Any], list[Loss]]:
    """Return what belongs beside rows of ours, by what stands beside `cases`."""
    if beside is None:
        return {}, []
    metadata = beside.get("metadata")
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    if isinstance(ours, dict) and json_equal(beside, {"metadata": {OURS: ours}}):
        return ours, []
    kept, unwritable = without_unwritable(beside)
    reason = "NorthStar does not read it"
    losses = [Loss((key,), reason, is_kept=True) for key in beside]
    losses += [Loss(tuple(path), "it is no JSON", is_kept=False) for *path, _ in unwritable]
    return {"metadata": {THEIRS: {"beside": kept}}}, losses


def _uncarried(case: dict[str, Any]) -> Iterator[Loss]:
    """Yield what asks for something, and has no place in a row of ours or in a rubric."""
    given = case.get("input")
    if given is not None and (not isinstance(given, str) or is_blank(given)):
        yield Loss(("input",), "the input of a row is a text", is_kept=True)
    expected = case.get("expected", {})
    for key, value in expected.items():
        if key == "trace":
            for name, part in (value or {}).items():
                if part is not None and TRACE[name](part) is None:
                    yield Loss(("expected", key, name), _reason(part), is_kept=True)
        elif _is_uncarried(key, value):
            yield Loss(("expected", key), _reason(value), is_kept=True)


def _is_uncarried(key: str, value: Any) -> bool:
    form = EXPECTED[key]
    if value is None or value == [] or not callable(form):
        return False
    texts = [value] if isinstance(value, str) else value
    return form(value) is None or (
        key in ("contains", "not_contains") and any(map(is_blank, texts))
    )


def _reason(value: Any) -> str:
    is_text = isinstance(value, str | list)
    return "a check cannot ask for a blank text" if is_text else "no limit can be as large"


class CaseWriter:
    """Turns rows of ours into cases; see `formats._conversion.Writer`."""

    says_rubrics = True

    def __init__(self, medium: str) -> None:
        self._has_root = medium == "json"

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Turn a row; `rubric` is the value of the rubric that it refers to, where it does."""
        case, losses, said = to_case(row, rubric)
        kept = kept_of(row, rubric, case, index)
        lost = _lost(kept, row, said, is_told=bool(losses))
        return TheirRow(with_kept(case, kept), (*losses, *lost))

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
    kept: dict[str, Any], row: dict[str, Any], said: set[str], *, is_told: bool
) -> Iterator[Loss]:
    """Yield what is kept of a row and said nowhere else; `is_told` is what its rubric loses."""
    for key in kept.get("row", ()):
        # Where the rubric is lost, that is told.
        if key != "rubric_ref" and key not in said:
            yield Loss((key,), f"a case has no place for this `{key}`", is_kept=True)
    if kept.get("rubric") is not None and not is_told:
        where = ("rubric_ref",) if "rubric_ref" in row else ()
        reason = "a case says what the rubric asks for, and not which rubric it is"
        yield Loss(where, reason, is_kept=True)
