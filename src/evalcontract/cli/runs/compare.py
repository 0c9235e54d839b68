"""`compare`: say what changed between the results of several runs, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from evalcontract.cli import options
from evalcontract.cli.command import Command
from evalcontract.cli.output import put
from evalcontract.cli.printing import (
    Case,
    CaseOutcome,
    CommandAnswer,
    MarkdownTable,
    head,
    json_text,
    put_answer,
)
from evalcontract.cli.runs.groupings import GROUPING
from evalcontract.grading.basis import differences
from evalcontract.grading.compared import RunComparison, comparison_fields, write_comparisons
from evalcontract.grading.comparison import Comparison, by_id
from evalcontract.grading.groups import Grouping
from evalcontract.grading.results import earlier_results
from evalcontract.grading.samples import reduced
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.values import many
from evalcontract.policy import OK
from evalcontract.report.markdown import code


@click.command(
    "compare",
    cls=Command,
    examples={
        "Say what changed from one run to the next": "evalcontract compare old.jsonl new.jsonl",
        "Compare two models with a third, by language": (
            "evalcontract compare base.jsonl one.jsonl other.jsonl --by language"
        ),
    },
)
@options.RESULTS
@options.output_format(*options.TABLES, "junit", "github")
@options.number(
    "--limit", "Maximum number of rows to list that changed, and of flipped ones (0: no limit).", 20
)
@GROUPING
def compare_command(
    results: Sequence[Path], output_format: str, limit: int, grouping: Grouping
) -> int:
    """Compare the first of several RESULTS, which `grade` wrote, with each of the others.

    First it says what else differs: other outputs, rubrics, judges, models. Then come the
    differences of the scores of the same rows with their 95 % intervals, for all rows, checks, tags
    and the values of `--by`; significance tests, corrected for multiple comparisons; and the rows
    that flipped, with both outputs if the results have them.
    """
    if len(results) < 2:  # noqa: PLR2004 - one is compared with nothing
        raise UsageError(
            "name at least two files of results: the first is compared with the others"
        )
    first, *others = [earlier_results(path) for path in results]
    grouping.require_told([*first.rows])
    earlier, found = by_id(reduced(first.rows, grouping.reduce)), list[RunComparison]()
    for path, other in zip(results[1:], others, strict=True):
        grouping.require_told([*other.rows])
        keep = limit if output_format == "text" else 0
        comparison = Comparison.of(earlier, reduced(other.rows, grouping.reduce), grouping, keep)
        changed = differences(first.basis, other.basis)
        found.append(RunComparison(str(results[0]), str(path), earlier, comparison, changed))
    if output_format == "text":
        put(write_comparisons(found, limit, get_terminal_size().columns))
    else:
        put_answer(_answer(comparison_fields(found)), output_format)
    return OK


_OUTCOMES = {"fails now": CaseOutcome("failure", Severity.WARNING)}
_SORTS = {"rows": (), "checks": ("rubric", "check"), "groups": ("key", "value")}


def _answer(comparisons: Sequence[dict[str, Any]]) -> CommandAnswer:
    flipped = sum(len(each["flipped"]) for each in comparisons)
    compared = many(len(comparisons), "comparison")
    return CommandAnswer(
        "compare",
        f"{many(flipped, 'row')} flipped in {compared} with {comparisons[0]['before']}",
        document=json_text({**head("compare"), "comparisons": comparisons}),
        records=_records(comparisons),
        tables=_tables(comparisons),
        cases=(_case(each, flip) for each in comparisons for flip in each["flipped"]),
        outcomes=_OUTCOMES,
        subject=comparisons[0]["before"],
    )


def _records(comparisons: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a record for each difference: of all rows, of a check, or of a group."""
    for each in comparisons:
        runs = {"before_run": each["before"], "after_run": each["after"]}
        for sort, keys in _SORTS.items():
            lines = each[sort] if keys else [each[sort]]
            names = ("rubric", "check", "key", "value")
            for line in filter(None, lines):
                of = {name: line.get(name) for name in names}
                yield {**runs, "of": sort, **of, **line}


def _tables(comparisons: Sequence[dict[str, Any]]) -> Iterator[MarkdownTable]:
    """Yield the differences of each run, and the rows that flipped."""
    for each in comparisons:
        yield MarkdownTable(
            ("Run", "Of", "Before", "After", "Difference", "95 % interval", "Rows", "p"),
            map(_line, _records([each])),
            numbers=2,
        )
        yield MarkdownTable(("Row", "Before", "After", "Checks"), map(_flip_line, each["flipped"]))


def _flip_line(flip: dict[str, Any]) -> list[str]:
    outcomes = (str(flip[when]["outcome"]) for when in ("before", "after"))
    return [code(flip["id"]), *outcomes, ", ".join(map(code, flip["checks"]))]


def _line(record: dict[str, Any]) -> list[str]:
    names = [str(name) for key in _SORTS[record["of"]] if (name := record[key]) is not None]
    ends, p = record["interval"], record["p_corrected"]
    return [
        code(record["after_run"]),
        code(": ".join(names)) if names else "all rows",
        *(f"{record[key]:.3f}" for key in ("before", "after")),
        f"{record['difference']:+.3f}",
        f"{ends[0]:+.3f} to {ends[1]:+.3f}" if ends else "-",
        f"{record['pairs']:,}",
        "-" if p is None else f"{p:.2g}",
    ]


def _case(comparison: dict[str, Any], flip: dict[str, Any]) -> Case:
    """Return a row that flipped as a case: it is well if it passes now."""
    before, after = (flip[when]["outcome"] for when in ("before", "after"))
    reason = f"{before} before, {after} now: {', '.join(flip['checks']) or 'no check'}"
    outcome = "passes now" if after == "passed" else "fails now"
    return Case(flip["id"], comparison["after"], outcome, [reason], Place(comparison["after"]))
