"""Compile a regular expression into instructions for a backtracking matcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.pattern import (
    Anchor,
    Atomic,
    Back,
    CaptureGroup,
    Char,
    Either,
    Look,
    Repeat,
    Sequence,
)
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from evalcontract.analysis.pattern import Node

_MAX_INSTRUCTIONS = 4000
_MAX_PARTS = 20_000  # nodes visited; an empty node makes no instruction
_MAX_SLOTS = 200  # all of them are copied when one changes
_MANY = 100  # larger repeat counts are compiled as a loop; the texts tried are too short to differ


class PatternTooLargeError(Exception):
    """A pattern is too large to analyse once its repeats are written out."""


class Do(NamedTuple):
    """An instruction: `to` is the next instruction, `other` the alternative tried after it.

    For `mark`, `turn` and `back` they are slots. `part` is the instruction's argument, such as the
    pattern of a character.
    """

    what: str
    to: int = 0
    other: int = 0
    part: Any = None


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled pattern. `slots` is the number of slots, each of which stores a position."""

    code: list[Do]
    slots: int


def program_of(root: Node) -> Program:
    """Compile a pattern into a program.

    Raises:
        PatternTooLargeError: it is too large.

    """
    writer = _Writer()
    writer.write(root)
    writer.put("done")
    return Program(writer.code, writer.slots)


class _Writer:
    def __init__(self) -> None:
        self.code: list[Do] = []
        self.slots = self.parts = 0
        self._groups: dict[int, int] = {}

    def put(self, what: str, to: int = 0, other: int = 0, part: Any = None) -> int:
        if len(self.code) >= _MAX_INSTRUCTIONS:
            raise PatternTooLargeError
        self.code.append(Do(what, to, other, part))
        return len(self.code) - 1

    def slot(self) -> int:
        if self.slots >= _MAX_SLOTS:
            raise PatternTooLargeError
        self.slots += 1
        return self.slots - 1

    def write(self, node: Node) -> None:  # noqa: C901 - a table
        self.parts += 1
        if self.parts > _MAX_PARTS:
            raise PatternTooLargeError
        match node:
            case Char(test=test) | Anchor(test=test):
                self.put("char" if isinstance(node, Char) else "place", part=test)
            case Sequence(parts=parts):
                for part in parts:
                    self.write(part)
            case CaptureGroup(number=number, body=body):
                self._group(number, body)
            case Back(group=group, any_case=any_case):
                self.put("back", *self._slots_of(group), part=any_case)
            case Either(options=options):
                self._either(options)
            case Repeat(keeps=False):
                self._repeat(node)
            case Atomic(body=body):
                self._inner("atomic", body)
            case Repeat():
                self._inner("atomic", Repeat(node.body, node.low, node.high))
            case Look():
                self._inner("look", node.body, (node.behind, node.negative))

    def _slots_of(self, number: int) -> tuple[int, int]:
        if number not in self._groups:
            self._groups[number] = self.slot()
            self.slot()
        return self._groups[number], self._groups[number] + 1

    def _group(self, number: int | None, body: Node) -> None:
        if number is None:
            self.write(body)
            return
        start, end = self._slots_of(number)
        self.put("mark", start)
        self.write(body)
        self.put("mark", end)

    def _inner(self, what: str, body: Node, part: Any = None) -> None:
        """Write a part that is matched separately, after the instruction that runs it."""
        at = self.put(what)
        self.write(body)
        self.put("done")
        self.code[at] = Do(what, len(self.code), at + 1, part)

    def _either(self, options: tuple[Node, ...]) -> None:
        ends = []
        for index, option in enumerate(options):
            last = index == len(options) - 1
            split = None if last else self.put("split")
            self.write(option)
            if split is not None:
                ends.append(self.put("go"))
                self.code[split] = Do("split", split + 1, len(self.code))
        for end in ends:
            self.code[end] = Do("go", len(self.code))
        if not options:
            self.put("fail")

    def _repeat(self, node: Repeat) -> None:
        for _ in range(node.low):
            self.write(node.body)
        splits = []
        endless = node.high is None or node.high >= _MANY
        for _ in range(0 if endless else (node.high or 0) - node.low):
            splits.append(self.put("split"))
            self.write(node.body)
        if endless:
            splits.append(self._loop(node.body))
        for at in splits:
            self._choose(at, node.lazy)

    def _loop(self, body: Node) -> int:
        slot = self.slot()
        split = self.put("split")
        self.put("mark", slot)
        self.write(body)
        end = self.put("turn", split, slot)  # an empty repetition ends the loop
        self.code[end] = Do("turn", split, slot, end + 1)
        return split

    def _choose(self, at: int, lazy: bool) -> None:  # noqa: FBT001
        inside, outside = at + 1, len(self.code)
        self.code[at] = Do("split", *((outside, inside) if lazy else (inside, outside)))
