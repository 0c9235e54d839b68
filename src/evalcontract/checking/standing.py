"""Whether `check` looks at a file, as what, and if not, why not."""

from __future__ import annotations

import os
from pathlib import Path

from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import FOLDER, SCHEMA_SUFFIX, Entry, read_file
from evalcontract.source.filesystem import NOTHING, TYPED_TABLES
from evalcontract.workspace import Workspace, display_name, find_root, open_workspace
from evalcontract.workspace.configuration import FILE_NAME, excludes
from evalcontract.workspace.recognition import tool_without_dataset
from evalcontract.workspace.roots import (
    ARTIFACT_FOLDERS,
    find_configuration,
    folder_not_searched,
    search_root,
)
from evalcontract.workspace.unread import explain_unread


class Standing(NamedTuple):
    """What a file is to `check`: its kind, or why it is not checked, and what changes that."""

    kind: str | None
    reason: str = ""
    advice: str = ""


def standing_of(path: Path) -> Standing:
    """Return what a file is to `check` in its workspace.

    Raises:
        ConfigurationError: the configuration of the workspace cannot be used.

    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a link is looked at itself
    root = find_root(path)
    workspace = open_workspace(root)
    real = workspace.files.real(path.parent) / path.name
    kind = workspace.files.kind(path)
    if kind == NOTHING:
        return Standing(None, "there is no such file")
    if (kind == FOLDER or path.suffix.lower() in TYPED_TABLES) and _is_of_table(real, workspace):
        return Standing(Kind.DATASET)
    if kind == FOLDER:
        is_table = workspace.has_dataset(path)
        return _no_table(workspace) if is_table else Standing(None, "it is a folder", "name a file")
    if real == find_configuration(workspace.root, workspace.files):
        return Standing("configuration")
    top = search_root(Path.cwd())
    above = top if top in real.parents else workspace.root
    if folder := folder_not_searched(real, above):
        what = "hidden folders, virtual environments and installed packages are not searched"
        return Standing(None, f"it is below `{display_name(folder)}/`: {what}", "move it")
    return _in_workspace(real, workspace)


def _is_of_table(path: Path, workspace: Workspace) -> bool:
    """Whether a file or folder is a table among the datasets, or a file of one."""
    for _ in workspace.scan():  # tables are known when the rest is
        pass
    return not {path, *path.parents}.isdisjoint(workspace.tables())


def _in_workspace(path: Path, workspace: Workspace) -> Standing:
    configuration, base = workspace.configuration, workspace.listing.base
    relative = path.relative_to(base).as_posix() if base in path.parents else path.name
    for pattern in configuration.exclude:
        if excludes((pattern,), relative):
            at = configuration.exclude_at
            return Standing(None, f"`{pattern}` under `exclude` matches it ({at})", "remove that")
    folder = path.relative_to(workspace.root).parts[0]
    is_data = path in workspace.data_files
    is_schema = path.name.endswith(SCHEMA_SUFFIX)
    if folder == "bundles" and path.parent != workspace.root and is_data and is_schema:
        return Standing("bundle")
    if not is_data or folder == "bundles":
        is_table = path.suffix.lower() in TYPED_TABLES and folder not in ARTIFACT_FOLDERS
        is_read = is_table and not workspace.listing.is_saved(path)
        return _no_table(workspace) if is_read else _unread(path, workspace)
    if folder in ARTIFACT_FOLDERS and path.parent != workspace.root:
        return Standing(folder.removesuffix("s"))
    if workspace.scans(path):
        return Standing(Kind.DATASET)
    return _no_dataset(path, workspace)


def _no_table(workspace: Workspace) -> Standing:
    """Return why a table with typed columns is no dataset of its workspace."""
    if workspace.configuration.datasets:
        at = workspace.configuration.datasets_at
        return Standing(
            None, f"no pattern under `datasets` matches it ({at})", f"add one, {_NAMED}"
        )
    message = "Parquet and Arrow files are read below `datasets/`, and this is not"
    below = "put it below `datasets/`, match it by a pattern under `datasets`"
    return Standing(None, message, f"{below}, {_NAMED}")


def _unread(path: Path, workspace: Workspace) -> Standing:
    entry = Entry(path.name, workspace.files.kind(path), path.is_symlink())
    for file in explain_unread({path: entry}, workspace.files):
        fault = file.faults[0]
        return Standing(None, fault.message, fault.help or "")
    return Standing(None, "files of this name are no evaluation data")


def _no_dataset(path: Path, workspace: Workspace) -> Standing:
    """Return why a file of data is no dataset of its workspace."""
    configuration = workspace.configuration
    if path.name.startswith("evalcontract.") and path.parent == workspace.root:
        return Standing(None, "it has the name of settings", f"write them to `{FILE_NAME}`")
    if recorded := workspace.recorded_kind(path):
        of = "recorded outputs" if recorded == "output" else "results of `evalcontract grade`"
        return Standing(None, f"it has {of}, which `evalcontract grade` reads")
    if configuration.datasets:
        at = configuration.datasets_at
        return Standing(None, f"no pattern under `datasets` matches it ({at})", "add one")
    if path.name.endswith(SCHEMA_SUFFIX):
        return Standing(None, "it is a JSON Schema by its name")
    return _by_content(path, workspace)


def _by_content(path: Path, workspace: Workspace) -> Standing:
    source = read_file(path, display_name(path), workspace.files, quick=True)
    if source.unreadable:
        message = source.unreadable.faults[0].message
        return Standing(None, f"it may be any file, and cannot be read: {message}", _BY_NAME)
    if tool := tool_without_dataset(source.peek()):
        return Standing(None, f"it looks like {tool.what} of {tool.name}", tool.advice)
    return Standing(None, "nothing in it is known from rows of a dataset", _BY_NAME)


_NAMED = "name it in a target, or check it by itself with `evalcontract validate-dataset`"
_BY_NAME = "put it below `datasets/`, or match it by a pattern under `datasets`"
