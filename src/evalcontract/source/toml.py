"""TOML: parsed, with the lines of keys and explanations of syntax errors."""

from __future__ import annotations

import re
from typing import Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import is_writable

# A thousand times the usual size; `tomllib` is slow on larger files.
_MAX_CHARACTERS = 1 << 18
# Parts of a dotted key; `tomllib` needs memory for the square of their number.
_MAX_KEY_PARTS = 50
_STRINGS = lazy_pattern(r'"[^"\n]*"|\'[^\'\n]*\'')
_KEY_ENDS = lazy_pattern(r"[][{}=,#\n]")
_AT = lazy_pattern(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_OTHER_BASE = lazy_pattern(r"0[box]")
_BARE_CODE = lazy_pattern(r"\s*([a-z]+/[a-z-]+)\s*=")
_BARE_WORD = lazy_pattern(r"""(?:"[^"]*"|'[^']*'|[^"'#=])*=\s*([A-Za-z][\w/-]*)\s*(?:#.*)?$""")
_BOOLEANS = {
    "True": "true",
    "False": "false",
    "yes": "true",
    "no": "false",
    "on": "true",
    "off": "false",
}


def place_of_key(text: str, name: str, key: str) -> str:
    """Return `name:line` for the first line that sets a key, or `name` if no line does."""
    word = re.escape(key)
    quoted = rf"""(?:"{word}"|'{word}')"""
    sets = re.compile(rf"^[^#]*{quoted}\s*[=.\]]|^\s*(?:\[\s*)?{word}\s*[=.\]]")
    for number, line in enumerate(text.splitlines(), 1):
        if sets.search(line):
            return f"{name}:{number}"
    return name


def explain_error(text: str, name: str, message: str) -> str:
    """Return a message for a TOML syntax error: its line, the parser's reason and a correction."""
    match = _AT.search(message)
    lines = text.splitlines()
    number = int(match["line"]) if match and match["line"] else len(lines)
    reason = message[: match.start()] if match else message
    place = f"{name}:{number}" if number else name
    advice = _advice(lines[number - 1]) if 0 < number <= len(lines) else None
    return f"{place}: not TOML: {reason[:1].lower()}{reason[1:]}{f'; {advice}' if advice else ''}"


def _advice(line: str) -> str | None:
    if code := _BARE_CODE.match(line):
        return f'quote the code: `"{code[1]}" = …`'
    word = _BARE_WORD.match(line)
    if word is None:
        return None
    if word[1] in _BOOLEANS:
        return f"write `{_BOOLEANS[word[1]]}`"
    return f'quote the string: `"{word[1]}"`'


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Parse a TOML file, with bounds on what `tomllib` needs for it.

    Raises:
        ConfigurationError: it is not TOML, or exceeds a bound.

    """
    if len(text) > _MAX_CHARACTERS:
        raise ConfigurationError(f"{name}: has more than {_MAX_CHARACTERS:,} characters")
    if any(part.count(".") >= _MAX_KEY_PARTS for part in _KEY_ENDS.split(_STRINGS.sub("", text))):
        raise ConfigurationError(f"{name}: a key has more than {_MAX_KEY_PARTS} parts")
    import tomllib  # slow to import

    too_long = f"{name}: contains a number with too many digits"
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(explain_error(text, name, str(error))) from None
    except RecursionError:
        raise ConfigurationError(f"{name}: is nested too deeply") from None
    except ValueError:  # Python limits the digits of an integer, and raises no TOMLDecodeError
        raise ConfigurationError(too_long) from None
    # Python does not limit the digits of other bases.
    if _OTHER_BASE.search(text) and _has_long_integer(value):
        raise ConfigurationError(too_long)
    return value


def _has_long_integer(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_long_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not is_writable(value)
