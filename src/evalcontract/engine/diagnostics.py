"""The edge: problems, which speak in paths, become diagnostics, which speak in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from evalcontract.model.diagnostic import Diagnostic, Related
from evalcontract.model.span import Place
from evalcontract.workspace.known_codes import code_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalcontract.model.diagnostic import Problem, Within
    from evalcontract.model.path import Path
    from evalcontract.model.span import Span
    from evalcontract.policy import Policy
    from evalcontract.source import Document, SourceProblem, UnreadableFile


class Placed(Protocol):
    """What has places for paths: a document, or rows."""

    @property
    def file(self) -> str:
        """The name of the file."""
        ...

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; see `Document.place`."""
        ...


def to_diagnostics(
    problems: Iterable[Problem],
    source: Placed,
    policy: Policy,
    others: Mapping[str, Document],
) -> Iterator[Diagnostic]:
    """Give problems of one file their places and severities; those not to be reported go.

    `others` are the documents by file name that related places may stand in.
    """
    for problem in problems:
        severity = policy.severity_of(code_named(problem.code))
        if severity is not None:
            yield Diagnostic(
                str(problem.code),
                severity,
                problem.message,
                source.place(problem.path, on_key=problem.on_key, within=problem.within),
                problem.path,
                problem.help,
                problem.row,
                problem.row_index,
                tuple((each.message, _related(each, source, others)) for each in problem.related),
                problem.fix,
            )


def _related(related: Related, source: Placed, others: Mapping[str, Document]) -> Place:
    if related.file is None or related.file == source.file:
        return source.place(related.path, on_key=related.on_key)
    if related.file in others:
        return others[related.file].place(related.path, on_key=related.on_key)
    return Place(related.file)


def from_unreadable(unreadable: UnreadableFile, policy: Policy) -> Iterator[Diagnostic]:
    """Give the faults of a file without a value their severities."""
    for fault in unreadable.faults:
        lines = unreadable.lines

        def text_at(span: Span | None, lines: tuple[str, ...] = lines) -> str | None:
            return lines[span.line - 1] if span and span.line <= len(lines) else None

        found = from_source_fault(fault, unreadable.file, text_at(fault.span), policy)
        if found:
            related = tuple(
                (message, Place(unreadable.file, span, text_at(span)))
                for message, span in fault.related
            )
            yield Diagnostic(
                found.code, found.severity, found.message, found.place, (), found.help,
                related=related,
            )  # fmt: skip


def from_source_fault(
    fault: SourceProblem, file: str, text: str | None, policy: Policy
) -> Diagnostic | None:
    """Give one fault of a text its severity; None where it is not to be reported."""
    severity = policy.severity_of(code_named(fault.code))
    if severity is None:
        return None
    related = tuple((message, Place(file, span, text)) for message, span in fault.related)
    place = Place(file, fault.span, text)
    return Diagnostic(fault.code, severity, fault.message, place, (), fault.help, related=related)
