"""Give a document another value by editing its text: comments and layout stay.

Scalars that differ are replaced at their place, keys are added after the others, and those that
are not wanted any more are removed. The result is parsed, to verify that nothing else changes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any

from evalcontract.model.diagnostic import Path
from evalcontract.model.errors import EditError
from evalcontract.model.values import json_equal
from evalcontract.source.comments import comments_of
from evalcontract.source.entries import (
    Cut,
    Cuts,
    Entries,
    InsertionPoint,
    Spot,
    apply_cuts,
    chosen,
    entries_of,
    last_spot,
    places,
    removed,
    value_of,
)
from evalcontract.source.faults import ParseError
from evalcontract.source.yaml.writing import attached, block, flow, indented, quoted

_WIDTH = 80
#: What touches another edit waits for the next reading of the text.
_MAX_READINGS = 20
_REFUSED = "comments or aliases are in the way: write it by hand"


def set_key(text: str, form: str, path: Path, value: Any) -> str:
    """Return a text in which a key has a value; `form` is "yaml" or "json".

    The mapping that has the key has to be there. A mapping is set key by key; one on a line that
    is to have other keys is written anew.

    Raises:
        EditError: the key cannot be set without another change; or the text cannot be parsed.

    """
    return _edit_until_equal(text, form, lambda old: _with(old, path, value), keeps_lines=False)


def set_value(text: str, value: Any) -> str:
    """Return a YAML text that has another value, and all the comments that it had.

    Keys that come before all others in a mapping are added before them, and the others after them.

    Raises:
        EditError: the text cannot be edited without another change, or cannot be parsed.

    """
    return _with_comments(text, _edit_until_equal(text, "yaml", lambda _: value, keeps_lines=True))


def _with_comments(text: str, after: str) -> str:
    """Return an edited YAML text, which has all the comments that it had."""
    if "#" in text:
        comments = [Counter(each.text for each in comments_of(part)) for part in (text, after)]
        if comments[0] - comments[1]:
            raise EditError(_REFUSED)
    return after


def with_new_key(text: str, form: str, key: str, values: Mapping[Path, Any]) -> str:
    """Return a text in which mappings have a new key, each with its value, by their paths.

    `form` is "yaml", "json" or "jsonl"; in JSON Lines, the first step of a path is the line, from
    0. The mappings do not have it.

    Raises:
        EditError: the key cannot be added without another change; or the text cannot be parsed.

    """
    if form == "jsonl":
        lines = text.split("\n")
        for (number, *rest), value in values.items():
            line = lines[int(number)]
            bare = line.removesuffix("\r")
            added = with_new_key(bare, "json", key, values={tuple(rest): value})
            lines[int(number)] = added + line[len(bare) :]
        return "\n".join(lines)

    def wanted(value: Any) -> Any:
        for path, part in values.items():
            mapping = value
            for step in path:
                mapping = mapping[step]
            if not isinstance(mapping, dict):
                raise EditError(_REFUSED)
            mapping[key] = part
        return value

    return _edit_until_equal(text, form, wanted, keeps_lines=True)


def with_mapping(
    text: str, form: str, path: Path, mapping: Mapping[str, Any], *, keeps_comments: bool
) -> str:
    """Return a text in which a mapping has other keys and values; `form` is "yaml" or "json".

    The comments on a removed key go with it, unless all comments have to be kept.

    Raises:
        EditError: that needs another change, such as of an alias; or the text cannot be parsed.

    """

    def wanted(value: Any, path: Path = path) -> Any:
        if not path:
            return {**mapping}
        around = value.copy()
        around[path[0]] = wanted(value[path[0]], path[1:])
        return around

    after = _edit_until_equal(text, form, wanted, keeps_lines=True)
    return _with_comments(text, after) if keeps_comments and form == "yaml" else after


def _edit_until_equal(
    text: str, form: str, wanted_of: Callable[[Any], Any], *, keeps_lines: bool
) -> str:
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(bom)
    try:
        target = wanted_of(value_of(body, form))
        paths: set[Path] | None = None
        for _ in range(_MAX_READINGS):
            value = value_of(body, form)
            if json_equal(value, target):
                return bom + body
            edits = _Edits(body, form, keeps_lines=keeps_lines)
            body = apply_cuts(body, edits.cuts(value, target))
            if paths is not None and not edits.paths <= paths:
                break  # an edit would mend what another one broke
            paths = edits.paths
    except (ParseError, ValueError, TypeError, LookupError, RecursionError):
        raise EditError(_REFUSED) from None
    raise EditError(_REFUSED)


def _with(value: Any, path: Path, new: Any) -> Any:
    """Return a value with a new part at a path; keys that are there keep their order."""
    if not path:
        if not (isinstance(value, dict) and isinstance(new, dict)):
            return new
        return {key: _with(value.get(key), (), new[key]) for key in value if key in new} | {
            key: part for key, part in new.items() if key not in value
        }
    if not isinstance(value, dict):
        raise EditError(_REFUSED)
    key, *rest = path
    return {**value, key: _with(value.get(key, {} if rest else None), tuple(rest), new)}


class _Edits:
    """The edits that change the value of a text into another one, as far as one reading allows."""

    def __init__(self, text: str, form: str, *, keeps_lines: bool) -> None:
        self._text = text
        self._is_json = form == "json"
        self._keeps_lines = keeps_lines
        self._entries = entries_of(text, form)
        self._units: list[Cuts] = []
        self._added: dict[Spot, dict[str, Any]] = {}
        #: The keys that are edited.
        self.paths: set[Path] = set()

    def cuts(self, old: Any, new: Any) -> list[Cut]:
        """Return cuts that bring a text nearer to a new value."""
        self._compare((), old, new)
        points = places(self._added, self._entries, is_yaml=not self._is_json)
        for spot, parts in self._added.items():
            if spot not in points:
                raise EditError(_REFUSED)
            self._units.append((self._insertion(points[spot], parts),))
        if not all(self._units):
            raise EditError(_REFUSED)
        return [cut for unit in chosen(self._units) for cut in unit]

    def _compare(self, path: Path, old: Any, new: Any) -> None:
        if json_equal(old, new):
            return
        if isinstance(old, dict) and isinstance(new, dict) and self._keeps(path, old, new):
            self._compare_keys(path, old, new)
        elif self._keeps_lines and _has_same_items(old, new):
            for index, (item, new_item) in enumerate(zip(old, new, strict=True)):
                self._compare((*path, index), item, new_item)
        elif path and isinstance(path[-1], str):
            self.paths.add(path)
            self._units.append(self._replacement(path, new))
        else:
            raise EditError(_REFUSED)

    def _compare_keys(self, path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
        removed_paths = [(*path, key) for key in old if key not in new]
        self._units += [removed(key_path, self._entries) for key_path in removed_paths]
        self.paths.update(removed_paths, ((*path, key) for key in new if key not in old))
        first = dict(takewhile(lambda pair: pair[0] not in old, new.items())) if old else {}
        if first:
            self._added[Spot(path)] = first
        last = {key: part for key, part in new.items() if key not in old and key not in first}
        if last:
            self._added[last_spot(path, self._entries)] = last
        for key, part in old.items():
            if key in new:
                self._compare((*path, key), part, new[key])

    def _keeps(self, path: Path, old: dict[str, Any], new: dict[str, Any]) -> bool:
        """Whether a mapping is changed key by key, rather than written anew."""
        node = self._entries.node(path)
        if node is None or not path:
            return node is not None
        if not any(key in new for key in old):
            return self._keeps_lines and not old
        is_line = self._entries.begins_flow(node) and node.span.line == node.span.end_line
        return not is_line or self._keeps_lines or old.keys() == new.keys()

    def _insertion(self, place: InsertionPoint, parts: dict[str, Any]) -> Cut:
        if place.column is None:
            keys = [self._in_flow(key, part, place) for key, part in parts.items()]
        else:
            keys = [self._in_block(key, part, place.column) for key, part in parts.items()]
        return Cut(place.at, place.at, place.text(keys))

    def _in_flow(self, key: str, value: Any, place: InsertionPoint) -> str:
        name = json.dumps(key) if self._is_json else quoted(key)
        lead = "" if place.separator == ", " else place.separator.lstrip(",\r\n")
        return f"{name}: {self._flow(value, lead)}"

    def _in_block(self, key: str, value: Any, column: int) -> str:
        """Return a key with its value; the lines below the first one are indented."""
        lines = indented(self._lines(key, value, column), column)
        return self._entries.line_end.join([lines[0].lstrip(" "), *lines[1:]])

    def _replacement(self, path: Path, value: Any) -> Cuts:
        entries, text = self._entries, self._text
        entry, node = entries.entry(path), entries.node(path)
        if entry is None or node is None:
            return ()
        is_line = self._is_json or entries.is_flow(path[:-1])
        is_scalar = node.children is None and not entries.is_block_scalar(node)
        if not is_line and not (is_scalar and not isinstance(value, dict)):
            end = entries.last_line_end(node)
            is_open = node.children is not None and not entries.begins_flow(node)
            if end is None or "#" in text[entry.key_end : end if is_open else entry.end]:
                return ()
            end = end if is_open or entries.is_block_scalar(node) else entry.end
            lines = self._in_block(str(path[-1]), value, entry.column)
            return (Cut(entry.key_start, end, lines),)
        start, end = entries.token(node.span), entry.end
        if is_line:
            lead = text[entries.start_of_line(entry.key_start) : entry.key_start]
            written = self._flow(value, "" if lead.strip() else lead)
        else:
            like = text[start : start + 1] if end > start else ""
            is_text = isinstance(value, str)
            written = quoted(value, inside=False, like=like) if is_text else flow(value)
            written = written if end > start else f" {written}"
        return (Cut(start, end, written),)

    def _flow(self, value: Any, lead: str) -> str:
        """Write a value in a flow mapping; in JSON over several lines, after a `lead` of spaces."""
        if not self._is_json:
            return flow(value)
        if not lead:
            return json.dumps(value, ensure_ascii=False)
        step = lead if lead.strip(" ") else min(len(lead), _first_step(self._entries))
        text = json.dumps(value, ensure_ascii=False, indent=step)
        return text.replace("\n", self._entries.line_end + lead)

    def _lines(self, key: str, value: Any, column: int) -> list[str]:
        return _block(
            key, value, self._entries.indentation[:2], column=column, is_outer=column == 0
        )


def _has_same_items(old: Any, new: Any) -> bool:
    """Whether two lists differ only in mappings and lists that they have at the same places."""
    if not (isinstance(old, list) and isinstance(new, list) and len(old) == len(new)):
        return False
    return all(
        (isinstance(item, dict | list) and type(item) is type(new_item))
        or json_equal(item, new_item)
        for item, new_item in zip(old, new, strict=True)
    )


def _first_step(entries: Entries) -> int:
    """Return the columns by which the first key of a JSON object is indented."""
    children = entries.root.children
    first = (
        min((key.column for key, _ in children.values()), default=3) - 1
        if isinstance(children, dict)
        else 2
    )
    return max(1, first)


def _block(
    key: str, value: Any, indentation: tuple[int, int], column: int, *, is_outer: bool
) -> list[str]:
    """Return a key with its value as lines of block YAML; a short collection is on its line."""
    # `indentation` are the columns of a mapping and of a list below their key.
    step, offset = indentation
    name = f"{quoted(key, inside=False)}:"
    if not isinstance(value, dict | list) or not value:
        return attached(name, value, step)
    line = f"{name} {flow(value)}"
    if (isinstance(value, list) or not is_outer) and column + len(line) <= _WIDTH:
        return [line]
    if isinstance(value, list):
        return [name, *indented(block(value, step, offset), offset)]
    parts = [
        _block(inner, part, indentation, column=column + step, is_outer=False)
        for inner, part in value.items()
    ]
    return [name, *indented([line for lines in parts for line in lines], step)]
