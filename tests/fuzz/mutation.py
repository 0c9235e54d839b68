"""Random changes of bytes, and of values: what people, programs and attackers make of a file."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

_DEEP = 120
_PIECES = [
    *(b" ", b"\n", b"\r", b"\r\n", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x85"),
    *("\u2028".encode(), "\u202e".encode(), "é".encode(), "🙂".encode(), b"\x1b[31m"),
    *(b"{", b"}", b"[", b"]", b",", b":", b": ", b"- ", b"? ", b"#", b" #", b"'", b'"', b"\\"),
    *(b"&a ", b"*a", b"<<: ", b"!!str ", b"!x ", b"|\n", b">-\n", b"---\n", b"...\n"),
    *(b"%TAG ! !\n", b"%YAML 1.2\n"),
    *(b"null", b"true", b"NaN", b".nan", b".inf", b"-.inf", b"1e999", b"1e-999", b"0x1F", b"1_0"),
    *(b"9" * 30, b"9" * 5000, b"-0", b"01", b"1.0", b"2026-02-30", b"\\u0000", b"\\ud800", b"\\"),
    *(b"{{", b"}}", b"{{{", b"{{#a}}", b"{{/a}}", b"{{^a}}", b"{{=<% %>=}}", b"{%", b"${", b"<%"),
    *(b"(", b")", b"(?:", b"(?=", b"(?<!", b"(a+)+$", b"{0,100}", b"{,5}"),
    *(b"*", b"+", b"|", b"\\1"),
    *(b"(?i)", b"(?P<n>", b"(?P=n)", b"[^", b"\\b", b"\\d", b"\\p{L}", b"[[:alpha:]]"),
    *(b"(?(1)a|b)", b"\\x", b"^", b"$"),
    *(b"@", b"@1.0.0", b"rubric/", b"judge/", b"../", b"/etc/passwd", b"$ref", b"#/$defs/a", b"$"),
    *(b"# yaml-language-server: $schema=", b'"$schema": ', b"questions", b"[" * _DEEP, b"=" * 50),
]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with one to four changes: parts replaced, removed, repeated, exchanged."""
    for _ in range(chance.choice((1, 1, 2, 3, 4))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 0, 1, 1, 2, 9, 40)))
        match chance.randrange(8):
            case 0:
                data = data[:start] + bytes([chance.randrange(256)]) + data[end:]
            case 1:
                data = data[:start] + data[end:]
            case 2:
                data = data[:end] + data[start:]
            case 3:
                data = _lines_changed(data, chance)
            case 4:
                data = _words_exchanged(data, chance)
            case _:
                data = data[:start] + chance.choice(_PIECES) + data[end:]
    return data


def _lines_changed(data: bytes, chance: random.Random) -> bytes:
    """Drop, repeat or indent a line."""
    lines = data.splitlines(keepends=True) or [b""]
    at = chance.randrange(len(lines))
    line = lines[at]
    other = chance.choice([b"", line * 2, b"  " + line, line.lstrip(), line[:-1]])
    return b"".join([*lines[:at], other, *lines[at + 1 :]])


def _words_exchanged(data: bytes, chance: random.Random) -> bytes:
    """Put a word in the place of another one."""
    words = [*re.finditer(rb"[\w.$@/-]+", data)]
    if not words:
        return data
    word, other = chance.choice(words), chance.choice(words)
    return data[: word.start()] + other[0] + data[word.end() :]


def _deep(depth: int) -> Any:
    value: Any = []
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    return value


