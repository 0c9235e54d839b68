"""The libraries of a workspace: others that it uses, named by its settings, locked and verified.

Reading them needs no network and no git: what `sync` has fetched is in the cache folder.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from evalcontract.cache.store import digest_of_files, kept_folder
from evalcontract.library.library import (
    Artifact,
    DanglingReference,
    Library,
    SharedLibraries,
    UnreadableNames,
    identity_from_name,
    read_artifact,
    visit_inner_first,
)
from evalcontract.meaning import LOCK_NAME
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Span
from evalcontract.model.reference import Kind, Version
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source import (
    FILE,
    FOLDER,
    SCHEMA_SUFFIX,
    Document,
    Entry,
    Files,
    RowSource,
    SourceProblem,
    UnreadableFile,
    format_of,
    read_stream,
    read_text,
)
from evalcontract.source.filesystem import EVERY_FILE, NOTHING
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.validator import structure_of, valid_parts, without_declared
from evalcontract.workspace.configuration import (
    LIBRARY_KEYS,
    PORTABLE_PART,
    Configuration,
    LibrarySource,
    library_fault,
)
from evalcontract.workspace.recognition import require_single_value, verified

if TYPE_CHECKING:
    from evalcontract.meaning.lock import LockFile

#: The files of one library, and their bytes.
MAX_FILES, MAX_BYTES = 20_000, 1 << 28

#: What says that an artifact cannot be used although its schema accepts it.
_NEVER_USABLE = {
    Kind.RUBRIC: ("rubric/invalid-regex", "rubric/invalid-json-schema"),
    Kind.JUDGE: ("judge/template-tag",),
}
#: The folders of a library that are used.
_FOLDERS = frozenset({"rubrics", "judges", "bundles"})


class UnusableLibraryError(Exception):
    """A library cannot be used; the message says why."""


class LockedLibrary(NamedTuple):
    """What the lock says of a library: its settings then, its commit, and its digest.

    A library in a folder has no commit.
    """

    settings: dict[str, str]
    commit: str | None
    sha256: str

    @property
    def entry(self) -> dict[str, str]:
        """The entry of the lock."""
        commit = {"commit": self.commit} if self.commit else {}
        return {**self.settings, **commit, "sha256": self.sha256}


def locked_libraries(found: LockFile | None) -> dict[str, LockedLibrary]:
    """Return the libraries in the lock of a workspace, without entries that make no sense.

    Raises:
        UnusableLibraryError: the lock cannot be read.

    """
    if found is not None and (found.unreadable or found.problems):
        raise UnusableLibraryError(f"{LOCK_NAME} cannot be read")
    read = {
        name: _read_entry(name, entry) for name, entry in (found.libraries if found else {}).items()
    }
    return {name: locked for name, locked in read.items() if locked}


def _read_entry(name: str, entry: Mapping[str, str]) -> LockedLibrary | None:
    """Return an entry of the lock; None if its settings are none, or the commit is missing."""
    settings = {key: value for key, value in entry.items() if key in LIBRARY_KEYS}
    commit = entry.get("commit")
    if library_fault(name, settings) or (commit is None) == ("git" in settings):
        return None
    return LockedLibrary(settings, commit, entry["sha256"])


class Contents(NamedTuple):
    """The files of a library by their names relative to it, and the names of those left out."""

    files: dict[str, bytes]
    left_out: tuple[str, ...] = ()


def read_contents(top: Path, files: Files) -> Contents:
    """Return the rubrics, judges and bundles below a folder. Links are left out.

    Raises:
        UnusableLibraryError: there are none, or too many, or one cannot be read.

    """
    found: dict[str, bytes] = {}
    left_out: list[str] = []
    total = 0
    for name in _names_of_files(top, files, left_out):
        try:
            found[name] = files.read(top / name, MAX_BYTES)
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise UnusableLibraryError(f"{name} cannot be read: {why}") from None
        total += len(found[name])
        if len(found) > MAX_FILES or total > MAX_BYTES:
            raise UnusableLibraryError(
                f"it has more than {MAX_FILES:,} files, or {MAX_BYTES >> 20} MiB"
            )
    if not found:
        raise UnusableLibraryError("it has no `rubrics/`, `judges/` or `bundles/` with files")
    return Contents(found, tuple(sorted(left_out)))


def _names_of_files(top: Path, files: Files, left_out: list[str]) -> Iterator[str]:
    if files.kind(top) != FOLDER:
        raise UnusableLibraryError("there is no such folder")
    at_top = [entry for entry in _entries(top, files) if entry.name in _FOLDERS]
    left_out += (entry.name for entry in at_top if entry.is_link)
    waiting = [entry.name for entry in at_top if entry.kind == FOLDER and not entry.is_link]
    while waiting:
        folder = waiting.pop()
        for entry in _entries(top / folder, files):
            name = f"{folder}/{entry.name}"
            if entry.is_link or not PORTABLE_PART.fullmatch(entry.name):
                left_out.append(name)
            elif entry.kind == FOLDER:
                waiting.append(name)
            elif entry.kind == FILE and format_of(entry.name):
                yield name


def _entries(folder: Path, files: Files) -> list[Entry]:
    try:
        every = files.entries(folder, EVERY_FILE)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UnusableLibraryError(f"{folder.name}/ cannot be listed: {why}") from None
    return [entry for entry in every if not entry.name.startswith(".")]


class OpenLibrary(NamedTuple):
    """A library that is there as the lock says: its name, its folder, and its files by name."""

    name: str
    folder: Path
    contents: Mapping[str, bytes]

    def read(self, name: str, *, quick: bool = False) -> RowSource:
        """Read a file. Findings call it `{library}:{name}`."""
        stream = io.BytesIO(self.contents[name])
        return require_single_value(read_stream(stream, f"{self.name}:{name}", quick=quick))


def open_library(
    source: LibrarySource, locked: LockedLibrary | None, base: Path, files: Files
) -> OpenLibrary:
    """Return a library if it is what the lock says; `base` is the folder of the settings.

    Raises:
        UnusableLibraryError: it is not; the message says what differs.

    """
    if locked is None:
        raise UnusableLibraryError(f"it is not in {LOCK_NAME}")
    if locked.settings != source.settings:
        was = [
            f"{key} is {locked.settings.get(key, 'not set')}"
            for key in LIBRARY_KEYS
            if locked.settings.get(key) != source.settings.get(key)
        ]
        raise UnusableLibraryError(f"in {LOCK_NAME}, its {clipped(' and its '.join(was), 200)}")
    folder = kept_folder(locked.sha256) if source.git else files.real(base / str(source.path))
    if folder is None:
        raise UnusableLibraryError("there is no cache folder: set EVALCONTRACT_CACHE_DIR")
    files = files.of_machine if source.git else files
    if source.git and files.kind(folder) == NOTHING:
        raise UnusableLibraryError("its files are not on this machine")
    where = "its files in the cache folder" if source.git else f"the files of {source.path}"
    try:
        contents = read_contents(folder, files).files
    except UnusableLibraryError:
        contents = {}  # a lock of strangers must not be a way to ask what a folder has
    if digest_of_files(contents) != locked.sha256:
        raise UnusableLibraryError(f"{where} differ from {LOCK_NAME}")
    return OpenLibrary(source.name, folder, contents)


def other_sources(
    root: Path, configuration: Configuration, files: Files
) -> tuple[LibrarySource, ...]:
    """Return the libraries of a workspace; its settings may name itself, if others share them."""
    base = configuration.folder or root
    return tuple(
        source
        for source in configuration.libraries
        if source.git or files.real(base / str(source.path)) != root
    )


class Libraries:
    """The libraries of a workspace, with all that they bring; nothing in them is ever written."""

    def __bool__(self) -> bool:
        return bool(self._sources)

    def __init__(
        self, root: Path, configuration: Configuration, lock: LockFile | None, files: Files
    ) -> None:
        self._base = configuration.folder or root
        self._sources = other_sources(root, configuration, files)
        self._lock = lock
        self._files = files
        self._faults: list[tuple[LibrarySource, SourceProblem]] = []
        self._unusable: dict[int, str | None] = {}
        self._declared = configuration.declared_kinds
        self._schemas = SchemaAnalyses()

    @cached_property
    def _open(self) -> dict[str, OpenLibrary]:
        try:
            locked = locked_libraries(self._lock)
        except UnusableLibraryError as error:
            for source in self._sources:
                self._add_fault(source, str(error))
            return {}
        opened = {}
        for source in self._sources:
            try:
                opened[source.name] = open_library(
                    source, locked.get(source.name), self._base, self._files
                )
            except UnusableLibraryError as why:
                self._add_fault(source, str(why))
        return opened

    def _add_fault(self, source: LibrarySource, why: str) -> None:
        message = f"the library `{source.name}` is not synced: {why}"
        problem = SourceProblem(
            "library/not-synced", message, None, f"run `evalcontract sync {source.name}`"
        )
        self._faults.append((source, problem))

    @cached_property
    def _sources_of_artifacts(self) -> list[tuple[Kind, OpenLibrary, RowSource]]:
        return [
            (kind, library, verified(kind, library.read(name, quick=True)))
            for library in self._open.values()
            for kind in (Kind.RUBRIC, Kind.JUDGE)
            for name in sorted(library.contents)
            if name.startswith(f"{kind}s/") and not name.endswith(SCHEMA_SUFFIX)
        ]

    @cached_property
    def artifacts(self) -> tuple[Artifact, ...]:
        """The rubrics and judges, in the order of the settings, and then of their names."""
        return tuple(
            read_artifact(kind, source.document)._replace(library=library.name)
            for kind, library, source in self._sources_of_artifacts
            if source.document
        )

    @cached_property
    def _unreadable_names(self) -> UnreadableNames:
        """The unreadable files, and those without identity, by the ids that their names suggest."""
        names: UnreadableNames = {}
        broken = [
            (kind, each.file) for kind, _, each in self._sources_of_artifacts if each.unreadable
        ]
        broken += [
            (each.kind, each.file) for each in self.artifacts if None in (each.id, each.version)
        ]
        for kind, file in broken:
            id_, version = identity_from_name(file.partition(":")[2], kind)
            names.setdefault(f"{kind}/{id_}", []).append((version, file))
        return names

    @cached_property
    def bundles(self) -> dict[str, Any]:
        """The schemas of bundles by name."""
        schemas: dict[str, Any] = {}
        for library in self._open.values():
            for name in sorted(library.contents):
                if name.startswith("bundles/") and name.endswith(SCHEMA_SUFFIX):
                    document = library.read(name).document
                    key = PurePosixPath(name).name.removesuffix(SCHEMA_SUFFIX)
                    if document:
                        schemas.setdefault(key, document.value)
        return schemas

    def shared(self) -> SharedLibraries:
        """Return what a library of artifacts has from others."""
        absent = [source for source, _ in self._faults_of_opening]
        settings = absent[0].place[0] if absent else None
        return SharedLibraries(self.artifacts, self._fault_of, self._unreadable_names, settings)

    @property
    def _faults_of_opening(self) -> list[tuple[LibrarySource, SourceProblem]]:
        self._open  # noqa: B018 - finds them
        return self._faults

    def _fault_of(self, artifact: Artifact, library: Library) -> str | None:
        """Return why an artifact of a library cannot be used, or None."""

        def is_new(each: Artifact) -> bool:
            if each.library is None or id(each) in self._unusable:
                return False
            self._unusable[id(each)] = None  # where references go in circles
            return True

        def inner(each: Artifact) -> Iterator[Artifact]:
            return (target for _, target in library.resolved_uses(each))

        def settle(each: Artifact) -> None:
            self._unusable[id(each)] = self._find_fault(each, library)

        visit_inner_first(artifact, inner, is_new, settle)
        return self._unusable[id(artifact)]

    def _find_fault(self, artifact: Artifact, library: Library) -> str | None:
        if library.rubric_cycles.is_in_cycle(artifact):
            return "it refers to itself in a circle"
        if fault := _fault_of_structure(artifact, self._declared):
            return fault
        for use in artifact.uses:
            target = library.resolve(use.reference)
            if isinstance(target, DanglingReference):
                return f"there is no `{use.reference}`, to which it refers"
            fault = library.fault_of(target.artifact)
            if fault:
                return f"{target.artifact.name}, to which it refers, has a fault: {fault}"
        return next(self._faults_by_rules(artifact, library), None)

    def _faults_by_rules(self, artifact: Artifact, library: Library) -> Iterator[str]:
        """Yield why a check of a rubric or the template of a judge can never be used."""
        from evalcontract.analysis.ambiguity import PatternSearch  # slow to import, all of them
        from evalcontract.rules import rules_named_for
        from evalcontract.rules._rule import CompositeChecks, Context, Rule, Subject

        valid, checks = valid_parts(artifact.document.value, ())
        known = tuple(each for each in checks if each[1]["kind"] not in self._declared)
        context = Context(
            library=library,
            today=date.min,  # no rule that is asked here reads it
            max_age_days=1,
            read_json=lambda name: self._value_of(f"{artifact.library}:{name}"),
            schemas=self._schemas,
            searches=PatternSearch,
            composites=CompositeChecks(),
        )
        for code in _NEVER_USABLE[artifact.kind]:
            for rule in rules_named_for(code):
                if isinstance(rule, Rule) and rule.code == code:
                    found = rule.check(Subject(artifact, valid, known), context)
                    yield from (problem.message for problem in found)

    def _value_of(self, name: str) -> Any:
        read = self.read(name)
        if isinstance(read, Document):
            return read.value
        raise LookupError(read)

    def read(self, name: str) -> Document | str | None:
        """Return a file that is called `{library}:{name}`, or why it cannot be read.

        Return None if that is not the name of a library.
        """
        library = self._open.get(name.partition(":")[0])
        if library is None:
            return None
        relative = name.partition(":")[2].removeprefix("./")
        if relative not in library.contents:
            return "is not in the library"
        return library.read(relative).document or "is not a single value"

    def path_of(self, name: str) -> Path | None:
        """Return the path of a file by its name in findings; None if it is not of a library."""
        library = self._open.get(name.partition(":")[0])
        relative = name.partition(":")[2]
        return library.folder / relative if library and relative in library.contents else None

    def faults(self, own: Library) -> list[UnreadableFile]:
        """Return the findings on the settings: not synced, or two libraries that disagree.

        `own` has the artifacts of the workspace, which precede those of libraries.
        """
        found = [*self._faults_of_opening, *self._ambiguous(own)]
        return [self._placed(source, problem) for source, problem in found]

    def _ambiguous(self, own: Library) -> Iterator[tuple[LibrarySource, SourceProblem]]:
        by_name: dict[tuple[Kind, str, Version], Artifact] = {}
        mine = {(each.kind, each.id, each.version) for each in own.artifacts}
        sources = {source.name: source for source in self._sources}
        for artifact in self.artifacts:
            if artifact.id is None or artifact.version is None:
                continue
            key = artifact.kind, artifact.id, artifact.version
            first = by_name.setdefault(key, artifact)
            if key in mine or first.library == artifact.library or same_meaning(first, artifact):
                continue
            message = f"{artifact.name} differs between {first.file} and {artifact.file}"
            advice = "take versions of the libraries that agree, or keep one of the libraries"
            yield (
                sources[str(artifact.library)],
                SourceProblem("library/ambiguous", message, None, advice),
            )

    def _placed(self, source: LibrarySource, problem: SourceProblem) -> UnreadableFile:
        file, line = source.place
        if line is None:
            return UnreadableFile(file, (problem,))
        text = read_text(Path(file), file, self._files)
        lines = tuple(text.splitlines()) if isinstance(text, str) else ()
        return UnreadableFile(file, (problem._replace(span=Span.point(line)),), lines)


def _fault_of_structure(artifact: Artifact, declared: frozenset[str]) -> str | None:
    """Return what breaks the schema of an artifact, but for its id and version, which are known."""
    document, structure = artifact.document, structure_of(artifact.kind)
    problems = structure.check(document.value, (), document.raw)
    for problem in without_declared(problems, document.value, declared):
        if problem.code in ILL_FORMED and problem.path not in (("id",), ("version",)):
            return problem.message
        if structure.missing_keys(document.value):  # under another name
            return problem.message
    return None


def same_meaning(one: Artifact, other: Artifact) -> bool:
    """Whether two artifacts with the same name say the same."""
    if one.document.sha256 == other.document.sha256:
        return True
    from evalcontract.meaning.view import view_and_digest  # rarely needed

    said, as_other = (view_and_digest(each.kind, each.document)[1] for each in (one, other))
    return said == as_other
