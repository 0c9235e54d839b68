"""Two revisions of a dataset compared row by row, whatever its format and its size."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.datasets.kinds import detect_in
from evalcontract.datasets.opening import Input, is_table, open_dataset
from evalcontract.datasets.passes import NATIVE, Dataset, rows_of
from evalcontract.datasets.placing import from_source_fault, from_unreadable
from evalcontract.datasets.root import check_root
from evalcontract.datasets.run import Run, today
from evalcontract.formats._conversion import KeptAs
from evalcontract.meaning.changes import Act, Change, changes_of
from evalcontract.meaning.view import ChangeClass, view_of
from evalcontract.model.diagnostic import Diagnostic, Place
from evalcontract.model.diagnostic import Path as ValuePath
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal
from evalcontract.policy import Policy
from evalcontract.source import RowBatches, RowSource, UnreadableFile
from evalcontract.source.encoding import canonical
from evalcontract.workspace import Workspace

if TYPE_CHECKING:
    from evalcontract.datasets.tables import TableSource
    from evalcontract.formats._conversion import OurRow

#: So many rows of each revision that are not the same in the other are compared by field.
MOST_ROWS = 10_000
_ROWS = "questions"
#: The key of a row that says nothing that evalcontract could read: its whole value.
_VALUE = "value"
#: The key of the checks that a row of another system brings with it.
_CHECKS = "rubric"

#: What readers raise for a row of which no loader has said that it is right.
_NOT_CONVERTED = (ValueError, TypeError, KeyError, AttributeError, IndexError)

#: A row with its number from 0.
NumberedRow = tuple[int, Any]


class RowTable(Protocol):
    """The rows of one revision of a dataset, which can be read several times.

    `root` are its other keys, `prefix` the path of the rows. `unread` is the number of rows of
    another system that are compared by their values alone. `unscored` are the keys of the root that
    change no score, though only another system reads them. `faults` are the rows that cannot be
    read; all are complete after the first reading.
    """

    dialect: str
    root: dict[str, Any]
    prefix: ValuePath
    unread: int
    unscored: AbstractSet[str]
    faults: list[Diagnostic]

    def rows(self) -> Iterator[NumberedRow]:
        """Yield the rows as those of evalcontract."""

    def place(self, path: ValuePath) -> Place:
        """Return the place of a path in the file."""


class _OwnTable:
    """The rows of a dataset of evalcontract; see `RowTable`."""

    dialect = NATIVE
    unread = 0
    unscored: AbstractSet[str] = frozenset()

    def __init__(self, source: RowSource | TableSource) -> None:
        rows, self.root, _ = check_root(source)
        document = source.document
        # The fast reader reads as the exact one, but for numbers that only other readers know.
        self._is_quick = document is not None and not document.has_other_numbers
        value = None if document is None else document.quick if self._is_quick else document.value
        if isinstance(value, dict):
            self.root = {key: part for key, part in value.items() if key != _ROWS}
        self._rows: RowBatches | None = rows
        self._source = source
        self.prefix = rows.prefix if rows else (_ROWS,)
        self.faults: list[Diagnostic] = []
        self._is_read = False

    def rows(self) -> Iterator[NumberedRow]:
        rows, is_quick = self._rows, self._is_quick
        if rows is not None and rows.stream is not None:
            is_quick = not rows.has_other_numbers
        for batch in rows.batches(quick=is_quick) if rows else ():
            for fault, text in batch.faults if not self._is_read else ():
                found = from_source_fault(fault, self._source.file, text, policy=Policy())
                self.faults += [found] if found else []
            yield from enumerate(batch.rows, batch.first_index)
        self._is_read = True

    def place(self, path: ValuePath) -> Place:
        source: Any = self._rows or self._source
        place: Place = source.place(path)
        return place


class _ConvertedTable:
    """The rows of a dataset of another system, read as those of evalcontract; see `RowTable`."""

    prefix: ValuePath = ()

    def __init__(self, dataset: Dataset, workspace: Workspace) -> None:
        self.dialect = dataset.dialect
        self.root: dict[str, Any] = {}
        self.unread = 0
        self.unscored: AbstractSet[str] = set()
        self.faults: list[Diagnostic] = []
        self._run = Run(workspace, None, today(), runs_rules=False)
        self._dataset = dataset
        self._pass: Any = None

    def rows(self) -> Iterator[NumberedRow]:
        if (unreadable := self._dataset.unreadable) is not None:
            self.faults = [*from_unreadable(unreadable, Policy())]
            return
        self._pass = each_pass = self._dataset.begin(self._run, Policy())
        reader, unread, faults = each_pass.reader(), 0, []
        kept_as = reader.kept_as or KeptAs("")
        self.root = _root(_said(reader.root, kept_as.name), kept_as)
        self.unscored = {f"{kept_as.name}.{key}" for key in kept_as.unscored}
        for checked in each_pass.batches(keep_rows=True):
            faults += checked.faults
            for row in rows_of(each_pass, checked):
                converted = None
                with suppress(*_NOT_CONVERTED):  # then it is compared by its value
                    converted = None if row.fault else reader.read(row)
                unread += converted is None
                yield (
                    row.number,
                    _row(converted, kept_as.name) if converted else {_VALUE: row.value},
                )
        self.unread, self.faults = unread, faults

    def place(self, path: ValuePath) -> Place:
        if self._pass is None or not path or not isinstance(path[0], int):
            return Place(self._dataset.file)
        place: Place = self._pass.place(self._pass.path_of(path[0]))
        return place


def _row(converted: OurRow, kept_as: str) -> dict[str, Any]:
    """Return what a row says: for evalcontract, to its checks, and else to its own system."""
    own = {} if converted.rubric is None else {_CHECKS: converted.rubric}
    return {**_said(converted.row, kept_as), **own}


def _said(value: dict[str, Any], kept_as: str) -> dict[str, Any]:
    """Return a row or a root with what only its own system reads beside the other keys.

    A conversion keeps that in the metadata, whose changes are no more than another wording. Nobody
    knows what a change of it does to the scores of the other system.
    """
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or kept_as not in metadata:
        return value
    rest = {key: part for key, part in metadata.items() if key != kept_as}
    own = {key: part for key, part in value.items() if key != "metadata"}
    return {**own, **({"metadata": rest} if rest else {}), kept_as: metadata[kept_as]}


def _root(root: dict[str, Any], kept_as: KeptAs) -> dict[str, Any]:
    """Return a root in which each key that only its own system reads is told apart."""
    kept = root.get(kept_as.name)
    if not isinstance(kept, dict):
        return root
    document = kept.get(kept_as.document)
    if isinstance(document, dict):
        kept = {**document, **{key: kept[key] for key in kept if key != kept_as.document}}
    rest = {key: part for key, part in root.items() if key != kept_as.name}
    return {**rest, **{f"{kept_as.name}.{key}": part for key, part in kept.items()}}


def table_of(path: Path, source: RowSource, workspace: Workspace) -> RowTable:
    """Return the rows of a dataset, in the format that is detected."""
    document = source.document
    value = document.quick if document else None
    if not (isinstance(value, dict) and _ROWS in value):
        detected = detect_in(source)
        if detected is not None:
            opened = open_dataset(Input(path, files=workspace.files), str(detected.dialect))
            return _ConvertedTable(opened, workspace)
    return _OwnTable(source)


def table_in(path: Path, workspace: Workspace) -> RowTable | UnreadableFile:
    """Return the rows of any file that `convert` reads, by its content and its name."""
    dataset = open_dataset(Input(path))
    if dataset.unreadable is not None:
        return dataset.unreadable
    if dataset.dialect != NATIVE:
        return _ConvertedTable(dataset, workspace)
    if is_table(path):
        from evalcontract.datasets.tables import source_of  # not for other files

        return _OwnTable(source_of(Input(path).read_external(), ()))
    return _OwnTable(Input(path).read())


class RowDifference(NamedTuple):
    """A row that is another one now: what happened to it, and its fields that changed.

    `row` is its id, `old_row` the one before, if it was renamed. `number` and `old_number` are
    those that it has, from 0; None where it is not there.
    """

    row: str
    act: Act
    changes: tuple[Change, ...]
    old_row: str | None
    number: int | None
    old_number: int | None

    @property
    def rank(self) -> ChangeClass:
        """The gravest class of what changed."""
        return max(change.rank for change in self.changes)


class TableDifference(NamedTuple):
    """What changed in a dataset.

    `root` are the changes beside its rows. `old_count` and `new_count` are the numbers of rows,
    `uncompared` those of other rows beyond `MOST_ROWS`, in the old and in the new revision.
    """

    root: list[Change]
    rows: list[RowDifference]
    old_count: int
    new_count: int
    uncompared: tuple[int, int] = (0, 0)

    @property
    def changes(self) -> list[Change]:
        """All changes, beside the rows and in them."""
        return [*self.root, *(change for row in self.rows for change in row.changes)]


def compare_tables(old: RowTable, new: RowTable) -> TableDifference:
    """Compare two revisions of a dataset.

    Rows that are the same in both are only counted, so that a large dataset takes little memory.
    """
    is_same_root = old.root.get("bundle") == new.root.get("bundle")
    of_new: list[bytes] = []
    kept: list[NumberedRow] = []  # a small dataset is not read again
    for row in new.rows():
        of_new.append(_mark(row[1]))
        if len(of_new) <= MOST_ROWS:
            kept.append(row)
        else:
            kept.clear()
    marks, new_count = Counter(of_new), len(of_new)
    before, old_count, more_before = _unmatched(old.rows(), marks if is_same_root else Counter())
    after: list[NumberedRow] = []
    more_after = 0
    if marks.total():
        again = kept if new_count == len(kept) else new.rows()
        after, more_after = _remaining(again, of_new, marks)
    parts = _differing(*([_mapping(row) for _, row in rows] for rows in (before, after)))
    views = [
        view_of(Kind.DATASET, {**table.root, _ROWS: rows})
        for table, rows in zip((old, new), parts, strict=True)
    ]
    root: list[Change] = []
    grouped: dict[tuple[int | None, int | None], list[Change]] = {}
    for change in changes_of(*views):
        at = _index(change.old_path), _index(change.path)
        if at == (None, None):
            is_default = change.path == change.old_path == ("bundle",)  # that of many rows
            key = str((change.path or change.old_path or ("",))[0])
            rank = ChangeClass.WORDING if key in {*old.unscored, *new.unscored} else change.rank
            # A key of another system has a dot, and stands in quotes where it could be mistaken.
            own = key if change.name == json.dumps(key) else change.name
            name = "bundle" if is_default else own
            root.append(change._replace(rank=rank, name=name))
            continue
        old_index = None if at[0] is None else before[at[0]][0]
        new_index = None if at[1] is None else after[at[1]][0]
        moved = change._replace(
            path=_placed(change.path, new, new_index),
            old_path=_placed(change.old_path, old, old_index),
        )
        grouped.setdefault((old_index, new_index), []).append(moved)
    root = [*{(change.name, change.path, change.old_path): change for change in root}.values()]
    names = dict(_names(before)), dict(_names(after))
    rows = [_row_difference(at, changes, *names) for at, changes in grouped.items()]
    rows.sort(key=lambda row: (row.number is None, row.number or 0))
    return TableDifference(root, rows, old_count, new_count, (more_before, more_after))


def _mark(row: Any) -> bytes:
    data = canonical(row).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).digest()


def _unmatched(
    rows: Iterable[NumberedRow], marks: Counter[bytes]
) -> tuple[list[NumberedRow], int, int]:
    """Return the rows without a mark, of which each counts once; how many there are, and more.

    The marks that are left are those of rows that nobody had.
    """
    found: list[NumberedRow] = []
    count = beyond = 0
    for number, row in rows:
        count += 1
        mark = _mark(row)
        if marks[mark] > 0:
            marks[mark] -= 1
        elif len(found) < MOST_ROWS:
            found.append((number, row))
        else:
            beyond += 1
    return found, count, beyond


def _remaining(
    rows: Iterable[NumberedRow], marks: Iterable[bytes], left: Counter[bytes]
) -> tuple[list[NumberedRow], int]:
    """Return the rows whose marks are left, and how many more there are."""
    found: list[NumberedRow] = []
    beyond = 0
    for row, mark in zip(rows, marks, strict=False):
        if left[mark] > 0:
            left[mark] -= 1
            if len(found) < MOST_ROWS:
                found.append(row)
            else:
                beyond += 1
    return found, beyond


def _differing(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows without what is the same in both rows that alone have an id."""
    counts = [Counter(id_ for row in rows if (id_ := _id_of(row))) for rows in (old, new)]
    alone = {id_ for id_, count in counts[0].items() if count == counts[1].get(id_) == 1}
    ones, others = (
        {id_: row for row in rows if (id_ := _id_of(row)) in alone} for rows in (old, new)
    )

    same = {id_: _same_keys(ones[id_], others[id_]) for id_ in alone}

    def reduced(row: dict[str, Any]) -> dict[str, Any]:
        unchanged = same.get(_id_of(row) or "", ())
        return {key: value for key, value in row.items() if key not in unchanged}

    return [*map(reduced, old)], [*map(reduced, new)]


