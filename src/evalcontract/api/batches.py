"""Check record batches of Arrow wherever an engine has them, with the files of a workspace."""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.api.findings import Workspace
from evalcontract.checking.artifacts import (
    artifact_findings,
    bundle_findings,
    listing_errors,
    lock_findings,
)
from evalcontract.datasets.opening import open_rows
from evalcontract.datasets.passes import NATIVE, CheckedBatch, DatasetPass
from evalcontract.datasets.placing import to_diagnostics
from evalcontract.datasets.plans import GradingPlans
from evalcontract.datasets.run import Run, ScheduledArtifacts, library_findings, today
from evalcontract.library.library import Resolution
from evalcontract.model.diagnostic import Diagnostic, Severity, format_path
from evalcontract.model.diagnostic import Path as DiagnosticPath
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.rules import DATASET_RULES
from evalcontract.rules.rows.duplicate_id import repeated
from evalcontract.rules.rows.unknown_bundle import undeclared
from evalcontract.source.filesystem import KeptFiles
from evalcontract.source.rows import IterableRows, RowBlocks
from evalcontract.source.tables.columnar import (
    CAST,
    FAILURES,
    other_type,
    reason_of,
    rows_of,
    values_of,
)
from evalcontract.workspace import Workspace as OpenedWorkspace
from evalcontract.workspace import open_workspace
from evalcontract.workspace.catalogue import rules_in_use

if TYPE_CHECKING:
    from pyarrow import Array, RecordBatch

#: The columns of findings, which are texts: the key of the row, or null for what is not of one row;
#: the path in the row, or in the file whose place follows.
COLUMNS = ("row", "code", "severity", "path", "message", "help", "place")
#: The column with the number of rows that were checked, in a line without a finding.
CHECKED = "rows"
#: A finding, by `COLUMNS`.
Line = tuple[str | None, ...]
# Rows that are converted at a time.
_BATCH = 4096
_NAME = "rows"
_ALONE = IterableRows(_NAME, ())
_OTHER_TOOL, _UNREADABLE = "dataset/other-tool", "source/unreadable"
_UNSUPPORTED = "source/unsupported"


class BatchSettings(NamedTuple):
    """How batches are checked; see the parameters of `evalcontract.validate`.

    `key` is the column that findings name rows by; None for the name that the rows have.
    """

    dialect: str = NATIVE
    key: str | None = None
    keeps_nulls: bool = False
    forced: bool | None = None
    on_day: date | None = None


_DEFAULTS = BatchSettings()


class SharedFiles(NamedTuple):
    """What a check of rows may ask of a workspace, pickled once for all who check with it."""

    value: bytes
    digest: str

    @classmethod
    def of(cls, workspace: str | Path | Workspace | None, settings: BatchSettings) -> SharedFiles:
        """Read the files of a workspace, and check its artifacts.

        Raises:
            UsageError, ConfigurationError: as for `Workspace`.

        """
        root = (workspace if isinstance(workspace, Workspace) else Workspace(workspace)).root
        files = KeptFiles()
        run = Run(open_workspace(root, (), files), settings.forced, settings.on_day or today())
        value = pickle.dumps((root, files, _findings_of_artifacts(run)))
        return cls(value, sha256(value).hexdigest())


class _ArtifactFindings(NamedTuple):
    """What is wrong with artifacts, by their files, and what is wrong whatever rows say.

    `reached` are the files of each artifact of the library and of what that refers to, in order.
    """

    by_file: dict[str, list[Line]]
    reached: list[tuple[str, ...]]
    of_all: list[Line]


def _findings_of_artifacts(run: Run) -> _ArtifactFindings:
    """Check all artifacts of a workspace, each as if a row refers to it."""
    workspace, policy = run.workspace, run.standards.base
    reached = []
    for artifact in workspace.library.artifacts:
        of_one = ScheduledArtifacts()
        for scheduled in (of_one, run.scheduled):
            scheduled.add(artifact, policy, workspace.library)
        reached.append(tuple(of_one.policies))
        if artifact.kind is Kind.RUBRIC:
            run.plan(artifact)  # so that the files of its checks are read
    by_file: dict[str, list[Line]] = {}
    for found in artifact_findings(run):
        by_file.setdefault(found.place.file, []).append(_line(found))
    finders = (bundle_findings, listing_errors, library_findings, lock_findings)
    of_all = [_line(found) for find in finders for found in find(run)]
    _ = workspace.usable_bundles, workspace.unreadable_names  # so that they are read, too
    return _ArtifactFindings(by_file, reached, of_all)


