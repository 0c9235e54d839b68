"""What the loaders share: the workspace, the mode and the date, and the handling of findings."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from evalcontract.api.findings import Findings
from evalcontract.api.workspace import Workspace
from evalcontract.datasets.run import Run, today
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.workspace import find_root

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic

LOG = logging.getLogger("evalcontract")


class Loader:
    """The parameters of every loader.

    `root` is the folder of the workspace; by default it is found from the dataset, or else from
    the current folder. `workspace` is an opened one that is shared with other loaders. `strict` is
    the mode; by default, the targets that run a dataset decide, or else the configuration.
    `on_day` is the date for the age of validations; by default, today (UTC).

    Raises:
        UsageError: both `root` and `workspace` are given.

    """

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        workspace: Workspace | None = None,
        strict: bool | None = None,
        on_day: date | None = None,
    ) -> None:
        if root is not None and workspace is not None:
            raise UsageError("give `root` or `workspace`, not both")
        self._root = root
        self._workspace = workspace
        self._forced = strict
        self._today = on_day

    def _run(self, start: Path | None = None) -> Run:
        """Begin a run over the workspace, which by default is that of a path."""
        workspace = self._workspace
        if workspace is None:
            near = find_root(start) if self._root is None and start is not None else None
            workspace = Workspace(self._root if near is None else near)
        return Run(workspace.opened, self._forced, self._today or today())


def settle(ordered: Iterable[Diagnostic], *, strict: bool, loaded: bool = True) -> Findings:
    """Return sorted findings; raise if nothing was loaded, or on errors in strict mode."""
    diagnostics = Findings(ordered)
    if not loaded or (strict and any(diagnostic.is_error for diagnostic in diagnostics)):
        raise ContractViolation(diagnostics)
    return diagnostics
