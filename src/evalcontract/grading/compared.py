"""A comparison of runs as text and as JSON, with the tests corrected for their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalcontract.grading.comparison import (
    MCNEMAR,
    Comparison,
    PairedTally,
    RowChange,
    ScoreDifference,
    UncomparedRow,
)
from evalcontract.grading.earlier import EarlierRows
from evalcontract.grading.printed import MAX_CHECKS, brief, estimate_fields, number_text
from evalcontract.grading.results import Results, RowResult
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, listed, many
from evalcontract.report.frame import wrapped
from evalcontract.statistics.estimates import FEWEST, holm

#: So many characters of a reason are told.
MAX_REASON = 300
_MAX_CAUSES, _MAX_TEXT = 5, 300
_TESTS = {MCNEMAR: "McNemar's exact test", "t": "paired t test"}


class RunComparison(NamedTuple):
    """A run compared with an earlier one: their names, and as sentences what else differs."""

    before: str
    after: str
    earlier: EarlierRows
    found: Comparison
    differences: Sequence[str]


def unfinished(runs: Iterable[tuple[Path, Results]]) -> Iterator[str]:
    """Yield a sentence for each file of results whose run was interrupted: it has a part of them.

    The last of its rows may have a part of its outputs.
    """
    for path, results in runs:
        if not results.is_complete:
            yield f"{path} is incomplete: its run was interrupted, and `--resume` continues it"


class ComparisonLine(NamedTuple):
    """A difference of all rows, of a check, or of a group: what it is of, by its keys.

    `corrected` is the p-value for so many `tests` of that sort, over all runs compared, and
    `verdicts_corrected` that of the test of the verdicts.
    """

    of: Mapping[str, str | None]
    found: ScoreDifference
    has_changed: bool
    corrected: float | None = None
    tests: int = 1
    verdicts_corrected: float | None = None

    @property
    def name(self) -> str:
        """What it is of."""
        return ": ".join(part for part in self.of.values() if part) or "rows"


class Lines(NamedTuple):
    """The differences of one comparison."""

    rows: list[ComparisonLine]
    checks: list[ComparisonLine]
    groups: list[ComparisonLine]


def lines_of(comparisons: Sequence[Comparison]) -> list[Lines]:
    """Return the differences of each comparison, their p-values corrected for all of a sort."""
    sorts = [
        _corrected([[*_lines(comparison, sort)] for comparison in comparisons])
        for sort in Lines._fields
    ]
    return [Lines(*lines) for lines in zip(*sorts, strict=True)]


def _lines(comparison: Comparison, sort: str) -> Iterator[ComparisonLine]:
    tallies: list[tuple[dict[str, str | None], PairedTally]]
    if sort == "rows":
        tallies = [({}, comparison.rows)]
    elif sort == "checks":
        tallies = [
            ({"rubric": rubric, "check": check}, tally)
            for (rubric, check), tally in comparison.checks.items()
        ]
    else:
        tallies = [
            ({"key": group.key, "value": group.value}, tally)
            for group, tally in sorted(comparison.groups.items())
        ]
    for of, tally in tallies:
        found = tally.difference
        if found is not None:
            yield ComparisonLine(of, found, tally.has_changed)


def _corrected(lines: list[list[ComparisonLine]]) -> list[list[ComparisonLine]]:
    found = [line.found for some in lines for line in some]
    tests = sum(each.p_value is not None for each in found)
    corrected = iter(_holm([each.p_value for each in found]))
    of_verdicts = iter(_holm([each.of_verdicts for each in found]))
    return [
        [
            line._replace(
                corrected=next(corrected), tests=tests, verdicts_corrected=next(of_verdicts)
            )
            for line in some
        ]
        for some in lines
    ]


def _holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for their number; None stays."""
    corrected = iter(holm([each for each in p_values if each is not None]))
    return [None if each is None else next(corrected) for each in p_values]


