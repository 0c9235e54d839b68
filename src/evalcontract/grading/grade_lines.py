"""The results of `grade` as JSON Lines: a manifest, what was used, rows, and a summary.

`schema/results.schema.json` describes a line.
"""

from __future__ import annotations

import json
from functools import lru_cache
from platform import python_version
from typing import TYPE_CHECKING, Any

from evalcontract.grading.grade_notes import usage_fields
from evalcontract.grading.summary import counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from evalcontract.grading.scoring_results import CheckResult, RowResult
    from evalcontract.grading.summary import Gate, Summary, Tally
    from evalcontract.judging.asking import Usage

#: The version of the format; see the schema.
VERSION = "2.0"


def manifest_of(
    tool: str,
    dataset: tuple[str, str | None],
    outputs: tuple[str, str | None],
    settings: Mapping[str, Sequence[str]],
    started: datetime,
) -> dict[str, Any]:
    """Return what is known at the start of a run; `started` is in UTC."""
    return {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": tool},
        "python": python_version(),
        "started": f"{started.replace(tzinfo=None).isoformat(timespec='seconds')}Z",
        "dataset": _file(*dataset),
        "outputs": _file(*outputs),
        "settings": {name: list(values) for name, values in settings.items()},
    }


def row_line(row: RowResult) -> str:
    """Return the line of a row."""
    checks = ", ".join([_check_text(check) for check in row.checks])
    return f'{_json(_graded(row, rubric=row.rubric))[:-1]}, "checks": [{checks}]}}\n'


def summary_line(
    summary: Summary,
    gate: Gate,
    usage: Usage | None = None,
) -> str:
    """Return the last line; `gate` is what the results had to meet.

    `usage` is what asking judges took, None if there was no model to ask.
    """
    content: dict[str, Any] = {"rows": _tally(summary.rows)}
    if gate.threshold is not None:
        content["threshold"] = gate.threshold
        content["reached"] = summary.reaches(gate.threshold)
    if gate.allow_undecided:
        content["allow_undecided"] = True
    content["unmeasured"] = [
        {**cause._asdict(), "number": number, "of": summary.counted(cause.kind)}
        for cause, number in summary.unmeasured.items()
    ]
    if usage is not None and not usage.is_empty:
        content["judges"] = usage_fields(usage)
    content["rubrics"] = [
        {"rubric": rubric, **_tally(tally)} for rubric, tally in summary.rubrics.items()
    ]
    content["checks"] = [
        {"rubric": rubric, "check": check, "kind": kind, **_tally(tally)}
        for (rubric, check), (kind, tally) in summary.checks.items()
    ]
    return _line({"summary": content})


def _file(name: str, sha256: str | None) -> dict[str, Any]:
    return {"file": name} if sha256 is None else {"file": name, "sha256": sha256}


def _check_text(check: CheckResult) -> str:
    """Return the JSON of the result of a check."""
    is_plain = check.details is None and not check.checks
    return _plain_check(check) if is_plain else _json(_check(check))


@lru_cache(maxsize=1 << 10)  # most of them are the same on many rows
def _plain_check(check: CheckResult) -> str:
    return _json(_check(check))


def _check(check: CheckResult) -> dict[str, Any]:
    content = _graded(check, kind=check.kind)
    if check.details:
        content["details"] = dict(check.details)
    if check.checks:
        content["checks"] = [_check(inner) for inner in check.checks]
    return content


def _graded(result: RowResult | CheckResult, **by: str | None) -> dict[str, Any]:
    """Return what a row and a check have in common; `by` is what graded the one or the other."""
    content: dict[str, Any] = {
        "id": result.id,
        **by,
        "outcome": result.outcome,
        "score": result.score,
    }
    if result.bounds is not None:
        content["bounds"] = result.bounds
    if result.reason is not None:
        content["reason"] = result.reason
    return content


def _tally(tally: Tally) -> dict[str, Any]:
    mean, bounds = tally.mean, tally.bounds
    content: dict[str, Any] = {
        "total": tally.total,
        "decided": tally.decided,
        "undecided": tally.undecided,
        "mean": mean if mean is None else round(mean, 12),
    }
    if bounds is not None:
        content["bounds"] = [round(end, 12) for end in bounds]
    return {**content, "outcomes": dict(counts(tally))}


def _line(content: dict[str, Any]) -> str:
    return _json(content) + "\n"


_json = json.JSONEncoder(ensure_ascii=False).encode
