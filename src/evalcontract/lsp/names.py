"""Names in a workspace: what each at a position means, where it is used, and how it is renamed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from evalcontract.cache.store import is_kept
from evalcontract.datasets.root import Use, rows_of, uses_of
from evalcontract.library.library import Artifact, Resolution, identity_from_name
from evalcontract.lsp.cursor import (
    REFERENCES,
    CursorContext,
    describe_artifact,
    describe_key,
    describe_missing,
    describe_value,
)
from evalcontract.lsp.documents import Documents, OpenDocument, Publisher, Snapshot, kind_of
from evalcontract.lsp.text import code, edits_between, escaped, uri_of_path
from evalcontract.model.diagnostic import Fix, Place, Rename, Write
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import IDENTIFIER, Kind, Reference, Version, newest
from evalcontract.model.startup import NamedTuple
from evalcontract.source import DISK, Document, Files, RowSource, format_of, read_stream, read_text
from evalcontract.source.document import value_at
from evalcontract.source.editing import edit_text
from evalcontract.source.files import guess_format
from evalcontract.workspace import Workspace, display_name, find_root, open_workspace

#: What a name at a position is the name of.
ARTIFACT, CHECK, ROW, BUNDLE, FILE = "artifact", "check", "row", "bundle", "file"
VERSION = "version"


class Name(NamedTuple):
    """A name at a position: what it names, and the text. A reference has the name of its target."""

    role: str
    text: str
    reference: Reference | None = None


def name_at(context: CursorContext) -> Name | None:
    """Return the name at a position."""
    cursor, word = context.cursor, context.cursor.word
    if not word:
        return None
    if cursor.key in REFERENCES:
        reference = Reference.parse(word)
        return Name(ARTIFACT, word, reference) if reference else None
    role = _role(context)
    if role != ARTIFACT:
        return Name(role, word) if role else None
    return Name(ARTIFACT, word, Reference.parse(f"{context.kind}/{word}"))


def renamed_at(context: CursorContext) -> Name | None:
    """Return the name at a position that a rename concerns: of a reference, also its version."""
    name, cursor = name_at(context), context.cursor
    if name is not None and name.reference and name.reference.version and "@" in cursor.typed:
        return Name(VERSION, cursor.word.partition("@")[2], name.reference)
    if cursor.key == "version" and context.kind in (Kind.RUBRIC, Kind.JUDGE) and not context.path:
        text = f"{context.kind}/{cursor.siblings.get('id', '')}@{cursor.word}"
        reference = Reference.parse(text)
        return Name(VERSION, cursor.word, reference) if reference else None
    return name


def _role(context: CursorContext) -> str | None:
    """Return what the word at a position is the name of, if it is one and no reference."""
    key, path, kind = context.cursor.key, context.path, context.kind
    roles = {
        ROW: key == "id" and context.is_row,
        CHECK: (key == "id" and kind is Kind.RUBRIC and path == ("checks", 0))
        or (key is None and path == ("scoring", "weights")),
        ARTIFACT: key == "id" and kind in (Kind.RUBRIC, Kind.JUDGE) and not path,
        BUNDLE: key == "bundle" or (key != "id" and path[:1] == ("applicable_bundles",)),
        FILE: key == "dataset" and kind is Kind.TARGET and not path,
    }
    return next((role for role, has_it in roles.items() if has_it), None)


def targets_of(name: Name, workspace: Workspace, file: str) -> list[Artifact]:
    """Return the artifacts that a name means: the one in its own file, or that it resolves to."""
    own = workspace.library.at(file)
    if name.reference is None:
        return []
    if own is not None and name.text == own.id:
        return [own]
    resolution = workspace.library.resolve(name.reference)
    return [resolution.artifact] if isinstance(resolution, Resolution) else []


def uses_of_check(document: Document, id_: str) -> list[Use]:
    """Return where the id of a check of a rubric is: in the check, and in the weights."""
    value = document.value
    checks = value_at(value, ("checks",))
    places = [
        Use(document, ("checks", number, "id"), id_)
        for number, check in enumerate(checks if isinstance(checks, list) else ())
        if isinstance(check, dict) and check.get("id") == id_
    ]
    weights = value_at(value, ("scoring", "weights"))
    if isinstance(weights, dict) and id_ in weights:
        places.append(Use(document, ("scoring", "weights", id_), id_))
    return places


def hover(context: CursorContext) -> str:
    """Return what the word at a position means, as Markdown; nothing if it has no meaning."""
    cursor = context.cursor
    if cursor.is_block or not cursor.word:
        return ""
    name = name_at(context)
    if cursor.key in REFERENCES and name and name.reference and context.workspace:
        library = context.workspace.library
        resolution = library.resolve(name.reference)
        if isinstance(resolution, Resolution):
            return describe_artifact(resolution.artifact)
        return describe_missing(name.reference, library)
    if name and name.role == BUNDLE and context.workspace:
        bundle = context.workspace.bundles.get(name.text)
        if isinstance(bundle, dict):
            text = str(bundle.get("description") or bundle.get("title") or "")
            return f"**{code(name.text)}**\n\n{escaped(text)}".strip()
    if cursor.key is None:
        return _of_key(context)
    schema, texts = context.part()[0], context.texts_of_values()
    return describe_value(schema, context.root, cursor.key, value=cursor.word, texts=texts)


def _of_key(context: CursorContext) -> str:
    word = context.cursor.word
    own = context.own_keys()
    if word in own:
        return describe_key(word, own[word], context.root)
    others = context.bundle_keys()
    if word in others:
        return describe_key(word, others[word], {}, is_ours=False)
    return ""


#: The last document that was read, by its path, its state and the hash of its content.
Sources = dict[tuple[Path, int, int], RowSource]


class Naming:
    """The meanings of the names in a document; the workspace is read when it is needed.

    `sources` keeps the last document that was read, for the next request on it.
    """

    def __init__(self, document: OpenDocument, snapshot: Snapshot, sources: Sources) -> None:
        self._path = document.real
        self._state = snapshot.states.get(document.real, 0)
        self._sources = sources
        self._data = snapshot.texts.get(document.real, b"")
        self._snapshot = snapshot

    @property
    def kind(self) -> str | None:
        """The kind of the document."""
        return kind_of(self._path, self._snapshot.files())

    @property
    def file(self) -> str:
        """The name of the file in findings."""
        return display_name(self._path)

    @property
    def source(self) -> RowSource:
        """The document, as it is read by checks; the last one that was read is kept."""
        key = self._path, self._state, hash(self._data)
        source = self._sources.get(key)
        if source is None:
            source = read_stream(io.BytesIO(self._data), self.file, quick=True)
            self._sources.clear()
            self._sources[key] = source
        return source

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace of the document.

        Raises:
            ConfigurationError: its configuration cannot be used.

        """
        files = self._snapshot.files()
        return open_workspace(find_root(self._path, files), (), files)

    def definitions(self, name: Name) -> list[Place]:
        """Return where a name is defined."""
        if name.role == ARTIFACT:
            places = targets_of(name, self.workspace, self.file)
            return [self._place_of(artifact) for artifact in places]
        if name.role == CHECK:
            return [use.place for use in self.checks(name.text) if use.path[0] == "checks"]
        if name.role == ROW:
            return [use.place for use in self.rows(name.text)][:1]
        if name.role == BUNDLE:
            source = self.workspace.bundle_files.get(name.text)
            return [Place(source.file)] if source else []
        path = Path(self.workspace.root) / name.text
        is_there = self.workspace.contains(path) and self.workspace.files.is_file(path)
        return [Place(display_name(path))] if is_there else []

    def _place_of(self, artifact: Artifact) -> Place:
        """Return where the id of an artifact is; that of a library is in the cache folder."""
        place, libraries = artifact.document.place(("id",)), self.workspace.libraries
        path = libraries.path_of(artifact.file) if libraries and artifact.library else None
        return place._replace(file=str(path)) if path else place

    def uses(self, name: Name) -> Iterator[Place]:
        """Yield where a name is used, besides its definition."""
        if name.role == ARTIFACT and name.reference:
            targets = targets_of(name, self.workspace, self.file)
            kind, id_, _ = name.reference
            for use, reference in uses_of(self.workspace, kind, id_):
                meant = targets_of(Name(ARTIFACT, "", reference), self.workspace, "")
                if not targets or meant == targets:
                    yield use.place
        elif name.role == CHECK:
            yield from (use.place for use in self.checks(name.text) if use.path[0] != "checks")

    def check_ids(self, line: int) -> list[str]:
        """Return the ids of the checks of a rubric; without a line that cannot be parsed."""
        value = self._value_without(None) or self._value_without(line)
        checks = value_at(value, ("checks",))
        ids = [check.get("id") for check in checks or () if isinstance(check, dict)]
        return [id_ for id_ in ids if isinstance(id_, str)]

    def _value_without(self, line: int | None) -> Any:
        data = self._data
        if line is not None:
            lines = data.split(b"\n")
            lines[line : line + 1] = [b""]
            data = b"\n".join(lines)
        document = read_stream(io.BytesIO(data), self.file).document
        return document.value if document else None

    def checks(self, id_: str) -> list[Use]:
        """Return where the id of a check of the document is."""
        document = self.source.document
        return uses_of_check(document, id_) if document else []

    def rows(self, id_: str) -> Iterator[Use]:
        """Yield where the id of rows of the document is."""
        for rows, path, row in rows_of(self.source):
            if isinstance(row, dict) and row.get("id") == id_:
                yield Use(rows, (*path, "id"), id_)


