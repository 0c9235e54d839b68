"""Coverage as text for people and as JSON for programs."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from evalcontract.checks import State
from evalcontract.checks.row_needs import asked_of_rows
from evalcontract.report.frame import cells, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.checks.coverage import FileCoverage, RowCoverage, Totals
    from evalcontract.checks.plan import Plan, Step
    from evalcontract.model.span import Place

VERSION = "1.0"
_STATES = ("run", "skip", "vacuous", "unavailable")
#: What becomes of the graders of other systems alone.
_OF_OTHERS = ("fail",)


def write_text(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, limit: int, width: int
) -> Iterator[str]:
    """Write a table for each rubric, the rows with a gap, and one line that sums up.

    Sentences are wrapped to `width` cells; tables are as wide as their names.
    """
    for plan in plans:
        yield from _plan(plan, width)
    for file in files:
        yield f"{visible(file.file)}\n"
        yield from _table(file)
        yield from _gaps(file, limit, width)
        yield "\n"
    if files:
        yield _summary(totals)


def _plan(plan: Plan, width: int) -> Iterator[str]:
    """Write what a rubric asks of a row."""
    name = _name(plan)
    yield f"{visible(plan.artifact.file)}{f': {name}' if name else ''}\n"
    if not plan.steps:
        yield "  no check of it can be read\n\n"
        return
    rows = [(step.name, step.kind, _wish(step)) for step in plan.steps]
    yield from _aligned([("check", "kind", "what it needs"), *rows], width)
    wish = ", ".join(f"`{field}`" for field in asked_of_rows(plan))
    yield from _wrapped(f"a row needs {wish or 'nothing beside `id` and `input`'}", 2, width)
    yield "\n"


def _name(plan: Plan) -> str | None:
    """Return the exact name of a rubric; None where it has no id or version to be read."""
    artifact = plan.artifact
    return None if artifact.id is None or artifact.version is None else artifact.name


def _wish(step: Step) -> str:
    if step.needs.never_runs is not None:
        return f"{step.needs.never_runs.state}: {step.needs.never_runs.reason}"
    wishes = [f"`{field}`" for field in step.needs.fields]
    wishes += [f"`{field}` (may be empty)" for field in step.needs.present]
    if step.inner:
        inner = "; ".join(f"{inner.name} ({_wish(inner)})" for inner in step.inner)
        wishes.append(f"one of: {inner}")
    return ", ".join(wishes) or "-"


def _table(file: FileCoverage) -> Iterator[str]:
    rubrics = dict.fromkeys(rubric for rubric, _, _ in file.by_check)
    for rubric in rubrics:
        head = rubric or "rows without a rubric, by what they expect"
        states = _STATES if _is_ours(rubric) else (*_STATES[:-1], *_OF_OTHERS)
        rows: list[tuple[str, ...]] = [("check", "kind", *states)]
        for (of, check, kind), counts in file.by_check.items():
            if of == rubric:
                numbers = (getattr(counts, state) for state in states)
                rows.append((check, kind, *(f"{each:,}" if each else "." for each in numbers)))
        yield f"  {visible(head)}\n"
        yield from _aligned(rows)


_BETWEEN = "  "
#: The least room for a sentence in a table, however long the names before it are.
_ROOM = 24


def _aligned(rows: Sequence[tuple[str, ...]], width: int | None = None) -> Iterator[str]:
    """Write a table: texts to the left, counts to the right.

    With a `width` the last column is one of sentences, and is wrapped.
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(cells(row[n]) for row in shown) for n in range(len(shown[0]))]
    for row in shown:
        padded = [
            _padded(cell, room, right=width is None and n >= _NAMES)
            for n, (cell, room) in enumerate(zip(row, widths, strict=True))
        ]
        if width is None:
            yield f"    {_BETWEEN.join(padded)}".rstrip() + "\n"
            continue
        head = f"    {_BETWEEN.join(padded[:-1])}{_BETWEEN}"
        lines = _lines(row[-1], max(width - cells(head), _ROOM))
        yield f"{head}{lines[0]}\n"
        yield from (f"{' ' * cells(head)}{line}\n" for line in lines[1:])


#: How many columns of a table of counts are names.
_NAMES = 2


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - cells(cell))
    return space + cell if right else cell + space


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _wrapped(text: str, indent: int, width: int) -> Iterator[str]:
    """Write a sentence; what does not fit into its first line stands further in."""
    first, *rest = _lines(text, max(width - indent - 2, _ROOM))
    yield f"{' ' * indent}{first}\n"
    yield from (f"{' ' * (indent + 2)}{line}\n" for line in rest)


def _gaps(file: FileCoverage, limit: int, width: int) -> Iterator[str]:
    """Write what will not run, below the row that it is of."""
    gaps = [(row, place, gap) for row, place in file.rows for gap in _gaps_of(row)]
    if gaps:
        yield "  will not run:\n"
    before = None
    for row, place, gap in gaps[:limit] if limit else gaps:
        if row.index != before:
            name = row.row if row.row is not None else f"row {row.index}"
            yield f"    {visible(str(place))}: {visible(name)}\n"
            before = row.index
        yield from _wrapped(visible(gap), 6, width)
    if limit and len(gaps) > limit:
        yield f"    … and {len(gaps) - limit:,} more: `--limit 0` shows all\n"


def _gaps_of(row: RowCoverage) -> Iterator[str]:
    if row.cells and not row.runs:
        yield "nothing at all runs on this row"
    if row.fault is not None:
        yield f"nothing is known of it: {row.fault}"
    elif not row.cells:
        yield "nothing in it can be graded"
    gaps = [cell for cell in row.cells if not cell.outlook.runs]
    if not _is_ours(row.rubric):
        # Every row has all graders of its system, of which most are not meant for it.
        skipped = [cell.check for cell in gaps if cell.outlook.state is State.SKIP]
        gaps = [cell for cell in gaps if cell.outlook.state is not State.SKIP]
        if skipped:
            yield f"skip: {', '.join(skipped)}"
    for cell in gaps:
        yield f"{cell.check}: {cell.outlook.state}: {cell.outlook.reason}"


def _is_ours(rubric: str | None) -> bool:
    """Whether a row is graded by a rubric or by itself; else by the system of a dialect."""
    return rubric is None or rubric.startswith("rubric/")


def _summary(totals: Totals) -> str:
    idle = totals.rows_on_which_nothing_runs
    rows = f"; nothing runs on {idle:,} of {totals.rows:,} rows" if idle else ""
    # Rounded down: what is below a bound must not read as if it were not.
    percent = 1000 * totals.run // totals.cells / 10 if totals.cells else 0.0
    return f"{totals.run:,} of {totals.cells:,} checks will run: {percent:.1f} %{rows}\n"


def write_json(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, version: str
) -> Iterator[str]:
    """Write one JSON document, by `schema/coverage.schema.json`."""
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
                "needs": asked_of_rows(plan),
                "checks": [_step(step) for step in plan.steps],
            }
            for plan in plans
        ],
    }
    yield json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        **{state: getattr(totals, state) for state in (*_STATES, *_OF_OTHERS)},
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
        "one_of": [_step(inner) for inner in step.inner],
    }
