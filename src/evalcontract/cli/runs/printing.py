"""Rows of results on standard output, as each output format has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from evalcontract.cli.output import put, put_json
from evalcontract.grading.printed import number_text
from evalcontract.grading.tables import table_of
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped, escape_controls, many
from evalcontract.report.github import SHOWN, escaped_data, escaped_property
from evalcontract.report.junit import escaped
from evalcontract.report.markdown import code, plain

_LENGTH = 300
# So many rows that did not pass are in a summary of a job.
_MAX_ROWS, _MAX_REASONS = 200, 5


class RowPrinter:
    """Prints rows as JSON Lines, as they come."""

    def rows(self, lines: str) -> None:
        """Take lines of rows."""
        put_json([lines])

    def finish(self, run: Mapping[str, Any]) -> None:
        """Print what follows the rows; `run` is the content of a run file."""


class _OneObject(RowPrinter):
    """One JSON object: what a run file has, and the rows."""

    _start = '{"rows": [\n'

    def rows(self, lines: str) -> None:
        put_json([self._start, lines[:-1].replace("\n", ",\n")])
        self._start = ",\n"

    def finish(self, run: Mapping[str, Any]) -> None:
        rows = self._start if self._start != ",\n" else ""
        put_json([rows, "\n],\n", json.dumps(run, ensure_ascii=False)[1:], "\n"])


class _Whole(RowPrinter):
    """What is printed when all rows are known."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def rows(self, lines: str) -> None:
        self._lines.append(lines)

    @property
    def _rows(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line) for lines in self._lines for line in lines.splitlines())


class _Table(_Whole):
    """A table in CSV."""

    def finish(self, run: Mapping[str, Any]) -> None:  # noqa: ARG002 - rows alone are a table
        lines = (line.encode() for lines in self._lines for line in lines.splitlines())
        # A terminal acts on controls; a file of results has them as they are.
        put(_BETWEEN_ENDS.sub(_shown, data.decode()) for data in table_of(lines, Path("rows.csv")))


_BETWEEN_ENDS = lazy_pattern("[^\r\n\t]+")


def _shown(match: re.Match[str]) -> str:
    return escape_controls(match[0])


class _JUnit(_Whole):
    """JUnit XML: each row is a test; one that is undecided ends in an error."""

    def finish(self, run: Mapping[str, Any]) -> None:
        rows = [*self._rows]
        outcomes = [row["outcome"] for row in rows]
        numbers = [outcomes.count(each) for each in ("failed", "undecided", "skipped")]
        names = ("failures", "errors", "skipped")
        counts = " ".join(f'{name}="{n}"' for name, n in zip(names, numbers, strict=True))
        suite = f'tests="{len(rows)}" {counts}'
        dataset = escaped(str(run["manifest"]["dataset"]["file"]))
        put(['<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="evalcontract">\n'])
        put([f'<testsuite name="{dataset}" {suite}>\n', *map(_test_case, rows)])
        put(["</testsuite>\n</testsuites>\n"])


_ELEMENTS = {"failed": "failure", "undecided": "error", "skipped": "skipped"}


def _test_case(row: Mapping[str, Any]) -> str:
    rubric = escaped(row["rubric"] or "expectations")
    head = f'<testcase classname="{rubric}" name="{escaped(_name(row))}"'
    element = _ELEMENTS.get(row["outcome"])
    if element is None:
        return f"{head}/>\n"
    reasons = [*_reasons(row)]
    message = escaped(reasons[0] if reasons else row["outcome"])
    inside = "".join(f"{escaped(reason)}\n" for reason in reasons)
    return f'{head}>\n<{element} message="{message}">{inside}</{element}>\n</testcase>\n'


class _Markdown(_Whole):
    """Markdown for the summary of a job: the checks, and the rows that did not pass."""

    def finish(self, run: Mapping[str, Any]) -> None:
        summary = run["summary"]
        put([f"### evalcontract: {plain(_sentence(summary))}\n"])
        if summary["checks"]:
            head = "\n| Rubric | Check | Score | Passed | Failed |\n"
            put([head, "| --- | --- | ---: | ---: | ---: |\n"])
        for check in summary["checks"]:
            counts = (check["outcomes"].get(each, 0) for each in ("passed", "failed"))
            cells = (number_text(check["mean"]), *map(str, counts))
            name = f"{code(check['rubric'] or '-')} | {code(check['check'])}"
            put([f"| {name} | {' | '.join(cells)} |\n"])
        rows = [row for row in self._rows if row["outcome"] in _ELEMENTS]
        if rows:
            put(["\n| Row | Outcome | Score | Why |\n| --- | --- | ---: | --- |\n"])
        for row in rows[:_MAX_ROWS]:
            why = "<br>".join(map(plain, islice(_reasons(row), _MAX_REASONS)))
            cells = (code(_name(row)), row["outcome"], number_text(row["score"]), why)
            put([f"| {' | '.join(cells)} |\n"])
        if more := len(rows[_MAX_ROWS:]):
            put([f"\n… and {more:,} more\n"])


class _GitHub(_Whole):
    """Workflow commands of GitHub Actions: the rows that did not pass, as annotations."""

    def finish(self, run: Mapping[str, Any]) -> None:
        file = escaped_property(run["manifest"]["dataset"]["file"])
        rows = [row for row in self._rows if row["outcome"] in ("failed", "undecided")]
        told = [_sentence(run["summary"])]
        if more := len(rows[SHOWN:]):
            told.append(f"GitHub shows {SHOWN} rows, the log of this step {more:,} more")
        put([f"::notice title=evalcontract::{escaped_data(told)}\n"], raw=True)
        for row in rows:
            level = "error" if row["outcome"] == "failed" else "warning"
            title = escaped_property(f"{_name(row)}: {row['outcome']}")
            reasons = escaped_data([*map(escape_controls, _reasons(row))] or [row["outcome"]])
            put([f"::{level} file={file},line=1,title={title}::{reasons}\n"], raw=True)


def _sentence(summary: Mapping[str, Any]) -> str:
    rows = summary["rows"]
    outcomes = [f"{count:,} {outcome}" for outcome, count in rows["outcomes"].items()]
    mean = f"mean score {number_text(rows['mean'])}"
    return ", ".join([many(rows["total"], "row"), mean, *outcomes])


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


#: What prints the rows of results, by the name of the output format.
PRINTERS: Mapping[str, type[RowPrinter]] = {
    "json": _OneObject,
    "jsonl": RowPrinter,
    "csv": _Table,
    "junit": _JUnit,
    "markdown": _Markdown,
    "github": _GitHub,
}
