"""The cuts that a fix makes in a text, and those of several fixes that can be made together."""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Fix, Move, Path, Rename, Scalar, Write
from evalcontract.source.entries import Cut
from evalcontract.source.inserting import move
from evalcontract.source.yaml.writing import flow, quoted

if TYPE_CHECKING:
    from evalcontract.source.entries import Entries
    from evalcontract.source.inserting import InsertionPoint, Spot


def cuts_of(
    fix: Fix, entries: Entries, placed: Mapping[Spot, InsertionPoint], *, is_json: bool
) -> tuple[Cut, ...]:
    """Return the cuts that apply a fix; none if its path has no position of its own in the text.

    `placed` are the places that keys are moved to.
    """
    match fix.edit:
        case Rename(key):
            return _rename(fix.path, key, entries, is_json=is_json)
        case Write(value):
            return _write(fix.path, value, entries, is_json=is_json)
        case Move(to):
            return move(fix.path, to, entries, lambda key: _name(key, is_json=is_json), placed)


def chosen(units: Iterable[tuple[Cut, ...]]) -> list[tuple[Cut, ...]]:
    """Return the units of cuts that do not touch each other; earlier ones take precedence."""
    taken: list[tuple[int, int]] = []
    free: list[tuple[Cut, ...]] = []
    for unit in units:
        if all(_is_free(cut, taken) for cut in unit):
            free.append(unit)
            for cut in unit:
                insort(taken, (cut.start, cut.end))
    return free


def _is_free(cut: Cut, taken: list[tuple[int, int]]) -> bool:
    at = bisect_left(taken, (cut.start, cut.end))
    before_ends = at == 0 or taken[at - 1][1] < cut.start
    return before_ends and (at == len(taken) or cut.end < taken[at][0])


def apply_cuts(text: str, cuts: Iterable[Cut]) -> str:
    """Return the text with cuts applied; they must not overlap."""
    parts: list[str] = []
    done = 0
    for cut in sorted(cuts):
        parts += [text[done : cut.start], cut.text]
        done = cut.end
    return "".join([*parts, text[done:]])


def _rename(path: Path, key: str, entries: Entries, *, is_json: bool) -> tuple[Cut, ...]:
    _, span, depth = entries.root.find(path)
    if span is None or depth < len(path):
        return ()
    start, end = entries.token(span), entries.offset(span, at_end=True)
    return (Cut(start, end, _name(key, is_json=is_json, like=entries.text[start : start + 1])),)


def _write(path: Path, value: Scalar, entries: Entries, *, is_json: bool) -> tuple[Cut, ...]:
    node = entries.node(path)
    if node is None or node.children is not None or entries.is_block_scalar(node):
        return ()
    start, end = entries.token(node.span), entries.offset(node.span, at_end=True)
    if is_json:
        return (Cut(start, end, json.dumps(value, ensure_ascii=False)),)
    if isinstance(value, str):
        like = entries.text[start : start + 1] if end > start else ""
        text = quoted(value, inside=entries.is_flow(path), like=like)
    else:
        text = flow(value)
    return (Cut(start, end, text),)


def _name(key: str, *, is_json: bool, like: str = "") -> str:
    """Write a key; `like` is the first character of the old key, to keep its quotes."""
    return json.dumps(key, ensure_ascii=False) if is_json else quoted(key, like=like)
