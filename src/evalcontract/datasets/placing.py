"""Problems as diagnostics with file, line and column; what crashes is a diagnostic, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from evalcontract.model.diagnostic import (
    Diagnostic,
    Path,
    Place,
    Problem,
    Related,
    Severity,
    Span,
    Within,
)
from evalcontract.model.errors import EvalContractError
from evalcontract.model.values import MESSAGE_LENGTH, clipped, readable
from evalcontract.policy import Policy
from evalcontract.source import Document, MisreadError, SourceProblem, UnreadableFile
from evalcontract.workspace.catalogue import code_named

_CODE = "internal/rule-crashed"
_NONE: Mapping[str, Document] = {}
#: What is no bug of whoever reads a file: a wrong call, no memory, a file that cannot be read.
NO_BUGS = (EvalContractError, MemoryError, MisreadError, OSError)


def guarded(code: str, check: Callable[..., Iterator[Problem]], *args: Any) -> list[Problem]:
    """Run a rule; if it raises, its last problem is `internal/rule-crashed`.

    Raises:
        MemoryError: there is not enough memory for the rule.

    """
    problems: list[Problem] = []
    try:
        problems.extend(check(*args))
    except MemoryError:
        raise  # no bug of the rule
    except Exception as error:  # noqa: BLE001 - the other rules must run
        problems.append(crash(f"the rule {code}", error, "the other rules have run"))
    return problems


def crash(what: str, error: Exception, rest: str) -> Problem:
    """Return the problem for `what`, which raised; `rest` says how the check goes on."""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    message = f"{what} crashed ({reason}); {rest}"
    advice = "this is a bug in evalcontract: please report it and attach the file"
    return Problem(_CODE, message, (), advice)


@contextmanager
def one_finding(file: str, take: Callable[[Diagnostic], object]) -> Iterator[None]:
    """Let a bug that a file brings to light cost that file one finding, which `take` gets.

    It may be of the detector, the reader or the checks of any format, also of another package.

    Raises:
        EvalContractError, MemoryError, MisreadError, OSError: these are no bugs.

    """
    try:
        yield
    except NO_BUGS:
        raise
    except Exception as error:  # noqa: BLE001 - the other files must be checked
        problem = crash(_place_of(error), error, "this file is not read further, the others are")
        message = readable(problem.message)
        take(Diagnostic(_CODE, Severity.ERROR, message, Place(file), (), problem.help))


def _place_of(error: Exception) -> str:
    """Return the module and the line that raised an exception."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return f"{step.tb_frame.f_globals.get('__name__')}:{step.tb_lineno}" if step else "?"


class Locatable(Protocol):
    """A document, or rows: something that can locate paths in a file."""

    @property
    def file(self) -> str:
        """The name of the file."""

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path; see `Document.place`."""


def to_diagnostics(
    problems: Iterable[Problem],
    source: Locatable,
    policy: Policy,
    documents: Mapping[str, Document] = _NONE,
) -> Iterator[Diagnostic]:
    """Yield the problems of one file as diagnostics, except those that the policy turns off.

    `documents` are the documents by file name that related places may be in.
    """
    for problem in problems:
        code = code_named(problem.code)
        severity = policy.severity_of(code)
        if severity is not None:
            place = source.place(problem.path, on_key=problem.on_key, within=problem.within)
            yield Diagnostic(
                str(problem.code),
                severity,
                readable(problem.message),
                place,
                problem.path,
                problem.help and readable(problem.help),
                problem.row and clipped(problem.row, MESSAGE_LENGTH),
                problem.row_index,
                tuple(
                    (readable(related.message), _related_place(related, source, documents))
                    for related in problem.related
                ),
                None if place.at else problem.fix,  # a place without lines is in a table
                problem.cause,
                severity_source=policy.source_of(code, severity),
            )


def judged(diagnostics: Iterable[Diagnostic], policy: Policy) -> Iterator[Diagnostic]:
    """Yield findings with the severities of another policy, which reports the same codes."""
    for diagnostic in diagnostics:
        code = code_named(diagnostic.code)
        severity = policy.severity_of(code)
        if severity is not None:
            source = policy.source_of(code, severity)
            yield diagnostic._replace(severity=severity, severity_source=source)


def _related_place(related: Related, source: Locatable, documents: Mapping[str, Document]) -> Place:
    if related.file is None or related.file == source.file:
        return source.place(related.path, on_key=related.on_key)
    if related.file in documents:
        return documents[related.file].place(related.path, on_key=related.on_key)
    return Place(related.file)


def from_unreadable(unreadable: UnreadableFile, policy: Policy) -> Iterator[Diagnostic]:
    """Yield the faults of a file that cannot be read as diagnostics."""
    for fault in unreadable.faults:
        lines = unreadable.lines

        def text_at(span: Span | None, lines: tuple[str, ...] = lines) -> str | None:
            return lines[span.line - 1] if span and span.line <= len(lines) else None

        diagnostic = from_source_fault(fault, unreadable.file, text_at(fault.span), policy=policy)
        if diagnostic:
            related = tuple(
                (message, Place(unreadable.file, span, text_at(span)))
                for message, span in fault.related
            )
            yield diagnostic._replace(related=related)


def from_unreadable_files(files: Iterable[UnreadableFile], policy: Policy) -> Iterator[Diagnostic]:
    """Yield the faults of files that cannot be read as diagnostics."""
    for file in files:
        yield from from_unreadable(file, policy)


def from_source_fault(
    fault: SourceProblem, file: str, text: str | None, policy: Policy
) -> Diagnostic | None:
    """Return one fault of a file as a diagnostic; None if the policy turns it off."""
    code = code_named(fault.code)
    severity = policy.severity_of(code)
    if severity is None:
        return None
    related = tuple((message, Place(file, span, text)) for message, span in fault.related)
    place = Place(file, fault.span, text)
    return Diagnostic(
        fault.code,
        severity,
        readable(fault.message),
        place,
        (),
        fault.help and readable(fault.help),
        related=related,
        severity_source=policy.source_of(code, severity),
    )


def from_source_faults(
    faults: Iterable[SourceProblem], document: Document, policy: Policy
) -> Iterator[Diagnostic]:
    """Yield faults in the text of a document as diagnostics, except those that are turned off."""
    for fault in faults:
        text = document.lines[fault.span.line - 1] if fault.span else None
        if diagnostic := from_source_fault(fault, document.file, text, policy=policy):
            yield diagnostic