#: The names that can be changed.
ROLES = (ARTIFACT, CHECK, ROW, VERSION)


class RenameEdits(NamedTuple):
    """The edits of a new name by file, and the files that get another name with it."""

    edits: dict[Path, list[types.TextEdit]]
    files: list[tuple[Path, Path]]


def rename(name: Name, new: str, naming: Naming, encoding: str) -> RenameEdits:
    """Return the changes that give a new name to what has one in an open file.

    Raises:
        UsageError: the new name is not one, is taken, or a file cannot be edited safely.

    """
    if name.role == VERSION:
        if Version.parse(new) is None:
            raise UsageError(f"{new!r} is not a version: write three numbers, such as 1.2.0")
    elif name.role != ROW and not IDENTIFIER.fullmatch(new):
        raise UsageError(f"{new!r} is not an id: use lower-case letters, digits and underscores")
    if is_kept(Path(naming.file).absolute()):
        raise UsageError("this is a file of a library, which is read-only")
    if not new.strip():
        raise UsageError("an id cannot be empty")
    uses, files = _uses(name, new, naming)
    by_file: dict[str, list[Fix]] = {}
    for use in uses:
        by_file.setdefault(use.document.file, []).append(_fix(use, name, new))
    edits = {
        Path(file).absolute(): _edits(file, fixes, naming.workspace.files, encoding=encoding)
        for file, fixes in by_file.items()
    }
    return RenameEdits(edits, files)


