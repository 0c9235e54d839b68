"""Where the keys and values of a text stand, in characters from its beginning."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.source.text import LINE_END

if TYPE_CHECKING:
    from evalcontract.model.path import Path
    from evalcontract.model.span import Span
    from evalcontract.source.node import Node

_LINE = re.compile(r"[^\r\n]*")
# An anchor or a tag stands before what it is of.
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*")
_STEP = 2


class Cut(NamedTuple):
    """A stretch of the text, from `start` to before `end`, and what is to stand there."""

    start: int
    end: int
    text: str


class KeyEntry(NamedTuple):
    """A key with its value: where both begin and end; `column` is that of the key, from 0."""

    key_start: int
    key_end: int
    start: int
    end: int
    column: int
    node: Node


class Entries:
    """The keys and values of a text that was read; `root` has their places."""

    def __init__(self, text: str, root: Node, *, is_line: bool = False) -> None:
        self.text = text
        self.root = root
        ends = () if is_line else (each.end() for each in LINE_END.finditer(text))
        self._starts = [0, *ends]

    @cached_property
    def line_end(self) -> str:
        """How the lines of the text end."""
        found = LINE_END.search(self.text)
        return found[0] if found else "\n"

    @cached_property
    def step(self) -> int:
        """How far a block mapping stands to the right of its key: as the first one does."""
        waiting = [self.root]
        for node in waiting:  # it grows
            if isinstance(node.children, list):
                waiting += node.children
                continue
            for key, child in (node.children or {}).values():
                is_block = isinstance(child.children, dict) and key.line < child.span.line
                if is_block and child.span.column > key.column:
                    return child.span.column - key.column
                waiting.append(child)
        return _STEP

    def node(self, path: Path) -> Node | None:
        """Return what stands at a path; None where it leads nowhere."""
        node, _, depth = self.root.find(path)
        return node if depth == len(path) else None

    def entry(self, path: Path) -> KeyEntry | None:
        """Return the key at the end of a path; None unless it stands there with its own value.

        A key that is merged stands elsewhere, and what an alias stands for does.
        """
        node, key, depth = self.root.find(path)
        holder = self.node(path[:-1])
        if key is None or holder is None or depth < len(path):
            return None
        key_start, key_end = self.offset(key), self.offset(key, at_end=True)
        start, end = self.offset(node.span), self.offset(node.span, at_end=True)
        if key_start < self.offset(holder.span) or start < key_end:
            return None
        return KeyEntry(key_start, key_end, start, end, key.column - 1, node)

    def is_flow(self, path: Path) -> bool:
        """Whether what stands at a path, or something that it stands in, is in brackets."""
        nodes = (self.node(path[:depth]) for depth in range(len(path) + 1))
        return any(self.begins_flow(each) for each in nodes if each)

    def begins_flow(self, node: Node) -> bool:
        """Whether a collection is in brackets."""
        return node.children is not None and self.text.startswith(("[", "{"), self.token(node.span))

    def token(self, span: Span) -> int:
        """Return where the token of a span begins, behind its anchor and its tag."""
        start = self.offset(span)
        found = _PROPERTIES.match(self.text, start)
        return min(found.end(), self.offset(span, at_end=True)) if found else start

    def is_block_scalar(self, node: Node) -> bool:
        """Whether a scalar is written as `|` or `>`, and lines below."""
        start, end = self.token(node.span), self.offset(node.span, at_end=True)
        return node.children is None and start < end and self.text[start] in "|>"

    def last_line_end(self, node: Node) -> int | None:
        """Return where the last line ends that a value stands on; None where that is unclear."""
        while node.children and not self.begins_flow(node):
            if isinstance(node.children, list):
                child = node.children[-1]
                begun = self.offset(node.span)
            else:
                key, child = max(node.children.values(), key=lambda pair: pair[0])
                begun = self.offset(key, at_end=True)
            if self.offset(child.span) < begun:
                return None  # an alias, or a merge
            node = child
        end = self.offset(node.span, at_end=True)
        if self.is_block_scalar(node):
            token = self.token(node.span)
            header = _BLOCK_SCALAR.match(self.text, token)
            if header and "+" in header[0]:
                return None  # the empty lines below are a part of it
            end = token + len(self.text[token:end].rstrip())
        return self.end_of_line(end)

    def end_of_line(self, offset: int) -> int:
        """Return where the line of an offset ends, before its line end."""
        found = _LINE.match(self.text, offset)
        return found.end() if found else offset

    def start_of_line(self, offset: int) -> int:
        """Return where the line of an offset begins."""
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def after_line_end(self, offset: int) -> int:
        """Step over the line end at an offset, if there is one."""
        found = LINE_END.match(self.text, offset)
        return found.end() if found else offset

    def offset(self, span: Span, *, at_end: bool = False) -> int:
        """Return where a span begins, or ends."""
        line, column = (span.end_line, span.end_column) if at_end else (span.line, span.column)
        if line > len(self._starts):
            return len(self.text)
        start: int = self._starts[line - 1]
        return min(start + column - 1, len(self.text))
