"""Findings as records, a data frame or HTML, and what all loaders share: workspace and mode."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from datetime import date
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.run import Run, today
from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.values import escape_controls, many
from evalcontract.report.json import finding_of
from evalcontract.workspace import Workspace as OpenedWorkspace
from evalcontract.workspace import find_root, open_workspace

if TYPE_CHECKING:
    import pandas as pd

#: The columns of a data frame, and what pandas calls their types. `severity` is an ordered
#: category; numbers may be missing.
COLUMNS = {
    "code": "string", "severity": "category", "message": "string", "help": "string",
    "file": "string", "line": "Int64", "column": "Int64", "end_line": "Int64",
    "end_column": "Int64", "path": "string", "row": "string", "row_index": "Int64",
    "is_fixable": "boolean", "url": "string",
}  # fmt: skip
#: How many findings, and how many characters of a text, a notebook shows.
_SHOWN = 20
_LONGEST = 300
# Without colours of its own, it is readable on any background.
_CELL = 'style="text-align: left; vertical-align: top"'


def pandas() -> Any:
    """Return the package pandas, an extra that is slow to import.

    Raises:
        UsageError: it is not installed.

    """
    try:
        import pandas as pd
    except ImportError:
        message = 'to_pandas needs pandas: `pip install "evalcontract[pandas]"`'
        raise UsageError(message) from None
    return pd


class Findings(tuple[Diagnostic, ...]):
    """A tuple of findings that is also a table.

    `Findings(outcome.diagnostics)` makes one of any findings. In a notebook it is shown as one.
    """

    __slots__ = ()

    def to_records(self) -> list[dict[str, Any]]:
        """Return a mapping for each finding, with the keys of `COLUMNS`.

        `line` and `column` count from 1, and are None where there is no place in a text; `path` is
        JSONPath, `row_index` counts from 0.
        """
        return [*map(_record, self)]

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with a line for each finding; see `COLUMNS`.

        Raises:
            UsageError: pandas is not installed.

        """
        pd = pandas()
        ordered = pd.CategoricalDtype([str(each) for each in Severity], ordered=True)
        frame = pd.DataFrame(self.to_records(), columns=[*COLUMNS])
        return frame.astype({**COLUMNS, "severity": ordered})

    def _repr_html_(self) -> str:
        """Return a table of the first findings, for notebooks."""
        return "".join(self._html())

    def _html(self) -> Iterator[str]:
        total = len(self)
        yield f"<div><p>{many(total, 'finding')}</p>"
        if self:
            heads = ("severity", "code", "place", "row", "message")
            titles = "".join(f"<th {_CELL}>{head}</th>" for head in heads)
            yield f"<table><thead><tr>{titles}</tr></thead><tbody>"
            yield from map(_as_row, self[:_SHOWN])
            yield "</tbody></table>"
        if total > _SHOWN:
            yield f"<p>… {total - _SHOWN:,} more: <code>to_pandas()</code> has all</p>"
        yield "</div>"


#: No findings at all.
NO_FINDINGS = Findings()


def _record(diagnostic: Diagnostic) -> dict[str, Any]:
    from evalcontract.workspace.catalogue import url_of  # slow to import

    finding = finding_of(diagnostic)
    finding |= {"is_fixable": diagnostic.fix is not None, "url": url_of(diagnostic.code)}
    return {column: finding[column] for column in COLUMNS}


def _as_row(diagnostic: Diagnostic) -> str:
    advice = f"<br>help: {_safe(diagnostic.help)}" if diagnostic.help else ""
    cells = (
        _safe(str(diagnostic.severity)),
        f"<code>{_safe(diagnostic.code)}</code>",
        _safe(str(diagnostic.place)),
        _safe(diagnostic.row or ""),
        f"{_safe(diagnostic.message)}{advice}",
    )
    return "<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in cells) + "</tr>"


def _safe(text: str) -> str:
    """Return a text of a file as HTML: short, without markup, and with what is invisible shown."""
    shown = escape_controls(text[: _LONGEST + 1])
    return escape(shown if len(text) <= _LONGEST else f"{shown[:_LONGEST]}…")


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
