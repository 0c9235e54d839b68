"""Scan a judge's template for Mustache tags and their faults.

Mustache as specified in version 1.4.2 (https://github.com/mustache/spec), of which the contract
allows variables, comments, sections and inverted sections. Nothing is rendered. A scan takes time
linear in the length of the text and accepts every text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from evalcontract.analysis.template_foreign import find_foreign
from evalcontract.analysis.template_names import (
    BELOW,
    ROOTS,
    NameFault,
    block,
    fault_of_name,
    meaning,
)
from evalcontract.analysis.template_tags import Pieces, Tag, TagFault, brief, cut


@dataclass(frozen=True, slots=True)
class Template:
    """The result of a scan: all tags in order, and the faults in the order of their tags.

    `shown` has the variables whose text appears in the prompt, `paths` the dotted names that
    always appear because they are outside of sections. `literal` is the text outside of tags, with
    a NUL in place of each tag.
    """

    tags: tuple[Tag, ...]
    faults: tuple[TagFault, ...]
    shown: frozenset[str]
    literal: str
    paths: frozenset[str] = frozenset()

    def may_show(self, root: str) -> bool:
        """Whether a variable appears in the prompt or was meant to.

        A section over a variable only tests whether it is present; `{{ . }}` inside shows it.
        """
        return root in self.shown or any(root in fault.meant for fault in self.faults)


@lru_cache(maxsize=32)
def scan(text: str) -> Template:
    """Scan a template. Cached, since several rules scan the same one in turn."""
    pieces = cut(text)
    nesting = _Nesting(pieces)
    nesting.run()
    shown = frozenset(nesting.shown)
    faults = [*pieces.faults, *find_foreign(text, pieces.literal, shown)]
    faults.sort(key=lambda fault: fault.tag.start)
    literal = "\0".join(part for _, part in pieces.literal)
    return Template(tuple(pieces.tags), tuple(faults), shown, literal, frozenset(nesting.paths))


@dataclass(frozen=True, slots=True)
class _Open:
    """A section that is not closed yet; `closers` are the names that may close it.

    `item` is the variable that `.` refers to inside, or None; `below` is the variable in which
    other names are looked up, or "".
    """

    tag: Tag
    closers: frozenset[str]
    item: str | None
    below: str


_OUTSIDE = _Open(Tag("section", "", "", 0, 0), frozenset(), None, "")


class _Nesting:
    """One pass over the tags that tracks the open sections."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.shown: set[str] = set()
        self.paths: set[str] = set()
        self.open: list[_Open] = []
        self.names: Counter[str] = Counter()  # names that may close an open section
        self.crossed: Counter[str] = Counter()  # names of sections ended by an outer section's end
        self.to_come = Counter(tag.name for tag in pieces.tags if tag.kind == "close")

    def run(self) -> None:
        for tag in self.pieces.tags:
            if tag.kind == "close":
                self._close(tag)
            elif tag.kind != "comment":
                self._visit(tag)
        for left in self.open:
            if left.tag.kind != "block":  # a block has been reported
                end = f"{{{{/{brief(left.tag.name)}}}}}"
                advice = f"write `{end}` where the section ends"
                self.pieces.report(left.tag, "is never closed", advice)

    def _visit(self, tag: Tag) -> None:
        """Check the name in a tag, and enter the section that it opens."""
        around = self.open[-1] if self.open else _OUTSIDE
        root = tag.name.split(".", maxsplit=1)[0]
        member = around.below != "" and root not in ROOTS
        fault = None
        if tag.kind == "block":
            self._enter(tag, frozenset((tag.name,)), around.item, around.below)
            return
        if tag.name == ".":
            root = around.item or ""
            if around.item is None:
                text = "is the current item of a section, but is not inside a section"
                fault = NameFault(text, "write the name of a variable")
        else:
            fault = fault_of_name(tag.name, tag.kind, member=member)
            root = around.below if member else root
        if fault:
            self.pieces.report(tag, fault.message, fault.help, fault.meant)
        if tag.kind in ("section", "inverted"):
            self._section(tag, None if fault else root, around)
        elif not fault:
            self.shown.add(root)
            if not self.open and "." in tag.name:
                self.paths.add(tag.name)

    def _section(self, tag: Tag, root: str | None, around: _Open) -> None:
        """Enter a section. If it has a fault (root None), guess the variable that was meant."""
        handlebars = block(tag.name)
        word, name = handlebars or ("", tag.name)
        if root is None:
            root = meaning(name.split(".", maxsplit=1)[0]) or BELOW[-1]
        item, below = around.item, around.below
        if tag.kind == "section" and word not in ("if", "unless"):
            item, below = root, root if root in BELOW else below
        names = (tag.name, word, name) if handlebars else (tag.name,)
        self._enter(tag, frozenset(names), item, below)

    def _enter(self, tag: Tag, closers: frozenset[str], item: str | None, below: str) -> None:
        self.open.append(_Open(tag, closers, item, below))
        self.names.update(closers)

    def _leave(self, depth: int) -> list[_Open]:
        """Leave the innermost `depth` sections and return them, the outermost first."""
        left = self.open[-depth:]
        del self.open[-depth:]
        for section in left:
            self.names.subtract(section.closers)
        return left

    def _close(self, tag: Tag) -> None:
        self.to_come[tag.name] -= 1
        inner = self.open[-1] if self.open else _OUTSIDE
        fault, advice = "", f"write `{{{{/{brief(inner.tag.name)}}}}}`"
        if self.names[tag.name] > 0:
            inward = enumerate(reversed(self.open), 1)
            depth = next(n for n, section in inward if tag.name in section.closers)
            for cut_off in self._leave(depth)[1:]:
                self.crossed.update(cut_off.closers)
            if depth > 1:
                fault = f"closes an outer section while `{brief(inner.tag.name)}` is open"
                advice = f"{advice} before it"
        elif self.crossed[tag.name] > 0:
            self.crossed[tag.name] -= 1
        elif self.open and not any(self.to_come[name] > 0 for name in inner.closers):
            self._leave(1)
            fault = f"does not match the open section, `{brief(inner.tag.name)}`"
        else:
            fault, advice = "closes a section that is not open", "remove it, or open the section"
        if fault:
            self.pieces.report(tag, fault, advice)
