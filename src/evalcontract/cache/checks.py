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
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.machinery import PathFinder
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.cache.store import digest
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
from evalcontract.model.startup import NamedTuple
from evalcontract.source import DISK, Entry, Files
from evalcontract.source.faults import MAX_DOCUMENT_BYTES
from evalcontract.source.filesystem import Stream, TooLargeError, is_given

if TYPE_CHECKING:
    from evalcontract.cache.store import Cache

# A package declares its plugins in this file, below such a heading.
_ENTRY_POINTS = "entry_points.txt"
_HEADING = "[evalcontract."
_INFO = (".dist-info", ".egg-info", ".egg")
# The code of a package in one of these folders changes only with its version.
_SITE_FOLDERS = frozenset({"site-packages", "dist-packages"})


class Installation(NamedTuple):
    """The fingerprint of an installation, and whether other packages extend it."""

    fingerprint: list[Any]
    has_plugins: bool


def installation_fingerprint() -> Installation | None:
    """Return the fingerprint of this installation; None if there is no reliable one.

    The metadata folders of installed packages have the versions in their names. A checkout of
    evalcontract may change without a new version, so the sizes and times of its files are included.
    The code of plugins is recorded after the run; see `loaded_code`.
    """
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in finders):
        return None
    package = Path(__file__).parents[1]
    fingerprint: list[Any] = [sys.version, sys.platform, sys.path]
    fingerprint += [sys.get_int_max_str_digits(), sys.getfilesystemencoding()]
    try:
        fingerprint.append(os.getcwd())  # noqa: PTH109 - the names of files depend on it
        if not any(package.parent.glob("evalcontract-*.dist-info")):
            folders = (package, package.parents[1] / "schema")
            fingerprint += [code_in(folder) for folder in folders if folder.is_dir()]
        plugins: list[str] = []
        fingerprint += [_installed(folder or ".", plugins) for folder in dict.fromkeys(sys.path)]
    except (OSError, ValueError):
        return None
    return Installation([*fingerprint, plugins], bool(plugins))


def _installed(folder: str, plugins: list[str]) -> list[Any]:
    """Return the metadata folders in a folder of `sys.path`; add our entry points to `plugins`."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_INFO))  # noqa: PTH208 - names
    except FileNotFoundError:
        return []
    except NotADirectoryError:  # an archive
        return code_in(folder)
    if any(name.endswith(".egg") for name in names):
        raise ValueError(f"there are eggs in {folder}")
    for name in names:
        try:
            with open(f"{folder}/{name}/{_ENTRY_POINTS}", encoding="utf-8") as file:  # noqa: PTH123 - faster
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            continue
        plugins += [text] if _HEADING in text else []
    return names


def code_in(path: str | Path) -> list[tuple[str, int, int, int]]:
    """Return the files of a package, or one file, each with its size and the times of its changes.

    The second time is that of the last change of the file or of its metadata. It differs from
    before also where a program has set the modification time back.

    Raises:
        OSError: the state of a file cannot be read.

    """
    if not os.path.isdir(path):
        return [_state(os.fspath(path))]
    states = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            with suppress(FileNotFoundError):  # a broken link
                states.append(_state(f"{folder}/{name}"))
    return sorted(states)


def _state(path: str) -> tuple[str, int, int, int]:
    status = os.stat(path)  # noqa: PTH116 - faster, called for hundreds of files
    return path, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def loaded_code() -> list[str]:
    """Return the imported files that belong neither to Python nor to evalcontract.

    For a package that is not installed, but imported from a checkout, its whole folder is included.
    """
    paths: set[str] = set()
    known = {*sys.stdlib_module_names, "evalcontract"}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        package = name.partition(".")[0]
        if isinstance(file, str) and package not in known:
            paths.add(file)
            if _SITE_FOLDERS.isdisjoint(Path(file).parts):
                paths.update(getattr(sys.modules.get(package), "__path__", ()))
    return sorted(paths)


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
        owner: int | None = self._query("owner", path)
        return owner

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        entries: tuple[Entry, ...] = self._query("entries", folder, *endings)
        self._listed[os.fspath(folder)] = {entry.name: entry for entry in entries}
        return entries

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
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
