"""Count the steps of a backtracking matcher, with a small interpreter that works like `re`.

Unlike time, the count is the same on every machine and can be limited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from evalcontract.analysis.regex_program import Do, Program


@dataclass(slots=True)
class _Run:
    text: str
    limit: int
    steps: int = 0


class StepsExceededError(Exception):
    """The matcher reached the limit of steps."""


class Count(NamedTuple):
    """The number of steps of a matcher, and whether it found a match."""

    steps: int
    matched: bool


def count_steps(program: Program, text: str, *, full: bool, limit: int) -> Count:
    """Count the steps of matching at the start of `text`, or the whole text if `full`.

    Raises:
        StepsExceededError: there are more than `limit`.

    """
    run = _Run(text, limit)
    slots = (-1,) * program.slots
    match = _match(program.code, run, 0, slots, only_end=full)
    return Count(run.steps, match is not None)


def _match(  # noqa: C901, PLR0912 - one branch per instruction
    code: list[Do], run: _Run, at: int, slots: tuple[int, ...], *, start: int = 0, only_end: bool
) -> tuple[int, tuple[int, ...]] | None:
    """Return the end and the slots of the first match at `at`, or None."""
    text = run.text
    alternatives = [(start, at, slots)]
    while alternatives:
        pc, at, slots = alternatives.pop()
        while True:
            run.steps += 1
            if run.steps > run.limit:
                raise StepsExceededError
            what, to, other, part = code[pc]
            if what == "char":
                if at >= len(text) or not part.fullmatch(text, at, at + 1):
                    break
                at, pc = at + 1, pc + 1
            elif what == "split":
                alternatives.append((other, at, slots))
                pc = to
            elif what == "go":
                pc = to
            elif what == "mark":
                slots, pc = (*slots[:to], at, *slots[to + 1 :]), pc + 1
            elif what == "turn":
                pc = part if slots[other] == at else to
            elif what == "place":
                if not part.match(text, at):
                    break
                pc += 1
            elif what == "done":
                if only_end and at != len(text):
                    break
                return at, slots
            elif what == "back":
                length = _backreference(text, at, slots[to], slots[other], any_case=part)
                if length is None:
                    break
                at, pc = at + length, pc + 1
            else:
                inner = _match_inner(code, run, at, slots, code[pc])
                if inner is None:
                    break
                (at, slots), pc = inner, to
    return None


def _backreference(text: str, at: int, start: int, end: int, *, any_case: bool) -> int | None:
    """Return the length of a backreference's match at `at`, or None if it does not match."""
    if start < 0 or end < start:
        return None
    captured = text[start:end]
    actual = text[at : at + len(captured)]
    same = actual.lower() == captured.lower() if any_case else actual == captured
    return len(captured) if same else None


def _match_inner(
    code: list[Do], run: _Run, at: int, slots: tuple[int, ...], do: Do
) -> tuple[int, tuple[int, ...]] | None:
    """Match an atomic group, a lookaround or `fail`, which never matches."""
    if do.what == "atomic":
        return _match(code, run, at, slots, start=do.other, only_end=False)
    if do.what == "fail":
        return None
    behind, negative = do.part
    match = None
    if behind is None or behind <= at:
        match = _match(code, run, at - (behind or 0), slots, start=do.other, only_end=False)
    if negative:
        return None if match else (at, slots)
    return (at, match[1]) if match else None
