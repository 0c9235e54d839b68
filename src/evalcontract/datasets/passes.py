"""A pass over the rows of a dataset, for validation, coverage and conversion.

Its interface is the same for evalcontract datasets and for datasets in other formats; the pass over
the former is here, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.datasets.kinds import as_task, problem_of_rows
from evalcontract.datasets.placing import from_source_fault, to_diagnostics
from evalcontract.datasets.plans import GradingPlans
from evalcontract.datasets.root import check_root
from evalcontract.datasets.row_check import DatasetCheck, RowContext
from evalcontract.datasets.run import Run
from evalcontract.datasets.workers import BatchResult
from evalcontract.library.library import Library
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, Path, Place, Problem, Within
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.model.startup import NamedTuple, made_of
from evalcontract.policy import Policy
from evalcontract.source import Batch, Document, RowSource, SourceProblem, UnreadableFile
from evalcontract.source.rows import RowIterable
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.datasets.ignores import Ignores
    from evalcontract.datasets.provenance import Provenance
    from evalcontract.datasets.tables import TableSource
    from evalcontract.formats._conversion import KeptAs, Loss, OurRow
    from evalcontract.source.jsonl import RowStream


#: The name of evalcontract's own format, where a dialect is expected.
NATIVE = "evalcontract"


#: Counts a problem of so many rows, if its cause needs no more places; otherwise returns False.
Counts = Callable[[Problem, int], bool]


class CheckedBatch(NamedTuple):
    """Some rows, their problems, and the findings on lines that could not be read as rows.

    The last `unchecked` rows were not looked at.
    """

    batch: Batch
    problems: list[Problem]
    faults: list[Diagnostic]
    unchecked: int = 0


class CheckedRow(NamedTuple):
    """One row, numbered from 0; `fault` is the problem that prevents loading it, if any."""

    number: int
    path: Path
    value: Any
    problems: Sequence[Problem]
    fault: Problem | None


_checked_row = made_of(CheckedRow)


class RowReader(Protocol):
    """Converts the rows of a dataset to evalcontract rows."""

    @property
    def kept_as(self) -> KeptAs | None:
        """Where the rows and the root keep what only another system reads; None for our own."""

    @property
    def root(self) -> dict[str, Any]:
        """The keys of the dataset other than its rows; complete when all rows are read."""

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost outside the rows; complete when all rows are read."""

    def read(self, row: CheckedRow) -> OurRow | None:
        """Convert a row that has no fault; return None if that is not possible."""

    def row_losses(self, row: CheckedRow, read: OurRow, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses of a row: those of the reader, and those that a writer told."""

    def root_losses(self, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses outside the rows, given those that a writer told of `root`."""


class DatasetPass(Protocol):
    """One pass over one dataset: iterate over `batches`, then call `finish`."""

    @property
    def file(self) -> str:
        """The name of the file in findings."""

    @property
    def count(self) -> int:
        """The number of rows read so far."""

    @property
    def ignores(self) -> Ignores:
        """What the file and the configuration ignore in it, and have ignored so far."""

    @property
    def progress(self) -> tuple[int, int] | None:
        """The bytes read and the total; None if the file is read as a whole."""

    @property
    def known(self) -> tuple[int, int] | None:
        """The number of pieces whose results were known, and of all; None without pieces."""

    def batches(
        self, *, keep_rows: bool = False, jobs: int = 1, is_counted: Counts | None = None
    ) -> Iterator[CheckedBatch]:
        """Yield the rows, batch by batch.

        The rows are reliable only with `keep_rows`. Without it, up to `jobs` processes check a
        large dataset. Problems of rows that `is_counted` counts are left out of the batches.
        """

    def path_of(self, index: int) -> Path:
        """Return the path of a row."""

    def rejects(self, code: str) -> bool:
        """Whether a finding with this code prevents loading the row, or the dataset."""

    def to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        """Convert problems to diagnostics with places and severities."""

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path."""

    def place_beside(self, path: Path) -> Place:
        """Return the place of a key of the file beside its rows."""

    def finish(self) -> list[Diagnostic]:
        """Finish the pass and return the findings on the dataset as a whole."""

    def coverage_diagnostics(self) -> list[Diagnostic]:
        """Return the findings of `finish` that may change which checks run on rows."""

    def cover(self, row: CheckedRow) -> RowCoverage:
        """Return which checks will run on a row."""

    def reader(self) -> RowReader:
        """Return a reader that converts the rows."""

    def provenance(self, rows: Iterable[tuple[Any, bool]]) -> Provenance:
        """Return the provenance of the dataset with these rows.

        Each is given with whether it is graded; one that is not valid is not. The rows may be those
        of `batches`, which are read then.
        """


class Dataset(Protocol):
    """An opened dataset in any format, readable or not."""

    @property
    def file(self) -> str:
        """The name of the file in findings."""

    @property
    def dialect(self) -> str:
        """The format, as on the command line: `evalcontract`, or a dialect such as `mlflow:oss`."""

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file cannot be read, so that no pass can begin; None if it can."""

    @property
    def document(self) -> Document | None:
        """The whole file, if it is a single parsed value."""

    def choose(self, plan: str | None, only: Sequence[str]) -> None:
        """Cover the graders of a plan and those that are named, whatever the rows ask for.

        Raises:
            UsageError: there is no such plan or grader.

        """

    def begin(self, run: Run, policy: Policy, graded: frozenset[str] = frozenset()) -> DatasetPass:
        """Begin a pass over the rows.

        `graded` are the keys of rows that the graders of the runner read, besides the rubric.
        """


_UNCHECKED = Problem(
    "source/limit-exceeded", "it was not looked at: too many rows before it cannot be used", ()
)


def rows_of(dataset_pass: DatasetPass, checked: CheckedBatch) -> Iterator[CheckedRow]:
    """Yield the rows of a batch, each with its problems."""
    if not checked.problems and not checked.unchecked:
        first, values = checked.batch.first_index, checked.batch.rows
        numbers = range(first, first + len(values))
        paths = map(dataset_pass.path_of, numbers)
        yield from map(_checked_row, zip(numbers, paths, values, repeat(()), repeat(None)))
        return
    by_row: defaultdict[int | None, list[Problem]] = defaultdict(list)
    for problem in checked.problems:
        by_row[problem.row_index].append(problem)
    end = checked.batch.first_index + len(checked.batch.rows) - checked.unchecked
    for index, value in enumerate(checked.batch.rows, checked.batch.first_index):
        problems = by_row.get(index, [])
        rejecting = (problem for problem in problems if dataset_pass.rejects(problem.code))
        fault = next(rejecting, None) if index < end else _UNCHECKED
        yield CheckedRow(index, dataset_pass.path_of(index), value, problems, fault)


class NativeDataset:
    """An evalcontract dataset; see `Dataset`. `problems` are those outside of its rows."""

    dialect = NATIVE

    def __init__(
        self, source: RowSource | RowIterable | TableSource, problems: Sequence[Problem] = ()
    ) -> None:
        self.file = source.file
        self._source = source
        self._problems = problems

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file cannot be read, or is no dataset; None if it can."""
        return self._task or self._source.unreadable

    @cached_property
    def _task(self) -> UnreadableFile | None:
        if isinstance(self._source, Document) and _is_ours(self._source.quick):
            return None
        return as_task(self._source)

    @property
    def document(self) -> Document | None:
        """The whole file, if it is a single value."""
        return self._source.document

    @property
    def stream(self) -> RowStream | None:
        """The stream of the rows, if the file is one of JSON Lines."""
        from evalcontract.source.jsonl import RowStream  # not for other files

        stream = self._source.stream
        return stream if isinstance(stream, RowStream) else None

    def choose(self, plan: str | None, only: Sequence[str]) -> None:
        """Refuse to choose graders: the rubrics of the rows name the checks.

        Raises:
            UsageError: always.

        """
        message = "`--plan` and `--only` choose graders of another system"
        raise UsageError(f"{message}, and the rubrics of {self.file} name its checks")

    def begin(self, run: Run, policy: Policy, graded: frozenset[str] = frozenset()) -> NativePass:
        """Begin a pass over the rows."""
        if run.workspace.configuration.keeps_nulls:
            from evalcontract.datasets.tables import TableRows  # not for other files

            if isinstance(self._source.stream, TableRows):
                self._source.stream.keep_nulls()
        return NativePass(run, self._source, policy, graded=graded, problems=self._problems)


def _is_ours(value: Any) -> bool:
    """Whether a value has rows where a dataset has them."""
    return not isinstance(value, dict) or "questions" in value


class NativePass:
    """A pass over an evalcontract dataset; see `DatasetPass`. `root` has the keys but the rows."""

    def __init__(
        self,
        run: Run,
        source: RowSource | RowIterable | TableSource,
        policy: Policy,
        graded: frozenset[str] = frozenset(),
        problems: Sequence[Problem] = (),
    ) -> None:
        readable = source.document or source.stream
        if readable is None:
            raise TypeError(f"{source.file} cannot be read, and has no rows")
        self._run = run
        self._policy = policy
        self._source = readable
        self.file = source.file
        self._rows, self.root, of_root = check_root(source)
        self._root_problems = [*of_root, *problems]
        self.ignores = run.ignores.of(source.file, source.document, self.root)
        context = RowContext(
            run.plans.context,
            run.workspace.usable_bundles,
            frozenset({*run.workspace.bundles, *run.workspace.bundle_files}),
            run.workspace.unreadable_names,
            run.plans,
            run.gates,
            graded,
            run.budget(self.ignores, policy),
            run.runs_rules,
            run.max_rejected,
            is_part=run.is_part,
            known=run.known_rows,
            kept=run.known_pieces,
        )
        self._check = DatasetCheck(self._rows, self.root, context) if self._rows else None

    @property
    def has_rows(self) -> bool:
        """Whether the file has a list of rows, possibly empty."""
        return self._check is not None

    @property
    def count(self) -> int:
        return self._check.count if self._check else 0

    @property
    def progress(self) -> tuple[int, int] | None:
        progress = self._source.progress
        share = self._check.share if self._check else None  # of pieces, in whatever process
        return progress and (progress[1] * share[0] // share[1], progress[1]) if share else progress

    @property
    def known(self) -> tuple[int, int] | None:
        share = self._check.share if self._check else None
        return share and (share[2], share[1])

    def batches(
        self, *, keep_rows: bool = False, jobs: int = 1, is_counted: Counts | None = None
    ) -> Iterator[CheckedBatch]:
        if self._check is None:
            return
        every = self._check.batches(keep_rows=keep_rows, jobs=jobs)
        for batch, problems, ignoring, unchecked in every:
            for row in ignoring:
                self.ignores.read_metadata(row.value, self.path_of(row.row_index))
            is_first = batch.first_index == 0 and not self._run.is_part
            if is_first and (foreign := self._foreign(batch, problems)):
                self._check = None
                yield foreign
                return
            diagnostics = (
                from_source_fault(fault, self.file, text, policy=self._policy)
                for fault, text in batch.faults
            )
            faults = [diagnostic for diagnostic in diagnostics if diagnostic]
            yield CheckedBatch(batch, problems, faults, unchecked)

    @property
    def stream(self) -> RowStream | None:
        """The stream of the rows, if they can be checked part by part."""
        return self._rows.stream if self._rows else None

    @property
    def has_crashed(self) -> bool:
        """Whether a rule, or making the plan of a rubric, has failed in this process."""
        return bool(self._check and self._check.crashes)

    def check_part(self, part: RowStream) -> Iterator[BatchResult]:
        """Check a part of the stream; see `DatasetCheck.check_rows`."""
        return self._check.check_rows(part, quick=False) if self._check else iter(())

    def take_part(self, part: RowStream, results: Iterator[BatchResult]) -> Iterator[list[Problem]]:
        """Yield the problems of the next part, batch by batch."""
        for batch in self._check.take_part(part, results) if self._check else ():
            yield batch.problems

    def _foreign(self, batch: Batch, problems: list[Problem]) -> CheckedBatch | None:
        """Return a batch without rows if the first rows are those of another tool."""
        is_faulty = any(problem.row_index == 0 for problem in problems)
        if not is_faulty or (self._rows and self._rows.prefix):
            return None
        problem = problem_of_rows(batch.rows, self.path_of(0))
        if problem is None:
            return None
        diagnostics = [*self.to_diagnostics([problem])]
        if not diagnostics:
            return None  # the configuration ignores it, so that each row is checked
        fault = SourceProblem(problem.code, problem.message, None, problem.help)
        return CheckedBatch(batch._replace(rows=[], faults=((fault, ""),)), [], diagnostics)

    def path_of(self, index: int) -> Path:
        return (*(self._rows.prefix if self._rows else ()), index)

    def rejects(self, code: str) -> bool:
        return code in ILL_FORMED

    def to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        source = self._rows or self._source
        diagnostics = to_diagnostics(problems, source, self._policy, documents=self._run.documents)
        return self.ignores.apply(diagnostics)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        return (self._rows or self._source).place(path, on_key=on_key, within=within)

    def place_beside(self, path: Path) -> Place:
        return self.place(path, on_key=True)

    def finish(self) -> list[Diagnostic]:
        """Return the findings on the whole dataset, and schedule the artifacts that it uses."""
        problems = list(self._root_problems)
        if self._check is not None:
            problems += self._check.finish()
            for artifact in self._check.referenced_rubrics():
                self._run.scheduled.add(artifact, self._policy, self._run.workspace.library)
            if self._run.lock or self._run.is_locking:
                problems += self._lock_problems(self._check)
        document = self._source.document
        of_schema = (
            self._run.schema_reference(Kind.DATASET, document, self.root, policy=self._policy)
            if document
            else ()
        )
        findings = [*self.to_diagnostics(problems), *self.ignores.apply(of_schema)]
        source, not_sought = self._rows or self._source, self._run.codes_not_sought
        return [*findings, *self.ignores.final_findings(source, self._policy, not_sought)]

    def _lock_problems(self, check: DatasetCheck) -> list[Problem]:
        """Return what is wrong by the lock; without one, note what the rows use."""
        from evalcontract.meaning.locked import dataset_problems, library_problems  # for a lock

        workspace, lock = self._run.workspace, self._run.lock
        name = workspace.relative_name(self.file)
        if name is None:
            return []  # it belongs to no workspace
        use, document = check.use(), self._source.document
        version = self.root.get("version")
        if document is not None and isinstance(version, str):
            value = document.value if document.has_other_numbers else document.quick
            use = use._replace(version=Version.parse(version), value=value)
        if lock is None:
            self._run.uses[name] = use
            return []
        if name not in lock.datasets and not workspace.scans(workspace.root / name):
            return []  # `lock` does not look at it either

        def path_of(reference: Reference) -> Path:
            is_kept = document is not None or self.stream is not None
            index = check.first_row_with(reference) if is_kept else None
            return () if index is None else (*self.path_of(index), "rubric_ref")

        library, known = workspace.library, self._run.problems_in_libraries
        found = [*dataset_problems(use, lock, library, name, path_of=path_of)]
        if library.shared.artifacts:
            uses = ((each, path_of(each)) for each in sorted(use.references, key=str))
            found += library_problems(uses, lock, library, known)
        return found

    def coverage_diagnostics(self) -> list[Diagnostic]:
        """Return the findings outside the rows, and the rubrics whose plan could not be made."""
        problems = [*self._root_problems]
        if self._check is not None:
            problems += [*self._check.crashes, *self._check.not_looked_at]
        return list(self.to_diagnostics(problems))

    def cover(self, row: CheckedRow) -> RowCoverage:
        from evalcontract.datasets.plans import cover_row  # needed only for coverage

        fault = row.fault.message if row.fault else None
        return cover_row(self._grading, row.number, row.value, fault=fault)

    def reader(self) -> NativeRows:
        return NativeRows(self.root, self._run.workspace.library)

    def provenance(self, rows: Iterable[tuple[Any, bool]]) -> Provenance:
        from evalcontract.datasets.provenance import NamedByRows  # rarely needed

        named = NamedByRows(self.root)
        for row, is_graded in rows:
            named.note(row, is_graded=is_graded)
        return named.provenance(self._run, (self.file, self._source.sha256))

    @property
    def _grading(self) -> GradingPlans:
        if self._check is None:
            raise TypeError(f"{self.file} has no rows")
        return self._check.grading


class NativeRows:
    """Reads evalcontract rows; see `RowReader`. `root` has the keys of the dataset but its rows."""

    kept_as = None
    losses: tuple[Loss, ...] = ()

    def __init__(self, root: dict[str, Any], library: Library) -> None:
        self.root = root
        self._library = library
        self._required = frozenset(load("dataset")["$defs"]["row"]["required"])

    def read(self, row: CheckedRow) -> OurRow | None:
        """Return a row with the rubric that it refers to.

        Return None if a required key is missing; the row has it under another name.
        """
        value = row.value
        if not value.keys() >= self._required:
            return None
        from evalcontract.formats._conversion import OurRow  # slow to import

        return OurRow(value, self._rubric(value), is_new=False)

    def row_losses(self, row: CheckedRow, read: OurRow, written: Sequence[Loss]) -> Sequence[Loss]:
        return written

    def root_losses(self, written: Sequence[Loss]) -> Sequence[Loss]:
        return written

    def _rubric(self, row: dict[str, Any]) -> dict[str, Any] | None:
        rubric = self._library.artifact_of(row.get("rubric_ref"))
        value = rubric.document.value if rubric else None
        return value if isinstance(value, dict) else None