def write_comparisons(
    comparisons: Sequence[RunComparison], limit: int, width: int
) -> Iterator[str]:
    """Yield what changed in each run: first what scores depend on, then the scores."""
    all_lines = lines_of([each.found for each in comparisons])
    for number, (each, lines) in enumerate(zip(comparisons, all_lines, strict=True)):
        compared = f"{each.after} compared with {each.before}" if each.after else ""
        blank = "\n" if number or not each.after else ""
        yield f"{blank}{escape_controls(compared or f'compared with {each.before}')}:\n"
        yield from _comparison(each, lines, limit, width)


def _comparison(of: RunComparison, lines: Lines, limit: int, width: int) -> Iterator[str]:
    found = of.found
    yield from _differences(of.differences, limit, width)
    for (before, after), rows in found.versions.items():
        yield from wrapped(escape_controls(versions_sentence(before, after, rows)), 2, width)
    for ids, what in ((found.new, "new"), (found.lost_ids(of.earlier), "no longer there")):
        if ids:
            names = listed(f"`{clipped(id_, NAME_LENGTH)}`" for id_ in ids)
            count = many(len(ids), "row is", "rows are")
            yield from wrapped(escape_controls(f"{count} {what}: {names}"), 2, width)
    yield from _uncompared(found.uncompared, width)
    for some in lines:
        shown = [each for each in some if each.has_changed or not each.of]
        for each in shown[:MAX_CHECKS]:
            text = f"{each.name}: {_sentence(each)}"
            yield from wrapped(escape_controls(text), 2, width)
        if len(shown) > MAX_CHECKS:
            yield f"  … and {len(shown) - MAX_CHECKS:,} more\n"
    yield from _changes(found, limit, width)


def _sentence(line: ComparisonLine) -> str:
    """Return the means, their difference with its interval, and what a test says of it."""
    found, scores = line.found, line.found.scores
    sentence = f"{number_text(scores.before)} → {number_text(scores.after)} ({scores.mean:+.3f}"
    interval = scores.difference.interval
    if interval is not None:
        sentence += f", 95 % interval {interval.lower:+.3f} to {interval.upper:+.3f}"
    elif scores.difference.clusters is not None:
        sentence += ", too few clusters to say more"
    elif scores.pairs < FEWEST:
        sentence += ", n is too small to say more"
    sentence += f") over {many(scores.pairs, 'row')}"
    if found.better or found.worse:
        sentence += f"; {found.better:,} pass now, {found.worse:,} fail now{_of_verdicts(line)}"
    if found.p_value is not None and line.has_changed:
        sentence += f"; p {_p(found.p_value)} by {_TESTS[found.test]}"
        if line.corrected is not None and line.tests > 1:
            sentence += f", {_p(line.corrected)} corrected for {line.tests:,} tests"
    return sentence


def _of_verdicts(line: ComparisonLine) -> str:
    """Return what a test says of the verdicts, in brackets, unless it is that of the scores."""
    p_value, corrected = line.found.of_verdicts, line.verdicts_corrected
    if p_value is None or corrected is None or line.found.test == MCNEMAR:
        return ""
    more = "" if corrected == p_value else f", {_p(corrected)} corrected"
    return f" (p {_p(p_value)} by {_TESTS[MCNEMAR]}{more})"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"  # noqa: PLR2004 - as is usual


def _changes(found: Comparison, limit: int, width: int) -> Iterator[str]:
    """Yield the rows that flipped, with both outputs, and the others with another result."""
    if not found.seen:
        yield "  no row is in both runs: nothing is compared\n"
        return
    if not found.change_count:
        yield "  no result changed\n"
        return
    others = [change for change in found.changed if not change.is_flip]
    other_count = found.change_count - found.flip_count
    for head, changes, number in (
        ("flipped rows", found.flipped, found.flip_count),
        ("other changed rows" if found.flip_count else "changed rows", others, other_count),
    ):
        if number:
            yield f"  {head}:\n"
        shown = changes[: limit or None]
        for change in shown:
            yield from _change(change, width)
        if number > len(shown):
            yield f"    … and {number - len(shown):,} more: `--limit 0` shows all\n"


