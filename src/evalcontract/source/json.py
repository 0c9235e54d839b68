"""Read JSON with places and exact values, and explain typical mistakes and other formats."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any, NoReturn

import orjson

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import integer
from evalcontract.source.document import Document, Node
from evalcontract.source.faults import (
    MAX_DEPTH,
    ParseError,
    SourceProblem,
    collector_paused,
    deep_fault,
    duplicate_fault,
)
from evalcontract.source.text import line_starts, place_at

#: The message and the advice for a Markdown fence around the content of a file.
FENCE = ("the file is inside a Markdown code block", "remove the lines that begin with ```")
FENCE_MARK = "```"
_COMMENTS = ("//", "/*", "#")


def hint_at(text: str, at: int) -> tuple[str, str] | None:
    """Return message and advice for a mistake at an offset; None if there is nothing typical."""
    if text.startswith(FENCE_MARK, at):
        return FENCE
    if text.startswith(_COMMENTS, at):
        return "a comment is not allowed", "remove it; JSON has no comments"
    return None


def hint_before(text: str, at: int) -> tuple[str, str] | None:
    """Return message and advice for prose at an offset, if the JSON value follows it."""
    value = min((place for sign in "{[" if (place := text.find(sign, at)) > at), default=None)
    if text[:at].strip() or value is None or not text[at].isalpha():
        return None
    if (fence := text.find(FENCE_MARK, at, value)) != -1 and text[fence - 1] == "\n":
        return FENCE[0], "remove the lines that begin with ```, and the text around them"
    return "text before the value", f"remove everything before the `{text[value]}`"


_SPACE = lazy_pattern(r"[ \t\r\n]*")
# Possessive quantifiers: otherwise the regex engine keeps a backtracking state per character.
_STRING_START = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
_OPEN_STRING, _STRING = lazy_pattern(_STRING_START), lazy_pattern(_STRING_START + '"')
_NUMBER = lazy_pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_BARE_KEY = lazy_pattern(r"'?([A-Za-z_][\w-]*)'?\s*:")
_WORD = lazy_pattern(r"[A-Za-z_$][A-Za-z0-9_$]*")
_ESCAPE = lazy_pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_UNIT_CHARACTERS = len("\\u0000")
_SURROGATES = ("d8", "d9", "da", "db", "dc", "dd", "de", "df")
_escapes = _ESCAPE.findall
_DECODER = json.JSONDecoder()
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def scan(text: str, *, is_line: bool = False, remarks: list[SourceProblem] | None = None) -> Node:
    """Return the tree of positions of a JSON text; with `is_line` the text is one line.

    With `remarks` the text is read like Python's `json` reads it: duplicate keys, NaN and infinity,
    which RFC 8259 forbids, are added to that list instead of raised.

    Raises:
        ParseError: `source/syntax`, `source/limit-exceeded`, or, once the whole text is scanned,
            one `source/duplicate-key` per duplicate key.

    """
    scanner = _Scanner(text, is_line=is_line, is_tolerant=remarks is not None)
    node = scanner.document()
    if remarks is not None:
        remarks += scanner.remarks
    elif scanner.remarks:
        raise ParseError(*scanner.remarks)
    return node


def nodes_of(text: str) -> Node:
    """Return the tree of positions of a text that has been read as JSON.

    Its parts are scanned when they are asked for: of many rows, the first few are.
    """
    return _Scanner(text, is_line=False, is_tolerant=True, is_lazy=True).document()


class _LazyNode(Node):
    """A mapping or list, the parts of which are scanned when they are asked for."""

    scanner: _Scanner
    is_mapping: bool

    @cached_property
    def _mapping(self) -> dict[str, tuple[Span, Node]]:
        return self.scanner.members()

    @cached_property
    def _items(self) -> tuple[list[Node], Iterator[Node]]:
        return [], self.scanner.items()

    @property
    def children(self) -> dict[str, tuple[Span, Node]] | list[Node]:
        if self.is_mapping:
            return self._mapping
        scanned, others = self._items
        scanned += others
        return scanned

    def part(self, step: str | int) -> tuple[Span | None, Node] | None:
        if isinstance(step, str) or self.is_mapping:
            return super().part(step)
        scanned, others = self._items
        scanned += islice(others, max(step + 1 - len(scanned), 0))
        return (None, scanned[step]) if step < len(scanned) else None


class _Scanner:
    def __init__(
        self, text: str, *, is_line: bool, is_tolerant: bool, is_lazy: bool = False
    ) -> None:
        self._text = text
        self._at = 0
        self._is_line = is_line
        self._is_lazy = is_lazy
        self._is_tolerant = is_tolerant
        self._starts = [0] if is_line else line_starts(text)
        self.remarks: list[SourceProblem] = []

    def document(self) -> Node:
        self._skip()
        node = self._value(0)
        self._skip()
        if self._at < len(self._text):
            comma = self._peek() == "," and not self._text[self._at + 1 :].strip()
            another = self._is_line and self._peek() == "{"
            more = "begin a new line before it" if another else "keep one value"
            advice = "remove the comma" if comma else more
            self._fail("unexpected text after the value", advice)
        return node

    def _span(self, start: int, end: int) -> Span:
        return Span(*place_at(start, self._starts), *place_at(end, self._starts))

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int) -> Node:
        first = self._peek()
        if first in ("{", "["):
            if depth >= MAX_DEPTH:
                raise ParseError(deep_fault(self._span(self._at, self._at + 1)))
            return self._lazy(depth) if self._is_lazy else self._container(first, depth + 1)
        start = self._at
        if first == '"':
            self._string()
        else:
            number = _NUMBER.match(self._text, start)
            if number:
                self._number(number[0])
                self._at = number.end()
            else:
                self._word()
        return Node(self._span(start, self._at), None, self._text[start : self._at])

    def _number(self, text: str) -> None:
        is_whole = not set(text) & set(".eE")
        if is_whole and integer(text) is None:
            self._fail("the number has too many digits", "quote it if it is text")
        if not is_whole and math.isinf(float(text)) and not self._is_tolerant:
            self._fail("the number is too large", "quote it if it is text")

    def _word(self) -> None:
        match = _WORD.match(self._text, self._at)
        word = match[0] if match else ""
        if word in ("true", "false", "null"):
            self._at += len(word)
            return
        if word in ("True", "False", "None"):
            right = {"True": "true", "False": "false", "None": "null"}[word]
            self._fail(f"`{word}` is Python, not JSON", f"write `{right}`")
        sign = "-" if self._text.startswith("-Infinity", self._at) else ""
        if sign or word in ("NaN", "Infinity"):
            self._not_finite((sign and "-Infinity") or word)
            return
        if not self._peek():
            self._fail("the text ends where a value is expected", "is the file truncated?")
        if self._peek() == "'":
            self._fail("strings cannot be in single quotes", 'use double quotes: "…"')
        message, advice = "a value is expected here", "put text in double quotes"
        self._fail(*(hint_before(self._text, self._at) or (message, advice)))

    def _not_finite(self, word: str) -> None:
        message, advice = f"`{word}` is not JSON", "write `null` or remove the key"
        if not self._is_tolerant:
            self._fail(message, advice)
        span = self._span(self._at, self._at + len(word))
        self.remarks.append(SourceProblem("source/not-finite", message, span, advice))
        self._at += len(word)

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            self._bad_string()
        raw = match[0]
        if not self._is_tolerant and any(map(_is_lone_surrogate, _escapes(raw))):
            self._fail("a lone surrogate is not a character", "write the character itself")
        self._at = match.end()
        return _ESCAPE.sub(_unescape, raw[1:-1])

    def _bad_string(self) -> NoReturn:
        match = _OPEN_STRING.match(self._text, self._at)
        end = match.end() if match else self._at
        if self._text[end : end + 1] == "\\":
            self._at = end
            self._fail("unknown escape sequence", "write \\\\ for a backslash")
        if end < len(self._text) and self._text[end] not in "\r\n":
            self._at = end
            self._fail("control character in a string", "escape it, for example as \\t or \\n")
        self._fail(
            "the string that starts here is not closed on its line", "write \\n for a line break"
        )

    def _here(self) -> _Scanner:
        """Return another scanner at the same place, faster than `copy` does."""
        scanner = _Scanner.__new__(_Scanner)
        scanner.__dict__.update(self.__dict__)
        return scanner

    def _lazy(self, depth: int) -> Node:
        start, scanner = self._at, self._here()
        self._at = _DECODER.raw_decode(self._text, start)[1] if depth else len(self._text.rstrip())
        node = _LazyNode(self._span(start, self._at))
        node.scanner, node.is_mapping = scanner, self._text[start] == "{"
        return node

    def _container(self, opening: str, depth: int) -> Node:
        start = self._at
        children = self.members(depth) if opening == "{" else [*self.items(depth)]
        return Node(self._span(start, self._at), children)

    def members(self, depth: int = 1) -> dict[str, tuple[Span, Node]]:
        """Scan a mapping from its brace on."""
        self._at += 1
        children: dict[str, tuple[Span, Node]] = {}
        self._skip()
        while self._peek() != "}":
            if self._peek() != '"':
                advice = self._after_comma("}") or self._bare_key()
                self._fail("a key in double quotes is expected here", advice)
            key_start = self._at
            key = self._string()
            span = self._span(key_start, self._at)
            self._skip()
            if self._peek() != ":":
                self._fail(f"a `:` is expected after the key `{key}`", None)
            self._at += 1
            self._skip()
            node = self._value(depth)
            if key in children:
                self.remarks.append(duplicate_fault(key, span, children[key][0]))
            if key not in children or self._is_tolerant:
                children[key] = (span, node)
            if not self._comma("}"):
                break
        self._at += 1
        return children

    def items(self, depth: int = 1) -> Iterator[Node]:
        """Scan a list from its bracket on, item by item."""
        self._at += 1
        self._skip()
        while self._peek() != "]":
            yield self._value(depth)
            if not self._comma("]"):
                break
            if self._peek() == "]":
                self._fail("a value is expected here", self._after_comma("]"))
        self._at += 1

    def _comma(self, closer: str) -> bool:
        """Skip a comma; return False at the closer. A trailing comma fails at the next token."""
        self._skip()
        if self._peek() == ",":
            self._at += 1
            self._skip()
            if self._peek() == closer == "}":
                self._fail("a key in double quotes is expected here", self._after_comma(closer))
            return True
        if self._peek() != closer:
            expected = f"a `,` or `{closer}` is expected"
            message = f"{expected} here" if self._peek() else f"the text ends where {expected}"
            is_comma_missing = self._peek() in ('"', "{", "[")
            self._fail(message, "write a comma before it" if is_comma_missing else None)
        return False

    def _after_comma(self, closer: str) -> str | None:
        before = self._text[: self._at].rstrip()
        if self._peek() == closer and before.endswith(","):
            return "remove the comma before it"
        return None

    def _bare_key(self) -> str | None:
        match = _BARE_KEY.match(self._text, self._at)
        return f'write "{match[1]}"' if match else None

    def _fail(self, message: str, advice: str | None) -> NoReturn:
        message, advice = hint_at(self._text, self._at) or (message, advice)
        span = self._span(self._at, min(self._at + 1, len(self._text)))
        raise ParseError(SourceProblem("source/syntax", f"not JSON: {message}", span, advice))


def _is_lone_surrogate(escape: str) -> bool:
    """Whether an escape sequence, as `_ESCAPE` matches it, is one half of a surrogate pair."""
    return len(escape) == _UNIT_CHARACTERS and escape[2:4].lower() in _SURROGATES


def _unescape(match: re.Match[str]) -> str:
    escape = match[0]
    if escape[1] == "u":
        units = bytes.fromhex(escape.replace("\\u", ""))
        return units.decode("utf-16-be", "surrogatepass")
    return _SIMPLE.get(escape[1], escape[1])


# orjson reads integers of more than 64 bits as floats; all of them are at least this large.
_ROUNDED = 2.0**63
#: No integer of more than 64 bits has fewer digits.
MANY_DIGITS = 19
_ZEROS = b"0" * MANY_DIGITS
_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)


def parse_json(text: str, file: str, data: bytes) -> Document:
    """Parse one JSON document; `data` are the bytes that `text` came from.

    Raises:
        ParseError: `source/syntax`, `source/duplicate-key`, `source/limit-exceeded`.

    """
    value = load_json(text.encode())
    return Document(file, value, text, data=data, nodes=lambda: nodes_of(text))


def load_json(data: bytes, *, is_line: bool = False) -> Any:
    """Return the value of a JSON text in UTF-8, without positions.

    With `is_line` the text is one line, whatever line breaks it contains.

    Raises:
        ParseError: as `parse_json`.
        UnicodeDecodeError: the text is not UTF-8.

    """
    try:
        with collector_paused():
            value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        text = data.decode()
        scan(text, is_line=is_line)  # raises with the position
        if has_many_digits(data):  # more digits than orjson accepts
            return json.loads(text)
        raise ParseError(SourceProblem("source/syntax", f"not JSON: {error.msg}")) from None
    if keeps_all_keys(data, value) and is_plain(data, [value]):
        return value
    scan(data.decode(), is_line=is_line)
    return json.loads(data)


def is_json(text: str) -> bool:
    """Whether a text is JSON, at least for a reader that does not look at keys and numbers."""
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True


def load_as_python(data: bytes, *, is_line: bool = False) -> tuple[Any, tuple[SourceProblem, ...]]:
    """Return the value of a JSON text as Python's `json` reads it, and remarks on it.

    Loaders of other systems read JSON this way: the last of two equal keys wins, and `NaN` is a
    number. Both are in the remarks.

    Raises:
        ParseError: `source/syntax`, `source/limit-exceeded`.
        UnicodeDecodeError: the text is not UTF-8.

    """
    try:
        return load_json(data, is_line=is_line), ()
    except ParseError:
        text = data.decode()
        remarks: list[SourceProblem] = []
        scan(text, is_line=is_line, remarks=remarks)
        return json.loads(text), tuple(remarks)


def load_exactly(data: bytes) -> Any:
    """Return the value of a JSON text with all digits of its numbers, and halves of surrogates.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.

    """
    if not has_many_digits(data):
        with suppress(orjson.JSONDecodeError):  # half of a surrogate pair, or no JSON
            return orjson.loads(data)
    return json.loads(data, parse_constant=_no_number)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def keeps_all_keys(data: bytes, value: Any) -> bool:
    r"""Whether orjson certainly dropped no duplicate key of a text.

    If the value, serialized again, has as many quotes as the text, no key is missing: each string
    has two quotes, and quotes within strings are escaped in both, except for `\u0022`.
    """
    if b"\\" in data and b"u0022" in data:  # the single byte is found faster
        return False
    try:
        return data.count(b'"') == orjson.dumps(value).count(b'"')
    except orjson.JSONEncodeError:  # nested deeper than orjson can write
        return False


def has_many_digits(data: bytes) -> bool:
    """Whether a JSON text may have an integer of more than 64 bits, which orjson rounds."""
    return _ZEROS in data.translate(_AS_ZEROS)  # faster than a pattern


def is_plain(data: bytes, values: list[Any]) -> bool:
    """Whether values are within the depth limit and hold no integer that orjson rounded.

    A float beyond 64 bits may be such an integer.
    """
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH and not has_many_digits(data):
        return True
    depth = 0
    layer = values
    while layer:
        if depth >= MAX_DEPTH:
            return False
        depth += 1
        below: list[Any] = []
        for part in layer:
            if part.__class__ is dict:
                below.extend(part.values())
            elif part.__class__ is list:
                below.extend(part)
            elif part.__class__ is float and abs(part) >= _ROUNDED:
                return False
        layer = below
    return True


#: Number of lines to examine: if none of them looks like JSONL, the file is not JSONL.
_EXAMINED_LINES = 5
_YAML = lazy_pattern(r"---(\s|$)|%YAML|# |-( |$)|[\w-]+:(\s|$)")
_SEPARATORS = ",;\t"
_JSONL = "JSONL has one JSON row per line"
_CONVERT = 'write each row on its own line, for example {"id": "a", "input": "b"}'


def not_jsonl_fault(lines: list[bytes]) -> tuple[SourceProblem, str] | None:
    """Return why the lines are not JSONL, and the first line; None if they may be JSONL."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    head = list(islice(numbered, _EXAMINED_LINES))
    try:
        texts = [line.decode() for _, line in head]
    except UnicodeDecodeError:  # reported for each line
        return None
    reason = _why(texts) if texts else None
    if reason is None:
        return None
    message, advice = reason
    number, text = head[0][0], texts[0].rstrip("\r")
    start = len(text) - len(text.lstrip()) + 1
    span = Span(number, start, number, start + 1)
    return SourceProblem("source/syntax", message, span, advice), text


