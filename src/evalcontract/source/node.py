"""The tree of positions of a parsed value: the spans of its keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path, Span


class Node(NamedTuple):
    """The span of a value, and the nodes of its parts.

    `children` maps the keys of a mapping to (span of the key, node of the value), and is a list
    for a sequence and None for a scalar. `raw` is the source text of a scalar.
    """

    span: Span
    children: dict[str, tuple[Span, Node]] | list[Node] | None = None
    raw: str | None = None

    def find(self, path: Path) -> tuple[Node, Span | None, int]:
        """Follow a path as far as it exists.

        Return the last node, the span of its key (None for a list item), and the number of steps
        followed, which is less than the length of the path if a part of it is missing.
        """
        node, key = self, None
        for depth, step in enumerate(path):
            children = node.children
            if isinstance(children, dict) and isinstance(step, str) and step in children:
                key, node = children[step]
            elif isinstance(children, list) and isinstance(step, int) and step < len(children):
                key, node = None, children[step]
            else:
                return node, key, depth
        return node, key, len(path)
