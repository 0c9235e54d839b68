"""Apply fixes to a text, change nothing else, and parse the result to verify it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from evalcontract.model.diagnostic import Fix, Move, Path, Rename, Scalar, Write
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import json_equal
from evalcontract.source.entries import (
    NO_CUTS,
    Cut,
    Cuts,
    Entries,
    InsertionPoint,
    MappingEntry,
    Spot,
    apply_cuts,
    chosen,
    cut_out,
    entries_of,
    last_spot,
    places,
    value_of,
)
from evalcontract.source.faults import ParseError
from evalcontract.source.yaml.writing import flow, quoted


def fixed(value: Any, fixes: Iterable[Fix]) -> Any:
    """Return a copy of a value with fixes applied.

    Raises:
        LookupError: a path does not exist, or the target of a move or a rename does.

    """
    copy = _Copy(value)
    # Paths refer to the original value: apply the deepest first, and values before their keys.
    for fix in sorted(fixes, key=lambda fix: (-len(fix.path), not isinstance(fix.edit, Write))):
        copy.make(fix)
    return copy.value


class _Copy:
    """A copy-on-write copy of a value; a part that aliases share is copied for each path."""

    def __init__(self, value: Any) -> None:
        self._own: dict[int, Any] = {}
        self.value = self._copy(value)

    def make(self, fix: Fix) -> None:
        *parents, last = fix.path
        holder = self._at(parents)
        match fix.edit:
            case Write(new) if not isinstance(holder[last], dict | list):
                holder[last] = new
            case Rename(key):
                _put(holder, key, holder[last])
                del holder[last]
            case Move(to):
                self._move(fix.path, to)
            case _:
                raise LookupError(fix.path)

    def _move(self, path: Path, to: Path) -> None:
        *parents, key = path
        holder = self._at(parents)
        part = holder[key]
        *home, name = to
        above = self._at(home[:-1])
        if home and isinstance(home[-1], str) and isinstance(above, dict):
            above.setdefault(home[-1], {})
        _put(self._at(home), name, part)
        del holder[key]
        if not holder and parents and isinstance(parents[-1], str):
            del self._at(parents[:-1])[parents[-1]]

    def _at(self, path: Iterable[str | int]) -> Any:
        """Return the mapping or list at a path, copying the parts on the way to it."""
        value = self.value
        for step in path:
            value[step] = value = self._copy(value[step])
        return value

    def _copy(self, part: Any) -> Any:
        if not isinstance(part, dict | list):
            raise LookupError  # noqa: TRY004 - the path does not exist
        if id(part) not in self._own:
            part = part.copy()
            self._own[id(part)] = part  # keeps it alive, so that its id is not reused
        return part


def _put(holder: Any, key: str | int, part: Any) -> None:
    if not isinstance(holder, dict) or key in holder:
        raise LookupError(key)
    holder[key] = part


#: Maximum number of times that an edited text is parsed to tell valid fixes from invalid ones; of a
#: long text fewer, until so many characters are parsed.
_TRIES, _FEW_TRIES, _CHARACTERS = 100, 20, 10_000_000


class EditResult(NamedTuple):
    """An edited text: the fixes `made` in it, and those `refused` because they change too much.

    A fix in neither of the two conflicts with one that was made: try it again on the new text.
    """

    text: str
    made: tuple[Fix, ...] = ()
    refused: tuple[Fix, ...] = ()


def edit_text(text: str, form: str, fixes: Sequence[Fix]) -> EditResult:
    """Apply fixes to a text; `form` is "yaml", "json" or "jsonl".

    In JSONL, the first step of a path is the line, from 0. Comments, quotes, order, spaces, line
    ends and a byte order mark are kept.
    """
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(bom)
    valid = _cuts_of_text(body, form, fixes, is_quick=False)
    cuts = dict.fromkeys(cut for fix_cuts in valid.cuts.values() for cut in fix_cuts)
    return EditResult(bom + apply_cuts(body, cuts), tuple(valid.cuts), valid.refused)


def cuts_by_fix(text: str, form: str, fixes: Sequence[Fix]) -> dict[Fix, Cuts]:
    """Return the cuts of each fix that `edit_text` would make in a text, all together.

    The text has no byte order mark.
    """
    return _cuts_of_text(text, form, fixes, is_quick=True).cuts


class _ValidCuts(NamedTuple):
    """The cuts of the fixes that are valid together, and the fixes that are `refused`."""

    cuts: dict[Fix, Cuts]
    refused: tuple[Fix, ...] = ()


def _cuts_of_text(text: str, form: str, fixes: Sequence[Fix], *, is_quick: bool) -> _ValidCuts:
    if form != "jsonl":
        return _valid_cuts(text, form, fixes, is_quick=is_quick)
    by_line: dict[int, dict[Fix, Fix]] = {}  # each without the line in its path, and as given
    for fix in fixes:
        of_line = by_line.setdefault(int(fix.path[0]), {})
        of_line[fix.relocated(lambda path: path[1:])] = fix
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    cuts: dict[Fix, Cuts] = {}
    refused: list[Fix] = []
    for number, originals in by_line.items():
        line = lines[number].removesuffix("\r") if number < len(lines) else ""
        valid = _valid_cuts(line, form, [*originals], is_quick=is_quick)
        refused += [originals[fix] for fix in valid.refused]
        for fix, of_fix in valid.cuts.items():
            cuts[originals[fix]] = tuple(cut.moved(starts[number]) for cut in of_fix)
    return _ValidCuts(cuts, tuple(refused))


def _valid_cuts(text: str, form: str, fixes: Sequence[Fix], *, is_quick: bool) -> _ValidCuts:
    try:
        value, entries = value_of(text, form), entries_of(text, form)
    except (ParseError, ValueError, RecursionError):
        return _ValidCuts({}, tuple(fixes))
    is_yaml = form == "yaml"
    spots = [spot_of(fix.path, fix.edit.to, entries) for fix in fixes if isinstance(fix.edit, Move)]
    points = places(spots, entries, is_quick=is_quick, is_yaml=is_yaml)
    units: dict[Cuts, list[Fix]] = {}
    for fix in fixes:
        # Aliases share one position in the text: apply the fixes of all of them there together.
        units.setdefault(_cuts_of(fix, entries, points, is_json=not is_yaml), []).append(fix)
    refused = units.pop((), [])
    if is_yaml:
        moves = [unit for unit, unit_fixes in units.items() if _is_move(unit_fixes)]
        for unit in moves:
            refused += units.pop(unit) if _loses_comment(text, unit) else []
    valid, failed = _Trial(text, form, value, units).divide(_without_overlap(units))
    refused += [fix for unit in failed for fix in units[unit]]
    return _ValidCuts({fix: unit for unit in valid for fix in units[unit]}, tuple(refused))


def _cuts_of(fix: Fix, entries: Entries, points: Places, *, is_json: bool) -> Cuts:
    """Return the cuts that apply a fix; none if its path has no position of its own in the text."""
    match fix.edit:
        case Rename(key):
            return _rename(fix.path, key, entries, is_json=is_json)
        case Write(value):
            return _write(fix.path, value, entries, is_json=is_json)
        case Move(to):
            return move(
                fix.path, to, entries, name=lambda key: _name(key, is_json=is_json), points=points
            )


def _rename(path: Path, key: str, entries: Entries, *, is_json: bool) -> Cuts:
    _, span, depth = entries.root.find(path)
    if span is None or depth < len(path):
        return ()
    start, end = entries.token(span), entries.offset(span, at_end=True)
    return (Cut(start, end, _name(key, is_json=is_json, like=entries.text[start : start + 1])),)


def _write(path: Path, value: Scalar, entries: Entries, *, is_json: bool) -> Cuts:
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


def _without_overlap(units: dict[Cuts, list[Fix]]) -> list[Cuts]:
    """Return the units that do not touch each other; renames take precedence over moves."""

    def order(unit: Cuts) -> tuple[bool, Cuts]:
        return _is_move(units[unit]), unit

    return chosen(sorted(units, key=order))


def _is_move(fixes: list[Fix]) -> bool:
    return any(isinstance(fix.edit, Move) for fix in fixes)


def _loses_comment(text: str, unit: Cuts) -> bool:
    return sum(text.count("#", cut.start, cut.end) - cut.text.count("#") for cut in unit) != 0


class _Trial(NamedTuple):
    """Finds the valid units: the edited text must parse to the value with the fixes applied."""

    text: str
    form: str
    value: Any
    units: dict[Cuts, list[Fix]]

    def divide(self, units: list[Cuts]) -> tuple[list[Cuts], list[Cuts]]:
        """Bisect units into those that are valid together and those that are not."""
        # A unit that was not tried within the limit is in neither list.
        valid: list[Cuts] = []
        failed: list[Cuts] = []
        waiting = [units] if units else []
        for _ in range(min(_TRIES, max(_FEW_TRIES, _CHARACTERS // (len(self.text) + 1)))):
            if not waiting:
                break
            part = waiting.pop()
            if self._is_valid([*valid, *part]):
                valid += part
            elif len(part) == 1:
                # Valid alone: it has to wait, for example since two keys need the same new mapping.
                failed += [] if valid and self._is_valid(part) else part
            else:
                half = len(part) // 2
                waiting += [part[half:], part[:half]]
        return valid, failed

    def _is_valid(self, units: list[Cuts]) -> bool:
        fixes = [fix for unit in units for fix in self.units[unit]]
        cuts = [cut for unit in units for cut in unit]
        try:
            return json_equal(
                value_of(apply_cuts(self.text, cuts), self.form), fixed(self.value, fixes)
            )
        except (ParseError, ValueError, LookupError, RecursionError):
            return False


Places = Mapping[Spot, InsertionPoint]

_LINES = lazy_pattern(r"(?<=\n)|(?<=\r)(?!\n)")


def spot_of(path: Path, to: Path, entries: Entries) -> Spot:
    """Return the spot that a key is moved to, if the mapping there exists."""
    home = to[:-1]
    is_outward = path[:-2] == home and len(path) > 1
    return Spot(home, str(path[-2])) if is_outward else last_spot(home, entries)


def move(
    path: Path, to: Path, entries: Entries, name: Callable[[str], str], points: Places
) -> Cuts:
    """Return the cuts that move a key; none if that is not simple.

    `name` quotes a new key, `points` are the places of `spot_of` of all moves.
    """
    moved = entries.part(path)
    home = to[:-1]
    if moved is None or path[-1] != to[-1]:
        return NO_CUTS
    if home[:-1] == path[:-1] and entries.node(home) is None:
        return _wrap(moved, name(str(home[-1])), entries)
    if path[:-2] == home and len(entries.keys(path[:-1])) == 1:
        return _unwrap(moved, path, entries)
    where = points.get(spot_of(path, to, entries))
    return _carry(moved, path, where, entries=entries) if where else NO_CUTS


def _wrap(part: MappingEntry, home: str, entries: Entries) -> Cuts:
    """Nest a key under a new one, at its own position."""
    text, start = part.text(entries), part.entry.key_start
    if part.is_flow:
        return (Cut(start, part.end, f"{home}: {{{text}}}"),)
    step = entries.indentation.step
    lines = _indent(text, step)
    spaces = " " * (part.entry.column + step)
    return (Cut(start, part.end, f"{home}:{entries.line_end}{spaces}{lines}"),)


def _unwrap(part: MappingEntry, path: Path, entries: Entries) -> Cuts:
    """Replace a mapping by its only key."""
    outer = entries.part(path[:-1])
    if outer is None:
        return NO_CUTS
    text, start = part.text(entries), outer.entry.key_start
    if part.is_flow:
        return (Cut(start, outer.entry.end, text),)
    return (Cut(start, part.end, _indent(text, outer.entry.column - part.entry.column)),)


def _carry(part: MappingEntry, path: Path, where: InsertionPoint, entries: Entries) -> Cuts:
    """Cut a key out, and insert it at a place."""
    out = cut_out(part, path, entries)
    if not out:
        return NO_CUTS
    line = entries.text[part.entry.key_start : part.entry.end]
    if where.column is None:
        fits = _fits_line(part, entries)
        return (*out, Cut(where.at, where.at, where.text([line]))) if fits else NO_CUTS
    shift = where.column - part.entry.column
    lines = line if part.is_flow else _indent(part.text(entries), shift)
    if where.at == part.end:  # the key is the last part of the one that it goes after
        start = entries.start_of_line(part.entry.key_start)
        return (Cut(start, part.end, f"{' ' * where.column}{lines}"),)
    return (Cut(where.at, where.at, where.text([lines])), *out)


def _fits_line(part: MappingEntry, entries: Entries) -> bool:
    """Whether a key and its value can be inserted into a flow mapping as they are."""
    if part.is_flow:
        return True
    node = part.entry.node
    is_short = node.children is None and not entries.is_block_scalar(node)
    ends = entries.text[part.entry.end : part.end].strip() == ""
    return ends and (is_short or entries.begins_flow(node))


def _indent(text: str, columns: int) -> str:
    """Indent all lines after the first one; negative columns dedent them."""
    first, *rest = _LINES.split(text)
    return "".join([first, *(_indented_line(line, columns) for line in rest)])


def _indented_line(line: str, columns: int) -> str:
    if not line.strip("\r\n"):
        return line
    return " " * columns + line if columns > 0 else line.removeprefix(" " * -columns)
