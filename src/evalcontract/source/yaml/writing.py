"""Serialize values as YAML, JSON and CSV that read back to the same values.

Text that a YAML 1.1 parser would read as a date or a boolean is quoted, too, although the core
schema of YAML 1.2 needs no quotes there.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from evalcontract.model.errors import EditError, EvalContractError
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import is_writable
from evalcontract.source.faults import MAX_DEPTH
from evalcontract.source.yaml.scalars import resolve_plain

# Characters that need no escape and are not line breaks in any version of YAML.
_PRINTABLE = lazy_pattern(
    "[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_INDICATORS = "-?:,[]{}#&*!|>'\"%@` "
#: What a YAML 1.1 parser does not read as text begins with one of these or an indicator, and if it
#: begins with a letter, it is no longer than `false`.
FIRST_OF_1_1 = frozenset("0123456789+-.~<=fFnNoOtTyY")
LONGEST_WORD_OF_1_1 = 5


def flow(value: Any, *, inside: bool = True, like: str = "") -> str:
    """Return a value on one line, in flow style.

    `inside` a flow collection more strings need quotes. `like` is the quote that the author used
    for a string; it is kept if possible.
    """
    if isinstance(value, dict):
        parts = (f"{quoted(key)}: {flow(part)}" for key, part in value.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(part) for part in value) + "]"
    return quoted(value, inside=inside, like=like) if isinstance(value, str) else _word(value)


def block(value: Any, step: int, offset: int) -> list[str]:
    """Return a collection that is not empty as lines in block style.

    Mappings are indented by `step` columns below their key, lists by `offset` columns.
    """
    lines: list[str] = []
    if isinstance(value, list):
        for part in value:
            if isinstance(part, dict | list) and part:
                first, *rest = block(part, step, offset)
                lines += [f"- {first}", *indented(rest, 2)]
            else:
                lines += attached("-", part, 2)
        return lines
    for key, part in value.items():
        name = f"{_key(key)}:"
        if isinstance(part, dict | list) and part:
            columns = offset if isinstance(part, list) else step
            lines += [name, *indented(block(part, step, offset), columns)]
        else:
            lines += attached(name, part, step)
    return lines


def attached(head: str, value: Any, step: int) -> list[str]:
    """Return the lines of a scalar, or of an empty collection, after its key or dash."""
    body = _literal(value)
    if body is None:
        return [f"{head} {flow(value, inside=False)}"]
    return [f"{head} {body[0]}", *indented(body[1:], step)]


def indented(lines: list[str], columns: int) -> list[str]:
    """Indent lines; empty ones stay empty."""
    return [" " * columns + line if line else line for line in lines]


def _literal(value: Any) -> list[str] | None:
    """Return a string of several lines as a block scalar: the header, then lines not indented."""
    # None if a block scalar cannot contain the string or would hide a part of it: spaces at the end
    # of a line or at the very start, several empty lines at the end, control characters.
    if not isinstance(value, str) or "\n" not in value:
        return None
    lines = value.removesuffix("\n").split("\n")
    if not lines[0] or lines[0].startswith(" ") or not lines[-1]:
        return None
    if any(line.endswith(" ") or not _PRINTABLE.fullmatch(line) for line in lines):
        return None
    return ["|" if value.endswith("\n") else "|-", *lines]


def quoted(text: str, *, inside: bool = True, like: str = "") -> str:
    """Return a string on one line: plain if possible, otherwise quoted.

    Raises:
        EditError: `text` is not a string.

    """
    if not isinstance(text, str):
        raise EditError(f"a key is of type {type(text).__name__}; keys must be text")
    if like not in {"'", '"'} and _is_plain(text, inside=inside):
        return text
    if like != '"' and _PRINTABLE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(character) for character in text) + '"'


@lru_cache(maxsize=256)
def _key(text: str) -> str:
    """Return a key as `quoted` does; the same few come back in each of many rows and files."""
    return quoted(text)


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
    except ValueError:  # an integer with too many digits
        return False
    if text[0] not in FIRST_OF_1_1 or (text[0].isalpha() and len(text) > LONGEST_WORD_OF_1_1):
        return True
    return not any(pattern.match(text) for _, pattern in _of_1_1().get(text[0], ()))


def _of_1_1() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Return what a YAML 1.1 parser reads as other than text, by the first character."""
    from yaml import SafeLoader  # slow to import

    return SafeLoader.yaml_implicit_resolvers


