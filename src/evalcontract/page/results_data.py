"""The results of `grade` as JSON values for the page: rows that did not pass come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import Outcome
from evalcontract.grading.printed import tally_sentence, unmeasured_lines
from evalcontract.grading.scores import score_text
from evalcontract.grading.summary import Summary, counts
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.grading.results import RowResult
    from evalcontract.grading.summary import Tally
    from evalcontract.library.score_bounds import Bounds
    from evalcontract.page.content import GradedRun

#: The number of bars of a distribution of scores.
BINS = 10
_SENTENCE = 1000
# The rows that a reader looks for come first.
_ORDER = (Outcome.UNDECIDED, Outcome.FAILED, None, Outcome.SKIPPED, Outcome.PASSED)


def run_data(run: GradedRun, max_rows: int) -> dict[str, Any]:
    """Return the summary of a run, its checks and its rows, at most `max_rows` if that is not 0."""
    summary = Summary()
    for row in run.rows:
        summary.add(row)
    number = {key: at for at, key in enumerate(summary.checks)}
    rows = sorted(run.rows, key=_rank)[: max_rows or None]
    return {
        "file": _shown(run.file),
        "dataset": _shown(run.dataset),
        "rows_total": len(run.rows),
        "rows_tally": _tally(summary.rows),
        "sentence": tally_sentence(summary.rows),
        "unmeasured": [escape_controls(line) for line in unmeasured_lines(summary)],
        "checks": [
            {
                "rubric": None if rubric is None else _shown(rubric),
                "check": _shown(name),
                "kind": _shown(kind),
                **_tally(tally),
            }
            for (rubric, name), (kind, tally) in summary.checks.items()
        ],
        "rows": [_row(row, number) for row in rows],
    }


def _rank(row: RowResult) -> tuple[int, float]:
    lowest = row.bounds.low if row.bounds else 1.0
    return _ORDER.index(row.outcome), lowest if row.score is None else row.score


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "counts": counts(tally),
        "mean": _number(tally.mean, tally.bounds if tally.scored < tally.counted else None),
        "decided": tally.decided,
        "counted": tally.counted,
        "scored": tally.scored,
        "bins": _bins(tally.scores),
    }


def _bins(scores: Mapping[float, int]) -> list[int]:
    """Return how many scores lie in each tenth; a score of 1 is in the last one."""
    bins = [0] * BINS
    for score, count in scores.items():
        bins[max(0, min(int(score * BINS), BINS - 1))] += count
    return bins


def _row(row: RowResult, number: dict[tuple[str | None, str], int]) -> list[Any]:
    checks = [
        [
            number[row.rubric, name],
            str(leaf.outcome),
            _number(leaf.score, leaf.bounds),
            _reason(leaf.reason),
        ]
        for check in row.checks
        for name, leaf in check.leaves()
    ]
    outcome = str(row.outcome) if row.outcome else None
    return [
        _shown(row.id),
        outcome,
        _number(row.score, row.bounds),
        _reason(row.reason),
        checks,
    ]


def _number(score: float | None, bounds: Bounds | None) -> str | None:
    """Return a score, or its bounds, as text; None if there is no score."""
    return None if score is None and bounds is None else score_text(score, bounds, ".2f")


def _reason(reason: str | None) -> str | None:
    return None if reason is None else escape_controls(clipped(reason, _SENTENCE))


def _shown(name: str) -> str:
    return escape_controls(clipped(name, NAME_LENGTH * 3))
