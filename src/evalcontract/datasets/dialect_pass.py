"""A dataset of another system, and a pass over its rows as the loader of the system checks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks import Prediction, State
from evalcontract.checks.coverage import Cell, RowCoverage
from evalcontract.datasets.ignores import Ignores
from evalcontract.datasets.kinds import DialectMatch
from evalcontract.datasets.losses import (
    RUBRIC_KEY,
    ExtractedRubrics,
    losses_of_source,
    preserved_at,
)
from evalcontract.datasets.passes import CheckedBatch, CheckedRow, Counts
from evalcontract.datasets.placing import from_source_fault, to_diagnostics
from evalcontract.datasets.plans import row_structure
from evalcontract.datasets.run import Run
from evalcontract.formats import Format, dialect_of
from evalcontract.formats._conversion import Field, KeptAs, Loss, OurRow, Reader
from evalcontract.formats._findings import is_ignored_key
from evalcontract.formats._format import RowChecker, RowLayout
from evalcontract.formats._graders import GraderPrediction
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Cause, Diagnostic, Path, Place, Problem, Within
from evalcontract.model.reference import Kind
from evalcontract.model.values import clipped, listed
from evalcontract.policy import Policy
from evalcontract.source import Batch, Document, SourceProblem, UnreadableFile
from evalcontract.source.external import MEDIA, ExternalFile
from evalcontract.source.tables.columnar import TypedTable
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.structure.validator import SchemaValidator, structure_of
from evalcontract.workspace.catalogue import code_named, is_rejection

if TYPE_CHECKING:
    from evalcontract.datasets.provenance import Provenance


def cover_dialect_row(
    dialect: Format, external: ExternalFile, row: CheckedRow, graders: frozenset[str] | None
) -> RowCoverage:
    """Return which graders will run on a row: those among `graders`.

    None means all that the row asks for; the others are its `unasked` ones.
    """
    name = dialect.name_of(row.value)
    if row.fault:
        return RowCoverage(row.number, name, str(dialect), (), row.fault.message)
    cells, unasked = [], []
    for grader in dialect.predict(row.value, external):
        if graders is None and not grader.is_asked:
            unasked.append(grader.name)
        elif graders is None or grader.name in graders:
            cells.append(_cell(grader))
    return RowCoverage(row.number, name, str(dialect), tuple(cells), unasked=tuple(unasked))


@lru_cache(maxsize=1_024)  # most rows have the same few
def _cell(grader: GraderPrediction) -> Cell:
    outlook = Prediction(State(grader.state), grader.reason, grader.field)
    return Cell(grader.name, grader.kind, outlook)


_NO_RUBRIC = "no row before this one has the rubric of this label"


class DialectRows:
    """Converts rows in another format to evalcontract rows; see `RowReader`."""

    def __init__(self, reader: Reader, fields: Sequence[Field], system: str) -> None:
        self._reader = reader
        self._fields = fields
        self._system = system
        self._rubrics = ExtractedRubrics()

    @property
    def kept_as(self) -> KeptAs:
        from evalcontract.formats._lens import Lens  # only where files are compared

        lens = self._reader
        if not isinstance(lens, Lens):
            return KeptAs(self._system)
        return KeptAs(lens.in_ours.name, lens.document, lens.unscored)

    @property
    def root(self) -> dict[str, Any]:
        return self._reader.root

    @property
    def losses(self) -> Sequence[Loss]:
        return self._reader.losses

    def read(self, row: CheckedRow) -> OurRow:
        """Return a row as an evalcontract row, with an embedded rubric extracted."""
        read = self._reader.read(row.value, row.number)
        if (extracted := self._rubrics.extract(read)) is not None:
            return extracted
        rest = {key: part for key, part in read.row.items() if key != RUBRIC_KEY}
        places = [*preserved_at(row.value, (RUBRIC_KEY,))] or [()]
        losses = [Loss(path, _NO_RUBRIC, is_kept=False) for path in places]
        return read._replace(row=rest, losses=(*read.losses, *losses))

    def row_losses(self, row: CheckedRow, read: OurRow, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses of a row, by its own fields as far as the format has a table of them.

        A row that was converted from evalcontract, and preserves more of it, has other fields.
        """
        if not self._fields:
            return (*read.losses, *written)
        return losses_of_source(read, written, row.value, fields=self._fields)

    def root_losses(self, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses outside the rows, each where the source has the value."""
        return [place for loss in written for place in self._reader.places(loss)]


def faults_of(converted: OurRow) -> Iterator[Problem]:
    """Yield what a row that was converted has that none of evalcontract may have.

    That is only what its source preserved of a row, a rubric or judges, and somebody has changed.
    No target gets such values: a judge's id, for example, becomes the name of a file.
    """
    if not converted.is_new:
        return
    if converted.rubric is not None:
        with_identity = {"id": "converted", "version": "1.0.0", **converted.rubric}
        yield from _faults("rubric", structure_of(Kind.RUBRIC), with_identity)
        for judge in converted.judges:
            yield from _faults("judge", structure_of(Kind.JUDGE), judge)
    yield from _faults("row", row_structure(), converted.row)


def _faults(name: str, structure: SchemaValidator, value: Any) -> Iterator[Problem]:
    """Yield what the schema of evalcontract forbids; such a value is not what was preserved."""
    for problem in structure.check(value):
        if problem.code in ILL_FORMED:
            message = f"in the converted {name}: {problem.message}"
            yield problem._replace(message=message, path=(), help=None, on_key=False, fix=None)


# Faults that Python's parsers accept, so that the loader of the system decides on them.
_TOLERATED_CODES = frozenset({"source/duplicate-key", "source/not-finite"})
_REMOVE_DUPLICATE = "remove one of the two; the loader drops the first and reads this one"
_SHOWN_KEYS = 4
_NOTHING: dict[str, Problem] = {}
# So many forms of rows are remembered.
_MAX_FORMS = 1_000
# So many rows of a document are checked at a time: after too many findings, the rest is not.
_BATCH = 1_000
_MEDIUM_TITLES = {
    "json": "JSON",
    "jsonl": "JSONL",
    "csv": "CSV",
    "tsv": "TSV",
    "yaml": "YAML",
    "parquet": "Parquet",
    "arrow": "Arrow",
}


class DialectDataset:
    """A dataset in another format; see `Dataset`.

    `detected` is how the dialect was detected; None if the caller named it.
    """

    def __init__(
        self, dialect: Format, external: ExternalFile, detected: DialectMatch | None = None
    ) -> None:
        self.dialect = str(dialect)
        self.file = external.file
        self._dialect = dialect
        self._external = external.as_text() if dialect.has_text_lines else external
        self._detected = detected
        self._chosen: frozenset[str] | None = None

    def choose(self, plan: str | None, only: Sequence[str]) -> None:
        """Cover the graders of a plan and those that are named, whatever the rows ask for.

        Raises:
            UsageError: the system has no such plan or grader.

        """
        self._chosen = self._dialect.chosen(plan, only)

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file cannot be read; None if it can."""
        return self._external.unreadable

    @property
    def document(self) -> Document | None:
        """The whole file, if it is a single value."""
        return self._external.document

    def begin(self, run: Run, policy: Policy, graded: frozenset[str] = frozenset()) -> DialectPass:
        """Begin a pass over the rows."""
        del graded  # the graders of its own system are known
        if run.workspace.configuration.keeps_nulls and isinstance(
            self._external.source, TypedTable
        ):
            self._external.source.keeps_nulls = True
        ignores = run.ignores.of(self.file, self.document)
        shown = self._chosen, self._detected
        return DialectPass(self._dialect, self._external, policy, ignores, *shown)


class DialectPass:
    """A pass over a dataset in another format, checked as the loader of its system does."""

    def __init__(
        self,
        dialect: Format,
        external: ExternalFile,
        policy: Policy,
        ignores: Ignores,
        chosen: frozenset[str] | None = None,
        detected: DialectMatch | None = None,
    ) -> None:
        readable = external.document or external.stream
        if readable is None:
            raise TypeError(f"{external.file} cannot be read, and has no rows")
        self.count = 0
        self._chosen = chosen
        self._dialect = dialect
        self._source = readable
        self.file = external.file
        self._external = external
        self._policy = policy
        self.ignores = ignores
        self._stage = dialect_checker(*dialect.stage)
        #: What is said of the rows of a form whose only faults are keys that are not read.
        self._unread: dict[object, dict[str, Problem]] = {}
        self._layout = RowLayout()
        self._tolerated_codes = _TOLERATED_CODES
        self._faults = [*_notes(detected, self.file, policy)] if detected else []
        self._of_columns: set[tuple[str, str]] = set()
        self._final_problems: list[Problem] = []
        self._whole_problems: list[Problem] = []

    @property
    def progress(self) -> tuple[int, int] | None:
        return self._source.progress

    @property
    def known(self) -> None:
        return None

    def batches(
        self, *, keep_rows: bool = False, jobs: int = 1, is_counted: Counts | None = None
    ) -> Iterator[CheckedBatch]:
        if problem := self._unsupported_medium():
            self._whole_problems.append(problem)
            return
        self._faults += self._tolerated_faults([(fault, None) for fault in self._external.remarks])
        self._layout = self._dialect.rows(self._external, self._stage)
        self._whole_problems += self._layout.problems
        self._tolerated_codes |= self._layout.passed_over
        if self._layout.is_lost:
            return
        checker = self._dialect.checker(self._stage)
        if self._layout.column_of is not None:  # one problem of a column is told
            is_counted = None
        for batch in self._batches(self._layout.rows):
            self._faults += self._tolerated_faults([*batch.faults, *batch.remarks])
            self.count += len(batch.rows)
            yield CheckedBatch(batch, list(self._check_rows(batch, checker, is_counted)), [])
        self._final_problems += checker.finish()

    def _check_rows(
        self, batch: Batch, checker: RowChecker, is_counted: Counts | None
    ) -> Iterator[Problem]:
        rows = read = batch.rows
        unread: list[dict[str, Problem]] = [_NOTHING] * len(rows)
        are_clean = not self._unread and self._stage.passes(rows)
        if not are_clean:
            unread = [self._unread.get(_form_of(row), _NOTHING) for row in rows]
            read = [*map(_without, rows, unread)]
            are_clean = self._stage.passes(read)
        if are_clean and is_counted:
            unread = _uncounted(unread, is_counted)
        for index, (row, rest, known) in enumerate(zip(rows, read, unread, strict=True)):
            path = self.path_of(index := index + batch.first_index)
            is_clean = are_clean or self._stage.passes([rest])
            problems = [*checker.check(row, path, is_clean=is_clean)]
            if not is_clean:
                self._learn(row, path, problems)
            elif known:
                problems += [each._replace(path=(*path, key)) for key, each in known.items()]
            name = self._dialect.name_of(row) if problems else None
            for problem in problems:
                if not self._is_repeated(problem):
                    cause = problem.cause or _cause_of(problem, path)
                    yield problem._replace(row=name, row_index=index, cause=cause)

    def _learn(self, row: Any, path: Path, found: list[Problem]) -> None:
        """Remember the problems of a row if they are all of its keys that are not read."""
        unread = {
            str(each.path[-1]): each._replace(cause=_cause_of(each, path))
            for each in found
            if each.on_key and each.path[:-1] == path and is_ignored_key(each)
        }
        is_new = unread and len(unread) == len(found) and len(self._unread) < _MAX_FORMS
        if is_new and self._stage.passes([_without(row, unread)]):
            self._unread[_form_of(row)] = unread

    def _is_repeated(self, problem: Problem) -> bool:
        """Whether a problem of a column was yielded for an earlier row, and rejects none."""
        column = self._layout.column_in(problem)
        if column is None or is_rejection(problem.code):
            return False
        is_known = (problem.code, column) in self._of_columns
        self._of_columns.add((problem.code, column))
        return is_known

    def path_of(self, index: int) -> Path:
        """Return the path of a row; the whole document may be its only row."""
        return self._layout.prefix if self._layout.is_row else (*self._layout.prefix, index)

    def rejects(self, code: str) -> bool:
        return is_rejection(code)

    def to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        return self._to_diagnostics(map(self._layout.placed, problems))

    def _to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        # Files in other formats can be converted, but are not edited.
        without_fixes = [problem._replace(fix=None) for problem in problems]
        diagnostics = to_diagnostics(without_fixes, self._source, self._policy)
        return self.ignores.apply(diagnostics)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        if self._layout.place_of is not None and path:
            path = self._layout.place_of(path)
        return self._source.place(path, on_key=on_key, within=within)

    def place_beside(self, path: Path) -> Place:
        """Return the place of a key of the file beside its rows, whose paths are those in it."""
        return self._source.place(path, on_key=True)

    def finish(self) -> list[Diagnostic]:
        diagnostics = [
            *self._to_diagnostics(self._whole_problems),
            *self.to_diagnostics(self._final_problems),
            *self.ignores.apply(self._faults),
        ]
        return [*diagnostics, *self.ignores.final_findings(self._source, self._policy)]

    def coverage_diagnostics(self) -> list[Diagnostic]:
        """Return the findings of `finish`: graders do not run on what the loader rejects."""
        return self.finish()

    def cover(self, row: CheckedRow) -> RowCoverage:
        return cover_dialect_row(self._dialect, self._external, row, graders=self._chosen)

    def reader(self) -> DialectRows:
        reader, form = self._dialect.reader(self._external), self._dialect
        return DialectRows(reader, form.own_fields, form.name)

    def provenance(self, rows: Iterable[tuple[Any, bool]]) -> Provenance:
        """Return the provenance of rows; they have no rubrics of ours."""
        from evalcontract.datasets.provenance import Provenance  # rarely needed

        count = sum(1 for _ in rows)
        digest, dialect = self._source.sha256, str(self._dialect)
        return Provenance(self.file, digest, dialect=dialect, rows=count)

    def _unsupported_medium(self) -> Problem | None:
        """Return a problem if the loader does not read files of this medium."""
        form, medium = self._dialect, self._external.medium
        if self._external.is_read_by(form.media):
            return None
        media = [_MEDIUM_TITLES[name] for name in form.media]
        listed = f"{', '.join(media[:-1])} and {media[-1]}" if len(media) > 1 else media[0]
        message = f"{form.title} reads {listed}, not {_MEDIUM_TITLES[medium]}"
        advice = f"save it as {media[0]}"
        return Problem(f"{form.name}/unread-medium", message, (), advice)

    def _batches(self, rows: list[Any] | None) -> Iterator[Batch]:
        if rows is not None:
            for first in range(0, max(len(rows), 1), _BATCH):
                yield Batch(first, rows[first : first + _BATCH])
        elif self._external.stream is not None:
            yield from self._external.stream.batches()

    def _tolerated_faults(
        self, faults: list[tuple[SourceProblem, str | None]]
    ) -> Iterator[Diagnostic]:
        for fault, text in faults:
            line = text if text is not None else self._line(fault)
            diagnostic = from_source_fault(
                self._recode(fault), self.file, line, policy=self._policy
            )
            if diagnostic:
                yield diagnostic

    def _recode(self, fault: SourceProblem) -> SourceProblem:
        """Return the fault with the code of the format, if the loader tolerates it."""
        if fault.code not in self._tolerated_codes:
            return fault
        code = f"{self._dialect.name}/{fault.code.partition('/')[2]}"
        help_ = _REMOVE_DUPLICATE if fault.code == "source/duplicate-key" else fault.help
        return fault._replace(code=code, help=help_)

    def _line(self, fault: SourceProblem) -> str | None:
        document = self._external.document
        return document.lines[fault.span.line - 1] if fault.span and document else None


def _uncounted(
    unread: Sequence[dict[str, Problem]], is_counted: Counts
) -> list[dict[str, Problem]]:
    """Return what is said of rows without what is counted."""
    numbers = Counter(map(id, unread))
    left = {
        id(known): {
            key: each for key, each in known.items() if not is_counted(each, numbers[id(known)])
        }
        for known in {id(known): known for known in unread}.values()
    }
    return [left[id(known)] for known in unread]


def _form_of(row: Any) -> object:
    """Return what decides on what is said of keys that are not read: all keys, and their types."""
    if not isinstance(row, dict):
        return None
    form = (*row, *map(type, row.values()))
    return (*row, *map(_type_of, row.values())) if list in form else form


def _type_of(value: Any) -> object:
    is_list_of_rows = type(value) is list and any(isinstance(each, dict) for each in value)
    return (list, dict) if is_list_of_rows else type(value)


def _without(row: Any, keys: Container[str]) -> Any:
    return {key: part for key, part in row.items() if key not in keys} if keys else row


def _cause_of(problem: Problem, row: Path) -> Cause | None:
    """Return what a key that is not read shares with the same key of other rows."""
    if not is_ignored_key(problem):
        return None
    key = ".".join(str(step) for step in problem.path[len(row) :] if not isinstance(step, int))
    return Cause(f"{problem.code}:{key}:{problem.help}", "contain it")


def endings(dialect: str) -> frozenset[str]:
    """Return the file name extensions that the system of a dialect reads.

    Raises:
        UsageError: there is no such dialect.

    """
    media = dialect_of(dialect).media
    return frozenset(ending for ending, medium in MEDIA.items() if medium in media)


def _notes(detected: DialectMatch, file: str, policy: Policy) -> Iterator[Diagnostic]:
    """Report the format that was detected, and what shows it."""
    dialect = detected.dialect
    code = f"{dialect.name}/detected"
    keys = listed([f"`{clipped(key)}`" for key in detected.keys[:_SHOWN_KEYS]])
    by = f", by {keys}" if keys else ""
    if count := detected.of_first:
        by += f" of the first {'row' if count == 1 else f'{count:,} rows'}"
    message = f"detected format: {dialect.title} (`--dialect {dialect}`){by}"
    advice = "pass `--dialect evalcontract` to check it as an evalcontract dataset"
    severity = policy.severity_of(code_named(code))
    if severity is not None:
        yield Diagnostic(code, severity, message, Place(file), (), advice)
