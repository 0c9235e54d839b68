"""`compare`: say what changed between the results of several runs, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size

import click

from evalcontract.cli import options
from evalcontract.cli.command import Command
from evalcontract.cli.output import put, put_json
from evalcontract.cli.runs.groupings import GROUPING
from evalcontract.grading.basis import differences, json_line
from evalcontract.grading.compared import RunComparison, comparison_fields, write_comparisons
from evalcontract.grading.comparison import Comparison, by_id
from evalcontract.grading.groups import Grouping
from evalcontract.grading.results import earlier_results
from evalcontract.grading.samples import reduced
from evalcontract.model.errors import UsageError
from evalcontract.policy import OK


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
@options.output_format("json")
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
    and the values of `--by`; tests of them, corrected for their number; and the rows that flipped,
    with both outputs, as far as the results tell them.
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
        keep = 0 if output_format == "json" else limit
        comparison = Comparison.of(earlier, reduced(other.rows, grouping.reduce), grouping, keep)
        changed = differences(first.basis, other.basis)
        found.append(RunComparison(str(results[0]), str(path), earlier, comparison, changed))
    if output_format == "json":
        put_json([json_line({"comparisons": comparison_fields(found)})])
    else:
        put(write_comparisons(found, limit, get_terminal_size().columns))
    return OK
