"""Rows of results on standard output: as they come, or as an answer when all are known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from evalcontract.checks.outcome import UNMEASURED, Outcome
from evalcontract.cli.output import put_json
from evalcontract.cli.printing import Case, CaseOutcome, CommandAnswer, MarkdownTable, put_answer
from evalcontract.grading.printed import cause_sentence, number_text
from evalcontract.grading.runner import score_text
from evalcontract.grading.summary import MissingVerdicts
from evalcontract.grading.tables import table_of
from evalcontract.library.scores import Bounds
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.values import clipped, many
from evalcontract.report.markdown import code, plain

_LENGTH = 300
# So many rows that did not pass are in a summary of a job.
_MAX_ROWS, _MAX_REASONS = 200, 5
_OUTCOMES = {
    "failed": CaseOutcome("failure", Severity.ERROR),
    "undecided": CaseOutcome("error", Severity.WARNING),
    "skipped": CaseOutcome("skipped"),
    "not met": CaseOutcome("failure", Severity.ERROR),
}
#: The output formats that show where rows are.
PLACED = ("github", "gitlab", "sarif", "concise")


class RowPrinter:
    """Prints rows as JSON Lines, as they come."""

    def rows(self, lines: str) -> None:
        """Take lines of rows."""
        put_json([lines])

    @property
    def failed(self) -> list[str]:
        """The ids of the rows that are findings, where the format shows their places."""
        return []

    def finish(self, run: Mapping[str, Any], places: Mapping[str, Place]) -> None:
        """Print what follows the rows; `run` is the content of a run file."""


class _OneObject(RowPrinter):
    """One JSON object: what a run file has, and the rows."""

    _start = '{"rows": [\n'

    def rows(self, lines: str) -> None:
        put_json([self._start, lines[:-1].replace("\n", ",\n")])
        self._start = ",\n"

    def finish(self, run: Mapping[str, Any], places: Mapping[str, Place]) -> None:
        rows = self._start if self._start != ",\n" else ""
        put_json([rows, "\n],\n", json.dumps(run, ensure_ascii=False)[1:], "\n"])


class _Whole(RowPrinter):
    """What is printed when all rows are known."""

    def __init__(self, output_format: str) -> None:
        self._lines: list[str] = []
        self._format = output_format

    def rows(self, lines: str) -> None:
        self._lines.append(lines)

    @property
    def _rows(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line) for lines in self._lines for line in lines.splitlines())

    @property
    def failed(self) -> list[str]:
        if self._format not in PLACED:
            return []
        return [row["id"] for row in self._rows if row["outcome"] in ("failed", "undecided")]

    def finish(self, run: Mapping[str, Any], places: Mapping[str, Place]) -> None:
        lines = (line.encode() for lines in self._lines for line in lines.splitlines())
        rows = (_case(row, places.get(row["id"])) for row in self._rows)
        answer = CommandAnswer(
            "grade",
            _sentence(run["summary"]),
            tables=_tables(run["summary"], self._rows),
            cases=chain(rows, _cases_of_gate(run["summary"])),
            outcomes=_OUTCOMES,
            subject=str(run["manifest"]["dataset"]["file"]),
            written={"csv": (data.decode() for data in table_of(lines, Path("rows.csv")))},
        )
        put_answer(answer, self._format)


def printer_of(output_format: str) -> RowPrinter:
    """Return what prints rows in an output format for programs."""
    streaming = {"json": _OneObject, "jsonl": RowPrinter}
    return streaming[output_format]() if output_format in streaming else _Whole(output_format)


def _case(row: Mapping[str, Any], place: Place | None) -> Case:
    group = row["rubric"] or "expectations"
    return Case(_name(row), group, row["outcome"] or "", [*_reasons(row)], place)


def _cases_of_gate(summary: Mapping[str, Any]) -> Iterator[Case]:
    """Yield the threshold, if the results do not meet it, and why."""
    if "threshold" not in summary:
        return
    reasons = [] if summary["reached"] else ["it is not reached"]
    if (undecided := summary["rows"]["undecided"]) and not summary.get("allow_undecided"):
        reasons.append(many(undecided, "row is undecided", "rows are undecided"))
    if reasons:
        name = f"threshold of {summary['threshold']:g}"
        yield Case(name, "summary", "not met", reasons)


def _tables(summary: Mapping[str, Any], rows: Iterator[dict[str, Any]]) -> Iterator[MarkdownTable]:
    """Yield the checks, and the rows that did not pass, up to a number of them."""
    if summary["checks"]:
        head = ("Rubric", "Check", "Score", "95 % interval", "Passed", "Failed", "Did not run")
        yield MarkdownTable(head, map(_check_line, summary["checks"]), numbers=2)
    if corrected := summary.get("corrected"):
        of_rates = ("Observed rate", "Corrected", "95 % interval", "Not corrected, since")
        yield MarkdownTable(
            ("Rubric", "Check", *of_rates), map(_corrected_line, corrected), numbers=2
        )
    found = [row for row in rows if row["outcome"] in _OUTCOMES]
    lines = [*map(_row_line, found[:_MAX_ROWS])]
    if more := len(found) - len(lines):
        lines.append(["", "", "", f"… and {more:,} more"])
    if lines:
        yield MarkdownTable(("Row", "Outcome", "Score", "Why"), lines)


def _check_line(check: Mapping[str, Any]) -> list[str]:
    counts = (check["outcomes"].get(each, 0) for each in ("passed", "failed"))
    names = [code(check["rubric"] or "-"), code(check["check"])]
    lacking = sum(check["outcomes"].get(each, 0) for each in UNMEASURED)
    return [*names, _mean(check), _interval(check), *map(str, (*counts, lacking))]


def _corrected_line(rate: Mapping[str, Any]) -> list[str]:
    names = [code(rate["rubric"]), code(rate["check"])]
    ends = rate.get("interval")
    interval = f"{ends['lower']:.2f} to {ends['upper']:.2f}" if ends else "-"
    figures = (number_text(rate[key]) for key in ("observed", "corrected"))
    return [*names, *figures, interval, plain(rate.get("reason", "-"))]


def _row_line(row: Mapping[str, Any]) -> list[str]:
    why = "<br>".join(map(plain, islice(_reasons(row), _MAX_REASONS)))
    return [code(_name(row)), row["outcome"], number_text(row["score"]), why]


def _sentence(summary: Mapping[str, Any]) -> str:
    rows = summary["rows"]
    outcomes = [f"{count:,} {outcome}" for outcome, count in rows["outcomes"].items()]
    unmeasured = [
        cause_sentence(
            MissingVerdicts(each["kind"], Outcome(each["outcome"]), each["reason"]),
            each["number"],
            each["of"],
        )
        for each in summary["unmeasured"][:_MAX_REASONS]
    ]
    missed = [f"{case.name} not met" for case in _cases_of_gate(summary)]
    ends = _interval(rows)
    interval = "" if ends == "-" else f" (95 % interval {ends})"
    head = [many(rows["total"], "row"), f"mean score {_mean(rows)}{interval}"]
    return ", ".join([*head, *outcomes, *missed, *unmeasured])


def _mean(tally: Mapping[str, Any]) -> str:
    """Return the mean score of all results, or its bounds where some have no score."""
    if _is_known(tally):
        return number_text(tally["mean"])
    return score_text(None, Bounds(*tally["bounds"]), ".2f")


def _is_known(tally: Mapping[str, Any]) -> bool:
    """Whether the mean score is that of all results."""
    bounds = tally.get("bounds")
    return bounds is None or bounds[0] == bounds[1]


def _interval(tally: Mapping[str, Any]) -> str:
    """Return the interval of the mean score, if it is that of all results."""
    ends = tally.get("interval") if _is_known(tally) else None
    return f"{ends[0]:.2f} to {ends[1]:.2f}" if ends else "-"


def _name(row: Mapping[str, Any]) -> str:
    name = str(row["id"])
    return f"{name} (sample {row['sample']})" if "sample" in row else name


def _reasons(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield why a row did not pass: the reasons of its checks, and its own if they have none."""
    found = [*_of_checks(row["checks"], "")]
    yield from found
    if not found and row.get("reason"):
        yield clipped(row["reason"], _LENGTH)


def _of_checks(checks: list[dict[str, Any]], prefix: str) -> Iterator[str]:
    for check in checks:
        name = f"{prefix}{check['id']}"
        if check.get("checks"):
            yield from _of_checks(check["checks"], f"{name}/")
        elif check["outcome"] not in ("passed", "skipped"):
            yield f"{name}: {clipped(check.get('reason') or check['outcome'], _LENGTH)}"
