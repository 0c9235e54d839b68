"""`power`: say how many rows and samples a difference needs, from the variance of pilot runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from evalcontract.cli import options
from evalcontract.cli.command import Command
from evalcontract.cli.output import put
from evalcontract.cli.printing import CommandAnswer, MarkdownTable, head, json_text, put_answer
from evalcontract.grading.pilot import Pilot, pilot_of_one, pilot_of_two
from evalcontract.grading.results import earlier_results
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import many
from evalcontract.policy import OK
from evalcontract.report.frame import aligned, wrapped
from evalcontract.statistics.samples import POWER, SIGNIFICANCE, detectable, rows_needed

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
    runs = [earlier_results(path).rows for path in results]
    pilot = pilot_of_one(runs[0], correlation) if len(runs) == 1 else pilot_of_two(*runs)
    wanted = WantedPower(detect, power, significance)
    if output_format == "text":
        put(_text(pilot, wanted, get_terminal_size().columns))
    else:
        put_answer(_answer(pilot, wanted), output_format)
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


def _fields(pilot: Pilot, wanted: WantedPower) -> dict[str, Any]:
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
            "paired": pilot.is_paired,
            "detectable": _found(pilot, wanted),
        },
    }


def _answer(pilot: Pilot, wanted: WantedPower) -> CommandAnswer:
    fields = _fields(pilot, wanted)
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


def _text(pilot: Pilot, wanted: WantedPower, width: int) -> Iterator[str]:
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
    finds = f"{of} with {many(pilot.samples, 'output')} each find {_found(pilot, wanted):.3f}"
    yield from wrapped(finds, 0, width)
    if not pilot.is_paired:
        line = "that is for another run as spread as this one; two pilot runs on the same rows tell"
        yield from wrapped(f"{line} how alike they are, and mostly need fewer rows", 0, width)
