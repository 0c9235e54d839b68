"""Rename an id or a version in its file and all references."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from evalcontract.cache.store import is_kept
from evalcontract.datasets.root import Use, uses_of
from evalcontract.library.library import identity_from_name
from evalcontract.lsp.names import ARTIFACT, CHECK, ROW, VERSION, Name, Naming
from evalcontract.lsp.text import edits_between
from evalcontract.model.diagnostic import Fix, Rename, Write
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import IDENTIFIER, Version, newest
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Files, format_of, read_text
from evalcontract.source.editing import edit_text
from evalcontract.source.files import guess_format
from evalcontract.workspace import Workspace

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
