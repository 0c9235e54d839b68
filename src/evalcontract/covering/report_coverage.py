"""Coverage as text for people."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from evalcontract.checks import State
from evalcontract.checks.coverage import count_states, needed_keys
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, listed
from evalcontract.report.frame import aligned, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evalcontract.checks.coverage import FileCoverage, RowCoverage, RubricCoverage, Totals
    from evalcontract.checks.plan import Plan, Step

    _Line = tuple[str, ...]

_T = TypeVar("_T")

#: The states of checks, and those that only graders of other systems have.
STATES, FOREIGN_STATES = ("run", "skip", "vacuous", "unavailable"), ("fail",)
# The number of checks in all tables together, and that of gaps, unless there is no limit.
_MAX_LINES = 5000


def write_text(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, limit: int, width: int
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
        yield from _unasked(file, width)
        yield from _gaps(file, limit, room_for_gaps, width)
        yield "\n"
    if files:
        yield totals_line(totals)


class _Room:
    """The number of lines that there is room for; None if that is not limited."""

    def __init__(self, lines: int | None) -> None:
        self._lines = lines

    def take(self, lines: Iterable[_T]) -> list[_T]:
        """Return the first of some lines of a table, as many as there is room for."""
        taken = list(islice(lines, self._lines))
        if self._lines is not None:
            self._lines -= len(taken)
        return taken


def _plan(plan: Plan, width: int, room: _Room) -> Iterator[str]:
    """Yield what a rubric needs from a row."""
    name = exact_name(plan)
    yield f"{escape_controls(plan.artifact.file)}{f': {name}' if name else ''}\n"
    if not plan.steps.total:
        yield "  no valid checks\n\n"
        return
    rows = room.take((_named(step.name), step.kind, _needs(step)) for step in plan.steps.each())
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
        return clipped(reason, _MAX_SENTENCE)
    needs = [f"`{clipped(field)}`" for field in step.needs.fields]
    needs += [f"`{clipped(field)}` (may be empty)" for field in step.needs.present]
    return listed(needs, most=_MAX_KEYS) or "-"


# The number of keys that a table or a sentence names.
_MAX_KEYS = 50


def _tables(file: FileCoverage, room: _Room) -> Iterator[str]:
    for rubric in file.rubrics:
        head = rubric.name or "rows without a rubric, by expectation"
        states = STATES if _is_ours(rubric.name) else (*STATES[:-1], *FOREIGN_STATES)
        rows = room.take(_counts(rubric, states))
        yield f"  {escape_controls(head)}\n"
        yield from aligned([("check", "kind", *states), *rows])
        yield from _beyond(rubric.count - len(rows))


def _counts(rubric: RubricCoverage, states: Sequence[str]) -> Iterator[_Line]:
    for check, kind, counts in rubric.checks():
        numbers = [getattr(counts, state) for state in states]
        yield _named(check), kind, *(f"{number:,}" if number else "." for number in numbers)


def _unasked(file: FileCoverage, width: int) -> Iterator[str]:
    """Yield the graders of another system that no row asks for."""
    names = [name for name, rows in file.unasked.items() if rows == file.totals.rows]
    if names:
        text = f"no row has anything for: {listed(names)} (`--only NAME` counts them)"
        yield from wrapped(escape_controls(text), 4, width)


# Sentences name what the row lacks, and that may be long.
_MAX_SENTENCE = 1000


def _named(name: str) -> str:
    return clipped(name, NAME_LENGTH)


def _gaps(file: FileCoverage, limit: int, room: _Room, width: int) -> Iterator[str]:
    """Yield the checks that will not run, grouped by row; with a limit, as there is room."""
    gaps = ((row, place, gap) for row, place in file.rows for gap in _gaps_of(row))
    shown = room.take(islice(gaps, limit)) if limit else None
    previous = None
    for row, place, gap in gaps if shown is None else shown:
        if previous is None:
            yield "  will not run:\n"
        if row.index != previous:
            name = _named(row.row) if row.row is not None else f"row {row.index}"
            yield f"    {escape_controls(str(place))}: {escape_controls(name)}\n"
            previous = row.index
        yield from wrapped(escape_controls(clipped(gap, _MAX_SENTENCE)), 6, width)
    count = 0 if shown is None else sum(_count_gaps(row) for row, _ in file.rows) - len(shown)
    if count:
        yield f"    … and {count:,} more: `--limit 0` shows all\n"


def _count_gaps(row: RowCoverage) -> int:
    """Return the number of gaps of a row."""
    if not _is_ours(row.rubric):
        return sum(1 for _ in _gaps_of(row))
    states = count_states(row.cells)
    running = states[State.RUN]
    count = len(row.cells) - running + bool(row.cells and not running)
    return count + (row.fault is not None or not row.cells)


def _gaps_of(row: RowCoverage) -> Iterator[str]:
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
        yield f"{_named(cell.check)}: {cell.outlook.state}: {cell.outlook.reason}"


def _is_ours(rubric: str | None) -> bool:
    """Whether a row is graded by a rubric or its own expectations, not by another system."""
    return rubric is None or rubric.startswith("rubric/")


def totals_line(totals: Totals) -> str:
    """Return the line that says how many of the checks will run."""
    idle = totals.rows_on_which_nothing_runs
    rows = f"; nothing runs on {idle:,} of {totals.rows:,} rows" if idle else ""
    # Rounded down, so that a value below `--min-coverage` is not shown as equal to it.
    percent = 1000 * totals.run // totals.cells / 10 if totals.cells else 0.0
    return f"{totals.run:,} of {totals.cells:,} checks will run: {percent:.1f} %{rows}\n"
