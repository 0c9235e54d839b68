"""The lock of a workspace: what its versions mean, as a value and as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from evalcontract.library.library import Artifact, Library, Resolution
from evalcontract.library.references import reach
from evalcontract.meaning.view import (
    NUMBERED,
    ChangeClass,
    Item,
    Leaf,
    Leaves,
    View,
    class_of,
    view_and_digest,
)
from evalcontract.model.diagnostic import Problem, Span
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source import (
    Document,
    Files,
    MisreadError,
    SourceProblem,
    UnreadableFile,
    read_stream,
)
from evalcontract.source.encoding import canonical
from evalcontract.source.files import unreadable
from evalcontract.source.filesystem import TooLargeError
from evalcontract.source.text import split_lines
from evalcontract.structure.validator import structure_of

#: The version of the format, and that of the contract by which fields are read.
LOCK_FORMAT, SCHEMA_VERSION = 1, "1.0"
#: A lock of more bytes is not read.
MAX_LOCK_BYTES = 64 << 20
_HEADER_OF_LIBRARIES = """\
# The libraries of this workspace. `evalcontract sync` writes this file: do not edit it.
"""
#: A value of more characters is written as its length and digest.
_LONGEST = 120
_HEADER = """\
# What the versions of this workspace mean. `evalcontract lock` writes this file: do not edit it.
# After a merge with a conflict, run `evalcontract lock`: it reads both sides.
"""
#: What needs no quotes in YAML; a word that means another value does.
_PLAIN = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_./@+#-]*")
_WORDS = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n"])


class LockedArtifact(NamedTuple):
    """A rubric or a judge in a lock.

    `file` is relative to the workspace, or begins with the name of a library and a colon, and is
    nothing but shown. `fields` and `checks` have values as
    `shortened` returns them. `unpinned` has the exact name for each reference without a version.
    """

    file: str
    sha256: str
    fields: Mapping[str, Any]
    checks: Mapping[str, Mapping[str, Any]]
    unpinned: Mapping[str, str]

    @property
    def is_of_library(self) -> bool:
        """Whether another workspace has it."""
        return ":" in self.file.partition("/")[0]


class LockedDataset(NamedTuple):
    """A dataset in a lock: what its rows reach, and its version with the digest of its meaning."""

    reaches: tuple[str, ...] = ()
    unpinned: Mapping[str, str] = {}
    version: str | None = None
    sha256: str | None = None


class Lock(NamedTuple):
    """What the versions of a workspace mean: artifacts by exact name, the others by file."""

    artifacts: Mapping[str, LockedArtifact] = {}
    datasets: Mapping[str, LockedDataset] = {}
    files: Mapping[str, str] = {}


def shortened(value: Any) -> Any:
    """Return a value as a lock has it: a long one, or one that YAML has no word for, by its digest.

    The length is that of a text, or else of the value as JSON.
    """
    if value is None or isinstance(value, bool):
        return value  # most values need no JSON to tell their length
    if isinstance(value, str) and len(value) < _LONGEST // 2 and value.isprintable():
        return value
    text = canonical(value)
    if len(text) <= _LONGEST and text.isprintable() and _is_json(value):
        return value
    length = len(value) if isinstance(value, str) else len(text)
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"length": length, "sha256": digest}


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def short_view(view: View) -> View:
    """Return a view with the fields that are not wording only, as a lock has their values."""
    items = {}
    for item in view.items.values():
        base = _name(item.base)
        name = base + item.name[len(item.base) :]
        items[name] = Item(name, base, item.path, _short(item.leaves))
    return view._replace(leaves=_short(view.leaves), items=items)


def _short(leaves: Leaves) -> Leaves:
    return {
        _name(name): leaf._replace(value=shortened(leaf.value))
        for name, leaf in leaves.items()
        if leaf.rank > ChangeClass.WORDING
    }


def view_in_lock(name: str, locked: LockedArtifact) -> View:
    """Return the view that a lock has of an artifact; its paths lead nowhere."""
    kind = Kind(name.partition("/")[0])
    leaves = {
        key: Leaf((), key, value, class_of(kind, key)) for key, value in locked.fields.items()
    }
    items = {}
    for number, (check, fields) in enumerate(locked.checks.items()):
        numbered = NUMBERED.fullmatch(check)
        inner = {
            key: Leaf((), key, value, class_of(kind, f"checks[].{key}"))
            for key, value in fields.items()
        }
        items[check] = Item(check, numbered[1] if numbered else check, ("checks", number), inner)
    return View(kind, leaves, items)


def lock_artifact(artifact: Artifact, file: str, library: Library) -> LockedArtifact:
    """Return what a lock has of an artifact now; `file` is relative to the workspace."""
    view, digest = view_and_digest(artifact.kind, artifact.document)
    short = short_view(view)
    return LockedArtifact(
        _name(file),
        digest,
        {name: leaf.value for name, leaf in short.leaves.items()},
        {name: item.values for name, item in short.items.items()},
        resolved_unpinned((use.reference for use in artifact.uses), library),
    )


def resolved_unpinned(references: Iterable[Reference], library: Library) -> dict[str, str]:
    """Return the exact name that each reference without a version stands for, if it resolves."""
    found = {}
    for reference in references:
        target = None if reference.is_pinned else library.resolve(reference)
        if isinstance(target, Resolution):
            found[str(reference)] = target.artifact.name
    return found


def reached(references: Iterable[Reference], library: Library) -> set[str]:
    """Return the exact names of all artifacts that references lead to, directly or indirectly."""
    return {artifact.name for artifact, _ in reach(map(str, references), library).artifacts}


#: What a lock has of each library by name: its settings, its commit and its digest.
LockedLibraries = Mapping[str, Mapping[str, str]]


def write_lock(lock: Lock | None, libraries: LockedLibraries = {}) -> str:  # noqa: B006 - constant
    """Return the text of a lock: sorted, one fact in a line, and the same on every platform.

    Without a `lock` of versions, it has the libraries alone.
    """
    header = _HEADER if lock else _HEADER_OF_LIBRARIES
    lines = [header, f"lock: {LOCK_FORMAT}\n", f"schema: {json.dumps(SCHEMA_VERSION)}\n"]
    if lock:
        _add_versions(lines, lock)
    if libraries or not lock:
        entries = {name: dict(sorted(libraries[name].items())) for name in sorted(libraries)}
        _add_mapping(lines, "libraries", entries, "")
    return "".join(lines)


def _add_versions(lines: list[str], lock: Lock) -> None:
    artifacts = {name: _facts_of_artifact(each) for name, each in lock.artifacts.items()}
    datasets = {name: _facts_of_dataset(each) for name, each in lock.datasets.items()}
    files = {name: _Value(digest) for name, digest in lock.files.items()}
    sections = (("artifacts", artifacts), ("datasets", datasets), ("files", files))
    for section, entries in sections:
        _add_mapping(lines, section, dict(sorted(entries.items())), "")


def _facts_of_artifact(locked: LockedArtifact) -> dict[str, Any]:
    facts: dict[str, Any] = {"file": locked.file, "sha256": _Value(locked.sha256)}
    if locked.fields:
        facts["fields"] = _facts(locked.fields)
    if locked.checks:
        facts["checks"] = {name: _facts(each) for name, each in sorted(locked.checks.items())}
    return {**facts, **_facts_of_references(locked.unpinned)}


def _facts_of_dataset(locked: LockedDataset) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if locked.version is not None:
        facts |= {"version": _Value(locked.version), "sha256": _Value(locked.sha256)}
    if locked.reaches:
        facts["reaches"] = sorted(locked.reaches)
    return {**facts, **_facts_of_references(locked.unpinned)}


def _facts_of_references(unpinned: Mapping[str, str]) -> dict[str, Any]:
    return {"unpinned": dict(sorted(unpinned.items()))} if unpinned else {}


class _Value(NamedTuple):
    """The value of a field, which is written in its line."""

    value: Any


def _facts(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _Value(value) for name, value in sorted(fields.items())}


def _add_mapping(lines: list[str], key: str, value: Any, indent: str) -> None:
    """Add the lines of a key with its value."""
    head, inner = f"{indent}{_word(key)}:", f"{indent}  "
    if isinstance(value, _Value):
        lines.append(f"{head} {_in_line(value.value)}\n")
    elif isinstance(value, str):
        lines.append(f"{head} {_word(value)}\n")
    elif not value:
        lines.append(f"{head} {{}}\n")
    elif isinstance(value, list):
        lines += (f"{head}\n", *(f"{inner}- {_word(each)}\n" for each in value))
    else:
        lines.append(f"{head}\n")
        for name, part in value.items():
            _add_mapping(lines, name, part, inner)


def _word(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return text if is_plain else _in_line(text)


def _in_line(value: Any) -> str:
    """Return a value as JSON, which is YAML, too."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _name(text: str) -> str:
    """Return a name of a file, a field or a check as a lock has it: printable, and not too long."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}…{sha256(text.encode()).hexdigest()[:16]}"


class LockFile:
    """A lock that is there, readable or not; `problems` are those of its content.

    `lock` is None if it cannot be used, or has `libraries` alone; `data` are its bytes if they
    could be read.
    """

    def __init__(
        self,
        file: str,
        lock: Lock | None = None,
        data: bytes = b"",
        *,
        unreadable: UnreadableFile | None = None,
        problems: tuple[Problem, ...] = (),
        libraries: LockedLibraries | None = None,
    ) -> None:
        self.file = file
        self.lock = lock
        self.data = data
        self.unreadable = unreadable
        self.problems = problems
        self.libraries = libraries or {}

    @cached_property
    def document(self) -> Document | None:
        """The lock as a document, to find the places in it; None if it is no value."""
        return read_stream(BytesIO(self.data), self.file, quick=True).document


#: Returns the value of a lock by its bytes, if that is known.
Recall = Callable[[bytes], Any]


def read_lock(
    path: Path, name: str, files: Files, *, is_inside: bool, recall: Recall | None = None
) -> LockFile:
    """Read the lock at a path, which must be inside of its workspace."""
    if not is_inside:
        error = OSError("it is a symbolic link that leads out of the workspace")
        return LockFile(name, unreadable=unreadable(name, error))
    try:
        data = files.read(path, MAX_LOCK_BYTES)
    except TooLargeError as error:
        message = f"the lock has {error.size:,} bytes; the limit is {MAX_LOCK_BYTES:,}"
        fault = SourceProblem("source/limit-exceeded", message, None, _ANEW)
        return LockFile(name, unreadable=UnreadableFile(name, (fault,)))
    except (OSError, ValueError) as error:
        return LockFile(name, unreadable=unreadable(name, error))
    known = recall(data) if recall else None
    return parse_lock(data, name) if known is None else _lock_file(name, known, data)


_CONFLICT = lazy_pattern(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?$")


def parse_lock(data: bytes, name: str) -> LockFile:
    """Read the bytes of a lock."""
    may_conflict = any(mark in data for mark in (b"<<<<<<<", b"=======", b">>>>>>>"))
    lines = split_lines(data.decode("utf-8", "replace")) if may_conflict else []
    marked = next((n for n, line in enumerate(lines, 1) if _CONFLICT.match(line)), None)
    if marked is not None:
        span = Span(marked, 1, marked, len(lines[marked - 1]) + 1)
        advice = "run `evalcontract lock`, which reads both sides"
        fault = SourceProblem("lock/conflict", "a merge left a conflict here", span, advice)
        return LockFile(name, None, data, unreadable=UnreadableFile(name, (fault,), tuple(lines)))
    source = read_stream(BytesIO(data), name, quick=True)
    if source.unreadable:
        return LockFile(name, None, data, unreadable=source.unreadable)
    document = source.document
    if document is None:  # it looks like lines of JSON
        fault = SourceProblem("lock/invalid", "this is no lock", None, _ANEW)
        return LockFile(name, None, data, unreadable=UnreadableFile(name, (fault,)))
    try:
        problems = _problems_of(document)
    except MisreadError as misread:
        return LockFile(name, None, data, unreadable=misread.unreadable)
    found = LockFile(name, None, data, problems=problems)
    if not problems:
        found = _lock_file(name, document.quick, data)
    found.document = document
    return found


def _lock_file(name: str, value: dict[str, Any], data: bytes) -> LockFile:
    """Return a lock by its value, which is valid."""
    lock = _lock_in(value) if "artifacts" in value else None
    return LockFile(name, lock, data, libraries=value.get("libraries"))


_ANEW = "restore it from the repository, or delete it and run `evalcontract lock`"


def _problems_of(document: Document) -> tuple[Problem, ...]:
    value = document.quick
    if structure_of("lock").is_clean(value):
        return ()
    value = document.value
    number = value.get("lock") if isinstance(value, dict) else None
    if isinstance(number, int) and number > LOCK_FORMAT:
        message = f"the lock has format {number}, and this version of evalcontract reads format 1"
        return (Problem("lock/newer-format", message, ("lock",), "install a newer evalcontract"),)
    found = structure_of("lock").check(value, (), document.raw)
    return tuple(
        Problem("lock/invalid", problem.message, problem.path, _ANEW, problem.on_key)
        for problem in found
    )


def _lock_in(value: dict[str, Any]) -> Lock:
    return Lock(
        {
            name: LockedArtifact(
                entry["file"],
                entry["sha256"],
                entry.get("fields", {}),
                entry.get("checks", {}),
                entry.get("unpinned", {}),
            )
            for name, entry in value["artifacts"].items()
        },
        {
            name: LockedDataset(
                tuple(entry.get("reaches", ())),
                entry.get("unpinned", {}),
                entry.get("version"),
                entry.get("sha256"),
            )
            for name, entry in value.get("datasets", {}).items()
        },
        value.get("files", {}),
    )


def sides_of(data: bytes) -> tuple[bytes, bytes]:
    """Return both sides of a lock with conflicts, as git marks them; of one without, twice it."""
    ours: list[str] = []
    theirs: list[str] = []
    takers = (ours, theirs)
    for line in split_lines(data.decode("utf-8", "replace")):
        mark = line[:7] if _CONFLICT.match(line) else ""
        if mark:
            takers = {"<": (ours,), "|": (), "=": (theirs,)}.get(mark[0], (ours, theirs))  # type: ignore[assignment]
        for lines in () if mark else takers:
            lines.append(line)
    one, other = ("\n".join(lines).encode() for lines in (ours, theirs))
    return one, other
