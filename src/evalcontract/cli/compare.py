"""`compare` and `power`: what changed between runs, and how many rows it takes to tell."""

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
from evalcontract.grading.basis import differences
from evalcontract.grading.compared import (
    MAX_REASON,
    RunComparison,
    comparison_fields,
    unfinished,
    versions_sentence,
    write_comparisons,
)
from evalcontract.grading.comparison import Comparison, UncomparedRow
from evalcontract.grading.earlier import by_id
from evalcontract.grading.groups import Grouping
from evalcontract.grading.pilot import Pilot, pilot_of_one, pilot_of_two
from evalcontract.grading.results import earlier_results
from evalcontract.grading.samples import reduced
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, listed, many
from evalcontract.policy import OK
from evalcontract.report.frame import aligned, wrapped
from evalcontract.report.markdown import code, plain
from evalcontract.statistics.estimates import POWER, SIGNIFICANCE, detectable, rows_needed


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
@options.GROUPING
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
        both = ((results[0], first), (path, other))
        changed = [*unfinished(both), *differences(first.basis, other.basis)]
        found.append(RunComparison(str(results[0]), str(path), earlier, comparison, changed))
    if output_format == "text":
        put(write_comparisons(found, limit, get_terminal_size().columns))
    else:
        put_answer(_answer(comparison_fields(found)), output_format)
    return OK


_DIFFERS, _UNKNOWN, _NOT_COMPARED = "differs", "unknown now", "not compared"
_OUTCOMES = {
    "fails now": CaseOutcome("failure", Severity.WARNING),
    _UNKNOWN: CaseOutcome("error", Severity.WARNING),
    _NOT_COMPARED: CaseOutcome("skipped", Severity.WARNING),
    _DIFFERS: CaseOutcome("system-out", Severity.NOTE),
}
_SORTS = {"rows": (), "checks": ("rubric", "check"), "groups": ("key", "value")}


def _answer(comparisons: Sequence[dict[str, Any]]) -> CommandAnswer:
    return CommandAnswer(
        "compare",
        _sentence(comparisons),
        document=json_text({**head("compare"), "comparisons": comparisons}),
        records=_records(comparisons),
        tables=_tables(comparisons),
        cases=(case for each in comparisons for case in _cases(each)),
        outcomes=_OUTCOMES,
        subject=comparisons[0]["before"],
    )


def _sentence(comparisons: Sequence[dict[str, Any]]) -> str:
    """Return how many rows flipped, and how many are in no difference."""
    flipped = sum(len(each["flipped"]) for each in comparisons)
    compared = many(len(comparisons), "comparison")
    sentence = f"{many(flipped, 'row')} flipped in {compared} with {comparisons[0]['before']}"
    left_out = sum(rows.number for each in comparisons for rows in _left_out(each))
    if not left_out:
        return sentence
    return f"{sentence}; {many(left_out, 'row is', 'rows are')} in no difference"


class _LeftOutRows(NamedTuple):
    """Rows that are in no difference: how many, which or why; `outcome` is that of a case."""

    number: int
    what: str
    why: str
    outcome: str = _NOT_COMPARED


def _left_out(comparison: dict[str, Any]) -> Iterator[_LeftOutRows]:
    """Yield the rows that are in no difference: those of one run, and those without a score."""
    for key, what in (("new", "only in this run"), ("lost", "no longer there")):
        if ids := comparison[key]:
            named = listed(f"`{clipped(id_, NAME_LENGTH)}`" for id_ in ids)
            yield _LeftOutRows(len(ids), what, named)
    for each in comparison["uncompared"]:
        cause = UncomparedRow(each["before"], each["now"], each["reason"])
        yield _LeftOutRows(
            each["rows"],
            f"without a known score {cause.when}",
            clipped(cause.reason, MAX_REASON),
            _NOT_COMPARED if cause.before else _UNKNOWN,
        )


def _what_differs(comparison: dict[str, Any]) -> list[str]:
    """Return as sentences what else differs between two runs than their scores."""
    versions = (
        versions_sentence(each["before"], each["after"], each["rows"])
        for each in comparison["versions"]
    )
    return [*comparison["differences"], *versions]


