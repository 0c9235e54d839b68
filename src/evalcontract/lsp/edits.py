"""Changes of texts as the protocol has them: only what differs is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from evalcontract.lsp.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence


def edits_between(before: str, after: str, encoding: str) -> list[types.TextEdit]:
    """Return the edits that make one text of another: line by line if none comes or goes."""
    if before == after:
        return []
    text, new = Text(before, encoding), Text(after, encoding)
    if list(map(_end, text.lines)) == list(map(_end, new.lines)):
        pairs = enumerate(zip(text.lines, new.lines, strict=True))
        changed = [(number, old, line) for number, (old, line) in pairs if old != line]
        return [_edit(text, number, old, line) for number, old, line in changed]
    start = _alike(text.lines, new.lines)
    same = _alike(text.lines[start:][::-1], new.lines[start:][::-1])
    old_end, new_end = len(text.lines) - same, len(new.lines) - same
    lines = "".join(new.lines[start:new_end])
    end = text.point(old_end, 0)
    last = types.Position(end.line, text.units(end.line, end.character))
    return [types.TextEdit(types.Range(types.Position(start, 0), last), lines)]


def _edit(text: Text, number: int, old: str, new: str) -> types.TextEdit:
    """Return the edit of one line: what is between its common beginning and end."""
    start = _alike(old, new)
    most = min(len(old), len(new)) - start
    same = _alike(old[::-1][:most], new[::-1][:most])
    end = min(len(old) - same, len(text.line(number)))
    kept = len(old) - end  # the end of the line, which stays
    range_ = types.Range(
        types.Position(number, text.units(number, start)),
        types.Position(number, text.units(number, end)),
    )
    return types.TextEdit(range_, new[start : len(new) - kept])


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of parts that two sequences have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    differ = (number for number, (mine, its) in pairs if mine != its)
    return next(differ, min(len(one), len(other)))
