"""Remember the results of single files, for a run in which other files have changed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.cache.recording import MAX_STREAM_BYTES
from evalcontract.cache.store import digest
from evalcontract.source.faults import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evalcontract.cache.recording import Query, RecordingFiles
    from evalcontract.cache.store import Cache

_STREAMS = (".jsonl", ".ndjson")


class Memory:
    """Values of earlier runs by name; `context` identifies all that these depend on but files.

    A run reads its files through `files`, which record their contents; `replayed` has the results
    of queries that were made just before the run.
    """

    def __init__(
        self, cache: Cache, context: str, files: RecordingFiles, replayed: Mapping[Query, str]
    ) -> None:
        self._cache = cache
        self._context = context
        self._files = files
        self._replayed = replayed
        self._values: dict[str, Any] = {}

    def load(self, name: str) -> Any:
        """Return the value that an earlier run kept under a name, or None."""
        with suppress(ValueError):
            return json.loads(self._cache.get(self._key(name)) or b"null")
        return None

    def keep(self, name: str, value: Any) -> None:
        """Keep a JSON value, which `save` writes."""
        self._values[name] = value

    def save(self) -> None:
        """Write the values that are kept."""
        for name, value in self._values.items():
            self._cache.put(self._key(name), json.dumps(value).encode())

    def content(self, path: Path) -> str | None:
        """Return the digest of the content of a file, or the error; it is read if necessary."""
        name = os.fspath(path)
        query = ("read", name, _limit(name))
        if query in self._replayed:
            return self._files.adopt(query, self._replayed[query])
        with suppress(OSError, ValueError):
            self._files.read(path, _limit(name))
        return self.content_read(path)

    def content_read(self, path: Path) -> str | None:
        """Return the same for a file that the run has read, or None."""
        name = os.fspath(path)
        return self._files.results.get(("read", name, _limit(name)))

    def _key(self, name: str) -> str:
        return digest(repr((self._context, name)).encode())


def _limit(name: str) -> int:
    """Return the limit with which the reader of a file reads it: JSONL is a stream."""
    return MAX_STREAM_BYTES if name.lower().endswith(_STREAMS) else MAX_DOCUMENT_BYTES
