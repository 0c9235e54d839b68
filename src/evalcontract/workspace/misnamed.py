"""Find a folder whose name is a misspelling of `rubrics` or `judges`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.names import MisnamedFolder, promised
from evalcontract.model.nearest import nearest
from evalcontract.source import FOLDER
from evalcontract.workspace.discovery import ARTIFACT_FOLDERS, data_files

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.model.reference import Kind
    from evalcontract.source import Files


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
        if entry.kind != FOLDER or entry.name in ARTIFACT_FOLDERS:
            continue
        if nearest(entry.name, (meant,)) is None:
            continue
        folder = root / entry.name
        paths = data_files(folder, files=files)
        names = (promised(f"{meant}/{path.relative_to(folder)}", kind)[0] for path in paths)
        if paths:
            return MisnamedFolder(f"{entry.name}/", frozenset(name for name in names if name))
    return None
