"""How a key is moved: its own text is taken out, and put in again where it belongs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.source.entries import Cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.path import Path
    from evalcontract.source.entries import Entries, KeyEntry

    Cuts = tuple[Cut, ...]

_COLON = re.compile(r"\s*:")
_COMMA = re.compile(r"\s*,\s*")
_LINES = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_NONE: tuple[Cut, ...] = ()


def move(path: Path, to: Path, entries: Entries, name: Callable[[str], str]) -> Cuts:
    """Return the cuts that move a key; none where that is not simple. `name` writes a key."""
    moved = _part(path, entries)
    home = to[:-1]
    if moved is None or path[-1] != to[-1]:
        return _NONE
    if home[:-1] == path[:-1] and entries.node(home) is None:
        return _wrapped(moved, name(str(home[-1])), entries)
    if path[:-2] == home and len(_siblings(path, entries)) == 1:
        return _unwrapped(moved, path, entries)
    behind = path[:-1] if path[:-2] == home else _last_of(home, entries)
    return _carried(moved, path, home, behind, entries)


class _Part(NamedTuple):
    """A key with its value, and where the text of both ends; `is_flow`: it is in brackets."""

    entry: KeyEntry
    end: int
    is_flow: bool

    def text(self, entries: Entries) -> str:
        return entries.text[self.entry.key_start : self.end]


def _part(path: Path, entries: Entries) -> _Part | None:
    """Find the text of a key and its value; None where they have none of their own."""
    entry = entries.entry(path)
    if entry is None or not _COLON.match(entries.text, entry.key_end):
        return None
    is_flow = entries.is_flow(path[:-1])
    end = entry.end if is_flow else entries.last_line_end(entry.node)
    return None if end is None else _Part(entry, end, is_flow)


def _siblings(path: Path, entries: Entries) -> list[Path]:
    """Return the paths of the keys of the mapping that a key stands in, in the text's order."""
    holder = entries.node(path[:-1])
    keys = holder.children if holder and isinstance(holder.children, dict) else {}
    return [(*path[:-1], key) for key in sorted(keys, key=lambda each: keys[each][0])]


def _last_of(home: Path, entries: Entries) -> Path | None:
    paths = _siblings((*home, ""), entries)
    return paths[-1] if paths else None


def _wrapped(part: _Part, home: str, entries: Entries) -> Cuts:
    """Let a key stand below a new one, in its own place."""
    text, start = part.text(entries), part.entry.key_start
    if part.is_flow:
        return (Cut(start, part.end, f"{home}: {{{text}}}"),)
    step = entries.step
    lines = _indented(text, step)
    spaces = " " * (part.entry.column + step)
    return (Cut(start, part.end, f"{home}:{entries.line_end}{spaces}{lines}"),)


def _unwrapped(part: _Part, path: Path, entries: Entries) -> Cuts:
    """Put the only key of a mapping in the mapping's place."""
    outer = _part(path[:-1], entries)
    if outer is None:
        return _NONE
    text, start = part.text(entries), outer.entry.key_start
    if part.is_flow:
        return (Cut(start, outer.entry.end, text),)
    return (Cut(start, part.end, _indented(text, outer.entry.column - part.entry.column)),)


def _carried(part: _Part, path: Path, home: Path, behind: Path | None, entries: Entries) -> Cuts:
    """Take a key out, and put it in behind another one, or into an empty mapping."""
    out = _taken(part, path, entries)
    before = _part(behind, entries) if behind else None
    node = entries.node(home)
    if not out or node is None or (behind and before is None):
        return _NONE
    line = entries.text[part.entry.key_start : part.entry.end]
    if before is None or before.is_flow:
        if not _fits_line(part, entries) or not entries.is_flow(home):
            return _NONE
        at = before.entry.end if before else entries.token(node.span) + 1
        comma = _comma(before, entries) if before else ""
        return (*out, Cut(at, at, f"{comma}{line}"))
    column = before.entry.column
    lines = line if part.is_flow else _indented(part.text(entries), column - part.entry.column)
    if before.end == part.end:  # it is the last of what it goes behind
        start = entries.start_of_line(part.entry.key_start)
        return (Cut(start, part.end, f"{' ' * column}{lines}"),)
    return (Cut(before.end, before.end, f"{entries.line_end}{' ' * column}{lines}"), *out)


def _fits_line(part: _Part, entries: Entries) -> bool:
    """Whether a key and its value may stand in brackets as they are, with nothing behind them."""
    if part.is_flow:
        return True
    node = part.entry.node
    is_short = node.children is None and not entries.is_block_scalar(node)
    ends = entries.text[part.entry.end : part.end].strip() == ""
    return ends and (is_short or entries.begins_flow(node))


def _comma(before: _Part, entries: Entries) -> str:
    """Return what separates a new key from the one before it: a line of its own, where that has."""
    start = before.entry.key_start
    lead = entries.text[entries.start_of_line(start) : start]
    return ", " if lead.strip() else f",{entries.line_end}{lead}"


def _taken(part: _Part, path: Path, entries: Entries) -> Cuts:
    """Return the cut that takes a key out of a mapping in which others stay."""
    text, start = entries.text, part.entry.key_start
    others = _siblings(path, entries)
    at = others.index(path)
    after = entries.entry(others[at + 1]) if at + 1 < len(others) else None
    if part.is_flow:
        if after:
            comma = _COMMA.match(text, part.end)
            return (Cut(start, comma.end(), ""),) if comma else _NONE
        before = entries.entry(others[at - 1]) if at else None
        return (Cut(before.end, part.end, ""),) if before else _NONE
    line = entries.start_of_line(start)
    if not text[line:start].strip(" "):
        end = entries.after_line_end(part.end)
        if end == part.end and line:  # the last line, and nothing ends it
            line -= 2 if text.endswith("\r\n", 0, line) else 1
        return (Cut(line, end, ""),)
    gap = text[part.end : after.key_start] if after else "#"
    return _NONE if gap.strip() or after is None else (Cut(start, after.key_start, ""),)


def _indented(text: str, columns: int) -> str:
    """Move the lines behind the first one to the right, or to the left."""
    first, *rest = _LINES.split(text)
    return "".join([first, *(_moved(line, columns) for line in rest)])


def _moved(line: str, columns: int) -> str:
    if not line.strip("\r\n"):
        return line
    return " " * columns + line if columns > 0 else line.removeprefix(" " * -columns)
