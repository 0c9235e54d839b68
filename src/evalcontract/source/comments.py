"""The comments of a YAML text, and texts that a comment cuts off."""

from __future__ import annotations

import yaml

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Document, Node
from evalcontract.source.text import line_starts, place_at

# Searched in the text between two tokens: a comment is everything from `#` to the end of the line.
_COMMENT = lazy_pattern(r"#[^\n\r]*")
# Line breaks in YAML 1.1, which PyYAML scans; ordinary characters in YAML 1.2.
_BREAKS_OF_1_1 = dict.fromkeys(map(ord, "\x85\u2028\u2029"), "_")


# The same tokens, by libyaml where PyYAML has it: seven times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Comment(NamedTuple):
    """A comment: its line (from 1), its text including the `#`, and the line of the next token."""

    line: int
    text: str
    next_line: int


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a YAML text; an empty list if the text cannot be scanned."""
    comments: list[Comment] = []
    starts = line_starts(text)
    end = 0
    try:
        for token in yaml.scan(text.translate(_BREAKS_OF_1_1), Loader=_LOADER):
            start = token.start_mark.index
            if start > end:
                next_line, _ = place_at(start, starts)
                for match in _COMMENT.finditer(text, end, start):
                    line, _ = place_at(match.start(), starts)
                    comments.append(Comment(line, match[0].rstrip(), next_line))
            end = max(end, token.end_mark.index)
    except yaml.YAMLError:
        return []
    return comments


def extents_of(document: Document) -> dict[int, int]:
    """Return the last line of the largest part that begins on a line, by that line.

    Parts are the items of lists, and keys with their values. The document itself is none.
    """
    extents: dict[int, int] = {}
    seen: set[int] = set()

    def extend(node: Node, first: int, last: int) -> int:
        """Return the last line of a part, after its own parts are added."""
        if id(node) not in seen:  # else it is the value of an anchor, which stands elsewhere
            seen.add(id(node))
            for begin, end, part in _parts(node):
                if begin >= first:  # else it is merged from elsewhere
                    end_of_part = extend(part, begin, end)
                    extents[begin] = max(end_of_part, extents.get(begin, 0))
                    last = max(last, end_of_part)
        return last

    extend(document.tree, 0, 0)
    return extents


def _parts(node: Node) -> list[tuple[int, int, Node]]:
    """Return the first line, the last line of a scalar or else the first, and the node of parts."""
    children = node.children
    if isinstance(children, dict):
        return [
            (key.line, max(key.end_line, _last(child)), child) for key, child in children.values()
        ]
    return [(child.span.line, _last(child), child) for child in children or ()]


def _last(node: Node) -> int:
    """Return the last line of a scalar; of a mapping or list the first: its parts have the last."""
    span: Span = node.span
    if node.children:
        return span.line
    ends_before = span.end_column == 1 and span.end_line > span.line
    return span.end_line - ends_before
