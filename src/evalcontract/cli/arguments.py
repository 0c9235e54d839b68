"""The arguments of a command: files, what to check and how, and where the findings go.

This module does not import click, for the fast path in `start`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.datasets.opening import Input, Options

#: The number of findings after which a check stops, by default.
MAX_FINDINGS = 10_000


class ReportFile(NamedTuple):
    """A file for a report, and the name of its format."""

    format: str
    path: Path


class Destination(NamedTuple):
    """Where the findings of a check go, which of them are new, and which fail it.

    Standard output has `output_format`, each file of `output` its own. `limit` is the number of
    findings that are printed, 0 for all. `fails_from` is the lowest severity that fails the run,
    unless `exit_zero`. `baseline` has the known findings; `write_baseline` is the name of the file
    for the next ones, "" for the usual one. With `watch`, there is a report after every change.
    """

    output_format: str = "text"
    output: tuple[ReportFile, ...] = ()
    limit: int = 200
    verbose: bool = False
    statistics: bool = False
    quiet: bool = False
    fails_from: Severity = Severity.ERROR
    exit_zero: bool = False
    baseline: Path | None = None
    write_baseline: str | None = None
    watch: bool = False


_OF_DESTINATION = frozenset(Destination._fields) | {"fail_on"}
_OF_RUN = frozenset(
    {"root", "strict", "config", "isolated", "select", "ignore", "jobs", "max_findings"}
) | {"dialect", "columns", "plan", "only", "nulls"}


def take_destination(arguments: dict[str, Any]) -> Destination:
    """Take from the arguments of a command what says where the findings go.

    Raises:
        UsageError: the options contradict each other.

    """
    given = {name: arguments.pop(name) for name in _OF_DESTINATION & arguments.keys()}
    fail_on = given.pop("fail_on", None)
    if fail_on and given.get("exit_zero"):
        raise UsageError("`--exit-zero` contradicts `--fail-on`: use one of them")
    destination = Destination(**given, fails_from=Severity[(fail_on or "error").upper()])
    if destination.watch and destination.write_baseline is not None:
        raise UsageError("`--watch` contradicts `--write-baseline`: use one of them")
    return destination


def take_options(arguments: dict[str, Any]) -> Options:
    """Take from the arguments of a command the options of the run.

    Raises:
        UsageError: the options contradict each other.

    """
    given = {name: arguments.pop(name) for name in _OF_RUN & arguments.keys()}
    config, isolated = given.pop("config", None), given.pop("isolated", False)
    if config and isolated:
        raise UsageError("`--isolated` contradicts `--config`: use one of them")
    select, ignore = given.pop("select", ()), given.pop("ignore", ())
    selection = None
    if select or ignore:
        from evalcontract.policy import Selection  # rarely needed

        selection = Selection(select, ignore)
    if not given.get("jobs"):
        from evalcontract.datasets.workers import usable_cores  # slow to import

        given["jobs"] = usable_cores()
    from evalcontract.datasets.opening import Options  # slow: help and completion do without
    from evalcontract.workspace import ChosenConfiguration

    nulls = given.pop("nulls", None)
    configuration = ChosenConfiguration(
        config, isolated, None if nulls is None else nulls == "kept"
    )
    return Options(**given, selection=selection, configuration=configuration)


def chosen_cache_folder(is_used: bool | None) -> Path | None:
    """Return the folder of the cache; None if there is none, or it is not used.

    By default, there is none in CI unless its folder is given: a cache of CI is often restored from
    somewhere else, and whoever can write to it could forge a result.
    """
    from evalcontract.cache.store import FOLDER_VARIABLE, cache_folder  # only if it is used

    if is_used is None:
        is_used = not os.environ.get("CI") or FOLDER_VARIABLE in os.environ
    return cache_folder() if is_used else None


def find_inputs(
    arguments: tuple[str, ...], kind: Kind, options: Options, stdin_name: str | None = None
) -> list[Input]:
    """Return the files that arguments name, without duplicates; `-` is standard input.

    A named file that does not exist is kept: it is reported, and the others are still checked. The
    dialect and the configuration of the options say which files of a folder are read.

    Raises:
        UsageError: there is no such dialect.
        NothingToCheck: a folder has no files, a pattern matches none, or standard input is closed.

    """
    from evalcontract.datasets.opening import Input  # slow: help and completion do without

    files = options.files
    inputs: dict[Path, Input] = {}
    for argument in arguments:
        if argument == "-":
            stdin = standard_input(stdin_name)
            inputs.setdefault(stdin.path, stdin)
            continue
        is_found = os.path.isdir(argument)
        for path in _paths(argument, kind, options):
            known = inputs.setdefault(files.real(path), Input(path, None, files, is_found))
            if known.is_found and not is_found:
                inputs[files.real(path)] = known._replace(is_found=False)
    return list(inputs.values())


def find_input(name: str, options: Options, stdin_name: str | None, verb: str) -> Input:
    """Return the one dataset that an argument names; `verb` is what is done with it.

    Raises:
        UsageError: it names several.
        NothingToCheck: it names none.

    """
    inputs = find_inputs((name,), Kind.DATASET, options, stdin_name=stdin_name)
    if len(inputs) != 1:
        raise UsageError(f"{name} matches {len(inputs)} files; {verb} one at a time")
    return inputs[0]


def find_paths(arguments: tuple[str, ...]) -> list[Path]:
    """Return the files and folders that arguments name.

    Raises:
        NothingToCheck: one of them does not exist or matches nothing.

    """
    paths: list[Path] = []
    for argument in arguments:
        path, matches = _expand(argument)
        if matches is None and not os.path.lexists(path):
            raise NothingToCheck(f"there is no file or folder {argument}")
        paths += [path] if matches is None else matches
    return paths


def standard_input(name: str | None) -> Input:
    """Return standard input as an input with the given name.

    Raises:
        NothingToCheck: it is closed.

    """
    if sys.stdin is None:
        raise NothingToCheck("standard input is closed")
    from evalcontract.datasets.opening import Input  # slow: help and completion do without

    return Input(Path(name or "<stdin>"), sys.stdin.buffer)


def _paths(argument: str, kind: Kind, options: Options) -> Iterator[Path]:
    path, matches = _expand(argument)
    if matches is not None:
        yield from matches
    elif os.path.isdir(path):
        from evalcontract.datasets.opening import files_below  # only for folders

        configuration = options.configuration
        below = files_below(
            path, kind, options.dialect, configuration=configuration, files=options.files
        )
        if not below:
            raise NothingToCheck(f"the folder {argument} contains no {kind}")
        yield from below
    else:
        yield path


def _expand(argument: str) -> tuple[Path, list[Path] | None]:
    """Return a path, and the matching files if it is a pattern."""
    path = Path(argument)
    if not argument:
        # Probably an unset variable of a script, so do not treat it as the current folder.
        raise NothingToCheck("a file name cannot be empty")
    if "\0" in argument:
        raise NothingToCheck("a file name cannot contain a NUL")
    if os.path.lexists(path):
        return path, None
    from glob import glob, has_magic  # not needed for files that are there

    if not has_magic(argument):
        return path, None
    matches = sorted(Path(name) for name in glob(argument, recursive=True))
    if not matches:
        raise NothingToCheck(f"the pattern {argument} matches no file")
    return path, [match for match in matches if not os.path.isdir(match) or _is_table(match)]


def _is_table(folder: Path) -> bool:
    from evalcontract.datasets.opening import tables_in  # only for folders
    from evalcontract.source import DISK

    return tables_in(folder, DISK) == [folder]
