"""Workspaces that are kept open from one key stroke to the next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from evalcontract.model.errors import EvalContractError
from evalcontract.model.startup import NamedTuple
from evalcontract.workspace import Workspace, find_root, open_workspace

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path

    from evalcontract.source import Files

#: A workspace is read again after so many times the seconds that reading it took, at least.
_TIMES, _LEAST = 20, 1.0


class _Kept(NamedTuple):
    workspace: Workspace
    stamp: Hashable
    until: float


class OpenedWorkspaces:
    """The workspaces of files by root, each read anew when what it depends on may have changed.

    A workspace is kept as long as its stamp, which identifies the open files that it depends on, is
    the same; and not for long, since files also change on the disk.
    """

    def __init__(self) -> None:
        self._kept: dict[Path, _Kept] = {}

    def of(self, path: Path, files: Files, stamp: Hashable) -> tuple[Path, Workspace | None]:
        """Return the root of the workspace of a file, and the workspace.

        It is None if its configuration cannot be used.
        """
        root = files.real(find_root(path, files))
        kept = self._kept.get(root)
        now = time.monotonic()
        if kept and kept.stamp == stamp and now < kept.until:
            return root, kept.workspace
        try:
            workspace = open_workspace(root, (), files)
            workspace.library  # noqa: B018 - read it now, to know how long that takes
        except EvalContractError:
            self._kept.pop(root, None)
            return root, None
        done = time.monotonic()
        self._kept[root] = _Kept(workspace, stamp, done + max(_LEAST, _TIMES * (done - now)))
        return root, workspace
