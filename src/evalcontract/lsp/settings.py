"""Help in `evalcontract.toml`: what can be written at a position, and what a word means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from evalcontract.lsp.completion import Suggestion, keys_of_rows
from evalcontract.lsp.context import describe_key
from evalcontract.lsp.cursor import Cursor, CursorStep
from evalcontract.lsp.text import Point, Text, code
from evalcontract.model.startup import lazy_pattern
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import load, properties
from evalcontract.workspace.catalogue import KnownCodes

_NAME = "configuration"
_HEADER = lazy_pattern(r"\s*\[+\s*(?P<path>[^]]*)\]?")
_ENTRY = lazy_pattern(r"""\s*(?P<key>"[^"]*"|'[^']*'|[\w.-]+)\s*=(?P<value>.*)""", re.DOTALL)
_PARTS = lazy_pattern(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
#: The word that is being written: what is after the last sign that cannot be part of it.
_WORD = lazy_pattern(r"""(?P<quote>["']?)(?P<typed>[^\s"'=\[\]{},]*)$""")
_REST = lazy_pattern(r"""[^\s"'=\[\]{},]*""")
#: The settings with tables of codes, and the tables whose keys are names of somebody's own.
_IGNORES, _SEVERITY, _LIBRARIES = "per_file_ignores", "severity", "libraries"
_HYPHENATED = "per-file-ignores"


def cursor_in_toml(text: Text, point: Point) -> Cursor | None:
    """Return the cursor at a place in TOML, in the table that it belongs to; None in a comment."""
    line = text.line(point.line)
    before, after = line[: point.character], line[point.character :]
    if before.lstrip().startswith("#"):
        return None
    if before.lstrip().startswith("["):
        typed = before.lstrip().lstrip("[")
        rest = re.match(r"[^]]*", after)
        start = point.character - len(typed)
        return Cursor((), {}, None, typed, start, rest[0] if rest else "", bracket="[")
    table, siblings = _above(text, point.line)
    entry = _ENTRY.match(before)
    word, rest = _WORD.search(before), _REST.match(after)
    if word is None or rest is None:
        return None
    key = entry["key"].strip("\"'") if entry else _open_list(text, point.line)
    start = point.character - len(word["typed"])
    return Cursor(table, siblings, key, word["typed"], start, rest[0], word["quote"])


def _above(text: Text, line: int) -> tuple[tuple[CursorStep, ...], dict[str, str]]:
    """Return the table of a line, and its keys."""
    siblings: dict[str, str] = {}
    numbers = [*range(line - 1, -1, -1)]
    table: tuple[CursorStep, ...] = ()
    for number in numbers:
        above = text.line(number)
        header = _HEADER.fullmatch(above.partition("#")[0].rstrip())
        if header and above.lstrip().startswith("["):
            parts = ("".join(match.groups("")) for match in _PARTS.finditer(header["path"]))
            table = tuple(CursorStep(part, {}) for part in parts)
            break
        if entry := _ENTRY.match(above):
            siblings.setdefault(entry["key"].strip("\"'"), "")
    return table, siblings


def _open_list(text: Text, line: int) -> str | None:
    """Return the key whose list of several lines a line belongs to, if it does."""
    for number in range(line - 1, -1, -1):
        above = text.line(number).partition("#")[0]
        if entry := _ENTRY.match(above):
            opened = entry["value"].count("[") > entry["value"].count("]")
            return entry["key"].strip("\"'") if opened else None
        if "]" in above or above.lstrip().startswith("["):
            return None
    return None


def _known_keys(cursor: Cursor) -> dict[str, Schema]:
    """Return the keys that the table at a position may have, with their schemas."""
    root = load(_NAME)
    schema: Schema = root
    for step in cursor.path:
        schema = follow(properties(schema).get(str(step), schema.get("additionalProperties")), root)
        if not isinstance(schema, dict):
            return {}
    keys = dict(properties(schema))
    for branch in schema.get("anyOf", ()):
        keys |= properties(follow(branch, root))
    return keys


def complete_setting(cursor: Cursor) -> Iterator[Suggestion]:
    """Yield what can be written at a position."""
    root = load(_NAME)
    if cursor.bracket == "[":
        for name in (_SEVERITY, _IGNORES):
            about = describe_key(name, properties(root)[name], root)
            yield Suggestion(name, name, "key", about)
        about = describe_key(_LIBRARIES, properties(root)[_LIBRARIES], root)
        yield Suggestion(_LIBRARIES, f"{_LIBRARIES}.", "key", about)
    elif cursor.key is None:
        yield from _keys(cursor, root)
    else:
        yield from _values(cursor, root)


def _keys(cursor: Cursor, root: Schema) -> Iterator[Suggestion]:
    if cursor.path == (_SEVERITY,):
        yield from _codes(cursor, is_key=True)
        return
    for key, schema in _known_keys(cursor).items():
        full = follow(schema, root)
        is_table = not cursor.path and full.get("type") == "object"
        if key not in cursor.siblings and key != _HYPHENATED:
            text = f"[{key}]" if is_table else f"{key} = "
            about = describe_key(key, schema, root)
            yield Suggestion(key, text, "key", about, "table" if is_table else "", int(is_table))


def _values(cursor: Cursor, root: Schema) -> Iterator[Suggestion]:
    table = cursor.path[0] if cursor.path else None
    keys = _known_keys(cursor)
    if table == _IGNORES:
        yield from _codes(cursor, is_key=False)
    elif table == _SEVERITY:
        allowed = root["$defs"]["severity"]
        for value in allowed["enum"]:
            yield Suggestion(value, _quoted(cursor, value), "value", str(allowed["description"]))
    elif cursor.key == "row_keys_graded" and not table:
        for key, about in keys_of_rows():
            yield Suggestion(key, _quoted(cursor, key), "value", about)
    elif follow(keys.get(cursor.key or "", {}), root).get("type") == "boolean":
        for value in ("true", "false"):
            yield Suggestion(value, value, "value", "")


def _codes(cursor: Cursor, *, is_key: bool) -> Iterator[Suggestion]:
    """Yield the codes, with their severities in soft and in strict mode."""
    for name, known in KnownCodes().items():
        if name not in cursor.siblings:
            text = _quoted(cursor, name) + (" = " if is_key and not cursor.quote else "")
            soft, strict = known.severities
            yield Suggestion(name, text, "value", "", f"{soft} (soft), {strict} (strict)")


def _quoted(cursor: Cursor, text: str) -> str:
    return text if cursor.quote else json.dumps(text)


def explain_setting(cursor: Cursor) -> str:
    """Return what the word at a position means, as Markdown; nothing if it has no meaning."""
    root, word = load(_NAME), cursor.word
    codes = KnownCodes()
    if word in codes:
        return f"**{code(word)}**\n\n{codes[word].page.what}"
    if cursor.bracket == "[":
        parts = _PARTS.search(word)
        word = "".join(parts.groups("")) if parts else ""
        found: Any = properties(root).get(word)
        return describe_key(word, found, root) if found else ""
    if cursor.key is None:
        found = _known_keys(cursor).get(word)
        return describe_key(word, found, root) if found else ""
    return ""
