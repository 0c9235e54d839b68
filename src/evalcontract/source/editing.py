"""Fixes are made in a text: only what they touch changes, and the result has been read again."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.equality import json_equal
from evalcontract.model.fix import Move
from evalcontract.source.cutting import apply_cuts, cuts_of
from evalcontract.source.entries import Cut, Entries
from evalcontract.source.fault import ParseError
from evalcontract.source.fixed_value import fixed
from evalcontract.source.json import load_json
from evalcontract.source.json_scanner import scan
from evalcontract.source.yaml import nodes_of, parse_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.model.fix import Fix
    from evalcontract.source.node import Node

#: How often a text is read again, at the most, to tell the fixes that hold from those that do not.
_TRIES = 100


class Edited(NamedTuple):
    """A text in which fixes were made; what was neither `made` nor `refused` waits for those.

    A fix is refused that cannot be made so that nothing else changes.
    """

    text: str
    made: tuple[Fix, ...] = ()
    refused: tuple[Fix, ...] = ()


def edit_text(text: str, form: str, fixes: Sequence[Fix]) -> Edited:
    """Make fixes in a text of YAML or JSON, or in JSONL, where a path begins with the line, from 0.

    Comments, quotes, order, spaces, line ends and a byte order mark stay as they are.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    edited = _edit_lines(body, fixes) if form == "jsonl" else _edit(body, form, fixes)
    return edited._replace(text=mark + edited.text)


def _edit_lines(text: str, fixes: Sequence[Fix]) -> Edited:
    by_line: dict[int, list[Fix]] = {}
    for fix in fixes:
        by_line.setdefault(int(fix.path[0]), []).append(fix)
    lines = text.split("\n")
    made: list[Fix] = []
    refused: list[Fix] = []
    for number, asked in by_line.items():
        line = lines[number].removesuffix("\r") if number < len(lines) else ""
        found = _edit(line, "jsonl", [each.relocated(lambda path: path[1:]) for each in asked])
        if found.made:
            lines[number] = found.text + lines[number][len(line) :]
        whole = {each.relocated(lambda path: path[1:]): each for each in asked}
        made += [whole[each] for each in found.made]
        refused += [whole[each] for each in found.refused]
    return Edited("\n".join(lines), tuple(made), tuple(refused))


def _edit(text: str, form: str, fixes: Sequence[Fix]) -> Edited:
    try:
        value, root = _read(text, form)
    except (ParseError, ValueError, RecursionError):
        return Edited(text, (), tuple(fixes))
    entries = Entries(text, root, is_line=form == "jsonl")
    units: dict[tuple[Cut, ...], list[Fix]] = {}
    for fix in fixes:
        # What several aliases repeat has one place: the fixes of all are made there together.
        units.setdefault(cuts_of(fix, entries, is_json=form != "yaml"), []).append(fix)
    refused = units.pop((), [])
    if form == "yaml":
        moves = [unit for unit, of_unit in units.items() if _is_move(of_unit)]
        for unit in moves:
            refused += units.pop(unit) if _loses_comment(text, unit) else []
    chosen = _apart(units)
    made, failed = _Trial(text, form, value, units).divide(chosen)
    written = apply_cuts(text, (cut for unit in made for cut in unit))
    refused += [fix for unit in failed for fix in units[unit]]
    return Edited(written, tuple(fix for unit in made for fix in units[unit]), tuple(refused))


def _read(text: str, form: str) -> tuple[Any, Node]:
    """Return the value of a text and its places.

    Raises:
        ParseError, RecursionError: it cannot be read.

    """
    value = _value(text, form)
    return value, nodes_of(text) if form == "yaml" else scan(text, is_line=form == "jsonl")


def _value(text: str, form: str) -> Any:
    if form == "yaml":
        return parse_yaml(text, "", b"").value
    return load_json(text.encode(), is_line=form == "jsonl")


def _apart(units: dict[tuple[Cut, ...], list[Fix]]) -> list[tuple[Cut, ...]]:
    """Choose units that do not touch each other. Keys are renamed before they are moved."""

    def order(unit: tuple[Cut, ...]) -> tuple[bool, tuple[Cut, ...]]:
        return _is_move(units[unit]), unit

    taken: list[tuple[int, int]] = []
    chosen: list[tuple[Cut, ...]] = []
    for unit in sorted(units, key=order):
        if all(_is_free(cut, taken) for cut in unit):
            chosen.append(unit)
            for cut in unit:
                insort(taken, (cut.start, cut.end))
    return chosen


def _is_move(fixes: list[Fix]) -> bool:
    return any(isinstance(each.edit, Move) for each in fixes)


def _loses_comment(text: str, unit: tuple[Cut, ...]) -> bool:
    return sum(text.count("#", each.start, each.end) - each.text.count("#") for each in unit) != 0


def _is_free(cut: Cut, taken: list[tuple[int, int]]) -> bool:
    at = bisect_left(taken, (cut.start, cut.end))
    before_ends = at == 0 or taken[at - 1][1] < cut.start
    return before_ends and (at == len(taken) or cut.end < taken[at][0])


class _Trial(NamedTuple):
    """Finds which units hold: what is read again is the value that they ask for, and no more."""

    text: str
    form: str
    value: Any
    units: dict[tuple[Cut, ...], list[Fix]]

    def divide(
        self, units: list[tuple[Cut, ...]]
    ) -> tuple[list[tuple[Cut, ...]], list[tuple[Cut, ...]]]:
        """Return the units that hold together, and those that do not, as far as it was tried."""
        made: list[tuple[Cut, ...]] = []
        failed: list[tuple[Cut, ...]] = []
        waiting = [units] if units else []
        for _ in range(_TRIES):
            if not waiting:
                break
            part = waiting.pop()
            if self._holds([*made, *part]):
                made += part
            elif len(part) == 1:
                # Beside others it may only have to wait: two keys go into one new mapping.
                failed += [] if made and self._holds(part) else part
            else:
                half = len(part) // 2
                waiting += [part[half:], part[:half]]
        return made, failed

    def _holds(self, units: list[tuple[Cut, ...]]) -> bool:
        fixes = [fix for unit in units for fix in self.units[unit]]
        cuts = [cut for unit in units for cut in unit]
        try:
            return json_equal(
                _value(apply_cuts(self.text, cuts), self.form), fixed(self.value, fixes)
            )
        except (ParseError, ValueError, LookupError, RecursionError):
            return False
