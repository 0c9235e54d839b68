"""What the arguments of a command mean: files, folders, patterns and standard input."""

from __future__ import annotations

import os
import sys
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.engine.options import Input
from evalcontract.model.errors import NothingToCheck
from evalcontract.source import DISK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.reference import Kind


def find_inputs(
    arguments: tuple[str, ...], kind: Kind, stdin_name: str | None, dialect: str | None = None
) -> list[Input]:
    """Return the files that arguments mean, each once; `-` is standard input.

    A named file that is not there is kept: it is a finding, and the others are still checked.
    Where a `dialect` is named, the files of a folder are those that its system reads.

    Raises:
        UsageError: there is no such dialect.
        NothingToCheck: a folder or a pattern leads to no file, or nothing can be read from
            standard input.

    """
    found: dict[Path, Input] = {}
    for argument in arguments:
        if argument == "-":
            given = standard_input(stdin_name)
            found.setdefault(given.path, given)
            continue
        for path in _paths(argument, kind, dialect):
            found.setdefault(DISK.real(path), Input(path))
    return list(found.values())


def find_paths(arguments: tuple[str, ...]) -> list[Path]:
    """Return the files and folders that arguments mean.

    Raises:
        NothingToCheck: one of them leads to nothing.

    """
    found: list[Path] = []
    for argument in arguments:
        path, matches = _expanded(argument)
        if matches is None and not os.path.lexists(path):
            raise NothingToCheck(f"there is no file or folder {argument}")
        found += [path] if matches is None else matches
    return found


def standard_input(name: str | None) -> Input:
    """Return standard input, with the name that it stands for.

    Raises:
        NothingToCheck: it is closed.

    """
    if sys.stdin is None:
        raise NothingToCheck("standard input is closed")
    return Input(Path(name or "<stdin>"), sys.stdin.buffer)


def _paths(argument: str, kind: Kind, dialect: str | None) -> Iterator[Path]:
    path, matches = _expanded(argument)
    if matches is not None:
        yield from matches
    elif os.path.isdir(path):
        from evalcontract.engine.selection import files_below  # for folders alone

        below = files_below(path, kind, dialect)
        if not below:
            raise NothingToCheck(f"the folder {argument} holds no {kind}")
        yield from below
    else:
        yield path


def _expanded(argument: str) -> tuple[Path, list[Path] | None]:
    """Return a path, and the files that match it where it is a pattern.

    Raises:
        NothingToCheck: it is no path, or a pattern of nothing.

    """
    path = Path(argument)
    if not argument:
        # Not the current folder: this is what an unset variable of a script gives.
        raise NothingToCheck("an empty text names no file")
    if "\0" in argument:
        raise NothingToCheck("a file's name cannot hold a NUL")
    if os.path.lexists(path) or not has_magic(argument):
        return path, None
    matches = sorted(Path(each) for each in glob(argument, recursive=True))
    if not matches:
        raise NothingToCheck(f"the pattern {argument} matches no file")
    return path, [each for each in matches if not os.path.isdir(each)]
