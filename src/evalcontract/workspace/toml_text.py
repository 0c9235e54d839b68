"""The text of a TOML file: where a key stands, and what its author meant where it is no TOML."""

from __future__ import annotations

import re

_AT = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_BARE_CODE = re.compile(r"\s*([a-z]+/[a-z-]+)\s*=")
_BARE_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^"'#=])*=\s*([A-Za-z][\w/-]*)\s*(?:#.*)?$""")
_BOOLEANS = {
    "True": "true",
    "False": "false",
    "yes": "true",
    "no": "false",
    "on": "true",
    "off": "false",
}


def place_of(text: str, name: str, key: str) -> str:
    """Return `name:line` of the first line that sets a key, or the name alone."""
    word = re.escape(key)
    quoted = rf"""(?:"{word}"|'{word}')"""
    sets = re.compile(rf"^[^#]*{quoted}\s*[=.\]]|^\s*(?:\[\s*)?{word}\s*[=.\]]")
    for number, line in enumerate(text.splitlines(), 1):
        if sets.search(line):
            return f"{name}:{number}"
    return name


def explain(text: str, name: str, message: str) -> str:
    """Say where a text is no TOML and why, in the words of its reader, and what to type instead."""
    found = _AT.search(message)
    lines = text.splitlines()
    number = int(found["line"]) if found and found["line"] else len(lines)
    why = message[: found.start()] if found else message
    place = f"{name}:{number}" if number else name
    advice = _advice(lines[number - 1]) if 0 < number <= len(lines) else None
    return f"{place}: not TOML: {why[:1].lower()}{why[1:]}{f'; {advice}' if advice else ''}"


def _advice(line: str) -> str | None:
    if code := _BARE_CODE.match(line):
        return f'a code is quoted: `"{code[1]}" = …`'
    word = _BARE_WORD.match(line)
    if word is None:
        return None
    if word[1] in _BOOLEANS:
        return f"write `{_BOOLEANS[word[1]]}`"
    return f'a text is quoted: `"{word[1]}"`'
