"""How the rows of a YAML dataset are laid out: in which columns, and in which styles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalcontract.structure.yaml_scalars import BARE, BLOCK, DOUBLE, FOLDED, SINGLE

if TYPE_CHECKING:
    from evalcontract.source.node import Node

#: What stands for any index in a way through the rows.
ITEM = "-"
Way = tuple[str, ...]


@dataclass
class Layout:
    """What was seen, by the way to it from the row, items of lists without their number.

    `columns` are those of collections of several lines, counted from 0; `in_line` the ways to
    collections in one line; `styles` those of scalars; `blocks` the columns of texts in blocks.
    """

    columns: dict[Way, int] = field(default_factory=dict)
    in_line: set[Way] = field(default_factory=set)
    blocks: dict[Way, int] = field(default_factory=dict)
    styles: dict[Way, set[str]] = field(default_factory=dict)

    def see(self, node: Node, lines: list[str], way: Way = ()) -> None:
        """Take note of a row, or of a part of it."""
        line = lines[node.span.line - 1]
        column = node.span.column - 1
        if node.children is None:
            style = _style_of(node, line[column : column + 1])
            self.styles.setdefault(way, set()).add(style)
            if style == BLOCK and node.span.line < len(lines):
                below = lines[node.span.line]
                self.blocks.setdefault(way, len(below) - len(below.lstrip(" ")))
        elif line[column : column + 1] in ("[", "{"):
            self.in_line.add(way)
        else:
            self.columns.setdefault(way, column)
            if isinstance(node.children, dict):
                for key, (_, child) in node.children.items():
                    self.see(child, lines, (*way, key))
            else:
                for child in node.children:
                    self.see(child, lines, (*way, ITEM))


def _style_of(node: Node, mark: str) -> str:
    if mark in ("|", ">"):
        return BLOCK
    if mark in (SINGLE, DOUBLE):
        return mark
    return BARE if node.span.line == node.span.end_line else FOLDED
