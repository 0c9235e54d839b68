"""`convert`: convert datasets between evalcontract and other systems."""

from __future__ import annotations

from pathlib import Path

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import find_input
from evalcontract.cli.command import Command, dialects, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import StandardOutput, put, signals_as_interrupts
from evalcontract.cli.printing import CommandAnswer, listing, put_answer
from evalcontract.converting.convert import ConvertResult, convert, piped_name
from evalcontract.converting.output import STANDARD_OUTPUT, ConvertOptions
from evalcontract.datasets.opening import Options
from evalcontract.model.errors import UsageError
from evalcontract.model.values import many
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.report.frame import note
from evalcontract.report.losses import write_losses

_PIPE = "-"


@click.command(
    "convert",
    cls=Command,
    examples={
        "Convert a dataset to one of MLflow": (
            "evalcontract convert datasets/example.yaml mlflow.jsonl --to mlflow:oss"
        ),
        "Convert it back": "evalcontract convert mlflow.jsonl datasets/back.yaml",
        "Convert in a pipe": (
            "evalcontract convert datasets/example.yaml - --to mlflow:oss > records.json"
        ),
        "Also write what is lost as JSON": (
            "evalcontract convert datasets/example.yaml evret.json --to evret \\\n"
            "      --loss-report losses.json"
        ),
    },
)
@click.argument("source", metavar="IN", shell_complete=files_of())
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), shell_complete=files_of())
@click.option(
    "--from",
    "from_",
    metavar="DIALECT",
    shell_complete=dialects,
    help="Format of IN, such as mlflow:oss or evalcontract (default: detected from the content).",
)
@click.option(
    "--to",
    metavar="DIALECT",
    shell_complete=dialects,
    default="evalcontract",
    show_default=True,
    help="Format of OUT.",
)
@options.MAP
@options.NULLS
@options.loss_report("what OUT cannot represent")
@click.option(
    "--strict", "lossless", is_flag=True, help="Write nothing if OUT cannot represent all of IN."
)
@options.FORCE
@options.output_format(*options.TABLES)
@options.workspace("IN and OUT")
@options.STDIN_FILENAME
@click.option(
    "--stdout-filename",
    metavar="NAME",
    help="File name whose extension sets the format of standard output (`-`; default: JSON).",
)
def convert_command(
    source: str,
    target: Path,
    from_: str | None,
    to: str,
    loss_report: Path | None,
    lossless: bool,
    force: bool,
    output_format: str,
    stdin_filename: str | None,
    stdout_filename: str | None,
    base: Options,
) -> int:
    """Convert a dataset from the format of one system to that of another.

    The file extension of OUT sets its file format: .yaml, .json, .jsonl, .csv, .parquet or .arrow,
    if the system reads it. Rubrics, judges and bundles that the rows need are written next to it.
    What OUT cannot represent is preserved under `metadata`, and restored when converting back.
    With `-`, IN is standard input and OUT is standard output; messages are on standard error.
    """
    input_ = find_input(source, base._replace(dialect=from_), stdin_filename, verb="convert")
    is_piped = str(target) == _PIPE
    if is_piped and output_format != "text":
        raise UsageError("standard output has the dataset: leave out --output-format")
    if is_piped:
        target = Path(stdout_filename or piped_name(input_, to))
    elif stdout_filename:
        raise UsageError("--stdout-filename is for standard output: write `-` for OUT")
    stream = StandardOutput() if is_piped else None
    settings = ConvertOptions(from_, to, loss_report, lossless, force, stream)
    with signals_as_interrupts():
        result = convert(input_, target, settings, options=base)
    write_findings(result.diagnostics)
    if output_format == "text":
        _print(result, is_piped=is_piped)
    else:
        put_answer(_answer(result), output_format)
    return OK if result.refusal is None else exit_status(result.diagnostics) or ERRORS


def _answer(result: ConvertResult) -> CommandAnswer:
    """Return what was written, and each sort of what is lost or kept in `metadata`."""
    losses = [
        {**sort._asdict(), "number": number, "first": str(result.losses.first[sort])}
        for sort, number in result.losses.counts.items()
    ]
    written = [{"file": name} for name in result.written]
    done = f"converted {many(result.rows, 'row')} of {result.source} ({result.from_})"
    sentence = f"nothing was written: {result.refusal}" if result.refusal else done
    more = {"source": result.source, "from": result.from_, "to": result.to, "rows": result.rows}
    more |= {"refusal": result.refusal, "remarks": [*result.remarks]}
    return listing("convert", sentence, more, written=written, losses=losses)


def _print(result: ConvertResult, *, is_piped: bool) -> None:
    put(write_losses(result.losses), err=True)
    if result.refusal:
        put([f"nothing was written: {result.refusal}\n"], err=True)
        return
    put((line for remark in result.remarks for line in note(remark)), err=True)
    first, *others = [STANDARD_OUTPUT, *result.written] if is_piped else result.written
    to = f"to {first} ({result.to})"
    put(
        [f"converted {many(result.rows, 'row')} of {result.source} ({result.from_}) {to}\n"],
        err=is_piped,
    )
    put([f"also written: {name}\n" for name in others], err=is_piped)
