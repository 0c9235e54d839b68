"""`manifest`: print what the results of a dataset depend on, before it is graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import find_input
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, signals_as_interrupts
from evalcontract.cli.printing import CommandAnswer, listing, put_answer
from evalcontract.datasets.opening import Options
from evalcontract.datasets.provenance import Provenance
from evalcontract.grading.export import RecordInfo, record_of
from evalcontract.grading.manifest import manifest_of
from evalcontract.grading.used import now
from evalcontract.model.errors import UsageError
from evalcontract.model.values import harmless_json, many
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.report.frame import note
from evalcontract.source.writing import StagedFiles
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import write_error, write_staged

_OWN, _EXPORTED = "evalcontract", "every_eval_ever"
_EXAMPLE = "evalcontract manifest datasets/example.yaml"


@click.command(
    "manifest",
    cls=Command,
    examples={
        "Print what results will depend on": _EXAMPLE,
        "Keep it beside the outputs of a model": f"{_EXAMPLE} \\\n      --output manifest.json",
        "As a record of every_eval_ever without scores": (
            f"{_EXAMPLE} \\\n      --format every_eval_ever --model openai/gpt-5 \\\n"
            '      --organization "Example Org" --relationship third_party'
        ),
    },
)
@click.argument("dataset", metavar="DATASET", shell_complete=files_of())
@options.file("--output", "File to write the manifest to (default: standard output).", "json")
@click.option(
    "--format",
    "format_",
    type=click.Choice([_OWN, _EXPORTED]),
    default=_OWN,
    show_default=True,
    help="Format of the manifest.",
)
@click.option(
    "--output-format",
    type=click.Choice(options.TABLES),
    metavar="FORMAT",
    default="json",
    show_default=True,
    help="Output format of standard output: json has all, jsonl, csv and markdown list the files.",
)
@options.RECORD
@options.FORCE
@options.mode("Report faults as errors or as warnings")
@options.workspace("the dataset")
@options.STDIN_FILENAME
@options.DIALECT
@options.MAP
@options.NULLS
def manifest_command(
    dataset: str,
    output: Path | None,
    format_: str,
    output_format: str,
    record: RecordInfo,
    force: bool,  # noqa: FBT001 - click passes flags by name
    stdin_filename: str | None,
    base: Options,
) -> int:
    """Print what the results of a dataset depend on, before any output is graded.

    These are the versions and the SHA-256 digests of the dataset and of all rubrics, judges,
    bundles and files that it reaches, and the versions of evalcontract, Python and the schemas. One
    digest is of the bytes, the other of what they mean, whatever the layout. `grade` puts the same
    beside its results. If anything is missing, nothing is written, and the exit status is 1.
    """
    if format_ == _EXPORTED:
        record.require()
    elif record.is_given:
        raise UsageError(f"{record.given_names}: only for `--format {_EXPORTED}`")
    if output_format != "json" and (format_ == _EXPORTED or output is not None):
        raise UsageError(
            f"a file, and a record of {_EXPORTED}, are JSON: leave out --output-format"
        )
    input_ = find_input(dataset, base, stdin_filename, verb="describe")
    if output is not None and _is_same(output, input_.path):
        raise UsageError(f"{display_name(output)} is the dataset: the manifest needs another name")
    made = manifest_of(input_, base)
    write_findings(made.diagnostics)
    if made.refusal is not None or made.provenance is None:
        put([f"nothing was written: {made.refusal}\n"], err=True)
        return exit_status(made.diagnostics) or ERRORS
    if made.invalid:
        rows = many(made.invalid, "row is not valid, and is", "rows are not valid, and are")
        put(note(f"{rows} not graded: `validate-dataset` shows why"), err=True)
    block = made.provenance.to_dict(now())
    content = record_of(block, record) if format_ == _EXPORTED else block
    pieces = [json.dumps(content, indent=2, ensure_ascii=False) + "\n"]
    if output is None:
        put_answer(_answer(block, made.provenance, pieces), output_format)
        return OK
    _write(output, "".join(harmless_json(pieces)), force=force)
    put(_written(display_name(output), made.provenance))
    return OK


def _answer(block: dict[str, Any], reached: Provenance, pieces: list[str]) -> CommandAnswer:
    """Return the manifest as JSON, or its files with their digests."""
    kinds = ("rubrics", "judges", "bundles", "files")
    files = [{"kind": "dataset", "name": block["dataset"]["file"], **block["dataset"]}]
    files += [{"kind": kind[:-1], **each} for kind in kinds for each in block[kind]]
    names = ("kind", "name", "file", "sha256", "meaning_sha256")
    records = [{name: each.get(name) for name in names} for each in files]
    return listing("manifest", ", ".join(_counts(reached)), files=records)._replace(document=pieces)


def _write(path: Path, text: str, *, force: bool) -> None:
    data = text.encode("utf-8", "backslashreplace")
    try:
        with signals_as_interrupts(), StagedFiles() as staged:
            write_staged(staged, path, data, replace=force)
            staged.put()
    except OSError as error:
        raise write_error(path, error) from None


def _written(name: str, reached: Provenance) -> Iterator[str]:
    """Yield what was written, in words."""
    yield f"wrote {name}: {', '.join(_counts(reached))}\n"
    if reached.references:
        number = many(len(reached.references), "reference has", "references have")
        yield from note(f"{number} no version: `unpinned` says what each resolves to today")


def _counts(reached: Provenance) -> list[str]:
    return [
        many(reached.rows or 0, "row"),
        many(len(reached.rubrics), "rubric"),
        many(len(reached.judges), "judge"),
        many(len(reached.bundles) + len(reached.files), "schema"),
    ]


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False
