"""Find a folder whose name is a misspelling of that of a folder of a workspace."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from evalcontract.library.artifact import MisnamedFolder, promised
from evalcontract.model.nearest import nearest
from evalcontract.source import FOLDER, SCHEMA_SUFFIX
from evalcontract.workspace.discovery import ARTIFACT_FOLDERS, data_files

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.model.reference import Kind
    from evalcontract.source import Files, Source


def misnamed_folder(root: Path, files: Files, kind: Kind) -> MisnamedFolder | None:
    """Return the folder of a workspace that is probably meant as that of a kind, or None.

    It has at least one data file.
    """
    meant = f"{kind}s"
    try:
        entries = files.entries(root)
    except (OSError, ValueError):
        return None
    for entry in entries:
        if entry.kind != FOLDER or entry.is_link or entry.name in ARTIFACT_FOLDERS:
            continue
        if nearest(entry.name, (meant,)) is None:
            continue
        folder = root / entry.name
        paths = data_files(folder, files=files)
        names = (promised(f"{meant}/{path.relative_to(folder)}", kind)[0] for path in paths)
        if paths:
            return MisnamedFolder(f"{entry.name}/", frozenset(name for name in names if name))
    return None


def meant_folder(path: Path, root: Path, source: Source) -> str | None:
    """Return the folder that a target or a schema of a bundle is meant to be in, or None.

    The file is in a folder at the root of the workspace with a similar name, such as `target/`.
    """
    folder, *inner = path.relative_to(root).parts
    meant = _similar_folder(folder) if inner else None
    if meant == "bundles":
        return meant if path.name.endswith(SCHEMA_SUFFIX) else None
    value = source.document.quick if meant and source.document else None
    is_target = isinstance(value, dict) and isinstance(value.get("dataset"), str)
    return meant if is_target else None


@cache
def _similar_folder(name: str) -> str | None:
    return nearest(name, ("targets", "bundles"))
