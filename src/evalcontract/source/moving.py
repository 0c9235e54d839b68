"""Move a key: cut its text out, and insert it at its new position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import lazy_pattern
from evalcontract.source.entries import Cut
from evalcontract.source.inserting import Spot, last_spot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcontract.model.diagnostic import Path
    from evalcontract.source.entries import Entries, Part
    from evalcontract.source.inserting import Place

    Cuts = tuple[Cut, ...]
    Places = Mapping[Spot, Place]

_COMMA = lazy_pattern(r"\s*,\s*")
_LINES = lazy_pattern(r"(?<=\n)|(?<=\r)(?!\n)")
_NONE: tuple[Cut, ...] = ()


def spot_of(path: Path, to: Path, entries: Entries) -> Spot:
    """Return the spot that a key is moved to, if the mapping there exists."""
    home = to[:-1]
    is_outward = path[:-2] == home and len(path) > 1
    return Spot(home, str(path[-2])) if is_outward else last_spot(home, entries)


def move(
    path: Path, to: Path, entries: Entries, name: Callable[[str], str], placed: Places
) -> Cuts:
    """Return the cuts that move a key; none if that is not simple.

    `name` quotes a new key, `placed` are the places of `spot_of` of all moves.
    """
    moved = entries.part(path)
    home = to[:-1]
    if moved is None or path[-1] != to[-1]:
        return _NONE
    if home[:-1] == path[:-1] and entries.node(home) is None:
        return _wrap(moved, name(str(home[-1])), entries)
    if path[:-2] == home and len(entries.keys(path[:-1])) == 1:
        return _unwrap(moved, path, entries)
    where = placed.get(spot_of(path, to, entries))
    return _carry(moved, path, where, entries) if where else _NONE


def removed(path: Path, entries: Entries) -> Cuts:
    """Return the cuts that remove a key from a mapping that keeps others; none if unclear."""
    part = entries.part(path)
    return _cut_out(part, path, entries) if part else _NONE


def _wrap(part: Part, home: str, entries: Entries) -> Cuts:
    """Nest a key under a new one, at its own position."""
    text, start = part.text(entries), part.entry.key_start
    if part.is_flow:
        return (Cut(start, part.end, f"{home}: {{{text}}}"),)
    step = entries.step
    lines = _indented(text, step)
    spaces = " " * (part.entry.column + step)
    return (Cut(start, part.end, f"{home}:{entries.line_end}{spaces}{lines}"),)


def _unwrap(part: Part, path: Path, entries: Entries) -> Cuts:
    """Replace a mapping by its only key."""
    outer = entries.part(path[:-1])
    if outer is None:
        return _NONE
    text, start = part.text(entries), outer.entry.key_start
    if part.is_flow:
        return (Cut(start, outer.entry.end, text),)
    return (Cut(start, part.end, _indented(text, outer.entry.column - part.entry.column)),)


def _carry(part: Part, path: Path, where: Place, entries: Entries) -> Cuts:
    """Cut a key out, and insert it at a place."""
    out = _cut_out(part, path, entries)
    if not out:
        return _NONE
    line = entries.text[part.entry.key_start : part.entry.end]
    if where.column is None:
        fits = _fits_line(part, entries)
        return (*out, Cut(where.at, where.at, where.text([line]))) if fits else _NONE
    shift = where.column - part.entry.column
    lines = line if part.is_flow else _indented(part.text(entries), shift)
    if where.at == part.end:  # the key is the last part of the one that it goes after
        start = entries.start_of_line(part.entry.key_start)
        return (Cut(start, part.end, f"{' ' * where.column}{lines}"),)
    return (Cut(where.at, where.at, where.text([lines])), *out)


def _fits_line(part: Part, entries: Entries) -> bool:
    """Whether a key and its value can be inserted into a flow mapping as they are."""
    if part.is_flow:
        return True
    node = part.entry.node
    is_short = node.children is None and not entries.is_block_scalar(node)
    ends = entries.text[part.entry.end : part.end].strip() == ""
    return ends and (is_short or entries.begins_flow(node))


def _cut_out(part: Part, path: Path, entries: Entries) -> Cuts:
    """Return the cut that removes a key from a mapping that keeps others."""
    text, start = entries.text, part.entry.key_start
    siblings = [(*path[:-1], key) for key in entries.keys(path[:-1])]
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
