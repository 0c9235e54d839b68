"""Coverage as text for people and as JSON for programs."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from evalcontract.checks import State
from evalcontract.checks.row_needs import needed_keys
from evalcontract.report.frame import display_width, escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.checks.coverage import FileCoverage, RowCoverage, Totals
    from evalcontract.checks.plan import Plan, Step
    from evalcontract.model.span import Place

VERSION = "1.0"
_STATES = ("run", "skip", "vacuous", "unavailable")
#: States that only graders of other systems have.
_FOREIGN_STATES = ("fail",)


def write_text(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, limit: int, width: int
) -> Iterator[str]:
    """Yield a table for each rubric, the rows with gaps, and a summary line.

    Sentences are wrapped to `width` cells; tables are as wide as their names.
    """
    for plan in plans:
        yield from _plan(plan, width)
    for file in files:
        yield f"{escape_controls(file.file)}\n"
        yield from _table(file)
        yield from _gaps(file, limit, width)
        yield "\n"
    if files:
        yield _summary(totals)


def _plan(plan: Plan, width: int) -> Iterator[str]:
    """Yield what a rubric needs from a row."""
    name = _name(plan)
    yield f"{escape_controls(plan.artifact.file)}{f': {name}' if name else ''}\n"
    if not plan.steps:
        yield "  no valid checks\n\n"
        return
    rows = [(step.name, step.kind, _needs(step)) for step in plan.steps]
    yield from _aligned([("check", "kind", "needs"), *rows], width)
    needs = ", ".join(f"`{field}`" for field in needed_keys(plan))
    yield from _wrapped(f"a row needs {needs or 'only `id` and `input`'}", 2, width)
    yield "\n"


def _name(plan: Plan) -> str | None:
    """Return the exact name of a rubric, or None if it has no valid id and version."""
    artifact = plan.artifact
    return None if artifact.id is None or artifact.version is None else artifact.name


def _needs(step: Step) -> str:
    if step.needs.never_runs is not None:
        return f"{step.needs.never_runs.state}: {step.needs.never_runs.reason}"
    needs = [f"`{field}`" for field in step.needs.fields]
    needs += [f"`{field}` (may be empty)" for field in step.needs.present]
    return ", ".join(needs) or "-"


def _table(file: FileCoverage) -> Iterator[str]:
    rubrics = dict.fromkeys(rubric for rubric, _, _ in file.by_check)
    for rubric in rubrics:
        head = rubric or "rows without a rubric, by expectation"
        states = _STATES if _is_ours(rubric) else (*_STATES[:-1], *_FOREIGN_STATES)
        rows: list[tuple[str, ...]] = [("check", "kind", *states)]
        for (of, check, kind), counts in file.by_check.items():
            if of == rubric:
                numbers = [getattr(counts, state) for state in states]
                shown = [f"{number:,}" if number else "." for number in numbers]
                rows.append((check, kind, *shown))
        yield f"  {escape_controls(head)}\n"
        yield from _aligned(rows)


_GAP = "  "
#: The minimum width of a sentence in a table, however long the names before it are.
_MIN_WIDTH = 24


def _aligned(rows: Sequence[tuple[str, ...]], width: int | None = None) -> Iterator[str]:
    """Yield a table with names aligned left and counts aligned right.

    With a `width`, the last column has sentences, which are wrapped.
    """
    shown = [[escape_controls(cell) for cell in row] for row in rows]
    widths = [max(display_width(row[n]) for row in shown) for n in range(len(shown[0]))]
    for row in shown:
        padded = [
            _padded(cell, room, right=width is None and n >= _NAMES)
            for n, (cell, room) in enumerate(zip(row, widths, strict=True))
        ]
        if width is None:
            yield f"    {_GAP.join(padded)}".rstrip() + "\n"
            continue
        head = f"    {_GAP.join(padded[:-1])}{_GAP}"
        lines = _lines(row[-1], max(width - display_width(head), _MIN_WIDTH))
        yield f"{head}{lines[0]}\n"
        yield from (f"{' ' * display_width(head)}{line}\n" for line in lines[1:])


#: The number of name columns in a table of counts.
_NAMES = 2


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - display_width(cell))
    return space + cell if right else cell + space


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _wrapped(text: str, indent: int, width: int) -> Iterator[str]:
    """Yield a sentence, wrapped with a hanging indent."""
    first, *rest = _lines(text, max(width - indent - 2, _MIN_WIDTH))
    yield f"{' ' * indent}{first}\n"
    yield from (f"{' ' * (indent + 2)}{line}\n" for line in rest)


def _gaps(file: FileCoverage, limit: int, width: int) -> Iterator[str]:
    """Yield the checks that will not run, grouped by row."""
    gaps = [(row, place, gap) for row, place in file.rows for gap in _gaps_of(row)]
    if gaps:
        yield "  will not run:\n"
    previous = None
    for row, place, gap in gaps[:limit] if limit else gaps:
        if row.index != previous:
            name = row.row if row.row is not None else f"row {row.index}"
            yield f"    {escape_controls(str(place))}: {escape_controls(name)}\n"
            previous = row.index
        yield from _wrapped(escape_controls(gap), 6, width)
    if limit and len(gaps) > limit:
        yield f"    … and {len(gaps) - limit:,} more: `--limit 0` shows all\n"


def _gaps_of(row: RowCoverage) -> Iterator[str]:
    if row.cells and not row.runs:
        yield "no check runs on this row"
    if row.fault is not None:
        yield f"unknown: {row.fault}"
    elif not row.cells:
        yield "nothing to grade"
    gaps = [cell for cell in row.cells if not cell.outlook.runs]
    if not _is_ours(row.rubric):
        # Every row has all graders of its system, and most of them do not apply to it.
        skipped = [cell.check for cell in gaps if cell.outlook.state is State.SKIP]
        gaps = [cell for cell in gaps if cell.outlook.state is not State.SKIP]
        if skipped:
            yield f"skip: {', '.join(skipped)}"
    for cell in gaps:
        yield f"{cell.check}: {cell.outlook.state}: {cell.outlook.reason}"


def _is_ours(rubric: str | None) -> bool:
    """Whether a row is graded by a rubric or its own expectations, not by another system."""
    return rubric is None or rubric.startswith("rubric/")


def _summary(totals: Totals) -> str:
    idle = totals.rows_on_which_nothing_runs
    rows = f"; nothing runs on {idle:,} of {totals.rows:,} rows" if idle else ""
    # Rounded down, so that a value below `--min-coverage` is not shown as equal to it.
    percent = 1000 * totals.run // totals.cells / 10 if totals.cells else 0.0
    return f"{totals.run:,} of {totals.cells:,} checks will run: {percent:.1f} %{rows}\n"


def write_json(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, version: str
) -> Iterator[str]:
    """Yield one JSON document that conforms to `schema/coverage.schema.json`."""
    document = {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": version},
        "summary": _totals(totals),
        "files": [
            {
                "file": file.file,
                "summary": _totals(file.totals),
                "rows": [_row(row, place) for row, place in file.rows],
            }
            for file in files
        ],
        "rubrics": [
            {
                "file": plan.artifact.file,
                "rubric": _name(plan),
                "needs": needed_keys(plan),
                "checks": [_step(step) for step in plan.steps],
            }
            for plan in plans
        ],
    }
    yield json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        **{state: getattr(totals, state) for state in (*_STATES, *_FOREIGN_STATES)},
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
        "checks": [
            {
                "check": cell.check,
                "kind": cell.kind,
                "state": str(cell.outlook.state),
                "reason": cell.outlook.reason,
                "field": cell.outlook.field,
            }
            for cell in row.cells
        ],
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
