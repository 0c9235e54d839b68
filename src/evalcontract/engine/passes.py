"""One pass over the rows of a dataset: validation, coverage and conversion hang on it.

Our datasets and those of other systems are opened, and passed over, in the same way.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.engine.run import Run
    from evalcontract.formats._conversion import Loss, OurRow
    from evalcontract.model.diagnostic import Diagnostic, Problem, Within
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place
    from evalcontract.policy import Policy
    from evalcontract.source import Batch, Document, UnreadableFile


#: What a caller says of a dataset of ours.
OURS = "evalcontract"


class CheckedBatch(NamedTuple):
    """Some rows, what is wrong with them, and what is said of lines that gave no row."""

    batch: Batch
    problems: list[Problem]
    faults: list[Diagnostic]


class CheckedRow(NamedTuple):
    """One row, counted from 0; `fault` is the problem for which it is not loaded, if any."""

    number: int
    path: Path
    value: Any
    problems: list[Problem]
    fault: Problem | None


class RowReader(Protocol):
    """Turns the rows of a dataset into ours, for a conversion."""

    @property
    def root(self) -> dict[str, Any]:
        """What belongs beside the rows, once all are read."""
        ...

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost of what stands around the rows, once all are read."""
        ...

    def read(self, row: CheckedRow) -> OurRow | None:
        """Turn a row that has no fault; None where it is none that can be converted."""
        ...


class DatasetPass(Protocol):
    """One pass over one dataset: iterate `batches`, then take `rest`."""

    @property
    def file(self) -> str:
        """What findings call the file."""
        ...

    @property
    def count(self) -> int:
        """How many rows were read so far."""
        ...

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many bytes of how many were read; None where it is read at once."""
        ...

    def batches(self, *, keep_rows: bool = False, jobs: int = 1) -> Iterator[CheckedBatch]:
        """Yield the rows, batch by batch.

        The rows are to be trusted only where `keep_rows` asks for them. Else so many processes
        may look at a large dataset.
        """
        ...

    def path_of(self, index: int) -> Path:
        """Return the path of a row."""
        ...

    def rejects(self, code: str) -> bool:
        """Whether what this code is found in, a row or the whole dataset, is not loaded."""
        ...

    def to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        """Give problems their places and severities."""
        ...

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands."""
        ...

    def rest(self) -> list[Diagnostic]:
        """Return the findings that are of no row, or that only all rows show, after the pass."""
        ...

    def unseen(self) -> list[Diagnostic]:
        """Return those of the `rest` for which rows may not have been seen as they are."""
        ...

    def cover(self, row: CheckedRow) -> RowCoverage:
        """Return which checks will run on a row."""
        ...

    def reader(self) -> RowReader:
        """Begin to convert rows."""
        ...


class Dataset(Protocol):
    """A dataset that was opened, whoever's it is, and whether it can be read or not."""

    @property
    def file(self) -> str:
        """What findings call the file."""
        ...

    @property
    def dialect(self) -> str:
        """Whose it is, as the command line says it: `evalcontract`, or `mlflow:oss`."""
        ...

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why there is no value; no pass can begin then. None where there is one."""
        ...

    @property
    def document(self) -> Document | None:
        """The whole file, where it is one value that was parsed."""
        ...

    def begin(self, run: Run, policy: Policy) -> DatasetPass:
        """Begin a pass over its rows."""
        ...


def rows_of(check: DatasetPass, checked: CheckedBatch) -> Iterator[CheckedRow]:
    """Yield the rows of a batch, each with what is wrong with it."""
    by_row: defaultdict[int | None, list[Problem]] = defaultdict(list)
    for problem in checked.problems:
        by_row[problem.row_index].append(problem)
    for index, value in enumerate(checked.batch.rows, checked.batch.first_index):
        problems = by_row.get(index, [])
        fault = next((problem for problem in problems if check.rejects(problem.code)), None)
        yield CheckedRow(index, check.path_of(index), value, problems, fault)
