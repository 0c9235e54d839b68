"""Coverage as text for people and as JSON for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.report.frame import cells, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.checks.coverage import FileCoverage, RowCoverage, Totals
    from evalcontract.checks.plan import Plan, Step
    from evalcontract.model.span import Place

VERSION = "1.0"
_STATES = ("run", "skip", "vacuous", "unavailable")


def write_text(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, limit: int
) -> Iterator[str]:
    """Write a table for each rubric, the rows with a gap, and one line that sums up."""
    for plan in plans:
        yield from _plan(plan)
    for file in files:
        yield f"{visible(file.file)}\n"
        yield from _table(file)
        yield from _gaps(file, limit)
        yield "\n"
    if files:
        yield _summary(totals)


def _plan(plan: Plan) -> Iterator[str]:
    """Write what a rubric asks of a row."""
    yield f"{visible(plan.artifact.file)}: {plan.artifact.name}\n"
    rows: list[tuple[str, ...]] = [("check", "kind", "what it needs")]
    rows += [(step.name, step.kind, _wish(step)) for step in plan.steps]
    yield from _aligned(rows)
    required = sorted(
        {f for step in plan.steps for f in step.needs.fields if not step.needs.barred}
    )
    wish = ", ".join(f"`{field}`" for field in required) or "nothing beside `id` and `input`"
    yield f"  a row needs {wish}\n\n"


def _wish(step: Step) -> str:
    if step.needs.barred is not None:
        return f"{step.needs.barred.state}: {step.needs.barred.reason}"
    wishes = [f"`{field}`" for field in step.needs.fields]
    if step.inner:
        wishes.append(f"one of {', '.join(inner.name for inner in step.inner)}")
    return ", ".join(wishes) or "-"


def _table(file: FileCoverage) -> Iterator[str]:
    rubrics = dict.fromkeys(rubric for rubric, _, _ in file.by_check)
    for rubric in rubrics:
        head = rubric or "rows without a rubric, by what they expect"
        rows: list[tuple[str, ...]] = [("check", "kind", *_STATES)]
        for (of, check, kind), counts in file.by_check.items():
            if of == rubric:
                numbers = (getattr(counts, state) for state in _STATES)
                rows.append((check, kind, *(f"{each:,}" if each else "." for each in numbers)))
        yield f"  {visible(head)}\n"
        yield from _aligned(rows)


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(cells(row[n]) for row in shown) for n in range(len(shown[0]))]
    for row in shown:
        padded = [
            " " * (width - cells(cell)) + cell
            if _is_count(cell)
            else cell + " " * (width - cells(cell))
            for cell, width in zip(row, widths, strict=True)
        ]
        yield f"    {'  '.join(padded)}".rstrip() + "\n"


def _padded(cell: str, width: int) -> str:
    space = " " * (width - cells(cell))
    return space + cell if _is_count(cell) else cell + space


def _is_count(cell: str) -> bool:
    return cell == "." or cell in _STATES or cell.replace(",", "").isdigit()


def _gaps(file: FileCoverage, limit: int) -> Iterator[str]:
    lines = [line for row, place in file.rows for line in _gap(row, place)]
    if lines:
        yield "  will not run:\n"
    yield from lines[:limit] if limit else lines
    if limit and len(lines) > limit:
        yield f"    … and {len(lines) - limit:,} more: `--limit 0` shows all\n"


def _gap(row: RowCoverage, place: Place) -> Iterator[str]:
    name = visible(row.row if row.row is not None else f"row {row.index}")
    at = f"  {visible(str(place))}"
    if row.fault is not None:
        yield f"    {name}: nothing is known of it: {visible(row.fault)}{at}\n"
    elif not row.cells:
        yield f"    {name}: nothing in it can be graded{at}\n"
    for cell in row.cells:
        if not cell.outlook.runs:
            reason = visible(cell.outlook.reason or "")
            yield f"    {name}: {visible(cell.check)}: {cell.outlook.state}: {reason}{at}\n"
    if row.cells and not row.runs:
        yield f"    {name}: nothing at all runs on this row{at}\n"


def _summary(totals: Totals) -> str:
    idle = totals.rows_on_which_nothing_runs
    rows = f"; nothing runs on {idle:,} of {totals.rows:,} rows" if idle else ""
    return f"{totals.run:,} of {totals.cells:,} checks will run: {totals.percent:.1f} %{rows}\n"


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
                "rubric": plan.artifact.name,
                "checks": [_step(step) for step in plan.steps],
            }
            for plan in plans
        ],
    }
    yield json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        **{state: getattr(totals, state) for state in _STATES},
        "rows": totals.rows,
        "rows_without_checks": totals.rows_without_checks,
        "rows_on_which_nothing_runs": totals.rows_on_which_nothing_runs,
        "percent": round(totals.percent, 4),
    }


def _row(row: RowCoverage, place: Place) -> dict[str, Any]:
    return {
        "row": row.row,
        "row_index": row.index,
        "line": place.span.line if place.span else None,
        "rubric": row.rubric,
        "fault": row.fault,
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
    barred = step.needs.barred
    return {
        "check": step.name,
        "kind": step.kind,
        "needs": list(step.needs.fields),
        "never": str(barred.state) if barred else None,
        "reason": barred.reason if barred else None,
    }
