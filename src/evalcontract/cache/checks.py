"""Take the outcome of a check from the cache if nothing has changed since an earlier run.

The outcome of a run depends on the files that it reads, the installation, the date and the options.
All but the files are one cache key. Its entry lists the file queries of earlier runs: which paths
they looked up, listed and read. A list of queries with its present results is another key, and its
entry is the outcome: a run that gets the same results makes the same queries and finds the same.

Where that fails, since some files have changed, the run may remember the others; see `Memory`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.cache.store import (
    MAX_STREAM_BYTES,
    RecordingFiles,
    digest,
    installation_fingerprint,
    loaded_code,
)
from evalcontract.model.diagnostic import (
    Diagnostic,
    Edit,
    Fix,
    Move,
    Place,
    Rename,
    RunOutcome,
    Severity,
    SeveritySource,
    Site,
    Sites,
    Span,
    Write,
)
from evalcontract.source import DISK, Files
from evalcontract.source.faults import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from evalcontract.cache.store import Cache, Query

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


# The limit for the source lines of all findings, which may be long.
_MAX_CHARACTERS = 10_000_000


class CacheMiss(Exception):
    """The cache has no valid entry for a key."""


def serialize(outcome: RunOutcome) -> bytes | None:
    """Return an outcome as JSON; None if it must not be cached.

    An outcome with a crashed rule is not cached, so that a fix of the bug takes effect. Neither is
    one that is very large, or that deserializes to something else.
    """
    diagnostics = outcome.diagnostics
    if any(diagnostic.code.startswith("internal/") for diagnostic in diagnostics):
        return None
    if sum(len(diagnostic.place.text or "") for diagnostic in diagnostics) > _MAX_CHARACTERS:
        return None
    # Named tuples become lists.
    fields = [
        diagnostic._replace(fix=_fix_fields(diagnostic.fix), sites=_sites_fields(diagnostic.sites))
        for diagnostic in diagnostics
    ]
    counts = [list(outcome.files.items()), outcome.rows, outcome.ignored]
    value = [fields, *counts, outcome.left_out, outcome.checked]
    data = json.dumps(value).encode()
    with suppress(CacheMiss):
        if deserialize(data) == outcome:
            return data
    return None


def deserialize(data: bytes) -> RunOutcome:
    """Return the outcome from its serialized form.

    Raises:
        CacheMiss: the bytes are not an outcome.

    """
    try:
        diagnostics, files, *others = json.loads(data)
        rows, ignored, left_out, checked = others
        findings = [_diagnostic(fields) for fields in diagnostics]
        return RunOutcome(
            findings, dict(files), rows, left_out=left_out, checked=dict(checked), ignored=ignored
        )
    except (TypeError, ValueError) as error:
        raise CacheMiss from error


def _diagnostic(fields: Sequence[Any]) -> Diagnostic:
    code, severity, message, place, path, help_, row, row_index, related, *others = fields
    fix, cause, sites, source = others
    if cause is not None:
        raise ValueError("the findings of an outcome have been joined by their causes")
    return Diagnostic(
        code,
        Severity(severity),
        message,
        _place(*place),
        tuple(path),
        help_,
        row,
        row_index,
        tuple([(message, _place(*place)) for message, place in related]),
        _fix(*fix) if fix else None,
        sites=_sites(*sites) if sites else None,
        severity_source=SeveritySource(*source) if source else None,
    )


def _sites_fields(sites: Sites | None) -> Any:
    if sites is None:
        return None
    first = [site._replace(fix=_fix_fields(site.fix)) for site in sites.first]
    return sites._replace(first=tuple(first))


def _sites(message: str, total: int, first: Sequence[Any]) -> Sites:
    sites = [
        Site(_place(*place), tuple(path), row, index, _fix(*fix) if fix else None)
        for place, path, row, index, fix in first
    ]
    return Sites(message, total, tuple(sites))


def _fix_fields(fix: Fix | None) -> Any:
    return [list(fix.path), fix.kind, list(fix.edit), fix.safe] if fix else None


def _fix(path: list[str | int], kind: str, edit: list[Any], safe: bool) -> Fix:  # noqa: FBT001
    (part,) = edit
    edits: dict[str, Edit] = {"rename": Rename(part), "write": Write(part)}
    return Fix(tuple(path), Move(tuple(part)) if kind == "move" else edits[kind], safe)


def _place(file: str, span: Sequence[int] | None, text: str | None, at: str | None = None) -> Place:
    return Place(file, Span(*span) if span else None, text, at)


#: The number of query lists to keep; queries differ when names or references have changed.
_MAX_LISTS = 8


def cached_check(
    cache: Cache, key: Any, check: Callable[[Files, Memory | None], RunOutcome]
) -> RunOutcome:
    """Return the outcome of `check`, from the cache if possible.

    If some files have changed, `check` is called with what it remembers of the others, unless other
    packages extend this one. The `repr` of `key` must identify everything but the files that the
    outcome depends on.
    """
    installation = installation_fingerprint()
    if installation is None:
        return check(DISK, None)
    context = _digest(installation.fingerprint, key)
    replayed = RecordingFiles()
    with suppress(CacheMiss):
        return _load(cache, context, replayed)
    files = RecordingFiles()
    has_memory = not installation.has_plugins
    memory = Memory(cache, context, files, replayed=replayed.results) if has_memory else None
    outcome = check(files, memory)
    if installation.has_plugins:
        files.record_code(loaded_code())
    _store(cache, context, files, outcome=outcome)
    if memory and files.is_cacheable:
        memory.save()
    return outcome


def _load(cache: Cache, context: str, files: RecordingFiles) -> RunOutcome:
    """Return the outcome of an earlier run that got the same query results."""
    # The queries of earlier runs are made through `files`.
    for name in _query_lists(cache, context):
        with suppress(OSError, ValueError, LookupError, TypeError):
            queries = [tuple(query) for query in json.loads(cache.get(name) or b"")]
            results = files.replay(queries)
            if data := cache.get(_digest(name, results)):
                return deserialize(data)
    raise CacheMiss


def _store(cache: Cache, context: str, files: RecordingFiles, outcome: RunOutcome) -> None:
    """Store an outcome under the file queries of its run and their results."""
    data = serialize(outcome) if files.is_cacheable else None
    if data is None:
        return
    queries = json.dumps(list(files.results)).encode()
    name = _digest(context, queries)
    others = [other for other in _query_lists(cache, context) if other != name]
    cache.put(name, queries)
    cache.put(context, json.dumps([name, *others][:_MAX_LISTS]).encode())
    cache.put(_digest(name, list(files.results.values())), data)


def _query_lists(cache: Cache, context: str) -> list[str]:
    """Return the keys of the query lists, the latest first."""
    try:
        return [str(name) for name in json.loads(cache.get(context) or b"[]")]
    except (ValueError, TypeError):
        return []


def _digest(*values: Any) -> str:
    return digest(repr(values).encode())
