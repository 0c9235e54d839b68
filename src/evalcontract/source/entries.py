"""The keys and values of a text as character offsets, cuts in it, and places where keys are added.

In YAML, ruamel.yaml is set to the author's indentation, reads the text, and writes it with a mark
at each spot. If what it wrote is the same text but for the marks, they are the places. Otherwise,
and in JSON, the positions of keys and values give them. Only places come from here: the text that
is added is written by `yaml.writing`, and whoever adds it parses the result.
"""

from __future__ import annotations

import io
import re
import warnings
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from evalcontract.model.diagnostic import Path, Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Node
from evalcontract.source.json import load_json, scan
from evalcontract.source.text import LINE_END, line_starts
from evalcontract.source.yaml.reading import nodes_of, parse_yaml

_LINE = lazy_pattern(r"[^\r\n]*")
# An anchor or a tag precedes the node that it belongs to.
_PROPERTIES = lazy_pattern(r"(?:[&!]\S*\s+)*")
_TEXT_LINE = lazy_pattern(r"(?: *[\r\n]+)*( *)[^ \r\n]")
_COLON = lazy_pattern(r"\s*:")
_COMMA = lazy_pattern(r"\s*,\s*")
_BLOCK_SCALAR = lazy_pattern(r"[|>][-+0-9]*")
_STEP = 2


class Cut(NamedTuple):
    """A replacement of the characters from `start` up to, not including, `end`."""

    start: int
    end: int
    text: str

    def moved(self, by: int) -> Cut:
        """Return the same cut so many characters further on."""
        return Cut(self.start + by, self.end + by, self.text)


Cuts = tuple[Cut, ...]
#: What says that an edit is not simple.
NO_CUTS: Cuts = ()


def chosen(units: Iterable[Cuts]) -> list[Cuts]:
    """Return the units of cuts that do not touch each other; earlier ones take precedence."""
    ranges: list[tuple[int, int]] = []
    free: list[Cuts] = []
    for unit in units:
        if all(_is_free(cut, ranges) for cut in unit):
            free.append(unit)
            for cut in unit:
                insort(ranges, (cut.start, cut.end))
    return free


def _is_free(cut: Cut, ranges: list[tuple[int, int]]) -> bool:
    at = bisect_left(ranges, (cut.start, cut.end))
    before_ends = at == 0 or ranges[at - 1][1] < cut.start
    return before_ends and (at == len(ranges) or cut.end < ranges[at][0])


def apply_cuts(text: str, cuts: Iterable[Cut]) -> str:
    """Return the text with cuts applied; they must not overlap."""
    parts: list[str] = []
    position = 0
    for cut in sorted(cuts):
        parts += [text[position : cut.start], cut.text]
        position = cut.end
    return "".join([*parts, text[position:]])


class BlockIndents(NamedTuple):
    """The columns of blocks: of a mapping below its key, a dash below its key, after a dash.

    Where there is no block mapping, `step` is that of block scalars.
    """

    step: int
    offset: int
    columns: int


class KeyEntry(NamedTuple):
    """A key and its value: start and end offsets of both; `column` of the key is from 0."""

    key_start: int
    key_end: int
    start: int
    end: int
    column: int
    node: Node


class MappingEntry(NamedTuple):
    """A key with its value, the end offset of its text, and whether it is in a flow mapping."""

    entry: KeyEntry
    end: int
    is_flow: bool

    def text(self, entries: Entries) -> str:
        """Return the text of both."""
        return entries.text[self.entry.key_start : self.end]


def value_of(text: str, form: str) -> Any:
    """Return the value of a text of the form "yaml" or "json", or "jsonl" for one line of it.

    Raises:
        ParseError, RecursionError: the text cannot be parsed.

    """
    if form == "yaml":
        return parse_yaml(text, "", b"").value
    return load_json(text.encode(), is_line=form == "jsonl")


def entries_of(text: str, form: str) -> Entries:
    """Return the keys and values of a text that can be parsed; see `value_of` for its form."""
    is_line = form == "jsonl"
    root = nodes_of(text) if form == "yaml" else scan(text, is_line=is_line)
    return Entries(text, root, is_line=is_line)


