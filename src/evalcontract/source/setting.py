"""Set or add keys of a document, such as the `validation` of a judge; keep comments and layout.

Values that are there are replaced at their place, others are added at the end, keys that are not
wanted any more are removed. The result is parsed again, to verify that nothing else changes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.equality import json_equal
from evalcontract.model.errors import EditError
from evalcontract.source.cutting import apply_cuts
from evalcontract.source.entries import Cut, Entries
from evalcontract.source.fault import ParseError
from evalcontract.source.json import load_json
from evalcontract.source.json_scanner import scan
from evalcontract.source.moving import last_key, removed
from evalcontract.source.yaml import nodes_of, parse_yaml
from evalcontract.source.yaml_text import flow, indented, literal, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.model.path import Path

_WIDTH = 80
_REFUSED = "comments or aliases are in the way: write it by hand"


def set_key(text: str, form: str, path: Path, value: Any) -> str:
    """Return a text in which a key has a value; `form` is "yaml" or "json".

    The mapping that has the key has to be there, with another key. A mapping is set key by key.

    Raises:
        EditError: the key cannot be set without another change; or the text cannot be parsed.

    """
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(bom)
    try:
        before = _value(body, form)
        setter = _Setter(body, form)
        setter.set(path, value)
        after = _value(setter.text, form)
    except (ParseError, ValueError, RecursionError):
        raise EditError(_REFUSED) from None
    if not json_equal(after, _with(before, path, value)):
        raise EditError(_REFUSED)
    return bom + setter.text


def with_new_key(text: str, form: str, key: str, values: Mapping[Path, Any]) -> str:
    """Return a text in which mappings have a new key, each with its value, by their paths.

    `form` is "yaml", "json" or "jsonl"; in JSON Lines, the first step of a path is the line, from
    0. The mappings have other keys, but not this one.

    Raises:
        EditError: the key cannot be added without another change; or the text cannot be parsed.

    """
    if form == "jsonl":
        lines = text.split("\n")
        for (number, *rest), value in values.items():
            line = lines[int(number)]
            bare = line.removesuffix("\r")
            lines[int(number)] = (
                with_new_key(bare, "json", key, {tuple(rest): value}) + (line[len(bare) :])
            )
        return "\n".join(lines)
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(bom)
    try:
        wanted = _value(body, form)
        setter = _Setter(body, form)
        entries = setter.entries()
        cuts = [setter.insertion(entries, (*path, key), value) for path, value in values.items()]
        after = _value(apply_cuts(body, dict.fromkeys(cuts)), form)
        for path, value in values.items():
            mapping = wanted
            for step in path:
                mapping = mapping[step]
            mapping[key] = value
    except (ParseError, ValueError, LookupError, RecursionError):
        raise EditError(_REFUSED) from None
    if not json_equal(after, wanted):
        raise EditError(_REFUSED)
    return bom + apply_cuts(body, dict.fromkeys(cuts))


def _value(text: str, form: str) -> Any:
    return parse_yaml(text, "", b"").value if form == "yaml" else load_json(text.encode())


def _with(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    if not isinstance(value, dict):
        raise EditError(_REFUSED)
    key, *rest = path
    return {**value, key: _with(value.get(key, {}) if rest else None, tuple(rest), new)}


class _Setter:
    """Makes one edit after the other; the text is parsed again for each."""

    def __init__(self, text: str, form: str) -> None:
        self.text = text
        self._is_json = form == "json"

    def set(self, path: Path, value: Any) -> None:
        entries = self.entries()
        node, entry = entries.node(path), entries.entry(path)
        if node is None or entry is None:
            self._cut((self.insertion(entries, path, value),))
        elif json_equal(_value_at(self.text, path, is_json=self._is_json), value):
            return
        elif (
            isinstance(node.children, dict) and node.children and self._keeps(entries, path, value)
        ):
            for key in [key for key in node.children if key not in value]:
                self._cut(removed((*path, key), self.entries()))
            for key, part in value.items():
                self.set((*path, key), part)
        else:
            self._replace(entries, path, value)

    def _keeps(self, entries: Entries, path: Path, value: Any) -> bool:
        """Whether a mapping is changed key by key, rather than written anew.

        One on a line is written anew if it has other keys than it is to have.
        """
        node = entries.node(path)
        if node is None or not isinstance(node.children, dict) or not isinstance(value, dict):
            return False
        if not value or not any(key in value for key in node.children):
            return False
        is_line = entries.begins_flow(node) and node.span.line == node.span.end_line
        return not is_line or node.children.keys() == value.keys()

    def entries(self) -> Entries:
        root = scan(self.text) if self._is_json else nodes_of(self.text)
        return Entries(self.text, root)

    def _cut(self, cuts: tuple[Cut, ...]) -> None:
        if not cuts:
            raise EditError(_REFUSED)
        self.text = apply_cuts(self.text, cuts)

    def insertion(self, entries: Entries, path: Path, value: Any) -> Cut:
        """Return the edit that adds a key with its value to a mapping.

        Raises:
            EditError: where the mapping ends is unclear.

        """
        last = last_key(path[:-1], entries)
        if last is None:
            raise EditError(_REFUSED)
        if not last.is_flow:
            lines = self._lines(entries, str(path[-1]), value, last.entry.column)
            return Cut(last.end, last.end, entries.line_end + entries.line_end.join(lines))
        start = last.entry.key_start
        lead = self.text[entries.start_of_line(start) : start]
        comma = ", " if lead.strip() else f",{entries.line_end}{lead}"
        name = json.dumps(path[-1]) if self._is_json else quoted(str(path[-1]))
        written = self._in_flow(entries, value, "" if lead.strip() else lead)
        at = last.entry.end
        return Cut(at, at, f"{comma}{name}: {written}")

    def _replace(self, entries: Entries, path: Path, value: Any) -> None:
        entry, node = entries.entry(path), entries.node(path)
        if entry is None or node is None:
            raise EditError(_REFUSED)
        is_line = self._is_json or entries.is_flow(path[:-1])
        is_scalar = node.children is None and not entries.is_block_scalar(node)
        if not is_line and not (is_scalar and not isinstance(value, dict)):
            lines = self._lines(entries, str(path[-1]), value, entry.column)
            end = entries.last_line_end(node)
            is_open = node.children is not None and not entries.begins_flow(node)
            if end is None or "#" in self.text[entry.key_end : end if is_open else entry.end]:
                raise EditError(_REFUSED)
            end = end if is_open or entries.is_block_scalar(node) else entry.end
            lines[0] = lines[0].lstrip(" ")
            self._cut((Cut(entry.key_start, end, entries.line_end.join(lines)),))
            return
        start, end = entries.token(node.span), entry.end
        if is_line:
            lead = self.text[entries.start_of_line(entry.key_start) : entry.key_start]
            written = self._in_flow(entries, value, "" if lead.strip() else lead)
        else:
            like = self.text[start : start + 1] if end > start else ""
            is_text = isinstance(value, str)
            written = quoted(value, inside=False, like=like) if is_text else flow(value)
            written = written if end > start else f" {written}"
        self._cut((Cut(start, end, written),))

    def _in_flow(self, entries: Entries, value: Any, lead: str) -> str:
        """Write a value in a flow mapping; in JSON over several lines, after a `lead` of spaces."""
        if not self._is_json:
            return flow(value)
        if not lead:
            return json.dumps(value, ensure_ascii=False)
        step = lead if lead.strip(" ") else min(len(lead), _first_step(entries))
        text = json.dumps(value, ensure_ascii=False, indent=step)
        return text.replace("\n", entries.line_end + lead)

    def _lines(self, entries: Entries, key: str, value: Any, column: int) -> list[str]:
        lines = _block(key, value, entries.step, column, is_outer=column == 0)
        return indented(lines, column)


def _first_step(entries: Entries) -> int:
    """Return the columns by which the first key of a JSON object is indented."""
    children = entries.root.children
    first = (
        min((key.column for key, _ in children.values()), default=3) - 1
        if isinstance(children, dict)
        else 2
    )
    return max(1, first)


def _block(key: str, value: Any, step: int, column: int, *, is_outer: bool) -> list[str]:
    """Return a key with its value as lines of block YAML; a short mapping is on its line."""
    name = f"{quoted(key, inside=False)}:"
    if not isinstance(value, dict) or not value:
        body = literal(value)
        if body is not None:
            return [f"{name} {body[0]}", *indented(body[1:], step)]
        return [f"{name} {flow(value, inside=False)}"]
    line = f"{name} {flow(value)}"
    if not is_outer and column + len(line) <= _WIDTH:
        return [line]
    parts = [
        _block(inner, part, step, column + step, is_outer=False) for inner, part in value.items()
    ]
    return [name, *indented([line for lines in parts for line in lines], step)]


def _value_at(text: str, path: Path, *, is_json: bool) -> Any:
    value = _value(text, "json" if is_json else "yaml")
    for step in path:
        value = value[step]
    return value
