"""Take the outcome of a check from the cache if nothing has changed since an earlier run.

The outcome of a run depends on the files that it reads, the installation, the date and the options.
All but the files are one cache key. Its entry lists the file queries of earlier runs: which paths
they looked up, listed and read. A list of queries with its present results is another key, and its
entry is the outcome: a run that gets the same results makes the same queries and finds the same.

Where that fails, since some files have changed, the run may remember the others; see `Memory`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.cache.installation import installation_fingerprint, loaded_code
from evalcontract.cache.memory import Memory
from evalcontract.cache.recording import RecordingFiles
from evalcontract.cache.serialization import CacheMiss, deserialize, serialize
from evalcontract.cache.store import digest
from evalcontract.source import DISK

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.cache.store import Cache
    from evalcontract.model.diagnostic import Outcome
    from evalcontract.source import Files

#: The number of query lists to keep; queries differ when names or references have changed.
_MAX_LISTS = 8


def cached_check(
    cache: Cache, key: Any, check: Callable[[Files, Memory | None], Outcome]
) -> Outcome:
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
    memory = Memory(cache, context, files, replayed.results) if has_memory else None
    outcome = check(files, memory)
    if installation.has_plugins:
        files.record_code(loaded_code())
    _store(cache, context, files, outcome)
    if memory and files.is_cacheable:
        memory.save()
    return outcome


def _load(cache: Cache, context: str, files: RecordingFiles) -> Outcome:
    """Return the outcome of an earlier run that got the same query results.

    The queries of earlier runs are made through `files`.

    Raises:
        CacheMiss: there is no such run.

    """
    for name in _query_lists(cache, context):
        with suppress(OSError, ValueError, LookupError, TypeError):
            queries = [tuple(query) for query in json.loads(cache.get(name) or b"")]
            results = files.replay(queries)
            if data := cache.get(_digest(name, results)):
                return deserialize(data)
    raise CacheMiss


def _store(cache: Cache, context: str, files: RecordingFiles, outcome: Outcome) -> None:
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