class Entries:
    """The keys and values of a parsed text; `root` is its tree of positions."""

    def __init__(self, text: str, root: Node, *, is_line: bool = False) -> None:
        self.text = text
        self.root = root
        self._starts = [0] if is_line else line_starts(text)

    @cached_property
    def line_end(self) -> str:
        """The line end of the first line; a line feed if there is only one line."""
        match = LINE_END.search(self.text)
        return match[0] if match else "\n"

    @cached_property
    def indentation(self) -> BlockIndents:
        """How blocks are indented: each as the first one that there is."""
        step = of_scalar = offset = columns = None
        waiting: list[tuple[int | None, Node]] = [(None, self.root)]
        for above, node in waiting:  # the list grows while it is read
            if step is not None and offset is not None and columns is not None:
                break
            if isinstance(node.children, list):
                if node.children and not self.begins_flow(node):
                    item = node.children[0].span.column - node.span.column
                    if item > 0 and above is not None and offset is None:
                        offset = max(0, node.span.column - above)
                    columns = columns or item
                waiting += [(None, child) for child in node.children]
                continue
            for key, child in (node.children or {}).values():
                below = child.span.column - key.column
                if isinstance(child.children, dict) and key.line < child.span.line and below > 0:
                    step = step or below
                if not of_scalar and self.is_block_scalar(child):
                    of_scalar = max(0, self._column_of_text(child) - (key.column - 1))
                waiting.append((key.column, child))
        return BlockIndents(step or of_scalar or _STEP, offset or 0, columns or _STEP)

    def _column_of_text(self, block_scalar: Node) -> int:
        """Return the column of the first line of a block scalar, from 0; 0 if it is empty."""
        below = self.after_line_end(self.end_of_line(self.token(block_scalar.span)))
        match = _TEXT_LINE.match(self.text, below, self.offset(block_scalar.span, at_end=True))
        return len(match[1]) if match else 0

    def node(self, path: Path) -> Node | None:
        """Return the node at a path; None if the path does not exist."""
        node, _, depth = self.root.find(path)
        return node if depth == len(path) else None

    def entry(self, path: Path) -> KeyEntry | None:
        """Return the key at the end of a path; None unless key and value are written there.

        Merged keys and the values of aliases are written elsewhere.
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

    def part(self, path: Path) -> MappingEntry | None:
        """Return the text range of a key and its value; None if they are not written there."""
        entry = self.entry(path)
        if entry is None or not self.is_key(entry):
            return None
        is_flow = self.is_flow(path[:-1])
        end = entry.end if is_flow else self.last_line_end(entry.node)
        return None if end is None else MappingEntry(entry, end, is_flow)

    def is_key(self, entry: KeyEntry) -> bool:
        """Whether a colon follows a key, as none does after an explicit one on its own line."""
        return _COLON.match(self.text, entry.key_end) is not None

    def keys(self, home: Path) -> list[str]:
        """Return the keys of a mapping in text order; none if there is no mapping."""
        node = self.node(home)
        children = node.children if node and isinstance(node.children, dict) else {}
        return sorted(children, key=lambda key: children[key][0])

    def is_flow(self, path: Path) -> bool:
        """Whether the node at a path, or one of its ancestors, is a flow collection."""
        nodes = (self.node(path[:depth]) for depth in range(len(path) + 1))
        return any(self.begins_flow(node) for node in nodes if node)

    def begins_flow(self, node: Node) -> bool:
        """Whether a node is a flow collection: `[…]` or `{…}`."""
        return node.children is not None and self.text.startswith(("[", "{"), self.token(node.span))

    def token(self, span: Span) -> int:
        """Return the offset of the token of a span, after its anchor and its tag."""
        start = self.offset(span)
        properties = _PROPERTIES.match(self.text, start)
        return min(properties.end(), self.offset(span, at_end=True)) if properties else start

    def is_block_scalar(self, node: Node) -> bool:
        """Whether a node is a block scalar: `|` or `>`, and the lines below."""
        start, end = self.token(node.span), self.offset(node.span, at_end=True)
        return node.children is None and start < end and self.text[start] in "|>"

    def last_line_end(self, node: Node) -> int | None:
        """Return the offset of the end of the last line of a value; None if that is unclear."""
        while node.children and not self.begins_flow(node):
            if isinstance(node.children, list):
                *others, child = node.children
                ends = [self.offset(each.span, at_end=True) for each in others]
                earliest = max([self.offset(node.span), *ends])
            else:
                key, child = max(node.children.values(), key=lambda pair: pair[0])
                earliest = self.offset(key, at_end=True)
            if self.offset(child.span) < earliest:
                return None  # an alias, or a merge
            node = child
        end = self.offset(node.span, at_end=True)
        if self.is_block_scalar(node):
            token = self.token(node.span)
            header = _BLOCK_SCALAR.match(self.text, token)
            if header and "+" in header[0]:
                return None  # the empty lines below belong to it
            end = token + len(self.text[token:end].rstrip())
        return self.end_of_line(end)

    def end_of_line(self, offset: int) -> int:
        """Return the offset where a line ends, before its line break."""
        match = _LINE.match(self.text, offset)
        return match.end() if match else offset

    def start_of_line(self, offset: int) -> int:
        """Return the offset where a line begins."""
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def after_line_end(self, offset: int) -> int:
        """Return the offset after the line break at an offset, if there is one."""
        match = LINE_END.match(self.text, offset)
        return match.end() if match else offset

    def offset(self, span: Span, *, at_end: bool = False) -> int:
        """Return the offset of the start of a span, or of its end."""
        line, column = (span.end_line, span.end_column) if at_end else (span.line, span.column)
        if line > len(self._starts):
            return len(self.text)
        start: int = self._starts[line - 1]
        return min(start + column - 1, len(self.text))


def removed(path: Path, entries: Entries) -> Cuts:
    """Return the cuts that remove a key from a mapping that keeps others; none if unclear."""
    part = entries.part(path)
    return cut_out(part, path, entries) if part else NO_CUTS


def cut_out(part: MappingEntry, path: Path, entries: Entries) -> Cuts:
    """Return the cut that removes a key from a mapping that keeps others."""
    text, start = entries.text, part.entry.key_start
    siblings = [(*path[:-1], key) for key in entries.keys(path[:-1])]
    index = siblings.index(path)
    after = entries.entry(siblings[index + 1]) if index + 1 < len(siblings) else None
    if part.is_flow:
        if after:
            comma = _COMMA.match(text, part.end)
            return (Cut(start, comma.end(), ""),) if comma else NO_CUTS
        before = entries.entry(siblings[index - 1]) if index else None
        return (Cut(before.end, part.end, ""),) if before else NO_CUTS
    line = entries.start_of_line(start)
    if not text[line:start].strip(" "):
        end = entries.after_line_end(part.end)
        if end == part.end and line:  # the last line has no line end
            line -= 2 if text.endswith("\r\n", 0, line) else 1
        return (Cut(line, end, ""),)
    gap = text[part.end : after.key_start] if after else "#"
    return NO_CUTS if gap.strip() or after is None else (Cut(start, after.key_start, ""),)


#: Maximum length of a text that ruamel.yaml reads and writes, which takes about half a second.
_MAX_CHARACTERS = 20_000
#: Longer than any line, so that none is folded.
_WIDTH = 2 * _MAX_CHARACTERS
_MARK = "evalcontract_mark_"
# ruamel.yaml takes these for line breaks, or drops them.
_OTHER_BREAKS = lazy_pattern(r"\r(?!\n)|[\x85\u2028\u2029\ufeff]")
_MARKER = lazy_pattern(r"(?:[ \t]*(?:#.*)?\n|%.*\n)*---(?:\s|\Z)")
_MARKED = lazy_pattern(
    rf"^(?P<spaces> *){_MARK}(?P<line>\d+): 0\n"
    rf"|(?P<comma>, )?{_MARK}(?P<flow>\d+): 0(?(comma)|(?:, )?)",
    re.MULTILINE,
)
_NO_CONTENT = lazy_pattern(r"\s*(?:#.*)?")


class Spot(NamedTuple):
    """A spot in the mapping `home`: after a key, or before all keys if that is None."""

    home: Path
    after: str | None = None


class InsertionPoint(NamedTuple):
    """A place in a text where keys can be added.

    The `separator` of keys comes before what is added, after it, or neither if the mapping is
    empty. `column` is where a key begins, from 0; None in a flow mapping.
    """

    at: int
    separator: str
    column: int | None
    is_after_key: bool = True
    is_before_key: bool = False

    def text(self, keys: Iterable[str]) -> str:
        """Return what adds keys, each with its value."""
        before = self.separator if self.is_after_key else ""
        after = self.separator if self.is_before_key else ""
        return f"{before}{self.separator.join(keys)}{after}"


def last_spot(home: Path, entries: Entries) -> Spot:
    """Return the spot after the last key of a mapping."""
    keys = entries.keys(home)
    return Spot(home, keys[-1] if keys else None)


def places(
    spots: Iterable[Spot], entries: Entries, *, is_yaml: bool = True, is_quick: bool = False
) -> dict[Spot, InsertionPoint]:
    """Return the places of spots in a text; those that are unclear are left out.

    The positions are asked first if `is_quick`, and alone where it is not YAML.
    """
    unique = [spot for spot in dict.fromkeys(spots) if _is_mapping(spot.home, entries)]
    if is_yaml and not is_quick and (marked := _marked_places(unique, entries)):
        return marked
    points = {spot: where for spot in unique if (where := _place(spot, entries))}
    if is_yaml and is_quick and (rest := [spot for spot in unique if spot not in points]):
        points |= _marked_places(rest, entries)
    return points


def _is_mapping(path: Path, entries: Entries) -> bool:
    node = entries.node(path)
    return node is not None and isinstance(node.children, dict)


def _place(spot: Spot, entries: Entries) -> InsertionPoint | None:
    """Return the place of a spot by the positions of keys and values; None if it is unclear."""
    if spot.after is not None:
        return _after((*spot.home, spot.after), entries)
    if keys := entries.keys(spot.home):
        return _before((*spot.home, keys[0]), entries)
    node = entries.node(spot.home)
    if node is None:
        return None
    at = entries.token(node.span) + 1
    return InsertionPoint(at, ", ", None, is_after_key=False) if entries.begins_flow(node) else None


def _after(path: Path, entries: Entries) -> InsertionPoint | None:
    part = entries.part(path)
    if part is None:
        return None
    start, column = part.entry.key_start, part.entry.column
    if not part.is_flow:
        return InsertionPoint(part.end, f"{entries.line_end}{' ' * column}", column)
    lead = entries.text[entries.start_of_line(start) : start]
    return InsertionPoint(part.end, ", " if lead.strip() else f",{entries.line_end}{lead}", None)


def _before(path: Path, entries: Entries) -> InsertionPoint | None:
    entry = entries.entry(path)
    if entry is None or not entries.is_key(entry):
        return None
    is_flow = entries.is_flow(path[:-1])
    separator = ", " if is_flow else f"{entries.line_end}{' ' * entry.column}"
    column = None if is_flow else entry.column
    return InsertionPoint(
        entry.key_start, separator, column, is_after_key=False, is_before_key=True
    )


def _marked_places(spots: list[Spot], entries: Entries) -> dict[Spot, InsertionPoint]:
    """Return the places of all spots by marks; none if the text is not written as it was."""
    text = entries.text
    is_crlf = "\r\n" in text
    is_mixed = is_crlf and text.count("\r\n") != text.count("\n")
    is_unusual = is_mixed or _MARK in text or _OTHER_BREAKS.search(text)
    if not spots or len(text) > _MAX_CHARACTERS or is_unusual:
        return {}
    lines = text.replace("\r\n", "\n")
    lines += "" if lines.endswith("\n") else "\n"
    marked = _MarkedText(spots, entries, lines)
    try:
        points = dict(marked.places())
    # What it raises depends on the text; the positions are there without it.
    except Exception:  # noqa: BLE001
        return {}
    in_flow = [where.at for where in points.values() if where.column is None]
    # Aliases of one mapping have marks beside each other, where only one key goes at a time.
    is_clear = len({*in_flow}) == len(in_flow)
    if len(points) < len(spots) or marked.rest != lines or not is_clear:
        return {}
    if not is_crlf:
        return points
    return {
        spot: where._replace(at=where.at + lines.count("\n", 0, where.at))
        for spot, where in points.items()
    }


class _MarkedText:
    """A text with a mark at each spot, as ruamel.yaml writes it; `rest` is it without them."""

    def __init__(self, spots: list[Spot], entries: Entries, lines: str) -> None:
        self._spots = spots
        self._entries = entries
        self._lines = lines
        self._block_scalars: set[int] = set()  # the spots after one
        self.rest = ""

    def places(self) -> Iterator[tuple[Spot, InsertionPoint]]:
        """Yield the places of spots, as offsets in `rest`."""
        written = self._dump()
        position, end = 0, self._entries.line_end
        for match in _MARKED.finditer(written):
            self.rest += written[position : match.start()]
            position = match.end()
            at = len(self.rest)
            if match["flow"]:
                is_after, is_before = bool(match["comma"]), match[0].endswith(", ")
                spot = self._spots[int(match["flow"])]
                yield spot, InsertionPoint(at, ", ", None, is_after, is_before)
                continue
            spot = self._spots[int(match["line"])]
            column = len(match["spaces"])
            separator = f"{end}{' ' * column}"
            if spot.after is None:
                yield spot, InsertionPoint(at + column, separator, column, False, True)
            elif self._is_below_content(at, int(match["line"])):
                yield spot, InsertionPoint(at - 1, separator, column)
        self.rest += written[position:]

    def _is_below_content(self, at: int, number: int) -> bool:
        """Whether the line above belongs to a value, so that no comment changes its key."""
        above = self.rest[self.rest.rfind("\n", 0, at - 1) + 1 : at - 1]
        return number in self._block_scalars or not _NO_CONTENT.fullmatch(above)

    def _dump(self) -> str:
        from ruamel.yaml import YAML  # slow to import, and only needed here

        yaml: Any = YAML()
        yaml.preserve_quotes = True
        yaml.width = _WIDTH
        yaml.explicit_start = bool(_MARKER.match(self._lines))
        step, offset, columns = self._entries.indentation
        yaml.indent(mapping=step, sequence=offset + columns, offset=offset)
        out = io.StringIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root = yaml.load(self._lines.lstrip("\n"))
            for number, spot in enumerate(self._spots):
                self._mark(root, spot, number)
            yaml.dump(root, out)
        begins = len(self._lines) - len(self._lines.lstrip("\n"))  # ruamel.yaml drops these
        return "\n" * begins + out.getvalue()

    def _mark(self, root: Any, spot: Spot, number: int) -> None:
        home = root
        for step in spot.home:
            home = home[_own_key(home, step)]
        name, index, tail = f"{_MARK}{number}", 0, None
        if not home:
            home.fa.set_flow_style()
        if spot.after is not None:
            key = _own_key(home, spot.after)
            index = [*home].index(key) + 1
            tail = self._tail(home, key, number)
        home.insert(index, name, 0)
        if tail is not None:
            home.ca.items[name] = [None, None, tail, None]

    def _tail(self, holder: Any, key: Any, number: int) -> Any:
        """Take the comments and empty lines below a value away from it; None if there are none."""
        # ruamel.yaml keeps them with the last scalar above.
        from ruamel.yaml.comments import CommentedMap
        from ruamel.yaml.error import CommentMark
        from ruamel.yaml.scalarstring import FoldedScalarString, LiteralScalarString
        from ruamel.yaml.tokens import CommentToken

        value = holder[key]
        while isinstance(value, dict | list) and value and not value.fa.flow_style():  # type: ignore[union-attr]
            holder, key = value, [*value][-1] if isinstance(value, dict) else len(value) - 1
            value = holder[key]
        is_block = isinstance(value, LiteralScalarString | FoldedScalarString)
        if is_block:
            self._block_scalars.add(number)
        slot = 2 if isinstance(holder, CommentedMap) else 0
        comments = holder.ca.items.get(key)
        token = comments[slot] if comments else None
        if token is None:
            return None
        own, _, below = token.value.partition("\n")
        if is_block:  # a line of its own follows it
            own, below = "", token.value
        if not below:
            return None
        if own:
            token.value = f"{own}\n"
        else:
            comments[slot] = None
        return CommentToken(f"\n{below}", CommentMark(0), None)


def _own_key(holder: Any, step: str | int) -> Any:
    """Return the key or index that ruamel.yaml has for one of ours, which are texts."""
    if isinstance(step, int) or step in holder:
        return step
    return [*holder][[str(key) for key in holder].index(step)]
