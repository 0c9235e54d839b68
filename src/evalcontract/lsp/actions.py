"""Quick fixes: those of findings, one or all safe ones at once, and comments that ignore."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lsprotocol import types

from evalcontract.datasets.ignores import INVALID, UNUSED, Ignores, parse_code
from evalcontract.fixing import fix_in_text
from evalcontract.lsp.documents import OpenDocument, Publisher
from evalcontract.lsp.text import Text, edits_between
from evalcontract.model.diagnostic import Diagnostic, Fix, Move, Rename
from evalcontract.model.errors import EditError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, escape_controls, json_equal
from evalcontract.policy import is_locked
from evalcontract.source import Document, RowSource, read_stream
from evalcontract.source.document import value_at
from evalcontract.source.editing import edit_text
from evalcontract.source.json import load_json
from evalcontract.source.setting import with_mapping

_IGNORE = "evalcontract: ignore"
#: A comment at the end of a line that ignores other codes already.
_LISTED = lazy_pattern(rf"(?P<before>.*#\s*{_IGNORE}\[[^]]*)(?P<after>\].*)", re.DOTALL)
_INDENT = lazy_pattern(r"\s*")
#: The lines above a finding that are tried, where it is in a text of several lines.
_MOST_ABOVE = 20


def is_ignorable(finding: Diagnostic, form: str) -> bool:
    """Whether a comment may ignore a finding: in YAML, unless the code always stays an error."""
    if form != "yaml" or finding.place.span is None or is_locked(finding.code):
        return False
    return finding.code not in (UNUSED, INVALID) and parse_code(finding.code)[1] is None


def edits_to_ignore(finding: Diagnostic, text: str, encoding: str) -> list[types.TextEdit]:
    """Return the edits that add the comment; none if the text then meant something else."""
    span = finding.place.span
    before = _read(text)
    if span is None or before is None:
        return []
    for tried, moved_by in _tries(text, span.line - 1, finding.code):
        after = _read(tried)
        moved = span._replace(line=span.line + moved_by, end_line=span.end_line + moved_by)
        at_line = finding._replace(place=finding.place._replace(span=moved))
        if (
            after is not None
            and after.value == before.value
            and not [*Ignores("").read(after).apply([at_line])]
        ):
            return edits_between(text, tried, encoding)
    return []


def _tries(text: str, line: int, code: str) -> Iterator[tuple[str, int]]:
    """Yield texts with a comment at or above a line, and by how many lines that moves the line."""
    lines = Text(text).lines
    if not 0 <= line < len(lines):
        return
    content = lines[line].rstrip("\r\n")
    end = lines[line][len(content) :]
    if listed := _LISTED.fullmatch(content):
        content = f"{listed['before']}, {code}{listed['after']}"
    else:
        content = f"{content.rstrip()}  # {_IGNORE}[{code}]"
    yield "".join([*lines[:line], content + end, *lines[line + 1 :]]), 0
    for above in range(line, max(line - _MOST_ABOVE, -1), -1):
        indent = _INDENT.match(lines[above].rstrip("\r\n"))
        own = lines[above].rstrip("\r\n")
        comment = f"{indent[0] if indent else ''}# {_IGNORE}[{code}]"
        comment += lines[above][len(own) :] or "\n"
        yield "".join([*lines[:above], comment, *lines[above:]]), 1


def _read(text: str) -> Document | None:
    data = text.encode("utf-8", "surrogatepass")
    document = read_stream(io.BytesIO(data), "text.yaml")
    return document if isinstance(document, Document) else None


#: What is reported of keys that a mapping should not have.
_OF_KEYS = ("near-miss-key", "misplaced-key", "foreign-key", "unknown-key", "ignored-key")


class KeyChange(NamedTuple):
    """What may be done with an unknown key, and the mapping that it then was in."""

    title: str
    mapping: dict[str, Any]
    keeps_all: bool


def key_changes(finding: Diagnostic, source: RowSource, text: str) -> list[KeyChange]:
    """Return what may be done with a key that has no fix.

    Nobody can tell which is meant, and one of them loses the value: an author has to choose.
    """
    is_of_key = finding.path and finding.code.partition("/")[2] in _OF_KEYS
    if finding.fix or not is_of_key or not finding.place.span:
        return []
    if isinstance(source, Document):
        mapping = source.row(finding.path[:-1])
    else:
        line = text.removeprefix("\ufeff").split("\n")[finding.place.span.line - 1]
        mapping = value_at(load_json(line.encode(), is_line=True), finding.path[1:-1])
    key = str(finding.path[-1])
    is_there = isinstance(mapping, dict) and key in mapping
    return [*_changed(key, mapping)] if is_there else []


def _changed(key: str, mapping: dict[str, Any]) -> Iterator[KeyChange]:
    rest = {name: value for name, value in mapping.items() if name != key}
    given = mapping[key] if isinstance(mapping[key], list) else [mapping[key]]
    for name, items in rest.items():
        words = name.split("_")
        begins = ["_".join(words[: count + 1]) for count in range(len(words))]
        if not isinstance(items, list) or nearest(key, begins) is None:
            continue
        added = [each for each in given if not any(json_equal(each, item) for item in items)]
        if added and {type(each) for each in added} <= {type(item) for item in items}:
            title, merged = f"Add its value to `{name}`", {**rest, name: [*items, *added]}
            yield KeyChange(title, merged, keeps_all=True)
    if rest:
        yield KeyChange(f"Remove `{key}` and its value", rest, keeps_all=False)


def edits_of_change(
    finding: Diagnostic, change: KeyChange, text: str, form: str, encoding: str
) -> list[types.TextEdit]:
    """Return the edits that replace the mapping around a key; none if more would change."""
    lines, path, at, end = [text], finding.path[:-1], 0, ""
    if form == "jsonl" and finding.place.span:
        lines, path, at = text.split("\n"), path[1:], finding.place.span.line - 1
        end = "\r" if lines[at].endswith("\r") else ""
    part, language = lines[at].removesuffix(end), "yaml" if form == "yaml" else "json"
    try:
        changed = with_mapping(
            part, language, path, mapping=change.mapping, keeps_comments=change.keeps_all
        )
    except EditError:
        return []
    lines[at] = changed + end
    return edits_between(text, "\n".join(lines), encoding)


_QUICK_FIX = types.CodeActionKind.QuickFix


def findings_in(
    document: OpenDocument,
    findings: Sequence[Diagnostic],
    params: types.CodeActionParams,
    publisher: Publisher,
) -> dict[int, Diagnostic]:
    """Return the findings in the range of a request for quick fixes, by their numbers."""
    if not _is_wanted(_QUICK_FIX, params.context.only or [_QUICK_FIX]):
        return {}
    return {
        number: finding
        for number, finding in enumerate(findings)
        if overlaps(publisher.range(document.real, finding.place.span), params.range)
    }


def actions_on(
    document: OpenDocument,
    findings: Sequence[Diagnostic],
    params: types.CodeActionParams,
    all_: str,
    publisher: Publisher,
    changes: Mapping[int, Sequence[str]],
) -> list[types.CodeAction]:
    """Return the actions on the findings in a document, without their edits: fixes come first.

    `all_` is the kind of the action that applies all safe fixes; `changes` are the titles of other
    changes, by the numbers of the findings in the range.
    """
    fixes: list[types.CodeAction] = []
    ignores: list[types.CodeAction] = []
    for number, titles in changes.items():
        finding = findings[number]
        data = {"uri": document.uri, "state": document.state, "findings": [number]}
        shown = [publisher.diagnostic(finding)]
        if fix := finding.fix:
            title, safe = title_of(fix), fix.safe
            fixes.append(types.CodeAction(title, _QUICK_FIX, shown, is_preferred=safe, data=data))
        for at, change in enumerate(titles):
            title, chosen = escape_controls(clipped(change)), {**data, "change": at}
            fixes.append(types.CodeAction(title, _QUICK_FIX, shown, data=chosen))
        if is_ignorable(finding, document.format):
            data = {**data, "ignores": True}
            title = f"Ignore `{finding.code}` here"
            ignores.append(types.CodeAction(title, _QUICK_FIX, shown, data=data))
    safe_ones = [n for n, finding in enumerate(findings) if finding.fix and finding.fix.safe]
    if safe_ones and params.context.only and _is_wanted(all_, params.context.only):
        data = {"uri": document.uri, "state": document.state, "findings": safe_ones}
        fixes.append(types.CodeAction("Apply all safe fixes of evalcontract", all_, data=data))
    return fixes + ignores


def _is_wanted(kind: str, kinds: Sequence[str]) -> bool:
    """Whether a kind of action is asked for, or one that it belongs to."""
    name = str(getattr(kind, "value", kind))
    names = [str(getattr(each, "value", each)) for each in kinds]
    return any(name == each or name.startswith(f"{each}.") or not each for each in names)


def title_of(fix: Fix) -> str:
    """Return what a fix does, for a menu."""
    target = escape_controls(clipped(str(fix.target)))
    match fix.edit:
        case Rename():
            title = f"Rename the key to `{target}`"
        case Move():
            title = f"Move the key to `{target}`"
        case _:
            title = f"Replace by `{target}`"
    return title if fix.safe else f"{title} (check whether it is meant)"


def edits_of(
    findings: Sequence[Diagnostic], text: str, form: str, encoding: str
) -> list[types.TextEdit]:
    """Return the edits of the fixes of findings in one text.

    A fix that would change something else is left out, and so is one that conflicts with another.
    """
    fixes = dict.fromkeys(fix for each in findings if (fix := fix_in_text(each, form)))
    return edits_between(text, edit_text(text, form, list(fixes)).text, encoding)


def overlaps(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges have a place in common; they may just touch."""
    return one.start <= other.end and other.start <= one.end
