"""The lines of the parts of a document: where each begins, and where the largest of them ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Span
    from evalcontract.source.document import Document
    from evalcontract.source.node import Node


def extents_of(document: Document) -> dict[int, int]:
    """Return the last line of the largest part that begins on a line, by that line.

    Parts are the items of lists, and keys with their values. The document itself is none.
    """
    begins, ends, parents = [0], [0], [-1]
    seen: set[int] = set()
    waiting = [(document.tree, 0)]
    while waiting:
        node, parent = waiting.pop()
        if id(node) in seen:
            continue  # the value of an anchor, which stands elsewhere
        seen.add(id(node))
        for first, last, child in _parts(node):
            if first < begins[parent]:
                continue  # merged from elsewhere
            begins.append(first)
            ends.append(last)
            parents.append(parent)
            waiting.append((child, len(begins) - 1))
    for index in range(len(begins) - 1, 0, -1):
        ends[parents[index]] = max(ends[parents[index]], ends[index])
    extents: dict[int, int] = {}
    for first, last in zip(begins[1:], ends[1:], strict=True):
        extents[first] = max(last, extents.get(first, 0))
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
