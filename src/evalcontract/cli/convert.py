"""`convert`: a dataset of another system becomes ours, and ours becomes theirs."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcontract.cli.inputs import find_inputs
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put
from evalcontract.engine.convert import ConvertOptions, convert
from evalcontract.engine.options import Options
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.policy.exit_status import ERRORS, OK
from evalcontract.report.losses import write_losses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.engine.convert import ConvertResult


@click.command(
    "convert",
    context_settings={"help_option_names": ["-h", "--help"]},
    short_help="Convert datasets between evalcontract and other systems.",
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "from_",
    metavar="DIALECT",
    help="Format of IN, such as mlflow:oss or evalcontract (default: detected from the content).",
)
@click.option("--to", metavar="DIALECT", default="evalcontract", show_default=True)
@click.option(
    "--loss-report",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="JSON report of what OUT cannot represent.",
)
@click.option("--strict", is_flag=True, help="Write nothing if OUT cannot represent all of IN.")
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The workspace; without it, it is found from IN and OUT.",
)
@click.option("--stdin-filename", metavar="NAME", help="What standard input (`-`) stands for.")
def convert_command(
    source: str,
    target: Path,
    from_: str | None,
    to: str,
    loss_report: Path | None,
    strict: bool,  # noqa: FBT001 - click passes flags by name
    force: bool,  # noqa: FBT001 - the same
    root: Path | None,
    stdin_filename: str | None,
) -> int:
    """Convert a dataset from the format of one system to that of another.

    The suffix of OUT decides how it is written: .yaml, .json, .jsonl, .csv or .parquet, as far as
    the system reads it. Rubrics, judges and bundles that the rows need are written next to it.
    What OUT cannot represent is preserved under `metadata`, and restored when converting back.
    """
    inputs = find_inputs((source,), Kind.DATASET, stdin_filename, from_)
    if len(inputs) != 1:
        raise UsageError(f"{source} is {len(inputs)} files; convert one at a time")
    wanted = ConvertOptions(from_, to, loss_report, strict, force)
    with _stopped_cleanly():
        done = convert(inputs[0], target, wanted, Options(root))
    write_findings(done.diagnostics)
    _print(done)
    return OK if done.why is None else ERRORS


@contextmanager
def _stopped_cleanly() -> Iterator[None]:
    """Let signals to end be as one from the keyboard, so that nothing half written is left."""
    there = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = [each for each in there if signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, signal.default_int_handler)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


def _print(done: ConvertResult) -> None:
    put(write_losses(done.losses), err=True)
    if done.why:
        put([f"nothing was written: {done.why}\n"], err=True)
        return
    rows, are = ("1 row", "is") if done.rows == 1 else (f"{done.rows:,} rows", "are")
    first, *others = done.written
    put([f"{rows} of {done.source} ({done.from_}) {are} in {first} ({done.to})\n"])
    put([f"written beside it: {name}\n" for name in others])
