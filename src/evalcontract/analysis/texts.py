"""Output texts: their Markdown, their form for comparisons, and searches for many words.

CommonMark 0.31 with the tables of GitHub, as markdown-it-py reads it. Headings in raw HTML are
text, and a fence that is never closed ends with the text or with what it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from evalcontract.model.startup import NamedTuple

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


def composed(text: str) -> str:
    """Return a text as checks compare it where case matters: in normalisation form C."""
    return text if text.isascii() else normalize("NFC", text)


def folded(text: str) -> str:
    """Return a text as checks compare it: without case, and in normalisation form C.

    It is normalised again after folding, since a folded letter may have another composed form.
    """
    if text.isascii():  # then it is in form C, and its folded letters are its small ones
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())


# This few texts are tried one by one.
_FEW = 16
# A text is indexed by its start, which has the greatest of these lengths that it reaches.
_SIZES = (*range(17), 24, 32, 48, 64, 96, 128, 256, 512, 1024)
# The number of texts that are compared for each character of a text, after their start matched.
# Only texts that are made for it have so many long starts in common; no more of them are found.
_MAX_COMPARED = 20


def any_text(_: str) -> bool:
    """Want any text."""
    return True


class Substrings:
    """Texts to look for in other texts, in order of preference; `size` is their total length."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._order = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self.size = sum(map(len, self._order))
        self._index: dict[int, dict[str, list[str]]] = {}

    def first_in(self, text: str, is_wanted: Callable[[str], bool] = any_text) -> str | None:
        """Return the first of the texts that is wanted and that a text contains, or None."""
        if len(self._order) <= _FEW:
            return next((part for part in self._order if part in text and is_wanted(part)), None)
        matches = filter(is_wanted, set(self._within(text)))
        return min(matches, key=self._order.__getitem__, default=None)

    def _within(self, text: str) -> Iterator[str]:
        """Yield the texts that a text contains, in any order."""
        self._index = self._index or self._indexed()
        left = _MAX_COMPARED * (len(text) + 1)
        for size, by_start in self._index.items():
            for at in range(len(text) - size + 1):
                for part in by_start.get(text[at : at + size], ()):
                    if len(part) == size:
                        yield part
                    elif left > 0:
                        left -= 1
                        if text.startswith(part, at):
                            yield part

    def _indexed(self) -> dict[int, dict[str, list[str]]]:
        index: dict[int, dict[str, list[str]]] = {}
        for text in self._order:
            size = max(size for size in _SIZES if size <= len(text))
            index.setdefault(size, {}).setdefault(text[:size], []).append(text)
        return index