def wrong_extension_fault(kind: str, guessed: str, text: str) -> SourceProblem | None:
    """Return the problem of a text in another format; None if the extension seems right.

    `kind` is the format of the extension, `guessed` the format that the text looks like.
    """
    if guessed == "jsonl" and kind != "jsonl":
        what, suffix = "JSONL, one row per line", ".jsonl"
    elif kind == "json" and _YAML.match(text):
        what, suffix = "YAML", ".yaml"
    else:
        return None
    message = f"the extension says {kind.upper()}, but the content looks like {what}"
    return SourceProblem("source/syntax", message, Span(1, 1, 1, 2), f"rename it to `{suffix}`")


def _why(texts: list[str]) -> tuple[str, str] | None:
    """Return message and advice for a file with these first lines; None if it may be JSONL."""
    first = texts[0].strip()
    second = texts[1].strip() if len(texts) > 1 else ""
    if first.startswith(("{", "[")):
        return _document(first, second)
    if any(is_json(text) or text.lstrip().startswith("{") for text in texts):
        return None
    if _YAML.match(first):
        return f"this looks like YAML; {_JSONL}", _rename(".yaml")
    if not second:
        return None
    is_csv = any(0 < first.count(sign) == second.count(sign) for sign in _SEPARATORS)
    what = "this looks like CSV" if is_csv else "no line begins with `{`"
    return f"{what}; {_JSONL}", _CONVERT


def _document(first: str, second: str) -> tuple[str, str] | None:
    if _holds_all(first) and not second:
        lines = "on one line"
    elif second and _continues(first, second):
        lines = "over many lines"
    else:
        return None
    return f"this is one JSON document {lines}; {_JSONL}", _rename(".json")


def _rename(suffix: str) -> str:
    return f"rename it to `{suffix}`, or write each row on its own line"


def _holds_all(line: str) -> bool:
    """Whether a line is a whole dataset: a list of rows, or a mapping with `questions`."""
    try:
        value: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    if isinstance(value, list):
        return any(_is_row(item) for item in value)
    return isinstance(value, dict) and "questions" in value and not _is_row(value)


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and ("id" in value or "input" in value)


def _continues(first: str, second: str) -> bool:
    """Whether the second line continues the JSON value of the first."""
    try:
        scan(first, is_line=True)
    except ParseError as error:
        span = error.faults[0].span
        is_open = span is not None and span.column > len(first)
        # A new `{` starts the next row if the first line is a truncated row.
        inside = ('"', "}", "]", "{") if first[0] == "[" else ('"', "}")
        return is_open and second.startswith(inside)
    return False
