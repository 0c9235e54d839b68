"""A dataset of another system: read, laid out and judged as its own loader would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks import Prediction, State
from evalcontract.checks.coverage import Cell, RowCoverage
from evalcontract.engine.diagnostics import from_source_fault, to_diagnostics
from evalcontract.engine.kept_rubric import without_rubric
from evalcontract.engine.passes import CheckedBatch
from evalcontract.formats import dialect_of
from evalcontract.formats._codes import is_rejection
from evalcontract.formats._format import RowLayout
from evalcontract.model.diagnostic import Diagnostic, Problem
from evalcontract.model.span import Place
from evalcontract.source import Batch
from evalcontract.source.external import MEDIA
from evalcontract.structure.dialect_checker import DialectChecker
from evalcontract.workspace.known_codes import code_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evalcontract.engine.passes import CheckedRow
    from evalcontract.engine.run import Run
    from evalcontract.formats import Dialect
    from evalcontract.formats._conversion import Loss, OurRow, Reader
    from evalcontract.formats._format import RowChecker
    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.policy import Policy
    from evalcontract.source import Document, SourceProblem, UnreadableFile
    from evalcontract.source.external import ExternalFile

# What Python's parser lets pass is the loader's business; everything else cannot be read.
_REMARKS = frozenset({"source/duplicate-key", "source/not-finite"})
_KEEP = "keep one of the two; the loader reads this one, and drops the first"
_MEDIA = {"json": "JSON", "jsonl": "JSONL", "csv": "CSV", "yaml": "YAML", "parquet": "Parquet"}


class DialectDataset:
    """A dataset of another system; see `Dataset`. `is_told` says that somebody said whose it is."""

    def __init__(self, dialect: Dialect, read: ExternalFile, *, is_told: bool) -> None:
        self.dialect = str(dialect)
        self.file = read.file
        self._dialect = dialect
        self._read = read
        self._is_told = is_told

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why there is no value; None where there is one."""
        return self._read.unreadable

    @property
    def document(self) -> Document | None:
        """The whole file, where it is one value."""
        return self._read.document

    def begin(self, run: Run, policy: Policy) -> DialectPass:
        """Begin a pass over its rows."""
        del run
        return DialectPass(self._dialect, self._read, policy, is_told=self._is_told)


