"""Cuts a template into its Mustache tags, and reports what only looks like one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from evalcontract.analysis.template_names import ROOTS, written
from evalcontract.model.diagnostic import Within

TagKind = Literal["variable", "raw", "section", "inverted", "close", "comment", "block", "foreign"]

_RUN = re.compile(r"\{{2,}|\}{2,}")
_DELIMITERS = re.compile(r"\{\{\s{0,9}=[^=\n]{0,40}=?\}\}")
_JSON = re.compile(
    r"""[{\s]*+(?!(["'])(?:input|output|expected|context)\1\s*+\Z)(?:["']|\w++\s*+:)"""
)
_BEGUN = re.compile(r"\{+\s*+[#^/&>]?\s*+[\w.]*+")
_SIGILS: dict[str, TagKind] = {
    "#": "section", "^": "inverted", "/": "close", "&": "raw",
}  # fmt: skip
_FOREIGN = {
    ">": ("a partial, which a template here cannot have", "write its text where the tag stands"),
    "<": ("a parent template, which a template here cannot have", "write its text here"),
    "$": ("a block, which a template here cannot have", "write its text without the tags"),
}
_PLAIN, _RAW = 2, 3  # braces on each side
_SHOWN = 60  # characters of a tag that a message repeats


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: `text` as it stands from character `start`, at the `occurrence`th `{{` of all.

    The kind `block` is that of `{{<` and `{{$`, which only the optional part of Mustache has;
    `foreign` is no tag, and counted by its own text as `mark`.
    """

    kind: TagKind
    name: str
    text: str
    start: int
    occurrence: int
    mark: str = "{{"

    @property
    def within(self) -> Within:
        """Where it stands in the template."""
        return Within(self.mark, self.occurrence, re.split(r"[\r\n]", self.text, maxsplit=1)[0])


@dataclass(frozen=True, slots=True)
class TagFault:
    """What is wrong with a tag. `meant` are the variables that its author may have meant.

    `is_json` tells JSON, which was never meant as a tag, from a tag.
    """

    message: str
    help: str
    tag: Tag
    meant: frozenset[str] = frozenset()
    is_json: bool = False

    @property
    def within(self) -> Within:
        """Where it stands in the template."""
        return self.tag.within


@dataclass(slots=True)
class Pieces:
    """The tags of a template in order, the faults of what is none, and the text around.

    `literal` has each part of that with where it starts.
    """

    tags: list[Tag] = field(default_factory=list)
    faults: list[TagFault] = field(default_factory=list)
    literal: list[tuple[int, str]] = field(default_factory=list)

    def report(self, tag: Tag, told: str, help_: str, meant: frozenset[str] = frozenset()) -> None:
        """Add a fault of a tag."""
        self.faults.append(TagFault(f"`{brief(tag.text)}` {told}", help_, tag, meant))


def cut(text: str) -> Pieces:
    """Read a text once from end to end."""
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
        here = Tag("variable", content.strip(), text[start:stop], start, occurrence)
        pieces.literal.append((done, text[done:start]))
        done = run.end()
        sigil = content.lstrip()[:1] if len(run[0]) == _PLAIN else ""
        if _JSON.match(content):
            _json(pieces, here)
        elif sigil == "=":
            done = _delimiters(pieces, here, text, done)
        elif sigil == "!":
            done = _comment(pieces, here, text, runs, index)
        elif next_ is None or next_[0][0] == "{":
            _unclosed(pieces, here)
        else:
            done = _closed(pieces, here, sigil, len(run[0]), next_[0])
    pieces.literal.append((done, text[done:]))
    return pieces


def brief(text: str) -> str:
    """Shorten a text to what a message can repeat, on one line."""
    line = " ".join(text[: 2 * _SHOWN].split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def mentioned(text: str) -> frozenset[str]:
    """Return the variables whose names stand in a text."""
    return frozenset(root for root in ROOTS if root in text)


def _closed(pieces: Pieces, here: Tag, sigil: str, braces: int, closers: str) -> int:
    """Take a tag with both ends; return where the text goes on."""
    name = here.name
    if braces > _RAW or len(closers) < braces:
        tag = _retold(here, here.text + closers, name)
        known = name.strip("{} ")
        right = f"write `{written(known, 'variable')}`, or three braces on each side"
        told = f"opens with {braces} braces and closes with {len(closers)}"
        pieces.report(tag, told, right, mentioned(known))
        return here.start + len(tag.text)
    tag = _retold(here, here.text + closers[:braces], name)
    if braces == _RAW:
        pieces.tags.append(_retold(tag, tag.text, name, "raw"))
    elif sigil in _FOREIGN:
        fault, advice = _FOREIGN[sigil]
        name = name[1:].strip()
        advice = f"write `{written(name, 'variable')}`" if name in ROOTS else advice
        pieces.report(tag, f"is {fault}", advice, frozenset(ROOTS))
        if sigil != ">":  # what closes it belongs to the same mistake
            pieces.tags.append(_retold(tag, tag.text, name, "block"))
    elif sigil in _SIGILS:
        pieces.tags.append(_retold(tag, tag.text, name[1:].strip(), _SIGILS[sigil]))
    else:
        pieces.tags.append(tag)
    return here.start + len(tag.text)


def _comment(pieces: Pieces, here: Tag, text: str, runs: list[re.Match[str]], index: int) -> int:
    """Take a comment: it goes on to the first closer, over whatever opens before."""
    index += 1
    while index < len(runs) and runs[index][0][0] == "{":
        index += 1
    end = runs[index].start() + 2 if index < len(runs) else len(text)
    tag = _retold(here, text[here.start : end], "", "comment")
    pieces.tags.append(tag)
    if index == len(runs):
        told = "is never closed"
        pieces.report(tag, told, "write `}}` where the comment ends", mentioned(tag.text))
    elif "{{" in tag.text[2:]:
        told = "is a comment, and ends at the first `}}`; what follows goes to the model"
        pieces.report(tag, told, "take the tag out of the comment", mentioned(tag.text))
    return end


def _delimiters(pieces: Pieces, here: Tag, text: str, done: int) -> int:
    found = _DELIMITERS.match(text, here.start)
    end = found.end() if found else done
    told = "changes the delimiters, which a template here cannot do"
    tag = _retold(here, text[here.start : end], "")
    pieces.report(tag, told, "write every tag with `{{` and `}}`", frozenset(ROOTS))
    return end


def _json(pieces: Pieces, here: Tag) -> None:
    tag = _retold(here, here.text.split("\n")[0].rstrip(), "")
    told = f"`{brief(here.text)}` is JSON, and Mustache takes it for a tag: the model never sees it"
    advice = (
        'write one brace for an object, `{"score": 1}`; where two have to meet, put a space or '
        "a line break between them: `{ {`"
    )
    pieces.faults.append(TagFault(told, advice, tag, is_json=True))


def _unclosed(pieces: Pieces, here: Tag) -> None:
    """Report a tag without an end; its first word is what it was to be."""
    found = _BEGUN.match(here.text)
    text = (found[0] if found else here.text).rstrip()
    braces = len(text) - len(text.lstrip("{"))
    closers = "}" * min(_RAW, braces)
    tag = _retold(here, text, "")
    advice = f"write `{brief(text)} {closers}`" if text[braces:].strip() else None
    unfinished = "remove it, or write a name and the braces that close it"
    pieces.report(tag, "is never closed", advice or unfinished, mentioned(text))


def _retold(tag: Tag, text: str, name: str, kind: TagKind = "variable") -> Tag:
    return Tag(kind, name, text, tag.start, tag.occurrence)