@lru_cache(maxsize=4)
def _opened(shared: SharedFiles) -> tuple[OpenedWorkspace, _ArtifactFindings]:
    root, files, findings = pickle.loads(shared.value)  # noqa: S301 - `SharedFiles` made it
    return open_workspace(root, (), files), findings


class BatchCheck:
    """Checks record batches wherever they are; it is picklable, with the files of its workspace.

    A call yields the findings on some batches, as record batches with `COLUMNS` and `CHECKED`. The
    last line has only the number of rows that were checked. The batches are a part of a dataset:
    `repeats` and `whole` tell what only all of its rows show. If `needs_one_part`, they cannot: all
    rows must be given to one call, in order. With the `files` of another check, nothing is read.

    Raises:
        UsageError: there is no such dialect or folder, or its system reads whole files.
        ConfigurationError: the configuration of the workspace cannot be used.

    """

    def __init__(
        self,
        workspace: str | Path | Workspace | None = None,
        settings: BatchSettings = _DEFAULTS,
        files: SharedFiles | None = None,
    ) -> None:
        open_rows((), settings.dialect, _NAME)  # an unknown dialect is told here
        self.settings = settings._replace(on_day=settings.on_day or today())
        #: What another machine needs of the workspace; an engine may send it once for all parts.
        self.files = files or SharedFiles.of(workspace, self.settings)

    @property
    def needs_one_part(self) -> bool:
        """Whether rows are compared with each other in ways that only one pass over all shows.

        Loaders of other systems do that, and rules for datasets that other packages have.
        """
        return self.settings.dialect != NATIVE or len(rules_in_use().dataset) > len(DATASET_RULES)

    def __call__(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the findings on the rows of a part, and the number of those that were checked."""
        yield from self._check(batches, is_part=not self.needs_one_part)

    def of_another_tool(self, batches: Iterable[RecordBatch]) -> list[Line]:
        """Return the finding that the first rows are those of another tool, if they are.

        Such rows are not checked: all of them would be wrong.
        """
        every = (line for lines, _ in self._lines(batches, is_part=False) for line in lines)
        return [line for line in every if line[:2] == (None, _OTHER_TOOL)]

    def repeats(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the findings on rows whose `id` earlier rows have; `row` is what names a row."""
        policy = self._run().standards.base
        for batch in batches:
            named = zip(*(batch.column(name).to_pylist() for name in ("id", "row")), strict=True)
            lines = [
                _line(found, name)
                for id_, name in named
                for found in to_diagnostics([repeated(id_, (0,))], _ALONE, policy)
            ]
            yield from _record_batches(lines)

    def whole(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the findings on a dataset as a whole, and on the artifacts that it refers to.

        The batches have the values of `rubric_ref` and `bundle`, and how many `rows` have both.
        """
        run = self._run()
        _, known = _opened(self.files)
        groups = [row for batch in batches for row in batch.to_pylist()]
        lines = [line for file in self._files(run, groups) for line in known.by_file.get(file, ())]
        if not any(each["rows"] for each in groups):
            lines += [line for some, _ in self._lines((), is_part=False) for line in some]
        elif not self.needs_one_part:
            uses: Counter[str] = Counter()
            for each in groups:
                uses[each["bundle"] or ""] += each["rows"]
            declared = {*run.workspace.bundles, *run.workspace.bundle_files}
            first = {name: ((0, "bundle"), count) for name, count in uses.items()}
            found = to_diagnostics(undeclared(first, declared), _ALONE, run.standards.base)
            lines += map(_line, found)
        yield from _record_batches([*lines, *known.of_all])

    def _files(self, run: Run, groups: Iterable[Mapping[str, Any]]) -> dict[str, None]:
        """Return the files of the artifacts that rows refer to."""
        library, (_, known) = run.workspace.library, _opened(self.files)
        grading = GradingPlans(run.plans.context, {}, None, plans=run.plans)
        numbers = {id(artifact): at for at, artifact in enumerate(library.artifacts)}
        found = (grading.rubric_of(each["rubric_ref"]) for each in groups)
        rubrics = (id(each.artifact) for each in found if isinstance(each, Resolution))
        reached = (known.reached[numbers[rubric]] for rubric in rubrics if rubric in numbers)
        return dict.fromkeys(chain.from_iterable(reached))

    def _check(self, batches: Iterable[RecordBatch], *, is_part: bool) -> Iterator[RecordBatch]:
        for lines, rows in self._lines(batches, is_part=is_part):
            yield from _record_batches(lines, rows)

    def _lines(
        self, batches: Iterable[RecordBatch], *, is_part: bool
    ) -> Iterator[tuple[list[Line], int | None]]:
        """Yield the findings, those of some rows at a time, and with the last the rows checked."""
        part, dataset_pass = self._begin(batches, self._run(is_part=is_part))
        for checked in dataset_pass.batches():
            found = dict.fromkeys(dataset_pass.to_diagnostics(checked.problems))
            beyond = part.name(checked.batch.first_index + len(checked.batch.rows))
            faults = (_line(x, beyond if x.code != _OTHER_TOOL else None) for x in checked.faults)
            yield [*map(part.line, found), *faults, *part.take_lines()], None
        found = dict.fromkeys(dataset_pass.finish())
        yield [*map(part.line, found), *part.take_lines()], dataset_pass.count

    def _begin(self, batches: Iterable[RecordBatch], run: Run) -> tuple[RowsOfPart, DatasetPass]:

        part, policy = RowsOfPart(batches, self.settings), run.standards.base
        dataset = open_rows(RowBlocks(part.blocks(), part.label), self.settings.dialect, _NAME)
        return part, dataset.begin(run, policy, run.standards.graded_for(None))

    @property
    def _workspace(self) -> OpenedWorkspace:

        return _opened(self.files)[0]

    def _run(self, *, is_part: bool = True) -> Run:
        day = self.settings.on_day or today()
        return Run(self._workspace, self.settings.forced, day, is_part=is_part)


class RowsOfPart:
    """The rows of some batches, and what names them in findings."""

    def __init__(self, batches: Iterable[RecordBatch], settings: BatchSettings) -> None:
        self._batches = batches
        self._settings = settings
        self._count = self._given = 0
        self._key = settings.key or "id"
        # A pass over our rows tells of the last of them alone.
        is_ours = settings.dialect == NATIVE
        self._blocks: deque[_Block] = deque(maxlen=2 if is_ours else None)
        self._lines: list[Line] = []
        self._lost: list[tuple[str | None, str]] = []
        self._unsupported: set[str] = set()

    def blocks(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows, some at a time; those that cannot be read are findings."""
        from pyarrow import ArrowException  # an extra, and slow to import

        for batch in map(self._supported, self._batches):
            for start in range(0, batch.num_rows, _BATCH):
                some = batch.slice(start, _BATCH)
                try:
                    rows = rows_of(some, keeps_nulls=self._settings.keeps_nulls)
                except (ArrowException, *FAILURES):
                    yield from self._one_by_one(some)
                else:
                    yield self._named(rows, some)

    def _named(self, rows: list[dict[str, Any]], batch: RecordBatch) -> list[dict[str, Any]]:
        keys = batch.column(self._key) if self._key in batch.schema.names else None
        self._blocks.append(_Block(range(self._count, self._count + len(rows)), self._given, keys))
        self._count += len(rows)
        self._given += len(rows)
        return rows

    def _one_by_one(self, batch: RecordBatch) -> Iterator[list[dict[str, Any]]]:
        for at in range(batch.num_rows):
            row = batch.slice(at, 1)
            if faults := [*_column_faults(row)]:
                name = _text(row.column(self._key), 0) if self._key in row.schema.names else None
                lines = [self._fault(*fault, name) for fault in faults]
                self._lines += lines
                self._lost.append((name, str(lines[0][4])))
                self._given += 1
            else:
                yield self._named(rows_of(row, keeps_nulls=self._settings.keeps_nulls), row)

    def _supported(self, batch: RecordBatch) -> RecordBatch:
        """Return a batch without the columns whose type JSON cannot hold; one finding tells it."""
        kinds = zip(batch.schema.names, batch.schema.types, strict=True)
        others = {name: other for name, kind in kinds if (other := other_type(kind))}
        for name in others.keys() - self._unsupported:
            self._lines.append(self._fault(name, f"JSON cannot hold its type `{others[name]}`"))
        self._unsupported |= others.keys()
        return batch.drop_columns([*others]) if others else batch

    def _fault(self, column: str, why: str, row: str | None = None) -> Line:
        what = "it is not checked" if row is None else "the row is not checked"
        message = f"the column `{clipped(column)}` cannot be read, and {what}: {why}"
        return unread_line(message, CAST, (column,), row)

    def take_lines(self) -> list[Line]:
        """Return what could not be read so far, once."""
        lines, self._lines = self._lines, []
        return lines

    def take_lost(self, checked: CheckedBatch) -> list[tuple[str | None, str]]:
        """Return the names of rows that could not be read, each with the reason."""
        beyond = self.name(checked.batch.first_index + len(checked.batch.rows))
        lost, self._lost = self._lost, []
        return [*lost, *((beyond, fault.message) for fault in checked.faults)]

    def label(self, index: int) -> str:
        """Return what messages call a row."""
        name = self.name(index)
        return "the row" if name is None else f"the row `{clipped(name, NAME_LENGTH)}`"

    def line(self, found: Diagnostic) -> Line:
        """Return a finding on the rows."""
        has_key = self._settings.key is not None and found.row_index is not None
        return _line(found, self.name(found.row_index or 0) if has_key else found.row)

    def name(self, index: int) -> str | None:
        """Return the key of a row, by its number."""
        block = self._block(index)
        return None if block.keys is None else _text(block.keys, index - block.rows.start)

    def given(self, index: int) -> int:
        """Return the number of a row among those that were given, also those that are lost."""
        block = self._block(index)
        return block.first_given + index - block.rows.start

    def _block(self, index: int) -> _Block:
        return next((each for each in reversed(self._blocks) if index in each.rows), _NO_BLOCK)


class _Block(NamedTuple):
    """The numbers of some rows, that of the first among all that were given, and their keys."""

    rows: range
    first_given: int
    keys: Array | None


_NO_BLOCK = _Block(range(0), 0, None)


def _text(keys: Array, at: int) -> str | None:
    value = keys[at].as_py()
    return None if value is None else str(value)


def _column_faults(row: RecordBatch) -> Iterator[tuple[str, str]]:
    """Yield the columns of a row whose values cannot be read, and why."""
    from pyarrow import ArrowException  # as above

    for name, column in zip(row.schema.names, row.columns, strict=True):
        try:
            values_of(column, False)
        except (ArrowException, *FAILURES) as error:
            yield name, reason_of(error)


def unread_line(
    message: str,
    advice: str,
    path: DiagnosticPath = (),
    row: str | None = None,
    place: str | None = None,
) -> Line:
    """Return the finding that something was not read, and so not checked."""
    code = _UNSUPPORTED if place is None else _UNREADABLE
    return (row, code, str(Severity.ERROR), format_path(path), message, advice, place)


def _line(found: Diagnostic, row: str | None = None) -> Line:
    """Return a finding by `COLUMNS`; the path of one on rows begins in the row."""
    of_rows, path = found.place.file.partition("[")[0] == _NAME, found.path
    if of_rows and path and isinstance(path[0], int):
        path = path[1:]
    place = None if of_rows else str(found.place)
    texts = (format_path(path), found.message, found.help, place)
    return (row, found.code, str(found.severity), *texts)


def _record_batches(lines: Sequence[Line], rows: int | None = None) -> Iterator[RecordBatch]:
    """Yield findings as a record batch, with a last line for the number of `rows`, if it is one."""
    import pyarrow as pa  # an extra, and slow to import

    every: list[tuple[str | int | None, ...]] = [(*line, None) for line in lines]
    every += [] if rows is None else [(*(None for _ in COLUMNS), rows)]
    if every:
        kinds = [*(pa.string() for _ in COLUMNS), pa.int64()]
        columns = zip(*every, strict=True)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        yield pa.record_batch(arrays, [*COLUMNS, CHECKED])
