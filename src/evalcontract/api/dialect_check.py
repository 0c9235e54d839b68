"""A dataset of another system: read, laid out and judged as its own loader would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.api.edge import locate, locate_fault
from evalcontract.formats import dialect_of
from evalcontract.model.diagnostic import Diagnostic, Problem
from evalcontract.model.span import Place
from evalcontract.policy.dialects import REJECTED
from evalcontract.source.document import Document
from evalcontract.source.foreign import MEDIA
from evalcontract.source.rows import Batch
from evalcontract.structure.dialect_stage import SchemaStage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats import Dialect
    from evalcontract.model.path import Path
    from evalcontract.policy import Policy
    from evalcontract.source import SourceFault
    from evalcontract.source.foreign import Foreign

# What Python's parser lets pass is the loader's business; everything else cannot be read.
_REMARKS = frozenset({"source/duplicate-key", "source/not-finite"})
_KEEP = "keep one of the two; the loader reads this one, and drops the first"
_MEDIA = {"json": "JSON", "jsonl": "JSONL", "csv": "CSV", "yaml": "YAML", "parquet": "Parquet"}


class Judged(NamedTuple):
    """A row, its place, and what is wrong with it; `is_sound` says that it is loaded."""

    number: int
    row: Any
    path: Path
    problems: list[Problem]
    is_sound: bool


class DialectCheck:
    """One pass over one dataset of another system."""

    def __init__(self, dialect: Dialect, read: Foreign, policy: Policy) -> None:
        self.dialect = dialect
        self.source = read.source
        self.count = 0
        self._read = read
        self._policy = policy
        self._stage = SchemaStage(*dialect.stage)
        self._passed_over = _REMARKS
        self._faults: list[Diagnostic] = []
        self._rest: list[Problem] = []

    def batches(self) -> Iterator[list[Diagnostic]]:
        """Yield the findings of one batch of rows after the other, and then all others."""
        for batch in self.judged():
            yield [found for each in batch for found in self.located(each.problems)]
        yield [*self.rest()]

    def judged(self) -> Iterator[list[Judged]]:
        """Yield the rows that can be judged, batch by batch; then ask for the `rest`."""
        form, variant = self.dialect
        if refused := self._refused():
            self._rest.append(refused)
            return
        self._remark([(each, None) for each in self._read.remarks])
        layout = form.find_rows(self._read, variant, self._stage)
        self._rest += layout.problems
        self._passed_over |= layout.passed_over
        if layout.is_lost:
            return
        checker = form.row_checker(variant, self._stage)
        for batch in self._batches(layout.rows):
            self._remark([*batch.faults, *batch.remarks])
            self.count += len(batch.rows)
            is_clean = self._stage.passes(batch.rows)
            found = []
            for index, row in enumerate(batch.rows, batch.first_index):
                path = layout.prefix if layout.is_row else (*layout.prefix, index)
                problems = checker.check(row, path, is_clean=is_clean or self._stage.passes([row]))
                found.append(self._judged(index, row, path, list(problems)))
            yield found
        self._rest += checker.finish()

    def rest(self) -> Iterator[Diagnostic]:
        """Yield the findings that are of no row, or that only all rows together show."""
        yield from self.located(self._rest)
        yield from self._faults

    def located(self, problems: list[Problem]) -> Iterator[Diagnostic]:
        """Give problems their places and severities."""
        # What another system wrote is converted, and not edited.
        without = [each._replace(fix=None) for each in problems]
        return locate(without, self.source, self._policy, {})

    def _judged(self, index: int, row: Any, path: Path, found: list[Problem]) -> Judged:
        name = self.dialect.format.name_of(row) if found else None
        problems = [each._replace(row=name, row_index=index) for each in found]
        is_sound = not any(self.rejects(each) for each in found)
        return Judged(index, row, path, problems, is_sound)

    @staticmethod
    def rejects(problem: Problem) -> bool:
        """Whether a problem is one at which the system's own loader stops."""
        return problem.code in REJECTED

    def _refused(self) -> Problem | None:
        """Say why the loader does not even read the file."""
        form, medium = self.dialect.format, self._read.medium
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
        elif not isinstance(self.source, Document):
            yield from self.source.batches()

    def _remark(self, faults: list[tuple[SourceFault, str | None]]) -> None:
        for fault, text in faults:
            if fault.code in self._passed_over:
                name = self.dialect.format.name
                code = f"{name}/{fault.code.partition('/')[2]}"
                help_ = _KEEP if fault.code == "source/duplicate-key" else fault.help
                # The same fault, here weighed less.
                fault = fault._replace(code=code, help=help_)  # noqa: PLW2901
            line = text if text is not None else self._line(fault)
            found = locate_fault(fault, self.source.file, line, self._policy)
            self._faults += [found] if found else []

    def _line(self, fault: SourceFault) -> str | None:
        if fault.span is None or not isinstance(self.source, Document):
            return None
        return self.source.lines[fault.span.line - 1]


def endings(dialect: str) -> frozenset[str]:
    """Return how the names of the files end that a dialect's system reads.

    Raises:
        UsageError: there is no such dialect.

    """
    media = dialect_of(dialect).format.media
    return frozenset(ending for ending, medium in MEDIA.items() if medium in media)


def detected(dialect: Dialect, file: str, policy: Policy) -> Iterator[Diagnostic]:
    """Say as whose a file is checked, where nobody said it."""
    form = dialect.format
    message = f"checked as a dataset of {form.title}: `--dialect {dialect}`"
    advice = "`--dialect evalcontract` checks it as ours"
    problem = Problem(f"{form.name}/detected", message, (), advice)
    severity = policy.weigh(problem.code)
    if severity is not None:
        yield Diagnostic(problem.code, severity, problem.message, Place(file), (), problem.help)