#: Values that stand where nobody expects them.
ODD_VALUES: Sequence[Any] = (
    *(None, True, False, 0, -1, 1, 2, 0.5, -0.0, 1e308, 1e-320, 10**30, -(10**4000), math.inf),
    *(-math.inf, math.nan, "", " ", "\n", "\0", "\ud800", "\x1b[31m", "\u202e", "\ufeff", "\x85"),
    *("true", "null", "1.0", "1.0.0", "9" * 5000, "1.0.0-" + "a." * 50 + "a", "a" * 3000),
    *("é", "🙂"),
    *("rubric/a", "rubric/a@1.0.0", "judge/a@1", "../../x", "/etc/passwd", "a/b.json", "C:\\x"),
    *("{{ output }}", "{{#input}}", "{{", "(a+)+$", "[", "(?i)", "^$", "$ref", "#", "#/$defs/a"),
    *("::error::x", "##[error]", "2026-02-30", "2026-05-08", "9999-12-31", "0001-01-01", "json"),
    *([], {}, [[]], [{}], [None], ["a", "a"], {"": None}, {"a": {}}, {"$ref": "#"}, {"type": 5}),
    *({"enum": "pass"}, {"properties": {"k": True}}, {"items": True}, {"const": math.inf}),
    *({"not": {}}, {"pattern": "("}, {"allOf": [{"$ref": "#"}]}, {"minimum": math.nan}, [1, "a"]),
    *({"$ref": "#/properties/a"}, {"$dynamicRef": "#a"}, {"$id": "http://[", "$ref": "a"}),
    *({"\ud800": 1}, {"a\nb": [1]}, {"constructor": 1}, _deep(_DEEP), _deep(90)),
)


def altered(value: Any, chance: random.Random, others: Sequence[Any] = ()) -> Any:
    """Return a copy of a value with one to three parts replaced, removed, renamed or exchanged.

    `others` are values whose parts may take the place of parts of this one.
    """
    for _ in range(chance.choice((1, 1, 2, 3))):
        parts = [*_parts(value)]
        path = chance.choice(parts)
        value = _with(value, path, chance, parts, others)
    return value


def _parts(value: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _parts(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value[:30]):
            yield from _parts(part, (*path, index))


def _at(value: Any, path: Sequence[Any]) -> Any:
    for step in path:
        value = value[step]
    return value


def _with(
    value: Any,
    path: tuple[Any, ...],
    chance: random.Random,
    parts: list[Any],
    others: Sequence[Any],
) -> Any:
    if path:
        step, below = path[0], path[1:]
        copy = dict(value) if isinstance(value, dict) else list(value)
        if below:
            chosen = [part[1:] for part in parts if part[:1] == path[:1]]
            copy[step] = _with(copy[step], below, chance, chosen, others)
        elif chance.random() < 0.2:
            del copy[step]
        elif isinstance(copy, dict) and chance.random() < 0.3:
            keys = [*copy, f"{step}s", str(step)[1:], str(step).upper(), "", "a.b", "\ud800", "id"]
            new = chance.choice(keys)
            copy = {new if key == step else key: part for key, part in copy.items()}
        elif isinstance(copy, list) and chance.random() < 0.3:
            copy.insert(step, copy[step])
        else:
            copy[step] = _replaced(copy[step], chance, others)
        return copy
    return _replaced(value, chance, others)


def _replaced(value: Any, chance: random.Random, others: Sequence[Any]) -> Any:
    match chance.randrange(6):
        case 0:
            return [value]
        case 1:
            return {"a": value}
        case 2 if others:
            other = chance.choice(others)
            return _at(other, chance.choice([*_parts(other)]))
        case 3 if isinstance(value, str):
            cut = chance.randrange(len(value) + 1)
            return value[:cut] + str(chance.choice(ODD_VALUES))[:200] + value[cut:]
        case _:
            return chance.choice(ODD_VALUES)


def written(name: str, value: Any, chance: random.Random) -> bytes:
    """Return the text of a value in the format of a file name, also if JSON cannot represent it."""
    if name.endswith(".jsonl"):
        rows = value if isinstance(value, list) else [value]
        return b"".join(_json(row).encode() + b"\n" for row in rows)
    if name.endswith((".yaml", ".yml")):
        if chance.random() < 0.7:
            try:
                return yaml.safe_dump(value, sort_keys=False, allow_unicode=True).encode()
            except (yaml.YAMLError, ValueError, RecursionError):
                pass
        return _yaml(value).encode()
    return _json(value, indent=chance.choice((None, 1))).encode()


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent)


def _yaml(value: Any) -> str:
    """Write a value in flow style; JSON has other names for infinity."""
    match value:
        case dict():
            pairs = (f"{json.dumps(str(key))}: {_yaml(part)}" for key, part in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(map(_yaml, value)) + "]"
        case float() if not math.isfinite(value):
            return ".nan" if math.isnan(value) else "-.inf" if value < 0 else ".inf"
        case _:
            return json.dumps(value)
