"""Findings: a `Problem` has a path, a `Diagnostic` a file, a line and a severity.

An `Outcome` is the result of a run.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from evalcontract.model.path import format_path
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.fix import Fix
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place


class Severity(IntEnum):
    """The severity of a finding, set by the policy. Only errors fail a run."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


class SeveritySource(NamedTuple):
    """The setting that changed the severity of a finding, and its file.

    `setting` is a key of a target or of the configuration, or `[severity]`.
    """

    setting: str
    file: str


class Related(NamedTuple):
    """Another place of a problem, such as the first use of an id or a hop of a cycle.

    `file` is None for a place in the same file as the problem.
    """

    message: str
    path: Path
    file: str | None = None
    on_key: bool = False


class Within(NamedTuple):
    """A part of a text value: the `occurrence`th (from 0) occurrence of `text`.

    `whole` starts with `text`. If the file has it verbatim there, all of it is underlined; a part
    that is broken over two lines is still found by its start.
    """

    text: str
    occurrence: int = 0
    whole: str = ""


class Cause(NamedTuple):
    """What several problems with the same code have in common: a run reports them as one finding.

    Problems belong together if the `name` of their cause is the same; `verb` says what the rows and
    checks have to do with it. If the cause is a fault of another file, `file` is its name. It is
    reported there if it is a finding by itself, or as `problem`, which replaces two or more
    consequences.
    """

    name: str
    verb: str
    file: str | None = None
    problem: Problem | None = None


class Problem(NamedTuple):
    """A fault of a value, without its line and severity.

    `on_key` means the last key of the path instead of its value; `within` means a part of the text
    at the path. `row` is the id of the dataset row, or None if it has none. `fix` is an edit that
    fixes the problem, or None. `cause` is what it may share with other problems, or None.
    """

    code: str
    message: str
    path: Path
    help: str | None = None
    on_key: bool = False
    row: str | None = None
    related: tuple[Related, ...] = ()
    row_index: int | None = None
    within: Within | None = None
    fix: Fix | None = None
    cause: Cause | None = None

    def relocated(self, change: Callable[[Path], Path]) -> Problem:
        """Return the same problem with its path and that of its fix changed."""
        fix = self.fix and self.fix.relocated(change)
        return self._replace(path=change(self.path), fix=fix)


class Site(NamedTuple):
    """One of several places that a finding stands for."""

    place: Place
    path: Path = ()
    row: str | None = None
    row_index: int | None = None
    fix: Fix | None = None


class Sites(NamedTuple):
    """The places that a finding stands for: their number, and the first of them, in order.

    `message` says what they have in common, such as "500 rows refer to it".
    """

    message: str
    total: int
    first: tuple[Site, ...]


class Diagnostic(NamedTuple):
    """A problem with its place and severity, as used by reports and the Python API.

    `cause` is what it may share with other findings on rows or checks. In the outcome of a run, the
    findings with the same cause are one finding, whose `sites` are the places of all.
    `severity_source` is the setting of a target or the configuration that changed the severity, or
    None.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    path: Path = ()
    help: str | None = None
    row: str | None = None
    row_index: int | None = None
    related: tuple[tuple[str, Place], ...] = ()
    fix: Fix | None = None
    cause: Cause | None = None
    sites: Sites | None = None
    severity_source: SeveritySource | None = None

    @property
    def is_error(self) -> bool:
        """Whether this finding fails a run."""
        return self.severity is Severity.ERROR

    @property
    def pointer(self) -> str:
        """The path inside the value, as JSONPath."""
        return format_path(self.path)

    def __str__(self) -> str:
        """Return a line that any stream can print: no name or message ends it, or acts on it."""
        from evalcontract.model.harmless import escape_controls  # rarely needed

        return escape_controls(f"{self.place}: {self.severity}[{self.code}]: {self.message}")


#: The kinds of files that are recognised, and checked only by the command that reads them.
RECORDED = ("output", "results")


class Outcome:
    """The result of a run.

    `files` and `rows` count what was checked, `checked` has the kinds of the files by name. `files`
    counts what was only recognised, too (see `RECORDED`). `left_out` has the names of the others.
    `ignored` is the number of findings that files or the configuration ignore.
    """

    def __init__(
        self,
        diagnostics: list[Diagnostic] | None = None,
        files: dict[str, int] | None = None,
        rows: int = 0,
        left_out: list[str] | None = None,
        checked: dict[str, str] | None = None,
        ignored: int = 0,
    ) -> None:
        self.diagnostics: list[Diagnostic] = diagnostics or []
        self.files: dict[str, int] = files or {}
        self.rows = rows
        self.left_out: list[str] = left_out or []
        self.checked: dict[str, str] = checked or {}
        self.ignored = ignored

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and vars(self) == vars(other)

    @property
    def is_checked(self) -> bool:
        """Whether there was anything to check."""
        return any(kind not in RECORDED for kind in self.files)

    def count(self, kind: str, file: str) -> None:
        """Count a file of a kind."""
        self.files[kind] = self.files.get(kind, 0) + 1
        self.checked[file] = str(kind)

    def settle(self, rank: Callable[[Diagnostic], int] | None = None) -> Outcome:
        """Sort the findings by `rank`, then by their places, and remove duplicates."""
        self.left_out.sort()
        self.diagnostics = sorted(dict.fromkeys(self.diagnostics), key=sort_key)
        if rank:
            self.diagnostics.sort(key=rank)
        return self


def sort_key(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """Return a key to sort findings by file, line, column and code."""
    span = diagnostic.place.span
    at = (span.line, span.column) if span else (0, 0)
    return (diagnostic.place.file, *at, diagnostic.code, diagnostic.message)