def _uses(name: Name, new: str, naming: Naming) -> tuple[list[Use], list[tuple[Path, Path]]]:
    if name.role == ARTIFACT:
        return _uses_of_artifact(name, new, naming.workspace)
    if name.role == VERSION:
        return _uses_of_version(name, new, naming.workspace)
    uses_of_id = naming.rows if name.role == ROW else naming.checks
    if any(True for _ in uses_of_id(new)):
        raise UsageError(f"another {name.role} has the id {new!r}")
    return [*uses_of_id(name.text)], []


def _uses_of_artifact(
    name: Name, new: str, workspace: Workspace
) -> tuple[list[Use], list[tuple[Path, Path]]]:
    if name.reference is None:
        raise UsageError("there is nothing to rename here")
    kind, id_, _ = name.reference
    library = workspace.library
    if library.versions(kind, new):
        raise UsageError(f"there is a {kind} {new!r} already")
    own = [each for each in library.artifacts if (each.kind, each.id) == (kind, id_)]
    shared = (each for each in library.shared.artifacts if (each.kind, each.id) == (kind, id_))
    if theirs := next(shared, None):
        raise UsageError(f"{theirs.file} has that id, and a library is read-only")
    files = []
    for artifact in own:
        path = Path(artifact.file).absolute()
        if identity_from_name(artifact.file, kind)[0] == id_:
            is_named = path.stem.partition("@")[0] == id_
            stem = new + path.name[len(id_) :]
            to = path.with_name(stem) if is_named else path.parent.with_name(new) / path.name
            files.append((path, to))
    uses = [Use(artifact.document, ("id",), str(id_)) for artifact in own]
    uses += [use for use, _ in uses_of(workspace, kind, id_)]
    return uses, files