class DialectPass:
    """One pass over a dataset of another system, judged as its own loader would judge it."""

    def __init__(
        self, dialect: Dialect, read: ExternalFile, policy: Policy, *, is_told: bool
    ) -> None:
        readable = read.document or read.stream
        if readable is None:
            raise TypeError(f"{read.file} cannot be read, and has no rows")
        self.count = 0
        self._dialect = dialect
        self._source = readable
        self.file = read.file
        self._read = read
        self._policy = policy
        self._stage = DialectChecker(*dialect.stage)
        self._layout = RowLayout()
        self._passed_over = _REMARKS
        self._faults = [] if is_told else [*_detected(dialect, self.file, policy)]
        self._rest: list[Problem] = []

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many bytes of how many were read, of JSONL."""
        return self._source.progress

    def batches(self, *, keep_rows: bool = False, jobs: int = 1) -> Iterator[CheckedBatch]:
        """Yield the rows that can be judged, batch by batch, in one process."""
        del keep_rows, jobs
        form, variant = self._dialect
        if refused := self._refused():
            self._rest.append(refused)
            return
        self._faults += self._remarks([(each, None) for each in self._read.remarks])
        self._layout = form.find_rows(self._read, variant, self._stage)
        self._rest += self._layout.problems
        self._passed_over |= self._layout.passed_over
        if self._layout.is_lost:
            return
        checker = form.row_checker(variant, self._stage)
        for batch in self._batches(self._layout.rows):
            self._faults += self._remarks([*batch.faults, *batch.remarks])
            self.count += len(batch.rows)
            yield CheckedBatch(batch, list(self._judged(batch, checker)), [])
        self._rest += checker.finish()

    def _judged(self, batch: Batch, checker: RowChecker) -> Iterator[Problem]:
        is_clean = self._stage.passes(batch.rows)
        for index, row in enumerate(batch.rows, batch.first_index):
            path = self.path_of(index)
            found = [*checker.check(row, path, is_clean=is_clean or self._stage.passes([row]))]
            name = self._dialect.format.name_of(row) if found else None
            for problem in found:
                yield problem._replace(row=name, row_index=index)

    def path_of(self, index: int) -> Path:
        """Return the path of a row; a document may be its only one."""
        return self._layout.prefix if self._layout.is_row else (*self._layout.prefix, index)

    def rejects(self, code: str) -> bool:
        """Whether a code is of what the system's own loader stops at."""
        return is_rejection(code)

    def to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        """Give problems their places and severities."""
        # What another system wrote is converted, and not edited.
        without = [each._replace(fix=None) for each in problems]
        return to_diagnostics(without, self._source, self._policy, {})

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands."""
        return self._source.place(path, on_key=on_key, within=within)

    def rest(self) -> list[Diagnostic]:
        """Return the findings that are of no row, or that only all rows together show."""
        return [*self.to_diagnostics(self._rest), *self._faults]

    def unseen(self) -> list[Diagnostic]:
        """Return the same: what a loader refuses, its graders do not see."""
        return self.rest()

    def cover(self, row: CheckedRow) -> RowCoverage:
        """Return which of the system's graders will run on a row."""
        form, variant = self._dialect
        name = form.name_of(row.value)
        if row.fault:
            return RowCoverage(row.number, name, str(self._dialect), (), row.fault.message)
        cells = tuple(
            Cell(each.name, each.kind, Prediction(State(each.state), each.reason, each.field))
            for each in form.predict(row.value, variant)
        )
        return RowCoverage(row.number, name, str(self._dialect), cells)

    def reader(self) -> DialectRows:
        """Begin to convert rows."""
        return DialectRows(self._dialect.format.reader(self._read, self._dialect.variant))

    def _refused(self) -> Problem | None:
        """Say why the loader does not even read the file."""
        form, medium = self._dialect.format, self._read.medium
        if medium in form.media:
            return None
        media = [_MEDIA[each] for each in form.media]
        listed = f"{', '.join(media[:-1])} and {media[-1]}" if len(media) > 1 else media[0]
        return Problem(
            f"{form.name}/unread-medium",
            f"{form.title} reads {listed}, not {_MEDIA[medium]}",
            (),
            f"write it as {media[0]}",
        )

    def _batches(self, rows: list[Any] | None) -> Iterator[Batch]:
        if rows is not None:
            yield Batch(0, rows)
        elif self._read.stream is not None:
            yield from self._read.stream.batches()

    def _remarks(self, faults: list[tuple[SourceProblem, str | None]]) -> Iterator[Diagnostic]:
        for fault, text in faults:
            line = text if text is not None else self._line(fault)
            found = from_source_fault(self._weighed(fault), self.file, line, self._policy)
            if found:
                yield found

    def _weighed(self, fault: SourceProblem) -> SourceProblem:
        """Return the same fault under the system's own code, where its loader goes on."""
        if fault.code not in self._passed_over:
            return fault
        code = f"{self._dialect.format.name}/{fault.code.partition('/')[2]}"
        help_ = _KEEP if fault.code == "source/duplicate-key" else fault.help
        return fault._replace(code=code, help=help_)

    def _line(self, fault: SourceProblem) -> str | None:
        document = self._read.document
        return document.lines[fault.span.line - 1] if fault.span and document else None


def endings(dialect: str) -> frozenset[str]:
    """Return how the names of the files end that a dialect's system reads.

    Raises:
        UsageError: there is no such dialect.

    """
    media = dialect_of(dialect).format.media
    return frozenset(ending for ending, medium in MEDIA.items() if medium in media)


def _detected(dialect: Dialect, file: str, policy: Policy) -> Iterator[Diagnostic]:
    """Say as whose dataset a file is checked."""
    form = dialect.format
    code = f"{form.name}/detected"
    message = f"checked as a dataset of {form.title}: `--dialect {dialect}`"
    advice = "`--dialect evalcontract` checks it as ours"
    severity = policy.severity_of(code_named(code))
    if severity is not None:
        yield Diagnostic(code, severity, message, Place(file), (), advice)


class DialectRows:
    """Reads rows of another system, which become ours; see `RowReader`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def root(self) -> dict[str, Any]:
        """What belongs beside the rows of ours, once all are read."""
        return self._reader.root

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost of what stands around the rows, once all are read."""
        return self._reader.losses

    def read(self, row: CheckedRow) -> OurRow:
        """Return a row as ours, apart from the rubric that it may hold."""
        return without_rubric(self._reader.read(row.value, row.number))
