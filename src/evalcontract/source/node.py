"""The tree of places behind a value: where each key and each value stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.path import Path
    from evalcontract.model.span import Span


class Node(NamedTuple):
    """Where a value stands; `children` is a dict for a mapping, a list for a sequence.

    `raw` is the text of a scalar as the author wrote it, before it became a number or a date.
    """

    span: Span
    children: dict[str, tuple[Span, Node]] | list[Node] | None = None
    raw: str | None = None

    def find(self, path: Path) -> tuple[Node, Span | None, int]:
        """Walk down a path as far as it leads.

        Returns the last node, the span of the key that leads to it, and how many steps were
        taken: a path may name a key that is not there.
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
