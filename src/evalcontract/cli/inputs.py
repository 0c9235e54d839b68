"""Resolve the arguments of a command: files, folders, patterns and standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from evalcontract.datasets.opening import Input, Options
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind


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
    files = options.files
    inputs: dict[Path, Input] = {}
    for argument in arguments:
        if argument == "-":
            stdin = standard_input(stdin_name)
            inputs.setdefault(stdin.path, stdin)
            continue
        for path in _paths(argument, kind, options):
            inputs.setdefault(files.real(path), Input(path, files=files))
    return list(inputs.values())


def find_paths(arguments: tuple[str, ...]) -> list[Path]:
    """Return the files and folders that arguments name.

    Raises:
        NothingToCheck: one of them does not exist or matches nothing.

    """
    paths: list[Path] = []
    for argument in arguments:
        path, matches = _expanded(argument)
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
    return Input(Path(name or "<stdin>"), sys.stdin.buffer)


def _paths(argument: str, kind: Kind, options: Options) -> Iterator[Path]:
    path, matches = _expanded(argument)
    if matches is not None:
        yield from matches
    elif os.path.isdir(path):
        from evalcontract.datasets.opening import files_below  # only for folders

        chosen = options.configuration
        below = files_below(path, kind, options.dialect, chosen, options.files)
        if not below:
            raise NothingToCheck(f"the folder {argument} contains no {kind}")
        yield from below
    else:
        yield path


def _expanded(argument: str) -> tuple[Path, list[Path] | None]:
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
    return path, [match for match in matches if not os.path.isdir(match)]
