"""Ignores as they are written: codes or kinds, in comments and in `metadata`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Path, Span
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.policy import parse_codes
from evalcontract.source import Document
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from evalcontract.source.comments import Comment

#: What an ignore without codes should look like.
EXAMPLE = "dataset/near-miss-key"


def parse_code(text: str) -> tuple[str, str | None]:
    """Return the code or kind in a text, and None; or the text, and why it cannot be ignored."""
    if not text.strip():
        return text, "a code is missing"
    try:
        (code,) = parse_codes(text, KnownCodes(), to_ignore=True)
    except UsageError as error:
        return text, str(error)
    except ValueError:  # a comma in a string of JSON
        return text, f"`{text}` is more than one code: write each on its own"
    return code, None


class Ignore(NamedTuple):
    """A code or kind of codes to ignore in a part of a file, and where the file says so.

    The part are `lines`, from the first to the last, or what is at a path that begins with
    `prefix`; without either, it is the whole file. The place is `span` or that of `path`.
    """

    code: str
    lines: tuple[int, int] | None = None
    prefix: Path = ()
    span: Span | None = None
    path: Path = ()


class Fault(NamedTuple):
    """What is wrong with an ignore that has no effect. The place is `span` or that of `path`."""

    message: str
    help: str | None = None
    span: Span | None = None
    path: Path = ()


_OURS = lazy_pattern(
    r"#[ \t]*evalcontract[ \t]*:[ \t]*(?P<directive>[\w-]*)(?P<rest>.*)", re.DOTALL
)
_CODES = lazy_pattern(r"[ \t]*\[(?P<codes>[^]]*)\](?P<reason>.*)", re.DOTALL)
_DIRECTIVES = ("ignore", "ignore-file")
#: What comments of other linters say instead.
_OTHERS = frozenset(
    {"disable", "noqa", "off", "skip", "suppress", "allow", "nolint", "ignore-line"}
    | {"ignore-next-line", "disable-line", "disable-next-line", "ignore-all"}
)


class _Directive(NamedTuple):
    """A comment for us: its name, what follows it, and the column where this begins."""

    comment: Comment
    name: str
    rest: str
    start: int
    column: int

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Return the span of a part of what follows the name; without `end`, of the comment."""
        line = self.comment.line
        if end is None:
            return Span(line, self.start, line, self.column + len(self.rest))
        return Span(line, self.column + start, line, self.column + end)


def ignores_in_comments(
    document: Document, *, demands_reason: bool = False
) -> Iterator[Ignore | Fault]:
    """Yield what the comments of a YAML document ignore, and their faults."""
    if not _OURS.search(document.text):
        return
    directives = [*_directives(document)]
    needs_extents = any(_stands_alone(document, directive) for directive in directives)
    from evalcontract.source.comments import extents_of  # slow to import

    extents = extents_of(document) if needs_extents else {}
    begins = sorted(extents)
    for directive in directives:
        lines: tuple[int, int] | None = (directive.comment.line, directive.comment.line)
        if directive.name == "ignore-file":
            lines = None
        elif _stands_alone(document, directive):
            at = bisect_left(begins, directive.comment.next_line)
            if at < len(begins):  # else nothing follows, so that the comment is unused
                lines = begins[at], extents[begins[at]]
        yield from _parsed(directive, lines, demands_reason=demands_reason)


def _directives(document: Document) -> Iterator[_Directive]:
    from evalcontract.source.comments import comments_of  # slow to import

    for comment in comments_of(document.text):
        if match := _OURS.search(comment.text):
            line = document.lines[comment.line - 1].rstrip()
            before = len(line) - len(comment.text)
            name, start = match["directive"], match.start("rest")
            yield _Directive(
                comment, name, match["rest"], before + match.start() + 1, before + start + 1
            )


def _stands_alone(document: Document, directive: _Directive) -> bool:
    return document.lines[directive.comment.line - 1].lstrip(" \t").startswith("#")


def _parsed(
    directive: _Directive, lines: tuple[int, int] | None, *, demands_reason: bool
) -> Iterator[Ignore | Fault]:
    name = directive.name
    if name not in _DIRECTIVES:
        near = nearest(name, _DIRECTIVES) or ("ignore" if name in _OTHERS else None)
        if near or directive.rest.lstrip().startswith("["):
            meant = near or "ignore"
            advice = f"did you mean `# evalcontract: {meant}[{EXAMPLE}]`?"
            yield Fault(f"`{name}` is not `ignore` or `ignore-file`", advice, directive.span())
        return
    listed = _CODES.match(directive.rest)
    if listed is None or not listed["codes"].strip():
        advice = f"name the codes: `# evalcontract: {name}[{EXAMPLE}]`"
        yield Fault("an ignore without codes ignores nothing", advice, directive.span())
        return
    if demands_reason and not listed["reason"].strip():
        advice = "write it after the codes"
        yield Fault("an ignore needs a reason", advice, directive.span())
        return
    start = listed.start("codes")
    for text in listed["codes"].split(","):
        indent = len(text) - len(text.lstrip())
        end = max(start + len(text.rstrip()), start + indent + 1)
        span = directive.span(start + indent, end)
        code, fault = parse_code(text.strip())
        yield Fault(fault, span=span) if fault else Ignore(code, lines, span=span)
        start += len(text) + 1


_KEYS = ("ignore", "reason")


def ignores_in_metadata(
    ours: Any, path: Path, *, demands_reason: bool = False
) -> Iterator[Ignore | Fault]:
    """Yield what `metadata.evalcontract` of the mapping at a path ignores, and its faults.

    Keys that resemble neither `ignore` nor `reason` are no business of this.
    """
    here = (*path, "metadata", "evalcontract")
    if not isinstance(ours, dict):
        return
    for key in ours:
        near = nearest(key, _KEYS) if key not in _KEYS else None
        if near and near not in ours:
            yield Fault(f"unknown key `{key}`", f"did you mean `{near}`?", path=(*here, key))
    if "ignore" not in ours:
        return
    codes, reason = ours["ignore"], ours.get("reason")
    if not isinstance(codes, list) or not codes:
        advice = f'as in `"ignore": ["{EXAMPLE}"]`'
        yield Fault("`ignore` must be a list of codes", advice, path=(*here, "ignore"))
        return
    if "reason" in ours and not isinstance(reason, str):
        yield Fault("`reason` must be a text", path=(*here, "reason"))
    if demands_reason and not (isinstance(reason, str) and reason.strip()):
        yield Fault("an ignore needs a reason", "add `reason`", path=(*here, "ignore"))
        return
    for index, text in enumerate(codes):
        at = (*here, "ignore", index)
        code, fault = parse_code(text) if isinstance(text, str) else ("", "a code is a text")
        yield Fault(fault, path=at) if fault else Ignore(code, prefix=path, path=at)
