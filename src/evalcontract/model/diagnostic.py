"""What is found: a `Problem` speaks in paths, a `Diagnostic` in files, lines and severities.

An `Outcome` is all that a run found.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.path import format_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.fix import Fix
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place


class Severity(IntEnum):
    """How much a finding weighs, by `policy`; only an error fails a run."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Related(NamedTuple):
    """A second place that belongs to a problem: the first use of an id, a hop of a cycle.

    `file` is None where the place stands in the file of the problem itself.
    """

    message: str
    path: Path
    file: str | None = None
    on_key: bool = False


class Within(NamedTuple):
    """A part of a text value: the `occurrence`th (from 0) time that `text` stands in it.

    `whole` begins with `text`, and is what to show where it stands there as it is; so a part that
    the author broke over two lines is still found by its beginning.
    """

    text: str
    occurrence: int = 0
    whole: str = ""


class Problem(NamedTuple):
    """A judgement on a value, before anyone knows its line or what it weighs.

    `on_key` points at the key at the end of the path, not at its value; `within` points at a part
    of the text at the end of the path. `row` names the row of a
    dataset that it belongs to: its id, or None where it has none. `fix` is the edit that mends it,
    where there is one.
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

    def relocated(self, change: Callable[[Path], Path]) -> Problem:
        """Return the same problem with its path and that of its fix changed."""
        fix = self.fix and self.fix.relocated(change)
        return self._replace(path=change(self.path), fix=fix)


class Diagnostic(NamedTuple):
    """A problem with its place and its severity; what reports and the Python API hand out."""

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

    @property
    def is_error(self) -> bool:
        """Whether this finding fails a run."""
        return self.severity is Severity.ERROR

    @property
    def pointer(self) -> str:
        """The path inside the value, as JSONPath."""
        return format_path(self.path)

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}[{self.code}]: {self.message}"


class Outcome:
    """What a run found. `files` and `rows` count what was looked at; `left_out` what was not."""

    def __init__(
        self,
        diagnostics: list[Diagnostic] | None = None,
        files: dict[str, int] | None = None,
        rows: int = 0,
        left_out: list[str] | None = None,
    ) -> None:
        self.diagnostics = diagnostics or []
        self.files = files or {}
        self.rows = rows
        self.left_out = left_out or []

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and vars(self) == vars(other)

    def settle(self) -> Outcome:
        """Sort the findings, each once."""
        self.left_out.sort()
        self.diagnostics = sorted(dict.fromkeys(self.diagnostics), key=sort_key)
        return self


def sort_key(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """Order findings by file, line, column and code."""
    span = diagnostic.place.span
    at = (span.line, span.column) if span else (0, 0)
    return (diagnostic.place.file, *at, diagnostic.code, diagnostic.message)
