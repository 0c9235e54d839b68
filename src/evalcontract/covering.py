"""Coverage of files: which checks will run on which rows, and its report as text and as JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from evalcontract.checks import State
from evalcontract.checks.coverage import (
    Cell,
    CoverageTally,
    CoverageTotals,
    FileCoverage,
    RowCoverage,
    RubricCoverage,
    add,
    count_states,
)
from evalcontract.checks.plan import Plan, Step, needed_keys
from evalcontract.datasets.opening import Input, Options, open_with_graders
from evalcontract.datasets.passes import Dataset, rows_of
from evalcontract.datasets.placing import from_unreadable_files, one_finding
from evalcontract.datasets.run import MAX_REJECTED, Run, today, with_libraries
from evalcontract.library.library import read_artifact
from evalcontract.model.diagnostic import Diagnostic, Place
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, listed
from evalcontract.report.frame import aligned, wrapped
from evalcontract.source import Document
from evalcontract.workspace import display_name, find_root, open_workspace


@dataclass
class CoverageOutcome:
    """The coverage of all files; `plans` are those of rubrics given in place of datasets."""

    files: list[FileCoverage] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def totals(self) -> CoverageTotals:
        """The counts over all datasets."""
        return reduce(add, (file.totals for file in self.files), CoverageTotals())


def coverage(inputs: Iterable[Input], options: Options, *, all_rows: bool) -> CoverageOutcome:
    """Return the coverage of datasets, and the keys that rubrics require of a row.

    With `all_rows`, rows on which every check runs are kept, too. Without it, only rows with gaps
    are kept, so that a large dataset needs little memory.

    Raises:
        NothingToCheck: there is no input.
        UsageError: there is no such dialect.

    """
    outcome = CoverageOutcome()
    runs: dict[Any, Run] = {}
    # A folder may have thousands of files.
    root_of = cache(lambda folder: options.files.real(options.root or find_root(folder)))
    for input_ in inputs:
        path = input_.path
        root = root_of(path if options.files.is_folder(path) else path.parent)
        if root not in runs:
            runs[root] = run_for_coverage(root, options)
        run = runs[root]
        with one_finding(display_name(path), outcome.diagnostics.append):
            dataset = open_with_graders(input_, options)
            _take(outcome, run, dataset, path=path, keep_all=all_rows)
    if not runs:
        raise NothingToCheck("there is nothing to check")
    for run in runs.values():
        outcome.diagnostics = with_libraries(run, outcome.diagnostics)
    return outcome


def _take(
    outcome: CoverageOutcome, run: Run, dataset: Dataset, path: Path, *, keep_all: bool
) -> None:
    rubric = _rubric_in(dataset)
    if dataset.unreadable:
        outcome.diagnostics += from_unreadable_files([dataset.unreadable], run.standards.base)
    elif rubric:
        plan, crashed = run.plan(read_artifact(Kind.RUBRIC, rubric))
        outcome.plans += [plan] if plan else []
        outcome.diagnostics += crashed
    else:
        outcome.files.append(
            _cover(run, dataset, path, diagnostics=outcome.diagnostics, keep_all=keep_all)
        )


def run_for_coverage(root: Path, options: Options) -> Run:
    """Return the run of a workspace that predicts what runs on this machine, without rules."""
    workspace = (options.opened or {}).get(root)
    workspace = workspace or open_workspace(root, (), options.files, choice=options.configuration)
    has_php = shutil.which("php") is not None
    return Run(
        workspace,
        None,
        options.today or today(),
        has_php=has_php,
        runs_rules=False,
        max_rejected=MAX_REJECTED,
    )


def _rubric_in(dataset: Dataset) -> Document | None:
    document = dataset.document
    value = document.value if document else None
    is_rubric = isinstance(value, dict) and "checks" in value and "questions" not in value
    return document if is_rubric else None


def _cover(
    run: Run, dataset: Dataset, path: Path, diagnostics: list[Diagnostic], *, keep_all: bool
) -> FileCoverage:
    tally = CoverageTally(keep_all=keep_all)
    dataset_pass = dataset.begin(run, run.standards.base, run.standards.graded_for(path))
    for checked in dataset_pass.batches(keep_rows=True):
        diagnostics += checked.faults
        for row in rows_of(dataset_pass, checked):
            tally.take(dataset_pass.cover(row), partial(dataset_pass.place, row.path))
    diagnostics += dataset_pass.coverage_diagnostics()
    return tally.of(dataset.file)


_Line = tuple[str, ...]

_T = TypeVar("_T")

#: The states of checks, and those that only graders of other systems have.
STATES, FOREIGN_STATES = ("run", "skip", "vacuous", "unavailable"), ("fail",)
# The number of checks in all tables together, and that of gaps, unless there is no limit.
_MAX_LINES = 5000


def write_text(
    files: Sequence[FileCoverage],
    plans: Sequence[Plan],
    totals: CoverageTotals,
    limit: int,
    width: int,
) -> Iterator[str]:
    """Yield a table for each rubric, the rows with gaps, and a summary line.

    Sentences are wrapped to `width` cells; tables are as wide as their names. `limit` is the number
    of gaps to show for a file; 0 shows all, and all checks in the tables.
    """
    room, room_for_gaps = _Room(_MAX_LINES if limit else None), _Room(_MAX_LINES)
    for plan in plans:
        yield from _plan(plan, width, room)
    for file in files:
        yield f"{escape_controls(file.file)}\n"
        yield from _tables(file, room)
        yield from _lines_of_unasked_graders(file, width)
        yield from _gaps(file, limit, room_for_gaps, width=width)
        yield "\n"
    if files:
        yield totals_line(totals)


class _Room:
    """The number of lines that there is room for; None if that is not limited."""

    def __init__(self, lines: int | None) -> None:
        self._lines = lines

    def take(self, lines: Iterable[_T]) -> list[_T]:
        """Return the first of some lines of a table, as many as there is room for."""
        part = list(islice(lines, self._lines))
        if self._lines is not None:
            self._lines -= len(part)
        return part


def _plan(plan: Plan, width: int, room: _Room) -> Iterator[str]:
    name = exact_name(plan)
    yield f"{escape_controls(plan.artifact.file)}{f': {name}' if name else ''}\n"
    if not plan.steps.total:
        yield "  no valid checks\n\n"
        return
    rows = room.take(
        (_short_name(step.name), step.kind, _needs(step)) for step in plan.steps.each()
    )
    yield from aligned([("check", "kind", "needs"), *rows], width)
    yield from _beyond(plan.steps.total - len(rows))
    needs = listed([f"`{clipped(field)}`" for field in needed_keys(plan)], most=_MAX_KEYS)
    yield from wrapped(f"a row needs {needs or 'only `id` and `input`'}", 2, width)
    yield "\n"


def _beyond(count: int) -> Iterator[str]:
    if count:
        yield f"    … and {count:,} more checks: `--limit 0` shows all\n"


def exact_name(plan: Plan) -> str | None:
    """Return the exact name of a rubric, or None if it has no valid id and version."""
    artifact = plan.artifact
    return None if artifact.id is None or artifact.version is None else artifact.name


def _needs(step: Step) -> str:
    if step.needs.never_runs is not None:
        reason = f"{step.needs.never_runs.state}: {step.needs.never_runs.reason}"
        return clipped(reason, MAX_SENTENCE)
    needs = [f"`{clipped(field)}`" for field in step.needs.fields]
    needs += [f"`{clipped(field)}` (may be empty)" for field in step.needs.present]
    return listed(needs, most=_MAX_KEYS) or "-"


# The number of keys that a table or a sentence names.
_MAX_KEYS = 50


def _tables(file: FileCoverage, room: _Room) -> Iterator[str]:
    for rubric in file.rubrics:
        head = rubric.name or "rows without a rubric, by expectation"
        states = STATES if _is_ours(rubric.name) else (*STATES[:-1], *FOREIGN_STATES)
        rows = room.take(counts_of(rubric, states))
        yield f"  {escape_controls(head)}\n"
        yield from aligned([("check", "kind", *states), *rows])
        yield from _beyond(rubric.count - len(rows))


def counts_of(rubric: RubricCoverage, states: Sequence[str]) -> Iterator[_Line]:
    """Yield each check with its kind, and on how many rows it has each state."""
    for check, kind, counts in rubric.checks():
        numbers = [getattr(counts, state) for state in states]
        yield _short_name(check), kind, *(f"{number:,}" if number else "." for number in numbers)


def _lines_of_unasked_graders(file: FileCoverage, width: int) -> Iterator[str]:
    """Yield the graders of another system that no row asks for."""
    names = [name for name, rows in file.unasked.items() if rows == file.totals.rows]
    if names:
        text = f"no row has anything for: {listed(names)} (`--only NAME` counts them)"
        yield from wrapped(escape_controls(text), 4, width)


#: The characters of a sentence, which names what a row lacks.
MAX_SENTENCE = 1000


def _short_name(name: str) -> str:
    return clipped(name, NAME_LENGTH)


def _gaps(file: FileCoverage, limit: int, room: _Room, width: int) -> Iterator[str]:
    """Yield the checks that will not run, grouped by row; with a limit, as there is room."""
    gaps = ((row, place, gap) for row, place in file.rows for gap in gaps_of(row))
    shown = room.take(islice(gaps, limit)) if limit else None
    previous = None
    for row, place, gap in gaps if shown is None else shown:
        if previous is None:
            yield "  will not run:\n"
        if row.index != previous:
            name = _short_name(row.row) if row.row is not None else f"row {row.index}"
            yield f"    {escape_controls(str(place))}: {escape_controls(name)}\n"
            previous = row.index
        yield from wrapped(escape_controls(clipped(gap, MAX_SENTENCE)), 6, width)
    count = 0 if shown is None else sum(_count_gaps(row) for row, _ in file.rows) - len(shown)
    if count:
        yield f"    … and {count:,} more: `--limit 0` shows all\n"


def _count_gaps(row: RowCoverage) -> int:
    if not _is_ours(row.rubric):
        return sum(1 for _ in gaps_of(row))
    states = count_states(row.cells)
    running = states[State.RUN]
    count = len(row.cells) - running + bool(row.cells and not running)
    return count + (row.fault is not None or not row.cells)


def gaps_of(row: RowCoverage) -> Iterator[str]:
    """Yield a line for each check that will not run on a row, and for what else is missing."""
    if row.cells and not row.runs:
        yield "no check runs on this row"
    if row.fault is not None:
        yield f"unknown: {row.fault}"
    elif not row.cells:
        yield "nothing to grade"
    gaps = (cell for cell in row.cells if not cell.outlook.runs)
    if not _is_ours(row.rubric):
        # Every row has all graders of its system, and most of them do not apply to it.
        cells = [*gaps]
        skipped = [cell.check for cell in cells if cell.outlook.state is State.SKIP]
        gaps = (cell for cell in cells if cell.outlook.state is not State.SKIP)
        if skipped:
            yield f"skip: {', '.join(skipped)}"
    for cell in gaps:
        yield f"{_short_name(cell.check)}: {cell.outlook.state}: {cell.outlook.reason}"


def _is_ours(rubric: str | None) -> bool:
    """Whether a row is graded by a rubric or its own expectations, not by another system."""
    return rubric is None or rubric.startswith("rubric/")


def totals_line(totals: CoverageTotals) -> str:
    """Return the line that says how many of the checks will run."""
    idle = totals.rows_on_which_nothing_runs
    rows = f"; nothing runs on {idle:,} of {totals.rows:,} rows" if idle else ""
    # Rounded down, so that a value below `--min-coverage` is not shown as equal to it.
    percent = 1000 * totals.run // totals.cells / 10 if totals.cells else 0.0
    return f"{totals.run:,} of {totals.cells:,} checks will run: {percent:.1f} %{rows}\n"


VERSION = "1.0"
# A row is listed if its text is at most this long. Longer ones share the room of the document: a
# rubric with thousands of checks would fill it with rows times checks.
_MAX_ROW, _MAX_LONG_ROWS = 4000, 5_000_000
# The number of checks of rubrics that are listed.
_MAX_STEPS = 10_000


def write_json(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: CoverageTotals, version: str
) -> Iterator[str]:
    """Yield one JSON document that conforms to `schema/coverage.schema.json`, a row per line."""
    head = {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": version},
        "summary": _totals(totals),
    }
    yield f'{_text(head)[:-1]},\n"files": ['
    room = _JsonRoom()
    for number, file in enumerate(files):
        head = {"file": file.file, "summary": _totals(file.totals), "unasked": {**file.unasked}}
        name = _text(head)
        yield f'{"," if number else ""}\n{name[:-1]}, "rows": ['
        rows = (text for row, place in file.rows if (text := room.text_of(row, place)))
        listed = yield from _join(rows)
        yield f'], "rows_left_out": {len(file.rows) - listed}}}'
    yield '],\n"rubrics": ['
    yield from _join(_text(rubric) for rubric in _rubrics(plans))
    yield "]}\n"


def records_of(files: Sequence[FileCoverage], plans: Iterable[Plan]) -> Iterator[dict[str, Any]]:
    """Yield a record for each check of each row, and of each rubric that was given."""
    for file in files:
        for row, place in file.rows:
            for cell in map(_cell, row.cells) if row.cells else ({},):
                yield {"file": file.file, **_row(row, place), **cell}
    for rubric in _rubrics(plans):
        for check in rubric["checks"]:
            yield {"file": rubric["file"], "rubric": rubric["rubric"], **check}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _join(texts: Iterable[str]) -> Generator[str, None, int]:
    """Yield texts with commas between them, each on its line; return their number."""
    count = 0
    for count, text in enumerate(texts, 1):
        yield f"{',' if count > 1 else ''}\n{text}"
    return count


class _JsonRoom:
    """The room for long rows in a document."""

    def __init__(self) -> None:
        self._left = _MAX_LONG_ROWS

    def text_of(self, row: RowCoverage, place: Place) -> str | None:
        """Return the text of a row; None if there is no room for it."""
        head = _text(_row(row, place))
        room = max(_MAX_ROW, self._left)
        cells = []
        length = len(head)
        for cell in row.cells:
            cells.append(_text(_cell(cell)))
            length += len(cells[-1]) + 2
            if length > room:
                self._left = 0
                return None
        if length > _MAX_ROW:
            self._left -= length
        return f'{head[:-1]}, "checks": [{", ".join(cells)}]}}'


def _rubrics(plans: Iterable[Plan]) -> Iterator[dict[str, Any]]:
    room = _MAX_STEPS
    for plan in plans:
        checks = [_step(step) for step in islice(plan.steps.each(), room)]
        room -= len(checks)
        yield {
            "file": plan.artifact.file,
            "rubric": exact_name(plan),
            "needs": needed_keys(plan),
            "checks": checks,
            "checks_left_out": plan.steps.total - len(checks),
        }


def _totals(totals: CoverageTotals) -> dict[str, Any]:
    return {
        **{state: getattr(totals, state) for state in (*STATES, *FOREIGN_STATES)},
        "rows": totals.rows,
        "rows_without_checks": totals.rows_without_checks,
        "rows_on_which_nothing_runs": totals.rows_on_which_nothing_runs,
        "percent": totals.percent,
    }


def _row(row: RowCoverage, place: Place) -> dict[str, Any]:
    return {
        "row": row.row,
        "row_index": row.index,
        "line": place.span.line if place.span else None,
        "rubric": row.rubric,
        "fault": row.fault,
        "nothing_runs": not row.runs,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "check": cell.check,
        "kind": cell.kind,
        "state": str(cell.outlook.state),
        "reason": cell.outlook.reason,
        "field": cell.outlook.field,
    }


def _step(step: Step) -> dict[str, Any]:
    never_runs = step.needs.never_runs
    return {
        "check": step.name,
        "kind": step.kind,
        "needs": [*step.needs.fields, *step.needs.present],
        "never": str(never_runs.state) if never_runs else None,
        "reason": never_runs.reason if never_runs else None,
    }
