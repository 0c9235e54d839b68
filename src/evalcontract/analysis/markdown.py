"""Read Markdown: the headings, fenced code blocks and paragraphs of a text.

CommonMark 0.31 with the tables of GitHub, as markdown-it-py reads it. Headings in raw HTML are
text, and a fence that is never closed ends with the text or with what it stands in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: A text with more lines is not read: the parser takes up to 60 microseconds for each.
MAX_LINES = 200_000
_LISTS = ("bullet_list_open", "ordered_list_open")
_LIST_ENDS = ("bullet_list_close", "ordered_list_close")


class TooLongError(Exception):
    """A text has more than `MAX_LINES` lines."""


class Heading(NamedTuple):
    """A heading: its level from 1 to 6, and its text without markup."""

    level: int
    text: str


class Fence(NamedTuple):
    """A fenced code block: its info string, such as `php`, its code, and its first line from 1."""

    info: str
    code: str
    line: int

    @property
    def language(self) -> str:
        """The first word of the info string in lower case, or nothing."""
        return (self.info.split() or [""])[0].lower()


class Markdown(NamedTuple):
    """The structure of a text, in order; paragraphs in lists are not counted."""

    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]
    paragraphs: int


def fences_of(text: str) -> tuple[Fence, ...]:
    """Return the fenced code blocks of a text.

    Raises:
        TooLongError: the text is too long to be read.

    """
    return read_markdown(text).fences if "```" in text or "~~~" in text else ()


@lru_cache(maxsize=1)  # several checks in turn read the same output
def read_markdown(text: str) -> Markdown:
    """Return the structure of a text.

    Raises:
        TooLongError: the text is too long to be read.

    """
    from markdown_it import MarkdownIt  # slow to import

    lines = text.count("\n") + text.count("\r") + 1
    if lines > MAX_LINES:
        raise TooLongError(f"it has {lines:,} lines; Markdown is read up to {MAX_LINES:,}")
    # What is inside of a line matters in headings alone.
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    headings: list[Heading] = []
    fences: list[Fence] = []
    paragraphs = lists = 0
    tokens = parser.parse(text)
    for number, token in enumerate(tokens):
        if token.type in _LISTS:
            lists += 1
        elif token.type in _LIST_ENDS:
            lists -= 1
        elif token.type == "paragraph_open":
            paragraphs += not lists
        elif token.type == "fence":
            line = token.map[0] + 1 if token.map else 1
            fences.append(Fence(token.info.strip(), token.content, line))
        elif token.type == "heading_open":
            content = tokens[number + 1].content
            headings.append(Heading(int(token.tag[1:]), _plain(parser, content)))
    return Markdown(tuple(headings), tuple(fences), paragraphs)


def _plain(parser: MarkdownIt, content: str) -> str:
    """Return the text of a heading without markup."""
    tokens: list[Token] = []
    parser.inline.parse(content, parser, {}, tokens)
    return "".join(map(_text_of, tokens)).strip()


def _text_of(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.children:  # the description of an image
        return "".join(map(_text_of, token.children))
    return "" if token.type == "html_inline" else token.content
