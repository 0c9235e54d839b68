"""`calibrate-judge`: measure how well a judge agrees with human labels, and record it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from evalcontract._version import __version__
from evalcontract.calibrating.calibrate import CalibrationOutcome, calibrate, prospects
from evalcontract.calibrating.files import CalibrationOptions
from evalcontract.calibrating.measuring import (
    AUTO,
    CalibrationResult,
    Ranks,
    document_of,
    write_text,
)
from evalcontract.cli import options
from evalcontract.cli.arguments import chosen_cache_folder
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.options import Asking
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import Bar, put, refuse, signals_as_interrupts
from evalcontract.cli.printing import (
    Case,
    CaseOutcome,
    CommandAnswer,
    MarkdownTable,
    forecast,
    put_answer,
)
from evalcontract.datasets.opening import Options
from evalcontract.fixing import write_diff
from evalcontract.judging.asking import Judging, Usage
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.values import many
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.report.markdown import plain
from evalcontract.statistics.rates import RATES, MeasuredRate
from evalcontract.workspace.writing import FileFix


def _threshold(value: str | None) -> float | str | None:
    """Accept `auto` or a number."""
    if value in (None, AUTO):
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"it must be `{AUTO}` or a number, not `{value}`")
    return number


_RATE = options.NumberRange(0, 1)


def _bound(name: str, rate: str) -> options.Option:
    text = f"Fail (exit 1) if the {rate} is lower, or unknown."
    return click.option(name, type=_RATE, metavar="RATE", help=text)


@click.command(
    "calibrate-judge",
    cls=Command,
    examples={
        "Measure a judge": "evalcontract calibrate-judge judge/accuracy --labels labels.csv",
        "Measure it on held-out labels, and write the validation into its file": (
            "evalcontract calibrate-judge judge/accuracy --labels labels.csv \\\n"
            "      --split test --write"
        ),
        "Fail if the judge fails too many good outputs": (
            "evalcontract calibrate-judge judge/accuracy --labels labels.csv \\\n"
            "      --min-tpr 0.8"
        ),
    },
)
@click.argument("judge", shell_complete=files_of("yaml", "json"))
@options.file(
    "--labels",
    "CSV or JSON Lines with the keys id, human and judge; also split, model, annotator.",
    "csv",
    "jsonl",
    required=True,
)
@options.file(
    "--verdicts",
    "CSV or JSON Lines with the keys id and judge, if the labels have no verdicts.",
    "csv",
    "jsonl",
)
@options.file(
    "--outputs",
    "Recorded outputs to ask the judge about, as `grade` reads them, if the labels have none.",
    *options.OUTPUTS,
)
@options.file("--dataset", "Dataset with the rows of these outputs: what else the judge is shown.")
@click.option("--split", metavar="NAME", help="Use only the labels of this split.")
@click.option(
    "--threshold",
    metavar="NUMBER|auto",
    callback=options.parsed_by(_threshold),
    help="Lowest score that passes; auto for the best one (default: the judge's pass_threshold).",
)
@click.option(
    "--observed",
    type=_RATE,
    metavar="RATE",
    help="Pass rate of the judge on other outputs, to be corrected for its errors.",
)
@options.number("--observed-n", "Number of outputs behind the observed rate.", least=1)
@_bound("--min-tpr", "TPR")
@_bound("--min-tnr", "TNR")
@click.option("--write", "is_written", is_flag=True, help="Write the validation into the judge.")
@options.output_format(*options.CASES)
@options.cache("Reuse answers of the judge to the same question")
@options.MAP_WITH_OUTPUTS
@options.workspace("the judge")
@options.ASKING
def calibrate_judge_command(
    judge: str,
    labels: Path,
    verdicts: Path | None,
    outputs: Path | None,
    dataset: Path | None,
    split: str | None,
    threshold: float | str | None,
    observed: float | None,
    observed_n: int | None,
    min_tpr: float | None,
    min_tnr: float | None,
    is_written: bool,
    output_format: str,
    cache: bool | None,
    asking: Asking,
    base: Options,
) -> int:
    """Measure how well a judge agrees with human labels.

    JUDGE is a file, or a reference such as judge/tone@1.0.0. Labels and verdicts are pass or fail
    (also yes or no, true or false, 1 or 0); those of a judge that is not binary may be scores.
    Positive means PASS: the TPR is the fraction of good outputs that the judge passes, the TNR
    the fraction of bad outputs that it fails.

    Without verdicts, the judge is asked over a model, as by `grade`, if an endpoint is configured:
    it is shown the keys input, output, criteria, expected and context of the labels, or what
    --outputs and --dataset have under the same id.

    Without --write, the validation that would be written is shown as a diff.
    """
    with Bar() as bar:
        options_of_run = CalibrationOptions(
            labels,
            verdicts,
            split,
            threshold,
            _observed(observed, observed_n),
            base.root,
            configuration=base.configuration,
            dataset=dataset,
            outputs=outputs,
            progress=bar.advance,
            columns=base.columns,
        )
        judging = Judging.of(os.environ, chosen_cache_folder(cache), asking.budget)
        if asking.dry_run:
            return forecast(*prospects(judge, options_of_run, judging), output_format)
        outcome = calibrate(judge, options_of_run, judging)
    usage = judging.usage if judging else Usage()
    write_findings(outcome.diagnostics)
    status = exit_status(outcome.diagnostics)
    if outcome.result is None:
        return status or refuse(outcome.nothing or "there is nothing to compare")
    status = status or (_write(outcome) if is_written else OK)
    below = _below(outcome.result, {"tpr": min_tpr, "tnr": min_tnr})
    _print(outcome, usage, below, output_format, is_written=is_written and not status)
    return status or (ERRORS if below else status)


def _observed(rate: float | None, number: int | None) -> MeasuredRate | None:
    if (rate is None) != (number is None):
        raise UsageError("--observed and --observed-n need each other")
    return None if rate is None or number is None else MeasuredRate(rate, number)


def _write(outcome: CalibrationOutcome) -> int:
    """Write the validation; return the exit code."""
    if outcome.result is None or outcome.result.refusal:
        return ERRORS
    with signals_as_interrupts():
        outcome.write()
    return 0


_OUTCOMES = {
    "below": CaseOutcome("failure", Severity.ERROR),
    "warning": CaseOutcome("system-out", Severity.WARNING),
}


def _answer(
    result: CalibrationResult, usage: Usage, below: dict[str, str], *, is_written: bool
) -> CommandAnswer:
    document = document_of(result, usage, __version__, is_written=is_written)
    records = [*_records(document)]
    return CommandAnswer(
        "calibrate-judge",
        f"{result.judge}, {many(result.labels.compared, 'output')} compared with people",
        document=[json.dumps(document, ensure_ascii=False, indent=2), "\n"],
        records=records,
        tables=_tables(records, result),
        cases=_cases(result, below),
        outcomes=_OUTCOMES,
        subject=result.file,
    )


def _records(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a record for each figure, with its interval as far as it has one."""
    scores, rate = document["scores"] or {}, document["pass_rate"] or {}
    people = document["labels"]["annotators"] or {}
    figures: dict[str, Any] = {name: document[name] for name in (*RATES, "kappa")}
    figures |= {name: scores[name] for name in Ranks._fields if name in scores}
    figures |= {f"{name}_of_people": people[name] for name in ("kappa", "alpha") if name in people}
    figures |= {f"{name}_pass_rate": rate[name] for name in ("observed", "corrected") if rate}
    judge = document["judge"]["reference"]
    counts = {**document["confusion_matrix"], "ties": document["labels"]["ties"]}
    for name, figure in {**counts, **figures}.items():
        each = figure if isinstance(figure, dict) else {"value": figure, "interval": None}
        ends = each["interval"] or {}
        interval = {end: ends.get(end) for end in ("lower", "upper")}
        yield {"judge": judge, "figure": name, "value": each["value"], **interval}


