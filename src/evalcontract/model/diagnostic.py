"""Findings and their parts: problems, places, fixes, causes, diagnostics and the outcome of a run.

A `RunOutcome` is the result of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from evalcontract.model.startup import NamedTuple, lazy_pattern

Path = tuple[str | int, ...]

_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def format_path(path: Path) -> str:
    """Format a path as JSONPath (RFC 9535): `$.questions[3].id`, `$['odd key']`."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{step}")
        else:
            escaped = step.replace("\\", "\\\\").replace("'", "\\'")
            parts.append(f"['{escaped}']")
    return "".join(parts)


def key_of(path: Path) -> str:
    """Return a short name for a path: `scoring.combine`, `values[2]`, `expected.format`.

    The part up to the last list index is left out, except for indexes at the end.
    """
    end = len(path)
    while end and isinstance(path[end - 1], int):
        end -= 1
    start = next((n for n in range(end, 0, -1) if isinstance(path[n - 1], int)), 0)
    if start >= end:
        return format_path(path)
    rest = format_path(path[start + 1 :])[1:]
    return f"{path[start]}{rest}"


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
    """The common cause of several problems with the same code: a run reports them as one finding.

    Problems belong together if the `name` of their cause is the same; `verb` says what the rows and
    checks have to do with it. What is in no row is a check, unless `noun` says otherwise. If the
    cause is a fault of another file, `file` is its name. It is reported there if it is a finding by
    itself, or as `problem`, which replaces two or more consequences.
    """

    name: str
    verb: str
    file: str | None = None
    problem: Problem | None = None
    noun: str = "check"


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


def below(path: Path, problem: Problem) -> Problem:
    """Return the problem of a part of a value, which is at a path, as one of the whole value."""
    return problem.relocated(lambda inner: (*path, *inner)) if path else problem


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
        from evalcontract.model.values import escape_controls  # rarely needed

        return escape_controls(f"{self.place}: {self.severity}[{self.code}]: {self.message}")


#: The kinds of files that are recognised, and checked only by the command that reads them.
RECORDED = ("output", "results")


class RunOutcome:
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
        return isinstance(other, RunOutcome) and vars(self) == vars(other)

    @property
    def is_checked(self) -> bool:
        """Whether there was anything to check."""
        return any(kind not in RECORDED for kind in self.files)

    def count(self, kind: str, file: str) -> None:
        """Count a file of a kind."""
        self.files[kind] = self.files.get(kind, 0) + 1
        self.checked[file] = str(kind)

    def add(self, part: RunOutcome) -> None:
        """Add what another outcome counts; its findings are added where all of them are."""
        for kind, count in part.files.items():
            self.files[kind] = self.files.get(kind, 0) + count
        self.rows += part.rows
        self.ignored += part.ignored
        self.left_out += part.left_out
        self.checked |= part.checked

    def settle(self, rank: Callable[[Diagnostic], int] | None = None) -> RunOutcome:
        """Sort the findings by `rank`, then by their places, and remove duplicates."""
        self.left_out.sort()
        self.diagnostics = sorted(dict.fromkeys(self.diagnostics), key=sort_key)
        if rank:
            self.diagnostics.sort(key=rank)
        return self


