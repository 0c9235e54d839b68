"""Record the file queries of a run, so that a later run can replay them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.cache.installation import code_in
from evalcontract.cache.store import digest
from evalcontract.source import DISK, Entry, Files, Stream, TooLargeError, is_given
from evalcontract.source.faults import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    #: The name of an operation, a path and further arguments.
    Query = tuple[str | int, ...]

#: A larger stream is not read into memory, so that its content cannot be recorded.
MAX_STREAM_BYTES = 1 << 24

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "kind": DISK.kind,
    "real": DISK.real,
    "owner": DISK.owner,
    "entries": DISK.entries,
    "read": DISK.read,
    "code": code_in,
}


class RecordingFiles(Files):
    """The file system, with a record of all queries.

    `results` has the results by query, in the order of the queries. `is_cacheable` is False if they
    do not represent everything that the run has read.
    """

    def __init__(self) -> None:
        self.results: dict[Query, str] = {}
        self.is_cacheable: bool = True
        self._listed: dict[str, dict[str, Entry]] = {}
        self._real_folders: dict[str, Path] = {}
        self._started = time.time_ns()

    def mark_uncacheable(self) -> None:
        """Record that the run has read something that cannot be queried again."""
        self.is_cacheable = False

    def kind(self, path: str | Path) -> str:
        """Return the kind of a path, from the listing of its folder if there is one."""
        entry = self._listed_entry(path)
        return entry.kind if entry else str(self._query("kind", path))

    def real(self, path: str | Path) -> Path:
        """Return the real path; a listing of its folder shows whether the name is a link."""
        entry = self._listed_entry(path)
        if entry and not entry.is_link:
            folder = os.path.dirname(path)  # noqa: PTH120 - may be a string
            if folder not in self._real_folders:
                self._real_folders[folder] = self.real(folder)
            return self._real_folders[folder] / entry.name
        return Path(self._query("real", path))

    def owner(self, path: str | Path) -> int | None:
        """Return the owner of a path, as `Files` does."""
        owner: int | None = self._query("owner", path)
        return owner

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        """List a folder, as `Files` does."""
        entries: tuple[Entry, ...] = self._query("entries", folder, *endings)
        self._listed[os.fspath(folder)] = {entry.name: entry for entry in entries}
        return entries

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Read a file, as `Files` does."""
        if is_given(path):
            self.mark_uncacheable()  # it may be read only once
        return bytes(self._query("read", path, limit))

    def stream(self, path: str | Path) -> Stream:
        """Read a file into memory, so that the checked content is the recorded one."""
        try:
            data = self.read(path, MAX_STREAM_BYTES)
        except TooLargeError:
            self.mark_uncacheable()
            return super().stream(path)
        return Stream(partial(BytesIO, data), len(data))

    def record_code(self, paths: Iterable[str]) -> None:
        """Record the state of loaded code; files that changed during the run are uncacheable."""
        try:
            files = [file for path in paths for file in self._query("code", path)]
        except OSError:  # in an archive, or deleted
            self.mark_uncacheable()
        else:
            if any(max(changed) >= self._started for _, _, *changed in files):
                self.mark_uncacheable()

    def replay(self, queries: Sequence[Query]) -> list[str]:
        """Return the present results of the queries of an earlier run.

        Raises:
            LookupError, TypeError: a query is invalid.

        """
        for query in queries:
            if query not in self.results:
                with suppress(OSError, ValueError):
                    self._query(*query)
        return [self.results[query] for query in queries]

    def adopt(self, query: Query, result: str) -> str:
        """Record a result that the query had just before, and return it."""
        self._record(query, result)
        return result

    def _listed_entry(self, path: str | Path) -> Entry | None:
        folder, name = os.path.split(path)
        return self._listed.get(folder, {}).get(name)

    def _query(self, operation: Any, path: Any, *arguments: Any) -> Any:
        """Query the disk and record the result, which may be an error."""
        query = (operation, os.fspath(path), *arguments)
        try:
            value = _OPERATIONS[operation](path, *arguments)
        except (OSError, ValueError) as error:
            self._record(query, repr(error))
            raise
        self._record(query, digest(value) if isinstance(value, bytes) else repr(value))
        return value

    def _record(self, query: Query, result: str) -> None:
        if self.results.setdefault(query, result) != result:
            self.mark_uncacheable()
