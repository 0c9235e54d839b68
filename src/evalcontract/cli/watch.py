"""`--watch`: check again whenever something that the check has read changes.

What it has read is what the cache records: files, listings of folders, and the places where a
configuration was looked for. These are looked at a few times a second, which needs no other
package, and works on network drives and in containers, too. This module does not import click.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path
from stat import S_ISDIR

from evalcontract.cache.checks import Query, RecordingFiles
from evalcontract.cli.arguments import Destination
from evalcontract.cli.output import put, refuse
from evalcontract.datasets.opening import Options
from evalcontract.model.errors import EvalContractError, UsageError
from evalcontract.policy import USAGE

_SECONDS = 0.25
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
#: What tells whether a file was written or replaced; None if there is none.
_State = tuple[int, int, int] | None
#: A folder, and the names of its data files.
_Folder = tuple[str, list[str]]


def watch(
    options: Options,
    destination: Destination,
    arguments: Iterable[str],
    run: Callable[[Options, Destination], int],
) -> int:
    """Run a check again and again, on files that record what it reads.

    `arguments` are the files that it checks. It ends by Ctrl-C, or when its output cannot be
    written; an error of one run ends nothing.

    Raises:
        UsageError: what is checked cannot be watched.

    """
    names = tuple(arguments)
    if "-" in names:
        raise UsageError("`--watch` cannot watch standard input")
    settings = filter(None, [destination.baseline, options.configuration.file])
    status = USAGE
    names = (*names, *map(str, settings))
    while True:
        files = RecordingFiles()
        before = time.time_ns()
        if sys.stdout.isatty():
            put([_CLEAR], raw=True)
        try:
            once = destination._replace(watch=False)
            status = run(options._replace(cache=None, files=files), once)
        except EvalContractError as error:
            status = refuse(str(error))
        seen = _WatchedFiles(files, [*names])
        if not destination.quiet:
            put([f"watching {len(seen.files):,} files: Ctrl-C ends it\n"], err=True)
        if not seen.has_changed_since(before):
            seen.wait()
    return status


class _WatchedFiles:
    """What a run has read, as it is now."""

    def __init__(self, files: RecordingFiles, names: list[str]) -> None:
        self._results = {
            query: result for query, result in files.results.items() if query[0] == "entries"
        }
        self._patterns = [name for name in names if has_magic(name)]
        self._named = names
        folders = {os.fspath(str(query[1])) for query in self._results}
        paths = {str(query[1]) for query in files.results} | {*names}
        self.files = sorted(path for path in paths - folders if os.path.isfile(path))
        self._paths = sorted(paths - folders)
        self._state = self._look()

    def _look(self) -> tuple[list[_State], dict[Query, str], list[list[str]], list[_Folder]]:
        replayed = RecordingFiles().replay([*self._results])
        return (
            [_state_of(path) for path in self._paths],
            dict(zip(self._results, replayed, strict=True)),
            [sorted(glob(pattern, recursive=True)) for pattern in self._patterns],
            [folder for name in self._named for folder in _folders_below(name)],
        )

    def has_changed_since(self, moment: int) -> bool:
        """Whether a file was written since a moment, in nanoseconds, or a listing is another."""
        states, listings, _, _ = self._state
        now = time.time_ns()
        is_late = any(state and moment <= state[0] <= now for state in states)
        return is_late or listings != self._results

    def wait(self) -> None:
        """Wait until something is different."""
        while self._look() == self._state:
            time.sleep(_SECONDS)


def _state_of(path: str) -> _State:
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if S_ISDIR(status.st_mode):
        return (0, 0, status.st_ino)  # its names are looked at where they matter
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _folders_below(name: str) -> Iterator[_Folder]:
    """Yield the folders below a folder that an argument names, with their data files."""
    from evalcontract.source import format_of

    for folder, folders, files in os.walk(name):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield folder, sorted(each for each in files if format_of(each))
