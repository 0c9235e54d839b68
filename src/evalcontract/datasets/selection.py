"""Select the files of a folder that a command checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.datasets.passes import NATIVE
from evalcontract.model.reference import Kind
from evalcontract.source import DISK, SCHEMA_SUFFIX, TABLES, format_of
from evalcontract.workspace import (
    NEAREST,
    ChosenConfiguration,
    data_files,
    find_root,
    find_workspaces,
    nested_workspaces,
    open_workspace,
)

if TYPE_CHECKING:
    from evalcontract.source import Files


def files_below(
    folder: Path,
    kind: Kind,
    dialect: str | None = None,
    chosen: ChosenConfiguration = NEAREST,
    files: Files = DISK,
) -> list[Path]:
    """Return the files of one kind in a folder.

    For rubrics and judges, these are all YAML and JSON files except schemas. For datasets, they are
    the files that `check` detects by the `chosen` configuration, or those with an extension that
    the system of a `dialect` reads.
    A folder that cannot be listed is part of the result; reading it reports the error.
    """
    unreadable: list[Path] = []

    def note(error: OSError) -> None:
        unreadable.append(Path(error.filename))

    if dialect not in (None, NATIVE):
        from evalcontract.datasets.dialect_pass import endings  # not for evalcontract datasets
        from evalcontract.datasets.opening import TABLE

        suffixes = frozenset(TABLES) if dialect == TABLE else endings(str(dialect))
        paths = data_files(folder, suffixes=suffixes, on_error=note, files=files)
        return sorted([*paths, *unreadable])
    if kind is Kind.DATASET:
        top = files.real(folder)
        roots = find_workspaces(folder, files)
        workspaces = [
            open_workspace(root, inner, files, chosen)
            for root, inner in nested_workspaces(roots).items()
        ]
        paths = [
            path
            for workspace in workspaces
            for path, source in workspace.scan()
            if source is not None
        ]
        paths += [path for workspace in workspaces for path in workspace.unreadable_dirs]
        return sorted(path for path in paths if top in (path, *path.parents))
    paths = data_files(folder, on_error=note, files=files)
    return [
        path
        for path in (*paths, *unreadable)
        if format_of(path.name) != "jsonl" and not path.name.endswith(SCHEMA_SUFFIX)
    ]


def is_target(path: Path, root: Path | None = None) -> bool:
    """Whether a file is in the folder `targets/` of its workspace, or of `root`."""
    real = DISK.real(path)
    root = DISK.real(root or find_root(real))
    return root in real.parents and real.relative_to(root).parts[0] == "targets"
