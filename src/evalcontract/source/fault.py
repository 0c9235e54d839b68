"""What makes a file unreadable: faults that stand in the text, since there is no value yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.span import Span


class SourceProblem(NamedTuple):
    """One fault of a text. `span` is None where the fault is the whole file's."""

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    related: tuple[tuple[str, Span], ...] = ()


class UnreadableFile(NamedTuple):
    """A file that gave no value: its faults, and its text where it has one, for frames.

    Its properties are those of every source; see `Source`.
    """

    file: str
    faults: tuple[SourceProblem, ...]
    lines: tuple[str, ...] = ()

    @property
    def document(self) -> None:
        """No value."""

    @property
    def stream(self) -> None:
        """No rows."""

    @property
    def unreadable(self) -> UnreadableFile:
        """The file itself."""
        return self

    def peek(self) -> Any:
        """Return None: there is no first row."""


class ParseError(Exception):
    """Carries faults from the depth of a parser to its entrance; never leaves `source`."""

    def __init__(self, *faults: SourceProblem) -> None:
        super().__init__(faults)
        self.faults = faults


def duplicate_fault(key: str, span: Span, first: Span) -> SourceProblem:
    """Name a key that stands twice in one mapping, with both places."""
    return SourceProblem(
        "source/duplicate-key",
        f"duplicate key `{key}`",
        span,
        "remove one; parsers silently keep only the last",
        (("first here", first),),
    )


def moved_fault(fault: SourceProblem, lines: int) -> SourceProblem:
    """Return a fault as one that stands so many lines below."""
    if not lines:
        return fault
    related = tuple((what, span.below(lines)) for what, span in fault.related)
    return fault._replace(span=fault.span and fault.span.below(lines), related=related)
