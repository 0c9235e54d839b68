"""Move a key: cut its text out, and insert it at its new position."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcontract.model.lazy_pattern import lazy_pattern
from evalcontract.source.entries import Cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.path import Path
    from evalcontract.source.entries import Entries, KeyEntry

    Cuts = tuple[Cut, ...]

_COLON = lazy_pattern(r"\s*:")
_COMMA = lazy_pattern(r"\s*,\s*")
_LINES = lazy_pattern(r"(?<=\n)|(?<=\r)(?!\n)")
_NONE: tuple[Cut, ...] = ()


def move(path: Path, to: Path, entries: Entries, name: Callable[[str], str]) -> Cuts:
    """Return the cuts that move a key; none if that is not simple. `name` quotes a new key."""
    moved = _part(path, entries)
    home = to[:-1]
    if moved is None or path[-1] != to[-1]:
        return _NONE
    if home[:-1] == path[:-1] and entries.node(home) is None:
        return _wrap(moved, name(str(home[-1])), entries)
    if path[:-2] == home and len(_siblings(path, entries)) == 1:
        return _unwrap(moved, path, entries)
    previous = path[:-1] if path[:-2] == home else _last_of(home, entries)
    return _carry(moved, path, home, previous, entries)


def removed(path: Path, entries: Entries) -> Cuts:
    """Return the cuts that remove a key from a mapping that keeps others; none if unclear."""
    part = _part(path, entries)
    return _cut_out(part, path, entries) if part else _NONE


def last_key(home: Path, entries: Entries) -> MovedKey | None:
    """Return the last key of a mapping; None if it is empty, or where the key ends is unclear."""
    path = _last_of(home, entries)
    return _part(path, entries) if path else None


class MovedKey(NamedTuple):
    """A key with its value, the end offset of its text, and whether it is in a flow mapping."""

    entry: KeyEntry
    end: int
    is_flow: bool

    def text(self, entries: Entries) -> str:
        """Return the text of both."""
        return entries.text[self.entry.key_start : self.end]


def _part(path: Path, entries: Entries) -> MovedKey | None:
    """Return the text range of a key and its value; None if they are not written at the path."""
    entry = entries.entry(path)
    if entry is None or not _COLON.match(entries.text, entry.key_end):
        return None
    is_flow = entries.is_flow(path[:-1])
    end = entry.end if is_flow else entries.last_line_end(entry.node)
    return None if end is None else MovedKey(entry, end, is_flow)


def _siblings(path: Path, entries: Entries) -> list[Path]:
    """Return the paths of all keys of the mapping that contains a key, in text order."""
    holder = entries.node(path[:-1])
    keys = holder.children if holder and isinstance(holder.children, dict) else {}
    return [(*path[:-1], key) for key in sorted(keys, key=lambda key: keys[key][0])]


def _last_of(home: Path, entries: Entries) -> Path | None:
    paths = _siblings((*home, ""), entries)
    return paths[-1] if paths else None


def _wrap(part: MovedKey, home: str, entries: Entries) -> Cuts:
    """Nest a key under a new one, at its own position."""
    text, start = part.text(entries), part.entry.key_start
    if part.is_flow:
        return (Cut(start, part.end, f"{home}: {{{text}}}"),)
    step = entries.step
    lines = _indented(text, step)
    spaces = " " * (part.entry.column + step)
    return (Cut(start, part.end, f"{home}:{entries.line_end}{spaces}{lines}"),)


def _unwrap(part: MovedKey, path: Path, entries: Entries) -> Cuts:
    """Replace a mapping by its only key."""
    outer = _part(path[:-1], entries)
    if outer is None:
        return _NONE
    text, start = part.text(entries), outer.entry.key_start
    if part.is_flow:
        return (Cut(start, outer.entry.end, text),)
    return (Cut(start, part.end, _indented(text, outer.entry.column - part.entry.column)),)


def _carry(part: MovedKey, path: Path, home: Path, previous: Path | None, entries: Entries) -> Cuts:
    """Cut a key out, and insert it after the `previous` one, or into an empty mapping."""
    out = _cut_out(part, path, entries)
    before = _part(previous, entries) if previous else None
    node = entries.node(home)
    if not out or node is None or (previous and before is None):
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
    if before.end == part.end:  # the key is the last part of `before`
        start = entries.start_of_line(part.entry.key_start)
        return (Cut(start, part.end, f"{' ' * column}{lines}"),)
    return (Cut(before.end, before.end, f"{entries.line_end}{' ' * column}{lines}"), *out)


def _fits_line(part: MovedKey, entries: Entries) -> bool:
    """Whether a key and its value can be inserted into a flow mapping as they are."""
    if part.is_flow:
        return True
    node = part.entry.node
    is_short = node.children is None and not entries.is_block_scalar(node)
    ends = entries.text[part.entry.end : part.end].strip() == ""
    return ends and (is_short or entries.begins_flow(node))


def _comma(before: MovedKey, entries: Entries) -> str:
    """Return the separator after a key: with a line break if that key starts a line."""
    start = before.entry.key_start
    lead = entries.text[entries.start_of_line(start) : start]
    return ", " if lead.strip() else f",{entries.line_end}{lead}"


def _cut_out(part: MovedKey, path: Path, entries: Entries) -> Cuts:
    """Return the cut that removes a key from a mapping that keeps others."""
    text, start = entries.text, part.entry.key_start
    siblings = _siblings(path, entries)
    index = siblings.index(path)
    after = entries.entry(siblings[index + 1]) if index + 1 < len(siblings) else None
    if part.is_flow:
        if after:
            comma = _COMMA.match(text, part.end)
            return (Cut(start, comma.end(), ""),) if comma else _NONE
        before = entries.entry(siblings[index - 1]) if index else None
        return (Cut(before.end, part.end, ""),) if before else _NONE
    line = entries.start_of_line(start)
    if not text[line:start].strip(" "):
        end = entries.after_line_end(part.end)
        if end == part.end and line:  # the last line has no line end
            line -= 2 if text.endswith("\r\n", 0, line) else 1
        return (Cut(line, end, ""),)
    gap = text[part.end : after.key_start] if after else "#"
    return _NONE if gap.strip() or after is None else (Cut(start, after.key_start, ""),)


def _indented(text: str, columns: int) -> str:
    """Indent all lines after the first one; negative columns dedent them."""
    first, *rest = _LINES.split(text)
    return "".join([first, *(_indented_line(line, columns) for line in rest)])


def _indented_line(line: str, columns: int) -> str:
    if not line.strip("\r\n"):
        return line
    return " " * columns + line if columns > 0 else line.removeprefix(" " * -columns)
