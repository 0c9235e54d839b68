"""Convert cases to rows of evalcontract and back, with what each row preserves of its case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, OurRow, Reader, TheirRow, Writer
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats._residual import Form, ResidualPlace, applied, difference, is_row
from evalcontract.formats.northstar.case import is_blank, phrases
from evalcontract.formats.northstar.mapping import (
    FIELDS,
    NESTED,
    OF_RUN,
    OF_TRACE,
    THEIRS,
    to_case,
    to_row,
    without_unwritable,
)
from evalcontract.formats.northstar.numbers import EXPECTED, TRACE
from evalcontract.formats.northstar.rubric import ReadRubrics, WrittenRubrics
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

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


# The expectations that stand in the row, unless two of them would be one there.
_OF_ROW = ("contains", "required_tools", "tool_arguments")
_NO_JSON = "only Python accepts it as JSON"
_UNREAD = "NorthStar does not read it"
_CHANGED = "the case was edited since its conversion, so what was preserved is not restored"
_NO_TEXT = "the input of a row is a text"
_BLANK, _TOO_LARGE = "a check cannot expect a blank text", "the limit is too large"
_WHOLE = "a check compares a mapping among the arguments whole; NorthStar allows further keys"
_NO_PLACE = "NorthStar has no place for keys beside the cases"
_UNNAMED = "a case says what the rubric requires, but not which rubric it is"


class NorthstarReader(Reader):
    """Converts cases to rows."""

    def __init__(self, read: ExternalFile) -> None:
        value = read.document.value if read.document else None
        is_wrapped = isinstance(value, dict) and isinstance(value.get("cases"), list)
        beside = {k: v for k, v in value.items() if k != "cases"} if is_wrapped and value else None
        self._root, self._losses = _root_of(beside)
        self._beside = beside or {}
        self._rubrics = ReadRubrics()

    @property
    def root(self) -> dict[str, Any]:
        """The keys beside the rows."""
        return self._root

    @property
    def losses(self) -> Sequence[Loss]:
        """The keys beside `cases`, which NorthStar does not read either."""
        return self._losses

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return the keys beside `cases` if what is beside them is lost."""
        is_beside = loss.path == ("metadata",) and THEIRS in self._root.get("metadata", {})
        keys = self._beside if is_beside else loss.path[:1]
        return [loss._replace(path=(key,)) for key in keys]

    def read(self, row: Any, index: int) -> OurRow:
        """Convert a valid case."""
        row = self._rubrics.whole(row)
        if own := row_kept_in(row, index):
            # The rubric that a row references has a name already.
            return OurRow(own.row, None if "rubric_ref" in own.row else own.rubric)
        converted = row_of(row, index)
        losses = [Loss(path, _NO_JSON, is_kept=True) for path in converted.unwritable]
        losses += _case_losses(without_unwritable(row)[0])
        if OURS in row.get("metadata", {}):
            losses.append(Loss(("metadata", OURS), _CHANGED, is_kept=True))
        in_rubric = tuple(_in_rubric(converted.rubric, row))
        return OurRow(converted.row, converted.rubric, tuple(losses), in_rubric=in_rubric)


def _in_rubric(rubric: dict[str, Any] | None, case: dict[str, Any]) -> Iterator[Path]:
    """Yield the expectations whose values a check has, because the row cannot have them."""
    checks = rubric["checks"] if rubric else ()
    ids = [
        each["id"] for each in checks if not each.keys().isdisjoint(("values", "expected_tools"))
    ]
    for key in _OF_ROW:
        if key in case.get("expected", {}) and any(id_.startswith(key) for id_ in ids):
            yield ("expected", key)


def _root_of(beside: dict[str, Any] | None) -> tuple[dict[str, Any], list[Loss]]:
    """Return the keys beside the rows, and what is lost of the keys beside `cases`."""
    if beside is None:
        return {}, []
    ours = mapping_at(beside, "metadata", OURS)
    if json_equal(beside, {"metadata": {OURS: ours}}):
        return ours, []
    kept, unwritable = without_unwritable(beside)
    losses = [Loss((key,), _UNREAD, is_kept=True) for key in beside]
    losses += [Loss(tuple(path), _NO_JSON, is_kept=False) for *path, _ in unwritable]
    return {"metadata": {THEIRS: {"beside": kept}}}, losses


def _case_losses(case: dict[str, Any]) -> Iterator[Loss]:
    """Yield expectations that neither a row nor a rubric can represent."""
    given = case.get("input")
    if given is not None and (not isinstance(given, str) or is_blank(given)):
        yield Loss(("input",), _NO_TEXT, is_kept=True)
    for key, value in case.get("expected", {}).items():
        if key == "trace":
            for name, part in (value or {}).items():
                if part is not None and (name in OF_TRACE or TRACE[name](part) is None):
                    yield _loss(("expected", key, name), part)
        elif key == "tool_arguments" and any(map(_is_nested, value or ())):
            yield Loss(("expected", key), _WHOLE, is_kept=True)
        elif (key in OF_RUN and value is not None) or _is_lost(key, value):
            yield _loss(("expected", key), value)


def _is_nested(call: dict[str, Any]) -> bool:
    return any(isinstance(part, dict) and part for part in call["arguments"].values())


def _loss(path: Path, value: Any) -> Loss:
    is_limit = path[-1] in (*OF_RUN, *OF_TRACE)
    reason = reason_for(FIELDS, path) if is_limit else _reason(value)
    return Loss(path, reason, is_kept=True)


def _is_lost(key: str, value: Any) -> bool:
    form = EXPECTED[key]
    if value is None or value == [] or not callable(form):
        return False
    if form(value) is None:
        return True
    return key in ("contains", "not_contains") and any(map(is_blank, phrases(value)))


def _reason(value: Any) -> str:
    return _BLANK if isinstance(value, str | list) else _TOO_LARGE


class NorthstarWriter(Writer):
    """Converts rows to cases."""

    says_rubrics = True

    def __init__(self, medium: str) -> None:
        self._has_root = medium == "json"
        self._rubrics = WrittenRubrics()

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row; `rubric` is the rubric that it references, if any."""
        case, losses, said = to_case(row, rubric)
        kept = kept_of(row, rubric, case, index)
        lost = _row_losses(kept, row, said, is_reported=bool(losses))
        return TheirRow(with_kept(case, self._rubrics.shared(kept)), (*losses, *lost))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return a list of cases, or an object if there are keys beside them."""
        losses = [Loss((key,), _NO_PLACE, is_kept=self._has_root) for key in root]
        if not self._has_root or not root:
            return rows, losses
        beside = mapping_at(root, "metadata", THEIRS, "beside")
        if root == {"metadata": {THEIRS: {"beside": beside}}}:
            return {**beside, "cases": rows}, ()
        return {"cases": rows, "metadata": {OURS: root}}, losses


def _row_losses(
    kept: dict[str, Any], row: dict[str, Any], said: set[str], *, is_reported: bool
) -> Iterator[Loss]:
    """Yield what only the metadata has; `is_reported` means that the rubric's loss is known."""
    for key, part in kept.get("row", {}).items():
        names = part if key == "expected" and isinstance(part, dict) and part else (None,)
        for name in names:
            path = (key,) if name is None else (key, name)
            if key != "rubric_ref" and ".".join(map(str, path)) not in said:
                yield Loss(path, reason_against(FIELDS, path), is_kept=True)
    if kept.get("rubric") is not None and not is_reported:
        yield Loss(("rubric_ref",) if "rubric_ref" in row else (), _UNNAMED, is_kept=True)