def _same_keys(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    """Return the keys that have the same value in both rows, except for their id."""
    both = one.keys() & other.keys() - {"id"}
    return {key for key in both if json_equal(one[key], other[key])}


def _id_of(row: dict[str, Any]) -> str | None:
    id_ = row.get("id")
    return id_ if isinstance(id_, str) else None


def _mapping(row: Any) -> dict[str, Any]:
    return row if isinstance(row, dict) else {_VALUE: row}


def _index(path: ValuePath) -> int | None:
    """Return the index of the row that a path of a view leads into; None if into none."""
    if len(path) > 1 and path[0] == _ROWS and isinstance(path[1], int):
        return path[1]
    return None


def _placed(path: ValuePath, table: RowTable, index: int | None) -> ValuePath:
    """Return the path in the file of a path in a view."""
    if index is None:
        return table.prefix
    rest = path[2:] if path[2:3] != (_VALUE,) else ()
    return (*table.prefix, index, *rest)


def _names(rows: list[NumberedRow]) -> Iterator[tuple[int, str]]:
    for number, row in rows:
        id_ = row.get("id") if isinstance(row, dict) else None
        yield number, id_ if isinstance(id_, str) else f"row {number + 1}"


def _row_difference(
    at: tuple[int | None, int | None],
    changes: list[Change],
    old_names: dict[int, str],
    new_names: dict[int, str],
) -> RowDifference:
    old_index, index = at
    before = None if old_index is None else old_names[old_index]
    after = None if index is None else new_names[index]
    acts = {change.act for change in changes if change.act is Act.RENAMED}
    if before is None or after is None:
        act = Act.ADDED if before is None else Act.REMOVED
    else:
        act = Act.RENAMED if acts else Act.CHANGED
    name = after if after is not None else str(before)
    old_row = before if act is Act.RENAMED else None
    return RowDifference(name, act, tuple(changes), old_row, index, old_index)
