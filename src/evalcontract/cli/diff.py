"""`diff`: what changed in meaning between two revisions, and whether versions say so."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from evalcontract._version import __version__
from evalcontract.cli import options
from evalcontract.cli.arguments import chosen_cache_folder
from evalcontract.cli.asking import BUDGET, Asking
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, wants_colour
from evalcontract.cli.printing import Case, CaseOutcome, CommandAnswer, put_answer
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
from evalcontract.grading.printed import write_judge_usage
from evalcontract.judging.asking import Judging, Usage
from evalcontract.judging.settings import has_endpoint
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.workspace import search_root


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
@BUDGET
@options.of_run(*options.CONFIGURATION)
def diff_command(
    compared: tuple[str, ...],
    against: str | None,
    outputs: Path | None,
    ask: bool,  # noqa: FBT001 - click passes flags by name
    cache: bool | None,  # noqa: FBT001 - the same
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

    def __init__(self, cache: bool | None, asking: Asking) -> None:  # noqa: FBT001 - as it is given
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
