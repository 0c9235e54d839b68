"""The interface of a pass over the rows of a dataset, for validation, coverage and conversion.

It is the same for evalcontract datasets and for datasets in other formats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.datasets.run import Run
from evalcontract.datasets.workers import IgnoringRow
from evalcontract.model.diagnostic import Diagnostic, Path, Place, Problem, Within
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Policy
from evalcontract.source import Batch, Document, UnreadableFile

if TYPE_CHECKING:
    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.datasets.ignores import Ignores
    from evalcontract.datasets.provenance import Provenance
    from evalcontract.formats._conversion import KeptAs, Loss, OurRow


class BatchFindings(NamedTuple):
    """A batch, its problems, and its rows that may ignore some of them.

    The last `unchecked` rows were not looked at.
    """

    batch: Batch
    problems: list[Problem]
    ignoring: Sequence[IgnoringRow]
    unchecked: int = 0


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
    problems: list[Problem]
    fault: Problem | None


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
        for index, value in enumerate(checked.batch.rows, checked.batch.first_index):
            yield CheckedRow(index, dataset_pass.path_of(index), value, [], None)
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
