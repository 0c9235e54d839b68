"""How a value is written as YAML, so that it is read again as what it was.

The readers of YAML 1.1 are thought of too: a text that one of them takes for a date or for true
is quoted, though the core schema of 1.2 needs no quotes there.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from evalcontract.model.errors import EditError
from evalcontract.source.scalars import resolve_plain

# What may stand in a line as it is, and ends no line in any version of YAML.
_PRINTABLE = re.compile(
    "[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_INDICATORS = "-?:,[]{}#&*!|>'\"%@` "
_OF_1_1: dict[str, list[tuple[str, re.Pattern[str]]]] = yaml.SafeLoader.yaml_implicit_resolvers


def flow(value: Any, *, inside: bool = True, like: str = "") -> str:
    """Write a value in one line; `inside` of a flow collection fewer texts may stand unquoted.

    `like` is the quote that the author chose for a text: it is kept where it can be.
    """
    if isinstance(value, dict):
        parts = (f"{quoted(key)}: {flow(part)}" for key, part in value.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(part) for part in value) + "]"
    return quoted(value, inside=inside, like=like) if isinstance(value, str) else _word(value)


def block(value: Any, step: int, offset: int) -> list[str]:
    """Write a collection that is not empty as lines, a column for each level of `step`.

    A list below a key stands `offset` columns to the right of it.
    """
    lines: list[str] = []
    if isinstance(value, list):
        for part in value:
            if isinstance(part, dict | list) and part:
                first, *rest = block(part, step, offset)
                lines += [f"- {first}", *indented(rest, 2)]
            else:
                lines += _attached("-", part, 2)
        return lines
    for key, part in value.items():
        name = f"{quoted(key)}:"
        if isinstance(part, dict | list) and part:
            columns = offset if isinstance(part, list) else step
            lines += [name, *indented(block(part, step, offset), columns)]
        else:
            lines += _attached(name, part, step)
    return lines


def _attached(head: str, value: Any, step: int) -> list[str]:
    """Write a scalar, or an empty collection, behind its key or dash."""
    body = literal(value)
    if body is None:
        return [f"{head} {flow(value, inside=False)}"]
    return [f"{head} {body[0]}", *indented(body[1:], step)]


def indented(lines: list[str], columns: int) -> list[str]:
    """Move lines to the right; empty ones stay empty."""
    return [" " * columns + line if line else line for line in lines]


def literal(value: Any) -> list[str] | None:
    """Write a text of several lines as a block: its indicator, then its lines, not indented.

    None where a block would not hold the text, or would hide some of it: spaces at a line's
    end or at the very start, more than one empty line at the end, control characters.
    """
    if not isinstance(value, str) or "\n" not in value:
        return None
    lines = value.removesuffix("\n").split("\n")
    if not lines[0] or lines[0].startswith(" ") or not lines[-1]:
        return None
    if any(line.endswith(" ") or not _PRINTABLE.fullmatch(line) for line in lines):
        return None
    return ["|" if value.endswith("\n") else "|-", *lines]


def quoted(text: str, *, inside: bool = True, like: str = "") -> str:
    """Write a text in one line: plain where it can be, else in the quotes that hold it."""
    if not isinstance(text, str):
        raise EditError(f"a key is a {type(text).__name__}; keys are text")
    if like not in {"'", '"'} and _is_plain(text, inside=inside):
        return text
    if like != '"' and _PRINTABLE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if _PRINTABLE.fullmatch(character):
        return character
    code = ord(character)
    return f"\\U{code:08X}" if character > "\uffff" else f"\\u{code:04X}"


def _is_plain(text: str, *, inside: bool) -> bool:
    if not text or text[0] in _INDICATORS or text[-1] in ": " or not _PRINTABLE.fullmatch(text):
        return False
    if ": " in text or " #" in text or (inside and any(mark in text for mark in ",[]{}:?")):
        return False
    try:
        if resolve_plain(text) != text:
            return False
    except ValueError:  # more digits than a number may have
        return False
    return not any(pattern.match(text) for _, pattern in _OF_1_1.get(text[0], ()))


def _word(value: object) -> str:
    """Write null, true, false or a number.

    Raises:
        EditError: a value of another type.

    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _integer(value)
        case float():
            return _float(value)
    raise EditError(f"a {type(value).__name__} is not plain data, and has no YAML here")


def _integer(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        raise EditError("an integer has more digits than can be read again") from None


def _float(value: float) -> str:
    text = repr(value)
    if text.endswith(("inf", "nan")):
        return text.replace("inf", ".inf").replace("nan", ".nan")
    # `1e+16` is text to the readers of YAML 1.1, which want a point.
    return text if "." in text else text.replace("e", ".0e")