def _records(comparisons: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a record for each difference: of all rows, of a check, or of a group.

    That of all rows has the number of rows that are in no difference, and stands there without any.
    """
    for each in comparisons:
        runs = {"before_run": each["before"], "after_run": each["after"]}
        left_out = sum(rows.number for rows in _left_out(each))
        for sort, keys in _SORTS.items():
            lines = each[sort] if keys else [each[sort] or _NO_PAIRS]
            names = ("rubric", "check", "key", "value")
            for line in lines:
                of = {name: line.get(name) for name in names}
                yield {
                    **runs,
                    "of": sort,
                    **of,
                    **line,
                    "left_out": None if keys else left_out,
                }


# The difference of no rows: it has no figure.
_FIGURES = ("before", "after", "difference", "stderr", "interval", "method", "better", "worse")
_TESTS = ("test", "p", "p_corrected", "p_verdicts", "p_verdicts_corrected")
_NO_PAIRS = {"pairs": 0} | dict.fromkeys((*_FIGURES, *_TESTS))


def _tables(comparisons: Sequence[dict[str, Any]]) -> Iterator[MarkdownTable]:
    """Yield what else differs, the differences, the rows in none, and those that flipped."""
    for each in comparisons:
        run = code(each["after"])
        yield MarkdownTable(
            ("Run", "What else differs"), ((run, plain(what)) for what in _what_differs(each))
        )
        yield MarkdownTable(
            ("Run", "Of", "Before", "After", "Difference", "95 % interval", "Rows", "p"),
            map(_line, _records([each])),
            numbers=2,
        )
        yield MarkdownTable(
            ("Run", "Rows", "In no difference"),
            (
                (run, f"{rows.number:,}", plain(f"{rows.what}: {rows.why}"))
                for rows in _left_out(each)
            ),
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
        *("-" if record[key] is None else f"{record[key]:.3f}" for key in ("before", "after")),
        "-" if record["difference"] is None else f"{record['difference']:+.3f}",
        f"{ends[0]:+.3f} to {ends[1]:+.3f}" if ends else "-",
        f"{record['pairs']:,}",
        "-" if p is None else f"{p:.2g}",
    ]


def _cases(comparison: dict[str, Any]) -> Iterator[Case]:
    """Yield what else differs, the rows that are in no difference, and those that flipped."""
    run, place = comparison["after"], Place(comparison["after"])
    if differences := _what_differs(comparison):
        yield Case("what the scores depend on", run, _DIFFERS, differences, place)
    for rows in _left_out(comparison):
        yield Case(f"{many(rows.number, 'row')} {rows.what}", run, rows.outcome, [rows.why], place)
    for flip in comparison["flipped"]:
        yield _case(comparison, flip)


def _case(comparison: dict[str, Any], flip: dict[str, Any]) -> Case:
    """Return a row that flipped as a case: it is well if it passes now."""
    before, after = (flip[when]["outcome"] for when in ("before", "after"))
    reason = f"{before} before, {after} now: {', '.join(flip['checks']) or 'no check'}"
    outcome = "passes now" if after == "passed" else "fails now"
    return Case(flip["id"], comparison["after"], outcome, [reason], Place(comparison["after"]))


# The numbers of samples that are tried.
_SAMPLES = (1, 2, 3, 5, 10)


class WantedPower(NamedTuple):
    """What is to be found: a mean difference, how often, and how often where there is none."""

    detect: float
    power: float
    significance: float


def _share(name: str, default: float, what: str) -> options.Option:
    """Return an option for a share between 0 and 1."""
    return click.option(
        name,
        type=options.NumberRange(0, 1, min_open=True, max_open=True),
        default=default,
        show_default=True,
        metavar="FRACTION",
        help=what,
    )


@click.command(
    "power",
    cls=Command,
    examples={
        "How many rows tell models apart that differ by 0.05": (
            "evalcontract power pilot.jsonl --detect 0.05"
        ),
        "The same from two pilot runs, which tell how alike they are": (
            "evalcontract power old.jsonl new.jsonl --detect 0.05"
        ),
    },
)
@options.RESULTS
@click.option(
    "--detect",
    type=options.NumberRange(0, 1, min_open=True),
    required=True,
    metavar="DIFFERENCE",
    help="Difference of the mean scores of two runs to detect.",
)
@_share("--power", POWER, "Power: how often a difference of this size is detected.")
@_share(
    "--significance",
    SIGNIFICANCE,
    "Significance level: how often a difference is reported where there is none.",
)
@click.option(
    "--correlation",
    type=options.NumberRange(-1, 1, max_open=True),
    default=0.0,
    show_default=True,
    metavar="NUMBER",
    help="Correlation of the scores of both runs over the rows; measured if there are two results.",
)
@options.output_format(*options.TABLES)
def power_command(
    results: Sequence[Path],
    detect: float,
    power: float,
    significance: float,
    correlation: float,
    output_format: str,
) -> int:
    """Say how many rows and samples it takes to detect a difference between two runs.

    RESULTS are those of one pilot run, or of two on the same rows: `grade --results` writes them.
    With several outputs of a row, it says how far more samples make up for fewer rows.
    """
    if len(results) > 2:  # noqa: PLR2004 - a difference is that of two
        raise UsageError("name the results of one pilot run, or of two")
    read = [earlier_results(path) for path in results]
    put((f"note: {line}\n" for line in unfinished(zip(results, read, strict=True))), err=True)
    runs = [each.rows for each in read]
    pilot = pilot_of_one(runs[0], correlation) if len(runs) == 1 else pilot_of_two(*runs)
    wanted = WantedPower(detect, power, significance)
    if output_format == "text":
        put(_text_of_power(pilot, wanted, get_terminal_size().columns))
    else:
        put_answer(_answer_of_power(pilot, wanted), output_format)
    return OK


def _needed(pilot: Pilot, wanted: WantedPower) -> dict[int, int | None]:
    """Return the numbers of rows by the number of samples, as far as the pilot run tells them."""
    tried = _SAMPLES if pilot.variance.within is not None else (max(1, pilot.samples),)
    return {samples: rows_needed(_variance(pilot, samples), *wanted) for samples in tried}


def _variance(pilot: Pilot, samples: int) -> float:
    return pilot.variance.of(samples if pilot.variance.within is not None else 1)


def _found(pilot: Pilot, wanted: WantedPower) -> float:
    """Return the difference that the rows of the pilot run find."""
    variance = _variance(pilot, pilot.samples)
    return detectable(variance, pilot.rows, wanted.power, wanted.significance)


def _fields_of_power(pilot: Pilot, wanted: WantedPower) -> dict[str, Any]:
    return {
        **wanted._asdict(),
        "variance_between": pilot.variance.between,
        "variance_within": pilot.variance.within,
        "needed": [
            {"samples": samples, "rows": rows} for samples, rows in _needed(pilot, wanted).items()
        ],
        "pilot": {
            "rows": pilot.rows,
            "samples": pilot.samples,
            "left_out": pilot.left_out,
            "paired": pilot.is_paired,
            "detectable": _found(pilot, wanted),
        },
    }


def _answer_of_power(pilot: Pilot, wanted: WantedPower) -> CommandAnswer:
    fields = _fields_of_power(pilot, wanted)
    needed = fields["needed"]
    lines = ([str(each["samples"]), _rows(each["rows"])] for each in needed)
    return CommandAnswer(
        "power",
        f"{_aim(wanted)} with so many rows",
        document=json_text({**head("power"), **fields}),
        records=[{**wanted._asdict(), **each} for each in needed],
        tables=[MarkdownTable(("Outputs of each row", "Rows"), lines, numbers=0)],
    )


def _aim(wanted: WantedPower) -> str:
    found = f"a difference of {wanted.detect:g} is found {100 * wanted.power:g} % of the time"
    return f"{found}, and at {wanted.significance:g} significance,"


def _rows(needed: int | None) -> str:
    return f"{needed:,}" if needed else "too many"


def _text_of_power(pilot: Pilot, wanted: WantedPower, width: int) -> Iterator[str]:
    yield from wrapped(f"{_aim(wanted)} with", 0, width)
    needed = _needed(pilot, wanted).items()
    lines = [(str(samples), _rows(rows)) for samples, rows in needed]
    yield from aligned([("outputs of each row", "rows"), *lines])
    within, between = pilot.variance.within, pilot.variance.between
    spread = f"{between:.4f}"
    if within is not None:
        spread = f"{between:.4f} between rows and {within:.4f} within them"
    of = many(pilot.rows, "row")
    yield from wrapped(f"the variance of the difference is {spread}, by {of}", 0, width)
    if pilot.left_out:
        runs = "both runs" if pilot.is_paired else "the run"
        rows = many(pilot.left_out, "row is", "rows are")
        yield from wrapped(f"{rows} left out, without a known score in {runs}", 0, width)
    finds = f"{of} with {many(pilot.samples, 'output')} each find {_found(pilot, wanted):.3f}"
    yield from wrapped(finds, 0, width)
    if not pilot.is_paired:
        line = "that is for another run as spread as this one; two pilot runs on the same rows tell"
        yield from wrapped(f"{line} how alike they are, and mostly need fewer rows", 0, width)
