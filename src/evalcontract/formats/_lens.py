"""Rows of one dialect, read and written so that nothing is lost on the way and back.

A system says which of its fields are fields of evalcontract, and how the others correspond
(`to_ours`, `to_theirs`). A `Lens` does the rest for all systems, and holds three laws:

- there and back: writing what was read gives the row, and the other way round;
- edits count: what an author changes in a converted row is said when it is converted back, even
  where an older value was kept;
- nothing in silence: each difference is kept, or is a loss with a reason, or `is_said`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, final

from evalcontract.formats._conversion import (
    BUNDLES,
    NOT_CARRIED,
    OURS,
    Field,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    conversation_of,
    default_id,
    last_question,
    reason_against,
    reason_for,
    reference_of,
    with_bundle,
)
from evalcontract.formats._residual import (
    TYPES,
    Form,
    Nested,
    Residual,
    ResidualPlace,
    Row,
    applied,
    difference,
    is_row,
    restored,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import is_text, json_equal
from evalcontract.source.document import value_at

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

_RUBRIC_KEYS = ("rubric_ref", "rubric")
_RUBRIC = ("rubric_ref",)
#: Says among the absent keys that a row has no rubric, though its row of theirs stands for one.
_NO_RUBRIC = [*_RUBRIC]
_NO_CELL = "a cell is a text"
_OTHERWISE = "`input` and the last question of `messages` differ, and only one of them is asked"
#: Metadata that say nothing.
_NO_METADATA: tuple[Any, ...] = (None, {})
Keys = tuple[str, ...]
#: A field of theirs, one of ours, and the ways there and back.
Way = tuple[Keys, Keys, Callable[[Any], Any] | None, Callable[[Any], Any] | None]
_EMPTY: Mapping[str, Any] = MappingProxyType({})
#: Texts that no row of evalcontract has without a letter.
_NEVER_BLANK = (("criteria",), ("expected", "reference"))
_NEVER_EMPTY = (("id",), ("input",))
_TOOLS = ("expected_tools",)


class At(NamedTuple):
    """Where a row stands: what a conversion may know besides the row itself.

    Rows are numbered from 0. `id` and `rubric` are those of the row of evalcontract, as far as they
    are known. `hints` are what reading a row noted for writing it again, such as its kind. `row` is
    the row of evalcontract that is written.
    """

    number: int
    id: Any = None
    rubric: Row | None = None
    hints: Mapping[str, Any] = _EMPTY
    row: Mapping[str, Any] = _EMPTY


class ReadRubric(NamedTuple):
    """The rubric that a row of theirs stands for, if any, and the judges that it refers to.

    `only` are the paths of theirs whose values only the rubric has.
    """

    rubric: Row | None = None
    judges: tuple[Row, ...] = ()
    only: tuple[Path, ...] = ()


class Cells(NamedTuple):
    """A row of a table, what no cell can hold, and why the row cannot be written."""

    cells: Row
    losses: Sequence[Loss] = ()
    problems: Sequence[Problem] = ()


class Lens(Reader, Writer):
    """The conversion of the rows of one file from or to a dialect; see above.

    Fields of the table without a note are renamed by the lens, and those with a way are read and
    written by it: `to_ours` and `to_theirs` say the others. What they say counts where both say
    something.
    """

    #: Where they keep what only we can say, and how it is written; both never change.
    in_theirs = ResidualPlace("metadata", OURS, "_metadata")
    form = Form("set", "absent")
    #: The mappings that are compared key by key, on each side.
    nested_theirs: Nested = MappingProxyType({})
    nested_ours: Nested = MappingProxyType({"expected": {}, "context": {}})
    #: Keys of theirs of which a row says the essence in every case, and values that say nothing.
    quiet: frozenset[str] = frozenset()
    #: Keys of theirs that are one loss, though they are compared key by key.
    listed_whole: frozenset[str] = frozenset()
    #: How long the path of a loss is, at most.
    deepest: int | None = None
    nothing: tuple[Any, ...] = (None, [], {})
    #: Whether a row of theirs has a place for what only we can say.
    keeps_ours = True
    #: The name of what is kept in a row of ours, if it is not that of the system.
    kept_as = ""
    #: See `KeptAs`.
    document = ""
    unscored: frozenset[str] = frozenset()
    #: Why the file has no place for keys beside the rows.
    no_root = "the target is a list of rows, with no place for other keys"
    #: Why they have no place for the run after the question, or for a reference beside facts.
    run = ""
    beside = ""
    #: Why a part of what a row of theirs keeps is lost if it says nothing new.
    repeated = ""
    #: The keys without which a row that was kept is somebody else's data.
    needed: tuple[str, ...] = ()

    def __init__(
        self, system: str, fields: Sequence[Field], variant: str = "", medium: str = "json"
    ) -> None:
        self.fields = fields
        self.variant = variant
        self.medium = medium
        self.is_table = medium == "csv"
        self._root: Row = {}
        #: Where a row of ours keeps what only they can say.
        self.in_ours = ResidualPlace("metadata", self.kept_as or system, "_metadata")
        #: The paths of fields, as theirs and ours, and what one makes of the value of the other.
        self.ways: list[Way] = [
            (tuple(field.theirs.split(".")), tuple(field.ours.split(".")), field.read, field.write)
            for field in fields
            if field.theirs and field.ours and "*" not in field.theirs
            if not field.note or field.read or field.write
        ]

    def to_ours(self, row: Row, at: At) -> Row:
        """Return what a valid row of theirs says in evalcontract, besides what is renamed."""
        return {}

    def to_theirs(self, row: Row, at: At) -> Row:
        """Return what a row of evalcontract says in their words, besides what is renamed."""
        return {}

    @property
    def root(self) -> Row:
        """The keys beside the rows, as a dataset of evalcontract has them."""
        return self._root

    def begin(self, file: ExternalFile) -> None:
        """Take what stands in the file beside the rows, before they are read."""
        self._root = self.root_of(file)

    def root_of(self, file: ExternalFile) -> Row:
        """Return the keys of a dataset for those beside the rows of a file."""
        return {}

    def plain(self, row: Row) -> Row:
        """Return a row of theirs in its fullest form, such as with JSON texts parsed."""
        return row

    def place_of(self, row: Row, index: int) -> At:
        """Return where a row of theirs stands; called once for each row, in order."""
        return At(index)

    def are_hints(self, hints: Row) -> bool:
        """Whether `place_of` can have noted a mapping."""
        return not hints

    def rubric_of(self, row: Row, at: At) -> ReadRubric:
        """Return the rubric that a row of theirs stands for."""
        return ReadRubric()

    def unread(self, row: Row, ours: Row) -> Row:
        """Return what a row of theirs says that `ours` leaves out, as no check would read it."""
        return {}

    def rubric_kept_in(self, kept: Row) -> Row | None:
        """Return the rubric that a row of theirs keeps because it stands for another, or none."""
        return None

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield what is lost of a row of theirs besides the keys that are kept."""
        yield from ()

    def says(self, path: Path, row: Row, at: At) -> bool:
        """Whether a row of ours says a field of theirs in another form, so that it is no loss.

        `row` is the row of theirs that was read.
        """
        return path[0] in self.quiet

    def is_said(self, path: Path, row: Row, at: At) -> bool:
        """Whether a row of theirs says a field of a row of ours in another place or form."""
        is_reference = row.get("expected_facts") == [reference_of(row)]
        return bool(self.beside) and path == ("expected_facts",) and is_reference

    def says_messages(self, row: Row, again: Row) -> bool:
        """Whether a row of theirs says the messages of a row; `again` is what it is read as."""
        conversation = conversation_of(row)
        messages = conversation_of(again).asked or [_question(again)]
        return not conversation.has_more and messages == (conversation.asked or [_question(row)])

    def remade(self, theirs: Row, at: At) -> Collection[str]:
        """Return the keys that reading a row of theirs makes anew, so that they are not kept."""
        return ()

    def noted(self, kept: Row, at: At) -> Row:
        """Return what a row of ours keeps, with the hints for writing it again."""
        return {**kept, **at.hints}

    def joined(self, theirs: Row, rest: Residual, at: At) -> Row:
        """Return a row of theirs with what it keeps of a row of ours."""
        kept = self.form.written(rest) if self.keeps_ours else {}
        return self.in_theirs.joined(theirs, kept)

    def taken(self, residual: Residual | None, at: At) -> tuple[Residual | None, list[Loss]]:
        """Return what counts of what a row of ours keeps, and what is lost of it."""
        return residual, []

    def seen(self, row: Row) -> Row:
        """Return a row of ours without what its row of theirs does not say by itself."""
        return row

    def settled(self, theirs: Row, at: At) -> Row:
        """Return a row of theirs as it can stand after those before it."""
        return theirs

    def reason_for(self, path: Path, row: Row) -> str:
        """Return why evalcontract has no place for a field of a row of theirs."""
        return reason_for(self.fields, path, self.variant)

    def reason_against(self, path: Path, row: Row) -> str:
        """Return why they have no place for a field of a row of ours."""
        is_other = row.get("messages") and last_question(row["messages"]) != row.get("input")
        if path == ("messages",) and self.run and (conversation_of(row).run or not is_other):
            return self.run
        if path in (("input",), ("messages",)) and is_other:
            return _OTHERWISE
        if path == ("expected", "reference") and self.beside and row.get("expected_facts"):
            return self.beside
        if any(path == ours and (read or write) for _, ours, read, write in self.ways):
            return NOT_CARRIED
        return reason_against(self.fields, path, self.variant)

    def problems(self, theirs: Row, at: At) -> Iterator[Problem]:
        """Yield why a row of theirs cannot be written at all."""
        yield from ()

    @final
    def read(self, row: Row, index: int) -> OurRow:
        """Convert a valid row; a foreign value in place of what is kept is ordinary data."""
        whole = self.plain(row)
        bare, kept = self.in_theirs.split(whole, self.is_written)
        at = self.place_of(bare, index)
        ours = self._ours(bare, at)
        residual = self.form.read(kept or {})
        if residual and not self._is_ours(applied(ours, residual, self.nested_ours)):
            bare, ours, residual = whole, self._ours(whole, at), None
        has_none = bool(residual) and self._has_no_rubric(ours, residual, bare, at=at)
        own = self.rubric_kept_in(kept or {}) if residual is not None else None
        graded = ReadRubric(own) if own or has_none else self.rubric_of(bare, at)
        at = at._replace(rubric=graded.rubric)
        if residual:
            ours = restored(
                ours, residual, self.nested_ours, row=bare, read=lambda each: self._theirs(each, at)
            )
        theirs = self._theirs(ours, at)
        rest = difference(theirs, bare, self.nested_theirs)
        losses = [*self.lost(bare, at), *self._lost_keys(rest.set, bare, at)]
        if self.repeated and kept is not None and bare is not whole:
            again = difference(self._ours(bare, at), ours, self.nested_ours)
            if not json_equal(self.in_theirs.joined(bare, self.form.written(again)), whole):
                losses.append(Loss((self.in_theirs.below, OURS), self.repeated, is_kept=False))
        row = self.in_ours.joined(ours, self.noted(self.form.written(rest), at))
        if not ours.keys().isdisjoint(_RUBRIC_KEYS):  # its rubric has a name, or stands in it
            graded = ReadRubric()
        return OurRow(
            row,
            graded.rubric,
            tuple(losses),
            judges=graded.judges,
            in_rubric=graded.only,
            unread=self.unread(bare, ours),
        )

    def _has_no_rubric(self, ours: Row, residual: Residual | None, bare: Row, at: At) -> bool:
        """Whether a row of theirs is one that was made without a rubric, and was not edited."""
        is_known = residual is not None and not residual.set.keys().isdisjoint(_RUBRIC)
        if residual is None or not (is_known or _NO_RUBRIC in residual.absent):
            return False
        theirs = self._theirs(applied(ours, residual, self.nested_ours), at)
        return all(json_equal(bare.get(key), part) for key, part in theirs.items())

    def _lost_keys(self, rest: Row, row: Row, at: At) -> Iterator[Loss]:
        """Yield the losses of a row of theirs, given the rest that ours does not represent."""
        paths = (
            path[:1] if path[0] in self.listed_whole else path[: self.deepest]
            for path in _paths(rest, self.nested_theirs)
        )
        for path in dict.fromkeys(paths):
            value = value_at(row, path)
            is_nothing = value in self.nothing or (path == ("metadata",) and value in _NO_METADATA)
            if not (is_nothing or self.says(path, row, at)):
                yield Loss(path, self.reason_for(path, row), is_kept=True)

    @final
    def write(self, row: Row, rubric: Row | None, index: int) -> TheirRow:
        """Convert a row; `rubric` is the rubric that it references, if any."""
        bare, kept = self.in_ours.split(row, self._is_kept)
        # A rubric that was made from a row of another system stands in the row.
        own = bare.get("rubric") if rubric is None else rubric
        rubric_of_row = own if isinstance(own, dict) else None
        at = At(index, bare.get("id"), rubric_of_row, hints=self._hints_in(kept or {}), row=bare)
        theirs = self._theirs(bare, at)
        residual, losses = self.taken(self.form.read(kept or {}), at)
        last: tuple[Row, Row] | None = None

        def read(each: Row) -> Row:
            """Return what a row of theirs says of ours, and how its rubric grades."""
            nonlocal last
            last = each, self._ours(each, at)
            return self.seen({**last[1], **_graded_by(self.rubric_of(each, at).rubric)})

        if residual:
            seen = self.seen({**bare, **_graded_by(at.rubric)})
            theirs = restored(theirs, residual, self.nested_theirs, row=seen, read=read)
        theirs = self.settled(theirs, at)
        again = last[1] if last and last[0] is theirs else self._ours(theirs, at)
        rest = difference(again, bare, self.nested_ours)
        remade = self.remade(theirs, at)
        rest = rest._replace(set={k: part for k, part in rest.set.items() if k not in remade})
        if at.rubric is None and "rubric_ref" not in bare and self.rubric_of(theirs, at).rubric:
            rest.absent.append(_NO_RUBRIC)
        losses += self._lost_of_ours(rest.set, bare, again, at=at)
        is_graded = "rubric_ref" in row or "rubric_ref" in remade
        if rubric is not None and not is_graded and not self.is_said(_RUBRIC, bare, at):
            losses.append(Loss(_RUBRIC, self.reason_against(_RUBRIC, bare), self.keeps_ours))
        written = self.joined(theirs, rest, at)
        problems = [*self.problems(written, at)]
        if self.is_table:
            written, lost, wrong = self.cells_of(written)
            losses, problems = [*losses, *lost], [*problems, *wrong]
        return TheirRow(written, tuple(losses), tuple(problems))

    def _lost_of_ours(self, rest: Row, row: Row, again: Row, at: At) -> Iterator[Loss]:
        """Yield the losses of a row of ours, given the rest that theirs does not represent."""
        for path in _paths(rest, self.nested_ours):
            is_bundle = path == ("bundle",) and row["bundle"] in BUNDLES
            is_nothing = path == ("metadata",) and row["metadata"] in _NO_METADATA
            if is_nothing or is_bundle or self.is_said(path, row, at):
                continue
            if path != ("messages",) or not self.says_messages(row, again):
                yield Loss(path, self.reason_against(path, row), self.keeps_ours)

    def wrap(self, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return the list of rows, or the header and the rows of a table, and what it loses."""
        losses = [Loss((key,), self.no_root, is_kept=False) for key in root]
        if not self.is_table:
            return rows, losses
        header, filled, lost = self.table_of(rows)
        return (header, filled), [*losses, *lost]

    def cells_of(self, row: Row) -> Cells:
        """Return a row of theirs as cells of a table; by default, a text is a cell."""
        cells = {key: part for key, part in row.items() if isinstance(part, str)}
        lost = [key for key, part in row.items() if key not in cells and part is not None]
        return Cells(cells, [Loss((key,), _NO_CELL, is_kept=False) for key in lost])

    def table_of(self, rows: list[Row]) -> tuple[list[str], list[Row], Sequence[Loss]]:
        """Return the header and the rows of a table, and what is lost of a column."""
        return list(dict.fromkeys(key for row in rows for key in row)), rows, ()

    def _is_kept(self, kept: Row) -> bool:
        """Whether a mapping is what a row of ours kept, and not the author's own."""
        hints = self._hints_in(kept)
        own = {key: part for key, part in kept.items() if key not in hints}
        return self.are_hints(hints) and self.form.has_written(own, self.in_ours.was)

    def is_written(self, kept: Row) -> bool:
        """Whether a mapping is what a row of theirs kept."""
        return self.form.has_written(kept, self.in_theirs.was)

    def _is_ours(self, row: Row) -> bool:
        is_whole = bool(row.get("id")) and "input" in row
        return is_whole and is_row(row) and all(row.get(key) for key in self.needed)

    def _hints_in(self, kept: Row) -> Row:
        own = (self.form.set, self.form.absent, self.in_ours.was)
        return {key: part for key, part in kept.items() if self.form.set and key not in own}

    def _ours(self, row: Row, at: At) -> Row:
        renamed: Row = {"id": default_id(at.number)}
        for theirs, ours, read, _ in self.ways:
            value = value_at(row, theirs)
            value = value if read is None else read(value)
            if _fits(ours, value):
                _put(renamed, ours, value)
        return with_bundle(_joined(renamed, self.to_ours(row, at), self.nested_ours))

    def _theirs(self, row: Row, at: At) -> Row:
        renamed: Row = {}
        for theirs, ours, _, write in self.ways:
            value = value_at(row, ours)
            if _fits(ours, value) and (ours != ("id",) or value != default_id(at.number)):
                value = value if write is None else write(value)
                if value is not None:
                    _put(renamed, theirs, value)
        return _joined(renamed, self.to_theirs(row, at), self.nested_theirs)


def _graded_by(rubric: Row | None) -> Row:
    return {key: (rubric or {}).get(key) for key in ("checks", "scoring")}


def _paths(rest: Row, nested: Nested) -> Iterator[Path]:
    """Yield the paths of the values in a rest, each key of a nested mapping by itself."""
    for key, part in rest.items():
        if key in nested and isinstance(part, dict) and part:
            yield from ((key, *path) for path in _paths(part, nested[key]))
        else:
            yield (key,)


def _fits(ours: Keys, value: Any) -> bool:
    """Whether a value can be that of a field of evalcontract."""
    if ours in _NEVER_BLANK or ours in _NEVER_EMPTY:
        return is_text(value) or (ours in _NEVER_EMPTY and isinstance(value, str) and value != "")
    kind: Any = TYPES.get(ours[0], object) if len(ours) == 1 else object
    if value is None or not isinstance(value, kind):
        return False
    if kind is list and ours != _TOOLS:  # which may have arguments
        return all(map(is_text, value))
    return kind is not dict or bool(value)


def _question(row: Row) -> Row:
    return {"role": "user", "content": row.get("input")}


def _put(row: Row, path: Keys, value: Any) -> None:
    *above, last = path
    for key in above:
        row = row.setdefault(key, {})
    row[last] = value


def _joined(renamed: Row, said: Row, nested: Nested) -> Row:
    """Return what was renamed and what is said, mappings that are compared by keys as one.

    A reader looks for the name and the question first; what is said keeps its order, and what only
    has another name follows.
    """
    first = {key: part for key, part in renamed.items() if key in ("id", "input")}
    others = {key: part for key, part in renamed.items() if key not in said}
    both = {
        key: {**renamed[key], **said[key]}
        for key in nested
        if isinstance(renamed.get(key), dict) and isinstance(said.get(key), dict)
    }
    return {**first, **said, **others, **both}