def _tables(
    records: Sequence[dict[str, Any]], result: CalibrationResult
) -> Iterator[MarkdownTable]:
    lines = (
        [each["figure"], *("-" if each[key] is None else f"{each[key]:.4g}" for key in _VALUES)]
        for each in records
    )
    yield MarkdownTable(("Figure", "Value", "95 % from", "to"), lines, numbers=1)
    yield MarkdownTable(("Warning",), ([plain(remark.message)] for remark in result.remarks))


_VALUES = ("value", "lower", "upper")


def _cases(result: CalibrationResult, below: dict[str, str]) -> Iterator[Case]:
    """Yield both rates, and what to keep in mind."""
    for rate in RATES:
        outcome = "below" if rate in below else "enough"
        yield Case(rate.upper(), result.judge, outcome, [below[rate]] if rate in below else [])
    for remark in result.remarks:
        yield Case(remark.name, result.judge, "warning", [remark.message])


def _print(
    outcome: CalibrationOutcome,
    usage: Usage,
    below: dict[str, str],
    output_format: str,
    *,
    is_written: bool,
) -> None:
    """Print the result, what was written to the judge or would be, and the rates below bounds."""
    result, change = outcome.result, outcome.change
    if result is None:
        return
    if output_format == "text":
        put(write_text(result, usage))
    else:
        put_answer(_answer(result, usage, below, is_written=is_written), output_format)
    if result.refusal:
        put([f"nothing was written: {result.refusal}\n"], err=True)
    elif is_written:
        message = "validation written to" if change else "nothing to change in"
        put([f"{message} {result.file}\n"], err=True)
    elif output_format == "text":
        _print_diff(change)
    put([f"{message}\n" for message in below.values()], err=True)


def _print_diff(change: FileFix | None) -> None:
    if change is None:
        put(["nothing would change in the judge\n"], err=True)
        return
    put(["\n", *write_diff(change)])
    put(["run it again with --write to write this\n"], err=True)


def _below(result: CalibrationResult, bounds: dict[str, float | None]) -> dict[str, str]:
    """Return a message for each rate that is below its bound, or unknown."""
    messages = {}
    for rate in RATES:
        bound, value = bounds[rate], result.measured.rates.get(rate)
        if bound is not None and (value is None or value < bound):
            what = "is unknown" if value is None else f"of {value:.4f} is below {bound:g}"
            messages[rate] = f"the {rate.upper()} {what}"
    return messages
