"""Reject patterns of a configuration that match nothing: they would have no effect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.errors import ConfigurationError
from evalcontract.source import EVERY_FILE, FOLDER
from evalcontract.workspace.patterns import excludes, selects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from evalcontract.source import Files
    from evalcontract.workspace.configuration import Configuration

# A large folder without data.
_SKIPPED = frozenset({".git"})
_WILDCARDS = frozenset("*?[")


def check_datasets(configuration: Configuration, names: Collection[str], files: Files) -> None:
    """Reject a pattern of `datasets` that matches none of the files.

    Raises:
        ConfigurationError: there is one.

    """
    folder = configuration.folder or Path()
    for pattern in configuration.datasets:
        if not any(selects(pattern, name) for name in names):
            is_folder = files.is_folder(folder / pattern)
            advice = f"; `{pattern.rstrip('/')}/*` matches the files in it" if is_folder else ""
            raise ConfigurationError(
                f"{configuration.datasets_at}: `datasets`: the pattern `{pattern}` "
                f"matches no YAML, JSON or JSONL file{advice}"
            )


def check_exclude(configuration: Configuration, excluded: Collection[str], files: Files) -> None:
    """Reject a pattern of `exclude` that matches nothing; `excluded` are files that one matches.

    Raises:
        ConfigurationError: there is one.

    """
    folder = configuration.folder or Path()
    for pattern in configuration.exclude:
        if any(excludes((pattern,), name) for name in excluded):
            continue
        if _is_there(folder, pattern, files):
            continue
        # The pattern may match what is never read, such as a Markdown file.
        if not any(excludes((pattern,), name) for name in _names_below(folder, files)):
            raise ConfigurationError(
                f"{configuration.exclude_at}: `exclude`: the pattern `{pattern}` matches nothing; "
                "patterns are relative to the folder of the configuration"
            )


def check_per_file_ignores(configuration: Configuration, names: Collection[str]) -> None:
    """Reject a pattern of `per_file_ignores` that matches none of the data files.

    Raises:
        ConfigurationError: there is one.

    """
    for pattern, _ in configuration.per_file_ignores:
        if not any(excludes((pattern,), name) for name in names):
            raise ConfigurationError(
                f"{configuration.per_file_ignores_at}: `per_file_ignores`: the pattern "
                f"`{pattern}` matches no YAML, JSON or JSONL file; "
                "patterns are relative to the folder of the configuration"
            )


def _is_there(folder: Path, pattern: str, files: Files) -> bool:
    """Whether a pattern names one path, or everything in one folder, and this exists."""
    name = pattern.removesuffix("/").removesuffix("/**").removesuffix("/*")
    return _WILDCARDS.isdisjoint(name) and files.is_there(folder / name)


def _names_below(folder: Path, files: Files) -> Iterator[str]:
    """Yield the names of all folders and files below a folder, relative to it."""
    waiting = [folder]
    while waiting:
        parent = waiting.pop()
        try:
            entries = files.entries(parent, EVERY_FILE)
        except OSError:
            continue
        for entry in entries:
            path = parent / entry.name
            yield path.relative_to(folder).as_posix()
            if entry.kind == FOLDER and not entry.is_link and entry.name not in _SKIPPED:
                waiting.append(path)