def _uses_of_version(
    name: Name, new: str, workspace: Workspace
) -> tuple[list[Use], list[tuple[Path, Path]]]:
    """Return where a version is said: in its file, whose name may have it, and in exact pins."""
    to = Version.parse(new)
    kind, id_, version = name.reference or (None, None, None)
    if kind is None or id_ is None or version is None or to is None:
        raise UsageError("there is no version that can be renamed here")
    library = workspace.library
    versions = library.versions(kind, id_)
    found = versions.get(version, [])
    if len(found) != 1:
        raise UsageError(f"there are {len(found)} files of {name.reference}")
    if found[0].library is not None:
        raise UsageError(f"{found[0].file} is of a library, which is read-only")
    if to != version and to in versions:
        raise UsageError(f"there is a {kind}/{id_}@{new} already")
    others = versions.keys() - {version}
    if others and (newest({*others, to}) == to) != (newest(versions.keys()) == version):
        raise UsageError("references without a version would then mean another one")
    path = Path(found[0].file).absolute()
    files = []
    if identity_from_name(found[0].file, kind)[1] is not None:
        stem = f"{id_}@{new}" if "@" in path.stem else new
        files.append((path, path.with_name(stem + path.suffix)))
    uses = [Use(found[0].document, ("version",), name.text)]
    pins = uses_of(workspace, kind, id_)
    return [*uses, *(use for use, pin in pins if pin.version == version)], files


def _fix(use: Use, name: Name, new: str) -> Fix:
    if name.role == CHECK and use.path[0] == "scoring":  # a weight, by the id of its check
        return Fix(use.path, Rename(new))
    text = new
    if name.role == VERSION and name.reference is not None and use.path != ("version",):
        kind, id_, _ = name.reference
        text = f"{kind}/{id_}@{new}"
    elif name.reference is not None and use.path not in (("id",), ("version",)):
        kind, id_, _ = name.reference
        text = f"{kind}/{new}{use.text[len(f'{kind}/{id_}') :]}"
    return Fix(use.path_in_text, Write(text))


def _edits(file: str, fixes: list[Fix], files: Files, encoding: str) -> list[types.TextEdit]:
    """Return the edits of one file; refuse those that would change something else, too."""
    text = read_text(Path(file), file, files)
    if not isinstance(text, str):
        raise UsageError(f"{file} cannot be read")
    form = format_of(file) or guess_format(text.encode("utf-8", "surrogatepass"))
    edited = edit_text(text, form, fixes)
    if len(edited.made) < len(fixes):
        raise UsageError(
            f"{file} cannot be edited without changing something else: edit it by hand"
        )
    return edits_between(text, edited.text, encoding)


def locations(places: Sequence[Place], publisher: Publisher) -> list[types.Location]:
    """Return places as the protocol has them, each once."""
    unique: list[types.Location] = []
    for place in places:
        location = publisher.location(place)
        if location not in unique[-1:]:
            unique.append(location)
    return unique


def workspace_edit(
    renamed: RenameEdits, documents: Documents, capabilities: types.ClientCapabilities
) -> types.WorkspaceEdit:
    """Return changes of files; they are renamed only in an editor that can do that."""
    changes: dict[str, list[types.TextEdit]] = {}
    versions: dict[str, int | None] = {}
    for path, edits in renamed.edits.items():
        if not edits:
            continue
        uri, version = _address(path, documents)
        changes.setdefault(uri, []).extend(edits)
        versions[uri] = version
    can = "workspace.workspace_edit"
    operations = get_capability(capabilities, f"{can}.resource_operations") or ()
    renames = types.ResourceOperationKind.Rename in operations  # Neovim says this, not the other
    if not renames and not get_capability(capabilities, f"{can}.document_changes"):
        return types.WorkspaceEdit(changes=changes)
    edits_and_renames: list[Any] = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), list(edits)
        )
        for uri, edits in changes.items()
    ]
    if renames:
        edits_and_renames += [
            types.RenameFile(_address(old, documents)[0], uri_of_path(new))
            for old, new in renamed.files
        ]
    return types.WorkspaceEdit(document_changes=edits_and_renames)


def _address(path: Path, documents: Documents) -> tuple[str, int | None]:
    for document in documents.at(DISK.real(path)):
        return document.uri, document.version
    return uri_of_path(path), None
