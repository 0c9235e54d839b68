"""Coverage as JSON for programs."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from evalcontract.checks.coverage import needed_keys
from evalcontract.covering.report_coverage import FOREIGN_STATES, STATES, exact_name

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from evalcontract.checks.coverage import Cell, FileCoverage, RowCoverage, Totals
    from evalcontract.checks.plan import Plan, Step
    from evalcontract.model.diagnostic import Place

VERSION = "1.0"
# A row is listed if its text is at most this long. Longer ones share the room of the document: a
# rubric with thousands of checks would fill it with rows times checks.
_MAX_ROW, _MAX_LONG_ROWS = 4000, 5_000_000
# The number of checks of rubrics that are listed.
_MAX_STEPS = 10_000


def write_json(
    files: Sequence[FileCoverage], plans: Sequence[Plan], totals: Totals, version: str
) -> Iterator[str]:
    """Yield one JSON document that conforms to `schema/coverage.schema.json`, a row per line."""
    head = {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": version},
        "summary": _totals(totals),
    }
    yield f'{_text(head)[:-1]},\n"files": ['
    room = _Room()
    for number, file in enumerate(files):
        head = {"file": file.file, "summary": _totals(file.totals), "unasked": {**file.unasked}}
        name = _text(head)
        yield f'{"," if number else ""}\n{name[:-1]}, "rows": ['
        rows = (text for row, place in file.rows if (text := room.text_of(row, place)))
        listed = yield from _joined(rows)
        yield f'], "rows_left_out": {len(file.rows) - listed}}}'
    yield '],\n"rubrics": ['
    yield from _joined(_text(rubric) for rubric in _rubrics(plans))
    yield "]}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _joined(texts: Iterable[str]) -> Generator[str, None, int]:
    """Yield texts with commas between them, each on its line; return their number."""
    count = 0
    for count, text in enumerate(texts, 1):
        yield f"{',' if count > 1 else ''}\n{text}"
    return count


class _Room:
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


def _totals(totals: Totals) -> dict[str, Any]:
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
