"""How many steps a backtracking matcher takes: a small machine that tries what `re` tries.

Counting is the same on every machine and stops at a bound, where a clock is neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evalcontract.analysis.regex_program import Do, Program


@dataclass(slots=True)
class _Run:
    text: str
    limit: int
    steps: int = 0


class StepsExceededError(Exception):
    """A matcher was stopped at its bound."""


class Count(NamedTuple):
    """How many steps a matcher took, and whether it found a match."""

    steps: int
    matched: bool


def count_steps(program: Program, text: str, *, full: bool, limit: int) -> Count:
    """Count the steps until it is certain whether something matches from the start of `text`.

    `full` asks for a match of the whole text.

    Raises:
        StepsExceededError: there are more than `limit`.

    """
    run = _Run(text, limit)
    start = (-1,) * program.slots
    found = _matched(program.code, run, 0, start, only_end=full)
    return Count(run.steps, found is not None)


def _matched(  # noqa: C901, PLR0912 - one branch an instruction
    code: list[Do], run: _Run, at: int, slots: tuple[int, ...], *, start: int = 0, only_end: bool
) -> tuple[int, tuple[int, ...]] | None:
    """Return where the first match that begins at `at` ends, and what its slots hold."""
    text = run.text
    waiting = [(start, at, slots)]
    while waiting:
        pc, at, slots = waiting.pop()
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
                waiting.append((other, at, slots))
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
                taken = _taken_again(text, at, slots[to], slots[other], any_case=part)
                if taken is None:
                    break
                at, pc = at + taken, pc + 1
            else:
                found = _apart(code, run, at, slots, code[pc])
                if found is None:
                    break
                (at, slots), pc = found, to
    return None


def _taken_again(text: str, at: int, start: int, end: int, *, any_case: bool) -> int | None:
    if start < 0 or end < start:
        return None
    wanted = text[start:end]
    found = text[at : at + len(wanted)]
    same = found.lower() == wanted.lower() if any_case else found == wanted
    return len(wanted) if same else None


def _apart(
    code: list[Do], run: _Run, at: int, slots: tuple[int, ...], do: Do
) -> tuple[int, tuple[int, ...]] | None:
    """Match a part on its own: an atomic one, or one that only looks; `fail` never matches."""
    if do.what == "atomic":
        return _matched(code, run, at, slots, start=do.other, only_end=False)
    if do.what == "fail":
        return None
    behind, negative = do.part
    found = None
    if behind is None or behind <= at:
        found = _matched(code, run, at - (behind or 0), slots, start=do.other, only_end=False)
    if negative:
        return None if found else (at, slots)
    return (at, found[1]) if found else None
