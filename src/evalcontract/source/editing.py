"""Apply fixes to a text, change nothing else, and parse the result to verify it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evalcontract.model.diagnostic import Fix, Move, Path, Rename, Write
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal
from evalcontract.source.cutting import apply_cuts, chosen, cuts_of
from evalcontract.source.document import Node
from evalcontract.source.entries import Cut, Entries
from evalcontract.source.faults import ParseError
from evalcontract.source.inserting import places, spot_of
from evalcontract.source.json.reading import load_json, scan
from evalcontract.source.yaml.reading import nodes_of, parse_yaml


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
        self.value = self._copied(value)

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
            value[step] = value = self._copied(value[step])
        return value

    def _copied(self, part: Any) -> Any:
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
    edited = _edit_lines(body, fixes) if form == "jsonl" else _edit(body, form, fixes)
    return edited._replace(text=bom + edited.text)


def cuts_by_fix(text: str, form: str, fixes: Sequence[Fix]) -> dict[Fix, tuple[Cut, ...]]:
    """Return the cuts of each fix that `edit_text` would make in a text, all together.

    The text has no byte order mark.
    """
    if form != "jsonl":
        return _valid_cuts(text, form, fixes, is_quick=True).cuts
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: dict[Fix, tuple[Cut, ...]] = {}
    for number, originals in _by_line(fixes).items():
        if number < len(starts) - 1:
            line = text[starts[number] : starts[number + 1] - 1].removesuffix("\r")
            made = _valid_cuts(line, form, [*originals], is_quick=True)
            cuts = _shifted(made.cuts, starts[number])
            found |= {originals[fix]: fix_cuts for fix, fix_cuts in cuts.items()}
    return found


def _shifted(cuts: dict[Fix, tuple[Cut, ...]], by: int) -> dict[Fix, tuple[Cut, ...]]:
    def moved(cut: Cut) -> Cut:
        return Cut(cut.start + by, cut.end + by, cut.text)

    return {fix: tuple(map(moved, fix_cuts)) for fix, fix_cuts in cuts.items()}


def _by_line(fixes: Sequence[Fix]) -> dict[int, dict[Fix, Fix]]:
    """Return the fixes by line: each without the line in its path, and as it was given."""
    by_line: dict[int, dict[Fix, Fix]] = {}
    for fix in fixes:
        of_line = by_line.setdefault(int(fix.path[0]), {})
        of_line[fix.relocated(lambda path: path[1:])] = fix
    return by_line


def _edit_lines(text: str, fixes: Sequence[Fix]) -> EditResult:
    lines = text.split("\n")
    made: list[Fix] = []
    refused: list[Fix] = []
    for number, originals in _by_line(fixes).items():
        line = lines[number].removesuffix("\r") if number < len(lines) else ""
        edited = _edit(line, "jsonl", [*originals])
        if edited.made:
            lines[number] = edited.text + lines[number][len(line) :]
        made += [originals[fix] for fix in edited.made]
        refused += [originals[fix] for fix in edited.refused]
    return EditResult("\n".join(lines), tuple(made), tuple(refused))


def _edit(text: str, form: str, fixes: Sequence[Fix]) -> EditResult:
    made = _valid_cuts(text, form, fixes)
    cuts = dict.fromkeys(cut for fix_cuts in made.cuts.values() for cut in fix_cuts)
    return EditResult(apply_cuts(text, cuts), tuple(made.cuts), made.refused)


class _ValidCuts(NamedTuple):
    """The cuts of the fixes that are valid together, and the fixes that are `refused`."""

    cuts: dict[Fix, tuple[Cut, ...]]
    refused: tuple[Fix, ...] = ()


def _valid_cuts(
    text: str, form: str, fixes: Sequence[Fix], *, is_quick: bool = False
) -> _ValidCuts:
    try:
        value, root = _read(text, form)
    except (ParseError, ValueError, RecursionError):
        return _ValidCuts({}, tuple(fixes))
    entries = Entries(text, root, is_line=form == "jsonl")
    spots = [spot_of(fix.path, fix.edit.to, entries) for fix in fixes if isinstance(fix.edit, Move)]
    placed = places(spots, entries, is_quick=is_quick or form != "yaml", is_yaml=form == "yaml")
    units: dict[tuple[Cut, ...], list[Fix]] = {}
    for fix in fixes:
        # Aliases share one position in the text: apply the fixes of all of them there together.
        units.setdefault(cuts_of(fix, entries, placed, is_json=form != "yaml"), []).append(fix)
    refused = units.pop((), [])
    if form == "yaml":
        moves = [unit for unit, unit_fixes in units.items() if _is_move(unit_fixes)]
        for unit in moves:
            refused += units.pop(unit) if _loses_comment(text, unit) else []
    made, failed = _Trial(text, form, value, units).divide(_without_overlap(units))
    refused += [fix for unit in failed for fix in units[unit]]
    return _ValidCuts({fix: unit for unit in made for fix in units[unit]}, tuple(refused))


def _read(text: str, form: str) -> tuple[Any, Node]:
    """Return the value of a text and its tree of positions.

    Raises:
        ParseError, RecursionError: the text cannot be parsed.

    """
    value = _value(text, form)
    return value, nodes_of(text) if form == "yaml" else scan(text, is_line=form == "jsonl")


def _value(text: str, form: str) -> Any:
    if form == "yaml":
        return parse_yaml(text, "", b"").value
    return load_json(text.encode(), is_line=form == "jsonl")


def _without_overlap(units: dict[tuple[Cut, ...], list[Fix]]) -> list[tuple[Cut, ...]]:
    """Return the units that do not touch each other; renames take precedence over moves."""

    def order(unit: tuple[Cut, ...]) -> tuple[bool, tuple[Cut, ...]]:
        return _is_move(units[unit]), unit

    return chosen(sorted(units, key=order))


def _is_move(fixes: list[Fix]) -> bool:
    return any(isinstance(fix.edit, Move) for fix in fixes)


def _loses_comment(text: str, unit: tuple[Cut, ...]) -> bool:
    return sum(text.count("#", cut.start, cut.end) - cut.text.count("#") for cut in unit) != 0


class _Trial(NamedTuple):
    """Finds the valid units: the edited text must parse to the value with the fixes applied."""

    text: str
    form: str
    value: Any
    units: dict[tuple[Cut, ...], list[Fix]]

    def divide(
        self, units: list[tuple[Cut, ...]]
    ) -> tuple[list[tuple[Cut, ...]], list[tuple[Cut, ...]]]:
        """Bisect units into those that are valid together and those that are not.

        A unit that was not tried within the limit is in neither list.
        """
        made: list[tuple[Cut, ...]] = []
        failed: list[tuple[Cut, ...]] = []
        waiting = [units] if units else []
        for _ in range(min(_TRIES, max(_FEW_TRIES, _CHARACTERS // (len(self.text) + 1)))):
            if not waiting:
                break
            part = waiting.pop()
            if self._is_valid([*made, *part]):
                made += part
            elif len(part) == 1:
                # Valid alone: it has to wait, for example since two keys need the same new mapping.
                failed += [] if made and self._is_valid(part) else part
            else:
                half = len(part) // 2
                waiting += [part[half:], part[:half]]
        return made, failed

    def _is_valid(self, units: list[tuple[Cut, ...]]) -> bool:
        fixes = [fix for unit in units for fix in self.units[unit]]
        cuts = [cut for unit in units for cut in unit]
        try:
            return json_equal(
                _value(apply_cuts(self.text, cuts), self.form), fixed(self.value, fixes)
            )
        except (ParseError, ValueError, LookupError, RecursionError):
            return False