def _change(change: RowChange, width: int) -> Iterator[str]:
    checks = f" ({listed(clipped(check, NAME_LENGTH) for check in change.checks)})"
    line = f"{clipped(change.after.id, NAME_LENGTH)}: {brief(change.before)} → "
    line += f"{brief(change.after)}{checks if change.checks else ''}"
    yield from wrapped(escape_controls(line), 4, width)
    if change.is_flip:
        for when, row in (("before", change.before), ("now", change.after)):
            if (text := output_of(row)) is not None:
                line = f"{when}: {clipped(' '.join(text.split()), _MAX_TEXT)}"
                yield from wrapped(escape_controls(line), 6, width)


def versions_sentence(before: str | None, after: str | None, rows: int) -> str:
    """Return how many rows are graded by another rubric, or another version of it."""
    was, now = before or "no rubric", after or "no rubric"
    return f"{many(rows, 'row')} graded by {now}, before by {was}"


def output_of(row: RowResult) -> str | None:
    """Return the text of the output of a row, if the results tell it."""
    text = (row.content or {}).get("output")
    return text if isinstance(text, str) else None


def _uncompared(causes: Counter[UncomparedRow], width: int) -> Iterator[str]:
    """Yield how many rows are in no difference, and the most frequent causes."""
    if not causes:
        return
    rows = many(causes.total(), "row is", "rows are")
    yield from wrapped(f"{rows} in no difference, without a known score:", 2, width)
    for cause, number in causes.most_common(_MAX_CAUSES):
        line = f"{number:,} {cause.when}: {clipped(cause.reason, MAX_REASON)}"
        yield from wrapped(escape_controls(line), 4, width)
    if len(causes) > _MAX_CAUSES:
        yield f"    … and {len(causes) - _MAX_CAUSES:,} more causes\n"


def _differences(differences: Sequence[str], limit: int, width: int) -> Iterator[str]:
    if not differences:
        yield "  what the scores depend on is the same\n"
    for difference in differences[: limit or None]:
        yield from wrapped(escape_controls(difference), 2, width)
    if limit and len(differences) > limit:
        yield f"  … and {len(differences) - limit:,} more: `--limit 0` shows all\n"


def comparison_fields(comparisons: Sequence[RunComparison]) -> list[dict[str, Any]]:
    """Return the JSON of what changed in each run."""
    all_lines = lines_of([each.found for each in comparisons])
    return [
        {
            "before": each.before,
            "after": each.after,
            "differences": [*each.differences],
            "versions": [
                {"before": before, "after": after, "rows": rows}
                for (before, after), rows in each.found.versions.items()
            ],
            "new": each.found.new,
            "lost": each.found.lost_ids(each.earlier),
            "uncompared": [
                {**cause._asdict(), "rows": rows} for cause, rows in each.found.uncompared.items()
            ],
            "rows": _line_fields(lines.rows[0]) if lines.rows else None,
            "checks": [_line_fields(line) for line in lines.checks],
            "groups": [_line_fields(line) for line in lines.groups],
            "changed": each.found.change_count,
            "flipped": [_flip_fields(change) for change in each.found.flipped],
        }
        for each, lines in zip(comparisons, all_lines, strict=True)
    ]


def _line_fields(line: ComparisonLine) -> dict[str, Any]:
    found, scores = line.found, line.found.scores
    return {
        **line.of,
        "pairs": scores.pairs,
        "before": round(scores.before, 12),
        "after": round(scores.after, 12),
        "difference": round(scores.mean, 12),
        **estimate_fields(scores.difference),
        "better": found.better,
        "worse": found.worse,
        "test": found.test,
        "p": found.p_value,
        "p_corrected": line.corrected,
        "p_verdicts": found.of_verdicts,
        "p_verdicts_corrected": line.verdicts_corrected,
    }


def _flip_fields(change: RowChange) -> dict[str, Any]:
    return {
        "id": change.after.id,
        "checks": [*change.checks],
        "before": {**_side(change.before)},
        "after": {**_side(change.after)},
    }


def _side(row: RowResult) -> dict[str, Any]:
    text = output_of(row)
    told = {} if text is None else {"output": text}
    return {"outcome": row.outcome, "score": row.score, **told}
