"""`diff` and `manifest`: what changed in meaning, and what results depend on."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from evalcontract._version import __version__
from evalcontract.cli import options
from evalcontract.cli.arguments import chosen_cache_folder, find_input
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.options import Asking
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, signals_as_interrupts, wants_colour
from evalcontract.cli.printing import Case, CaseOutcome, CommandAnswer, listing, put_answer
from evalcontract.comparing.compare import compare
from evalcontract.comparing.difference import Difference
from evalcontract.comparing.files import compare_files
from evalcontract.comparing.flips import (
    Flips,
    flips_of_files,
    flips_of_workspaces,
    total_usage,
)
from evalcontract.comparing.printed import (
    headline,
    summary_sentence,
    version_sentence,
    write_text,
)
from evalcontract.comparing.revisions import Revisions, of_folders, of_git, split_range
from evalcontract.comparing.written import records_of, write_json, write_markdown
from evalcontract.datasets.opening import Options
from evalcontract.datasets.provenance import Provenance
from evalcontract.grading.export import RecordInfo, record_of
from evalcontract.grading.manifest import manifest_of
from evalcontract.grading.printed import write_judge_usage
from evalcontract.grading.used import now
from evalcontract.judging.asking import Judging, Usage
from evalcontract.judging.settings import has_endpoint
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.values import harmless_json, many
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.report.frame import note
from evalcontract.source.writing import StagedFiles
from evalcontract.workspace import display_name, search_root
from evalcontract.workspace.writing import is_same, write_error, write_staged


@click.command(
    "diff",
    cls=Command,
    examples={
        "Say what changed since the last commit": "evalcontract diff --against HEAD",
        "Say what a branch changes, from where it left main": "evalcontract diff main...HEAD",
        "Say which rows get another verdict": (
            "evalcontract diff --against HEAD --outputs outputs/example.jsonl"
        ),
        "Write it for the comment of a pull request": (
            "evalcontract diff --against HEAD --output-format markdown > diff.md"
        ),
    },
)
@click.argument(
    "compared", nargs=-1, metavar="[OLD NEW | REV1..REV2] [PATH]...", shell_complete=files_of()
)
@click.option("--against", metavar="REV", help="Compare the files now with those of a commit.")
@options.file(
    "--outputs",
    "Recorded outputs to grade by both revisions, as `grade` reads and grades them.",
    *options.OUTPUTS,
    exists=True,
    dir_okay=False,
)
@options.flag("--ask", "Also ask judges over a model, for both revisions; see `grade`.")
@options.cache("Reuse answers of judges to the same question")
@options.output_format(*options.CASES)
@options.number(
    "--limit", "Maximum number of fields and rows to print of each artifact (0: no limit).", 20
)
@options.MAP_WITH_OUTPUTS
@options.BUDGET
@options.of_run(*options.CONFIGURATION)
def diff_command(
    compared: tuple[str, ...],
    against: str | None,
    outputs: Path | None,
    ask: bool,
    cache: bool | None,
    output_format: str,
    limit: int,
    asking: Asking,
    base: Options,
) -> int:
    """Say what changed in meaning, and whether versions say so.

    OLD and NEW are two files, or two folders that are workspaces each. REV1..REV2 are two commits
    of git, and REV1...REV2 compares the second with what both have in common. PATH limits what is
    reported; by default, that is the workspace of the current folder.

    Each change is score-breaking, additive or wording only. The exit code is 1 if the version of
    an artifact does not say so, or went down, if a file cannot be read, or if a budget was used up.
    """
    if ask and outputs is None:
        raise UsageError("--ask needs --outputs: the outputs that judges are asked about")
    if asking != Asking() and not ask:
        raise UsageError("a budget is for --ask: nobody is asked without it")
    asked = _Asked(cache, asking)
    by = asked.judging if ask else None
    if ask and not has_endpoint(os.environ):
        raise UsageError("--ask needs an endpoint: set EVALCONTRACT_BASE_URL")
    revisions = revisions_named(compared, against, base)
    if isinstance(revisions, Revisions):
        with closing(revisions):
            difference = compare(revisions, base.configuration)
            flips = flips_of_workspaces(revisions, outputs, base, by) if outputs else None
            _put(difference, flips, output_format, limit)
    else:
        difference = compare_files(*revisions)
        flips = flips_of_files(*revisions, outputs, base, by) if outputs else None
        _put(difference, flips, output_format, limit)
    usage = asked.usage
    put(write_judge_usage(usage, shutil.get_terminal_size().columns), err=True)
    return status_of(difference) or (ERRORS if usage.unasked else OK)


class _Asked:
    """What asks judges for both revisions, which spend one budget."""

    def __init__(self, cache: bool | None, asking: Asking) -> None:
        self._folder, self._budget = chosen_cache_folder(cache), asking.budget
        self._made: list[Judging] = []

    def judging(self) -> Judging:
        """Return what asks for one revision."""
        made = Judging.of(os.environ, self._folder, self._budget)
        if made is None:
            raise UsageError("--ask needs an endpoint")
        self._made.append(made)
        return made

    @property
    def usage(self) -> Usage:
        """What asking took."""
        return total_usage(each.usage for each in self._made)


def _put(difference: Difference, flips: Flips | None, output_format: str, limit: int) -> None:
    of_outputs = flips.diagnostics if flips else []
    write_findings([*difference.diagnostics, *of_outputs])
    # What cannot be graded is not compared, either.
    difference.diagnostics += (each for each in of_outputs if each.is_error)
    if output_format != "text":
        put_answer(_answer(difference, flips, limit), output_format)
    else:
        width, colour = shutil.get_terminal_size().columns, wants_colour(sys.stdout)
        put(write_text(difference, flips, limit=limit, width=width, colour=colour))


_WRONG, _FAULT = "wrong version", "not compared"


def _answer(difference: Difference, flips: Flips | None, limit: int) -> CommandAnswer:
    return CommandAnswer(
        "diff",
        summary_sentence(difference),
        document=write_json(difference, flips, __version__),
        records=records_of(difference),
        cases=_cases(difference),
        outcomes=dict.fromkeys((_WRONG, _FAULT), CaseOutcome("failure", Severity.ERROR)),
        written={"markdown": write_markdown(difference, flips, limit)},
        header=("kind", "name", "file", "row", "field", "act", "class"),
    )


def _cases(difference: Difference) -> Iterator[Case]:
    """Yield whether the version of each artifact says what changed, and what is not compared."""
    for each in difference.artifacts:
        outcome = _WRONG if each.versions.is_wrong else ""
        reasons = [f"{headline(each)}; {version_sentence(each)}"] if outcome else []
        yield Case(each.name, str(each.kind), outcome, reasons, Place(each.file))
    for found in difference.diagnostics:
        yield Case(found.place.file, "files", _FAULT, [found.message], found.place)


def status_of(difference: Difference) -> int:
    """Return the exit code of a comparison."""
    return exit_status(difference.diagnostics) or (ERRORS if difference.wrong_versions else 0)


def revisions_named(
    compared: tuple[str, ...], against: str | None, base: Options
) -> Revisions | tuple[Path, Path]:
    """Return the two revisions that the arguments of a command name, or two files.

    Raises:
        UsageError: they name nothing that can be compared.

    """
    paths, files = [Path(each) for each in compared], base.files
    if against is not None:
        return of_git(against, None, paths or [search_root(Path())])
    if len(paths) == 2 and all(map(files.is_there, paths)):  # noqa: PLR2004 - a pair
        folders = [files.is_folder(path) for path in paths]
        if all(folders):
            return of_folders(*paths)
        if not any(folders):
            return paths[0], paths[1]
        raise UsageError(f"{paths[0]} and {paths[1]} are a file and a folder")
    found = split_range(compared[0]) if compared and not files.is_there(paths[0]) else None
    if found is not None:
        old, new, from_merge_base = found
        wanted = paths[1:] or [search_root(Path())]
        return of_git(old, new, wanted, from_merge_base=from_merge_base)
    missing = next((path for path in paths if not files.is_there(path)), None)
    if missing is not None:
        raise NothingToCheck(f"there is no file or folder {missing}, and it is no REV1..REV2")
    raise UsageError("name two files or two folders, REV1..REV2, or a commit: `--against HEAD`")


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
    force: bool,
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
    if output is not None and is_same(output, input_.path):
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
        put_answer(_answer_of_manifest(block, made.provenance, pieces), output_format)
        return OK
    _write(output, "".join(harmless_json(pieces)), force=force)
    put(_written(display_name(output), made.provenance))
    return OK


def _answer_of_manifest(
    block: dict[str, Any], reached: Provenance, pieces: list[str]
) -> CommandAnswer:
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
