"""Which files of a folder a command is about."""

from __future__ import annotations

from pathlib import Path

from evalcontract.engine.passes import OURS
from evalcontract.model.reference import Kind
from evalcontract.source import DISK, format_of
from evalcontract.workspace import data_files, find_workspaces, inner_of, open_workspace


def files_below(folder: Path, kind: Kind, dialect: str | None = None) -> list[Path]:
    """Return the files of a folder that are of a kind.

    For rubrics and judges that is every YAML or JSON file, but for schemas; for datasets it is
    what `check` takes for one, or what the system of a `dialect` reads. A folder that cannot be
    listed is returned itself: reading it tells.
    """
    unlisted: list[Path] = []
    if dialect not in (None, OURS):
        from evalcontract.engine.dialect_pass import endings  # not for our datasets

        keep = unlisted.append
        found = data_files(
            folder, suffixes=endings(dialect), on_fault=lambda error: keep(Path(error.filename))
        )
        return sorted([*found, *unlisted])
    if kind is Kind.DATASET:
        top = DISK.real(folder)
        roots = find_workspaces(folder)
        workspaces = [open_workspace(root, inner_of(root, roots)) for root in roots]
        scanned = (each for workspace in workspaces for each in workspace.scan())
        found = [path for path, source in scanned if source is not None]
        unlisted = [path for workspace in workspaces for path in workspace.unlisted]
        return sorted(path for path in (*found, *unlisted) if top in (path, *path.parents))
    found = data_files(folder, on_fault=lambda error: unlisted.append(Path(error.filename)))
    return [
        path
        for path in (*found, *unlisted)
        if format_of(path.name) != "jsonl" and not path.name.endswith(".schema.json")
    ]