def sort_key(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """Return a key to sort findings by file, line, column and code."""
    span = diagnostic.place.span
    row = diagnostic.row_index if diagnostic.place.at else None
    at = (span.line, span.column) if span else (0, -1 if row is None else row)
    return (diagnostic.place.file, *at, diagnostic.code, diagnostic.message)


#: Changes whenever the fingerprint of an unchanged finding does.
VERSION = 1
# Names of files stand in backticks; their numbers identify something, such as `rubric/a@1.0.0`.
_NAME = lazy_pattern(r"(`[^`]*`)")
_NUMBER = lazy_pattern(r"\d+(?:[.,]\d+)*")
_INDEX = lazy_pattern(r"\[\d+\]")


def fingerprints(
    diagnostics: Sequence[Diagnostic], name_of: Callable[[str], str] = str
) -> list[str]:
    """Return the fingerprint of each finding: 32 hexadecimal digits, different within one report.

    It depends on the code, the file as `name_of` names it, the row id, the path without indexes,
    and the message without its numbers: lines, columns, indexes, counts and the severity do not
    matter, so that an edit elsewhere in the file changes nothing. A finding for several places
    depends on its code, file and message alone. Of equal findings, all but the first are numbered.
    """
    from hashlib import sha256  # slow to import

    counts: Counter[str] = Counter()
    marks = []
    for diagnostic in diagnostics:
        key = _key(diagnostic, name_of(diagnostic.place.file))
        counts[key] += 1
        number = f"\0{counts[key]}" if counts[key] > 1 else ""
        data = f"{VERSION}\0{key}{number}".encode("utf-8", "surrogatepass")
        marks.append(sha256(data).hexdigest()[:32])
    return marks


def _key(diagnostic: Diagnostic, name: str) -> str:
    row, path = diagnostic.row, diagnostic.path
    if diagnostic.sites is not None and diagnostic.sites.total > 1:
        row, path = None, ()
    elif row is not None and diagnostic.row_index in path:
        path = path[path.index(diagnostic.row_index) + 1 :]
    steps = _INDEX.sub("[]", format_path(path))
    return "\0".join([diagnostic.code, name, row or "", steps, _steady(diagnostic.message)])


def _steady(message: str) -> str:
    """Return a message without the numbers that an edit elsewhere may change."""
    parts = _NAME.split(message)
    parts[::2] = [_NUMBER.sub("#", part) for part in parts[::2]]
    parts[1::2] = [_INDEX.sub("[]", part) for part in parts[1::2]]
    return "".join(parts)


Scalar = str | int | float | bool | None


class Rename(NamedTuple):
    """Rename the key and keep its value."""

    key: str


class Move(NamedTuple):
    """Move the key with its value to another path, which ends with the new key.

    The target mapping is created if it is missing, and the source mapping is removed if it becomes
    empty.
    """

    to: Path


class Write(NamedTuple):
    """Replace the scalar."""

    value: Scalar


Edit = Rename | Move | Write


class Fix(NamedTuple):
    """An edit at a path.

    It is `safe` if it certainly preserves what the author meant. Other fixes are applied only on
    request.
    """

    path: Path
    edit: Edit
    safe: bool = True

    def relocated(self, change: Callable[[Path], Path]) -> Fix:
        """Return the same fix with its paths changed, for example prefixed."""
        edit = self.edit
        if isinstance(edit, Move):
            edit = Move(change(edit.to))
        return self._replace(path=change(self.path), edit=edit)

    @property
    def kind(self) -> str:
        """The name of the edit: `rename`, `move` or `write`."""
        return type(self.edit).__name__.lower()

    @property
    def target(self) -> Scalar:
        """The result of the edit: the new key, the new path as JSONPath, or the new value."""
        match self.edit:
            case Rename(key):
                return key
            case Move(to):
                return format_path(to)
            case Write(value):
                return value


class Span(NamedTuple):
    r"""A range of text.

    Lines and columns count from 1, columns in Unicode code points; the end is exclusive. Only
    `\n`, `\r\n` and `\r` end a line; in JSONL only the first two, since a lone `\r` may occur
    inside a row.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def point(cls, line: int = 1, column: int = 1) -> Span:
        """Return the empty span at a position."""
        return cls(line, column, line, column)

    def below(self, lines: int) -> Span:
        """Return the span moved down by a number of lines."""
        return Span(self.line + lines, self.column, self.end_line + lines, self.end_column)


class Place(NamedTuple):
    """A span in a named file, with the text of its first line, so that it can be shown.

    `file` is the name as given by the user, relative or absolute; `text` is None if the place is a
    whole file. `at` is a place in a file without lines, such as `row group 0, row 7`.
    """

    file: str
    span: Span | None = None
    text: str | None = None
    at: str | None = None

    def __str__(self) -> str:
        if self.span:
            return f"{self.file}:{self.span.line}:{self.span.column}"
        return f"{self.file} ({self.at})" if self.at else self.file


class TextEdit(NamedTuple):
    """A replacement of the text at a span."""

    span: Span
    text: str
