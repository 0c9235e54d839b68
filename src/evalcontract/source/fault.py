"""Problems that make a file unreadable, with spans in its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Span


class SourceProblem(NamedTuple):
    """A problem in a text; `span` is None if it concerns the whole file.

    `related` are messages with their spans.
    """

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    related: tuple[tuple[str, Span], ...] = ()


class UnreadableFile(NamedTuple):
    """A file that cannot be read or parsed; `lines` is its text, if any, to show in reports.

    Implements `Source`.
    """

    file: str
    faults: tuple[SourceProblem, ...]
    lines: tuple[str, ...] = ()

    @property
    def document(self) -> None:
        """None: the file has no value."""

    @property
    def stream(self) -> None:
        """None: the file has no rows."""

    @property
    def unreadable(self) -> UnreadableFile:
        """The file itself."""
        return self

    def peek(self) -> Any:
        """Return None: there is no first row."""


class ParseError(Exception):
    """A parser found `faults`; callers outside of `source` get an `UnreadableFile` instead."""

    def __init__(self, *faults: SourceProblem) -> None:
        super().__init__(faults)
        self.faults = faults


def duplicate_fault(key: str, span: Span, first: Span) -> SourceProblem:
    """Return the problem of a duplicate key, with the spans of both."""
    return SourceProblem(
        "source/duplicate-key",
        f"duplicate key `{key}`",
        span,
        "remove one; parsers silently keep only the last",
        (("first here", first),),
    )


def moved_fault(problem: SourceProblem, lines: int) -> SourceProblem:
    """Return a problem with its spans moved down by a number of lines."""
    if not lines:
        return problem
    related = tuple((message, span.below(lines)) for message, span in problem.related)
    return problem._replace(span=problem.span and problem.span.below(lines), related=related)
