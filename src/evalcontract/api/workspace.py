"""A workspace that several loaders share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.errors import UsageError
from evalcontract.workspace import find_root, open_workspace

if TYPE_CHECKING:
    from evalcontract.workspace import Workspace as OpenedWorkspace


class Workspace:
    """A folder with rubrics and judges, each of which is read once for all loads.

    `root` is the folder; by default, the workspace of the current folder. Pass the workspace to
    loaders: `DatasetLoader(workspace=Workspace("evals"))`. Its rubrics, judges, bundles, targets
    and settings are read when they are first needed, and kept: for later changes of these files,
    make a new one. Datasets are read at each load.

    Raises:
        UsageError: `root` is not a folder.
        ConfigurationError: the configuration of the workspace cannot be used.

    """

    def __init__(self, root: str | Path | None = None) -> None:
        if root is not None and not os.path.isdir(root):
            raise UsageError(f"the workspace {root} is not a folder")
        #: For the loaders; not part of the public API.
        folder = Path(root) if root is not None else find_root(Path.cwd())
        self.opened: OpenedWorkspace = open_workspace(folder)

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    @property
    def root(self) -> Path:
        """The folder, as an absolute path."""
        return self.opened.root
