"""A folder with its datasets, rubrics, judges, bundles and targets: found, and read."""

from __future__ import annotations

from evalcontract.source.plugins import entry_points
from evalcontract.workspace.configuration import Configuration, read_configuration
from evalcontract.workspace.discovery import (
    data_files,
    find_root,
    find_workspaces,
    inner_of,
    name_of,
    top_of,
)
from evalcontract.workspace.single import one_value
from evalcontract.workspace.workspace import Target, Workspace, open_workspace

__all__ = [
    "Configuration",
    "Target",
    "Workspace",
    "data_files",
    "entry_points",
    "find_root",
    "find_workspaces",
    "inner_of",
    "name_of",
    "one_value",
    "open_workspace",
    "read_configuration",
    "top_of",
]