def _word(value: object) -> str:
    """Return null, true, false or a number as YAML."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if is_writable(value):
            return str(value)
        case int():
            raise EditError("an integer has too many digits to be parsed again")
        case float():
            return _float(value)
    raise EditError(f"a value of type {type(value).__name__} cannot be written as YAML")


def _float(value: float) -> str:
    text = repr(value)
    if text.endswith(("inf", "nan")):
        return text.replace("inf", ".inf").replace("nan", ".nan")
    # YAML 1.1 parsers read `1e+16` as text, because it has no decimal point.
    return text if "." in text else text.replace("e", ".0e")


_INDENT = 2


class NotWritableError(EvalContractError):
    """A value cannot be written in the file format; the message says why."""


def json_line(row: Any, *, as_python: bool = False) -> bytes:
    """Return a row as one line of JSON; see `json_text`."""
    return json_text(row, as_python=as_python, indent=None)


def json_text(value: Any, *, as_python: bool = False, indent: int | None = _INDENT) -> bytes:
    """Return a document as indented JSON.

    With `as_python` the text is for Python's `json`, which accepts NaN and lone surrogates.

    Raises:
        NotWritableError: the text could not be parsed again.

    """
    _refuse_deep(value)
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=as_python) + "\n"
    except ValueError as error:  # not a JSON number, or too many digits
        raise NotWritableError(str(error)[:1].lower() + str(error)[1:]) from None
    return text.encode("utf-8", "backslashreplace") if as_python else utf8(text)


def utf8(text: str) -> bytes:
    """Encode a text as UTF-8.

    Raises:
        NotWritableError: the text has a lone surrogate.

    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise NotWritableError("the text contains a lone surrogate") from None


def csv_text(header: Sequence[str], rows: Sequence[dict[str, Any]], delimiter: str = ",") -> str:
    """Return CSV: a header, and rows that map its names to strings."""
    out = io.StringIO(newline="")
    # A carriage return ends a record for readers, but not every writer puts quotes around it.
    has_return = any("\r" in text for row in rows for text in (*row, *row.values()))
    writer = csv.DictWriter(
        out,
        header,
        restval="",
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def yaml_mapping(value: dict[str, Any], above: Sequence[str] = ()) -> bytes:
    """Return one mapping as YAML; see `yaml_text`."""
    return yaml_text(value, None, (), above=above)


def yaml_text(
    head: dict[str, Any],
    key: str | None,
    rows: Sequence[Any],
    comments: Sequence[Sequence[str]] = (),
    above: Sequence[str] = (),
    tail: dict[str, Any] | None = None,
) -> bytes:
    """Return YAML: the keys of `head`, then the rows under `key`, then the keys of `tail`.

    Without a `key` the rows are the document itself. `above` are comment lines at the start of
    the file, `comments[n]` those before row n.

    Raises:
        NotWritableError: a value is not plain data, or could not be parsed again.

    """
    whole = head if key is None else {**head, key: rows, **(tail or {})}
    for part in (whole, rows):
        _refuse_deep(part)
        _refuse_surrogates(part)
    lines = [*above]
    try:
        lines += block(head, _INDENT, _INDENT) if head else []
        items: list[str] = []
        for number, row in enumerate(rows):
            items += comments[number] if number < len(comments) else ()
            items += block([row], _INDENT, _INDENT)
        if key is None:
            lines += items or ([] if head else ["[]"])
        else:
            lines += [f"{key}:", *indented(items, _INDENT)] if items else [f"{key}: {flow([])}"]
        lines += block(tail, _INDENT, _INDENT) if tail else []
    except EditError as error:
        raise NotWritableError(str(error)) from None
    return utf8("\n".join(lines) + "\n")


def _refuse_deep(value: Any) -> None:
    layer = [value]
    for _ in range(MAX_DEPTH):
        groups = (value.values() if isinstance(value, dict) else value for value in layer)
        layer = [part for group in groups for part in group if isinstance(part, dict | list)]
        if not layer:
            return
    raise NotWritableError(f"the value is nested more than {MAX_DEPTH} levels deep")


def _refuse_surrogates(value: Any) -> None:
    """Refuse lone surrogates, for which YAML has no escape."""
    if isinstance(value, str):
        utf8(value)
    elif isinstance(value, dict):
        for key, part in value.items():
            utf8(key)
            _refuse_surrogates(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_surrogates(part)
