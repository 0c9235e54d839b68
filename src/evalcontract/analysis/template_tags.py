"""Split a template into its Mustache tags, and report malformed ones."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from evalcontract.analysis.template_names import ROOTS, written
from evalcontract.model.diagnostic import Within
from evalcontract.model.lazy_pattern import lazy_pattern

TagKind = Literal["variable", "raw", "section", "inverted", "close", "comment", "block", "foreign"]

_RUN = lazy_pattern(r"\{{2,}|\}{2,}")
_DELIMITERS = lazy_pattern(r"\{\{\s{0,9}=[^=\n]{0,40}=?\}\}")
_JSON = lazy_pattern(
    r"""[{\s]*+(?!(["'])(?:input|output|expected|context)\1\s*+\Z)(?:["']|\w++\s*+:)"""
)
_BEGUN = lazy_pattern(r"\{+\s*+[#^/&>]?\s*+[\w.]*+")
_SIGILS: dict[str, TagKind] = {
    "#": "section", "^": "inverted", "/": "close", "&": "raw",
}  # fmt: skip
_FOREIGN = {
    ">": ("a partial, which is not supported", "write its text in place of the tag"),
    "<": ("a parent template, which is not supported", "write its text in place of the tag"),
    "$": ("a block, which is not supported", "write its text without the tags"),
}
_PLAIN, _RAW = 2, 3  # braces on each side
_MAX_SHOWN = 60  # characters of a tag that a message quotes


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: `text` as written at character `start`, where the `occurrence`th `mark` starts.

    The kind `block` is for `{{<` and `{{$`, an optional part of Mustache. The kind `foreign` is for
    placeholders of other languages, with their text as `mark`.
    """

    kind: TagKind
    name: str
    text: str
    start: int
    occurrence: int
    mark: str = "{{"

    @property
    def within(self) -> Within:
        """The place of the tag in the template."""
        return Within(self.mark, self.occurrence, re.split(r"[\r\n]", self.text, maxsplit=1)[0])


@dataclass(frozen=True, slots=True)
class TagFault:
    """A fault of a tag. `meant` has the variables that its author may have meant.

    `is_json` is whether it is JSON, which was never meant as a tag.
    """

    message: str
    help: str
    tag: Tag
    meant: frozenset[str] = frozenset()
    is_json: bool = False

    @property
    def within(self) -> Within:
        """The place of the tag in the template."""
        return self.tag.within


@dataclass(slots=True)
class Pieces:
    """The tags of a template in order, the faults of malformed tags, and the text around them.

    `literal` has the parts of that text, each with its start.
    """

    tags: list[Tag] = field(default_factory=list)
    faults: list[TagFault] = field(default_factory=list)
    literal: list[tuple[int, str]] = field(default_factory=list)

    def report(self, tag: Tag, fault: str, help_: str, meant: frozenset[str] = frozenset()) -> None:
        """Add a fault of a tag."""
        self.faults.append(TagFault(f"`{brief(tag.text)}` {fault}", help_, tag, meant))


def cut(text: str) -> Pieces:
    """Split a text into tags and literal text, in one pass."""
    runs = list(_RUN.finditer(text))
    pieces = Pieces()
    done = count = 0
    for index, run in enumerate(runs):
        if run[0][0] == "}":
            continue
        start, occurrence = run.start(), count
        count += len(run[0]) // 2
        if start < done:
            continue
        next_ = runs[index + 1] if index + 1 < len(runs) else None
        stop = next_.start() if next_ else len(text)
        content = text[run.end() : stop]
        opening = Tag("variable", content.strip(), text[start:stop], start, occurrence)
        pieces.literal.append((done, text[done:start]))
        done = run.end()
        sigil = content.lstrip()[:1] if len(run[0]) == _PLAIN else ""
        if _JSON.match(content):
            _json(pieces, opening)
        elif sigil == "=":
            done = _delimiters(pieces, opening, text, done)
        elif sigil == "!":
            done = _comment(pieces, opening, text, runs, index)
        elif next_ is None or next_[0][0] == "{":
            _unclosed(pieces, opening)
        else:
            done = _closed(pieces, opening, sigil, len(run[0]), next_[0])
    pieces.literal.append((done, text[done:]))
    return pieces


def brief(text: str) -> str:
    """Shorten a text to one line for a message."""
    line = " ".join(text[: 2 * _MAX_SHOWN].split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"


def mentioned(text: str) -> frozenset[str]:
    """Return the variables whose names occur in a text."""
    return frozenset(root for root in ROOTS if root in text)


def _closed(pieces: Pieces, opening: Tag, sigil: str, braces: int, closers: str) -> int:
    """Add a tag that is closed; return where the following text starts."""
    name = opening.name
    if braces > _RAW or len(closers) < braces:
        tag = _copy(opening, opening.text + closers, name)
        known = name.strip("{} ")
        advice = f"write `{written(known, 'variable')}`, or three braces on each side"
        fault = f"opens with {braces} braces and closes with {len(closers)}"
        pieces.report(tag, fault, advice, mentioned(known))
        return opening.start + len(tag.text)
    tag = _copy(opening, opening.text + closers[:braces], name)
    if braces == _RAW:
        pieces.tags.append(_copy(tag, tag.text, name, "raw"))
    elif sigil in _FOREIGN:
        fault, advice = _FOREIGN[sigil]
        name = name[1:].strip()
        advice = f"write `{written(name, 'variable')}`" if name in ROOTS else advice
        pieces.report(tag, f"is {fault}", advice, frozenset(ROOTS))
        if sigil != ">":  # keep it, so that its closing tag is not reported too
            pieces.tags.append(_copy(tag, tag.text, name, "block"))
    elif sigil in _SIGILS:
        pieces.tags.append(_copy(tag, tag.text, name[1:].strip(), _SIGILS[sigil]))
    else:
        pieces.tags.append(tag)
    return opening.start + len(tag.text)


def _comment(pieces: Pieces, opening: Tag, text: str, runs: list[re.Match[str]], index: int) -> int:
    """Add a comment, which ends at the first `}}`; return where the following text starts."""
    index += 1
    while index < len(runs) and runs[index][0][0] == "{":
        index += 1
    end = runs[index].start() + 2 if index < len(runs) else len(text)
    tag = _copy(opening, text[opening.start : end], "", "comment")
    pieces.tags.append(tag)
    if index == len(runs):
        fault = "is never closed"
        pieces.report(tag, fault, "write `}}` where the comment ends", mentioned(tag.text))
    elif "{{" in tag.text[2:]:
        fault = "is a comment that ends at the first `}}`; what follows goes to the model"
        pieces.report(tag, fault, "remove the tag from the comment", mentioned(tag.text))
    return end


def _delimiters(pieces: Pieces, opening: Tag, text: str, done: int) -> int:
    match = _DELIMITERS.match(text, opening.start)
    end = match.end() if match else done
    fault = "changes the delimiters, which is not supported"
    tag = _copy(opening, text[opening.start : end], "")
    pieces.report(tag, fault, "write every tag with `{{` and `}}`", frozenset(ROOTS))
    return end


def _json(pieces: Pieces, opening: Tag) -> None:
    tag = _copy(opening, opening.text.split("\n")[0].rstrip(), "")
    shown = brief(opening.text)
    message = f"`{shown}` is JSON, but Mustache reads it as a tag: the model never sees it"
    advice = (
        'write a single brace for an object, `{"score": 1}`; separate adjacent braces by a space '
        "or a line break: `{ {`"
    )
    pieces.faults.append(TagFault(message, advice, tag, is_json=True))


def _unclosed(pieces: Pieces, opening: Tag) -> None:
    """Report an unclosed tag, which is taken to end after its first word."""
    match = _BEGUN.match(opening.text)
    text = (match[0] if match else opening.text).rstrip()
    braces = len(text) - len(text.lstrip("{"))
    closers = "}" * min(_RAW, braces)
    tag = _copy(opening, text, "")
    advice = f"write `{brief(text)} {closers}`" if text[braces:].strip() else None
    unfinished = "remove it, or add a name and the closing braces"
    pieces.report(tag, "is never closed", advice or unfinished, mentioned(text))


def _copy(tag: Tag, text: str, name: str, kind: TagKind = "variable") -> Tag:
    return Tag(kind, name, text, tag.start, tag.occurrence)
