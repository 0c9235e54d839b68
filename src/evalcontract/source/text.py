"""Bytes become text: UTF-8 and nothing else, faults named with their byte."""

from __future__ import annotations

import codecs
import re

from evalcontract.model.span import Span
from evalcontract.source.fault import ParseError, SourceProblem

# The longer marks stand first: a UTF-32 mark begins with the UTF-16 one.
_FOREIGN_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
EMPTY = SourceProblem("source/empty", "the file is empty")
#: The end of a line: of text, CSV and YAML alike.
LINE_END = re.compile(r"\r\n|\n|\r")


def strip_bom(data: bytes) -> bytes:
    """Drop the byte order mark of UTF-8; refuse those of other encodings.

    Raises:
        ParseError: `source/encoding`.

    """
    for mark, name in _FOREIGN_MARKS:
        if data.startswith(mark):
            raise ParseError(
                SourceProblem(
                    "source/encoding",
                    f"the file is {name}, not UTF-8",
                    None,  # of the whole file: no line of it can be shown
                    "save it as UTF-8",
                )
            )
    return data.removeprefix(codecs.BOM_UTF8)


def decode(data: bytes) -> str:
    """Decode a whole file, its byte order mark dropped.

    Raises:
        ParseError: `source/encoding`, `source/binary`, `source/empty`.

    """
    body = strip_bom(data)
    without_nul(body, len(data) - len(body))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(encoding_fault(body, error, len(data) - len(body))) from None
    if not text or text.isspace():
        raise ParseError(EMPTY)
    return text


def without_nul(body: bytes, before: int = 0) -> bytes:
    """Return the bytes, unless one is NUL: no text has one, and some readers stop there silently.

    `before` counts the bytes that stand before `body`.

    Raises:
        ParseError: `source/binary`.

    """
    nul = body.find(b"\0")
    if nul >= 0:
        message = f"the file is not text: byte {nul + before} is NUL"
        raise ParseError(SourceProblem("source/binary", message, None, "is it the right file?"))
    return body


def encoding_fault(body: bytes, error: UnicodeDecodeError, before: int = 0) -> SourceProblem:
    """Name the byte that is not UTF-8; `before` counts the bytes that stand before `body`."""
    lines = split_lines(body[: error.start].decode("utf-8"))
    span = Span.point(len(lines), len(lines[-1]) + 1)
    return SourceProblem(
        "source/encoding",
        f"byte {error.start + before} (0x{body[error.start]:02X}) is not UTF-8",
        span,
        "save the file as UTF-8",
    )


def split_lines(text: str) -> list[str]:
    r"""Split as editors do: only `\n`, `\r\n` and `\r` end a line."""
    return LINE_END.split(text)
