"""The output of `fix`: the findings that it fixed or could fix, or a diff."""

from __future__ import annotations

from difflib import Match, SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Move, Rename, Severity, key_of
from evalcontract.model.values import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.diagnostic import Diagnostic, Fix

# Lines that change in a row, both of the old text and of the new one; of more, all that follow are
# replaced. So many equal lines end a change.
_MAX_CHANGED, _EQUAL = 200, 2


def write_fixed(fixed: Sequence[Diagnostic], limit: int) -> Iterator[str]:
    """Yield the fixed findings by file, at most `limit` of them if it is not 0."""
    file = ""
    for diagnostic in islice(fixed, limit or None):
        if diagnostic.place.file != file:
            file = diagnostic.place.file
            yield f"{escape_controls(file)}\n"
        span = diagnostic.place.span
        at = f"{span.line}:{span.column}" if span else ""
        yield f"  {at}  {diagnostic.code}  {_done(diagnostic.fix)}\n" if diagnostic.fix else ""
    yield from _hidden(len(fixed), limit)


def _hidden(count: int, limit: int) -> Iterator[str]:
    if limit and count > limit:
        yield f"… {_many(count - limit, 'more finding')}: `--limit 0` shows all\n"


def write_summary(fixed: int, files: int, left: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield how many findings were fixed, how many are left, and how many more are fixable."""
    done = (
        f"{_many(fixed, 'finding')} fixed in {_many(files, 'file')}" if fixed else "nothing fixed"
    )
    if not left:
        yield f"{done}; none left\n"
        return
    counts = [
        _many(count, str(severity))
        for severity in sorted(Severity, reverse=True)
        if (count := sum(diagnostic.severity is severity for diagnostic in left))
    ]
    yield f"{done}; {len(left):,} left: {', '.join(counts)}\n"
    fixes = [diagnostic.fix for diagnostic in left if diagnostic.fix]
    if unsafe := sum(not fix.safe for fix in fixes):
        yield f"{_many(unsafe, 'more')} fixable with `--unsafe-fixes`\n"


def write_fixable(fixable: int, files: int) -> Iterator[str]:
    """Yield how many findings are fixable."""
    done = f"{_many(fixable, 'finding')} fixable in {_many(files, 'file')}"
    yield f"{done if fixable else 'nothing to fix'}\n"


def write_refused(refused: Sequence[tuple[Diagnostic, str]], limit: int) -> Iterator[str]:
    """Yield the fixes that were not made, with the reason; at most `limit` if it is not 0."""
    for diagnostic, reason in refused[: limit or None]:
        place = escape_controls(str(diagnostic.place))
        yield f"not fixed: {place}: {diagnostic.code}: {escape_controls(reason)}\n"
    yield from _hidden(len(refused), limit)


def write_diff(name: str, before: str, after: str) -> Iterator[str]:
    """Yield the changed lines as a unified diff.

    Control characters are replaced, but for tabs and the ends of lines: `patch` accepts lines
    without others.
    """
    old, new = (_lines(text) for text in (before, after))
    for line in _unified(old, new, escape_controls(name)):
        text = line.removesuffix("\n").removesuffix("\r")
        end = line[len(text) :]
        yield "\t".join(map(escape_controls, text.split("\t"))) + end
        if not end.endswith("\n"):
            yield "\n"
            yield "\\ No newline at end of file\n"


def _unified(old: list[str], new: list[str], name: str) -> Iterator[str]:
    """Yield what `difflib.unified_diff` does, in time that grows with the number of lines."""
    groups = _Alignment(old, new).get_grouped_opcodes()
    for number, group in enumerate(groups):
        if not number:
            yield from (f"--- {name}\n", f"+++ {name}\n")
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"
        for kind, *places in group:
            start, end, other_start, other_end = places
            if kind == "equal":
                yield from (f" {line}" for line in old[start:end])
            else:
                yield from (f"-{line}" for line in old[start:end])
                yield from (f"+{line}" for line in new[other_start:other_end])


def _range(start: int, end: int) -> str:
    """Return the lines of a hunk as a unified diff writes them."""
    length = end - start
    first = start + 1 if length else start  # an empty hunk stands after this line
    return f"{first}" if length == 1 else f"{first},{length}"


class _Alignment(SequenceMatcher[str]):
    """Lines of a text before and after fixes, which change few in a row and move none far.

    `difflib` compares each changed line with all the others: many rows are alike.
    """

    def __init__(self, old: list[str], new: list[str]) -> None:
        self._old, self._new = old, new
        super().__init__(None, old, new, autojunk=False)

    def get_matching_blocks(self) -> list[Match]:
        """Return the equal parts, in order; the last one is empty."""
        old, new = self._old, self._new
        blocks: list[Match] = []
        at, other = 0, 0
        while (skipped := _next_equal(old, new, at, other)) is not None:
            at, other = at + skipped[0], other + skipped[1]
            size = 0
            while old[at + size : at + size + 1] == new[other + size : other + size + 1] != []:
                size += 1
            blocks.append(Match(at, other, size))
            at, other = at + size, other + size
        return [*blocks, Match(len(old), len(new), 0)]


def _next_equal(old: list[str], new: list[str], at: int, other: int) -> tuple[int, int] | None:
    """Return how many lines of both are skipped up to the next that are equal; None if none is.

    Where other numbers of lines are skipped, one line may be equal by chance: it needs another.
    """
    for skipped in range(_MAX_CHANGED):
        for of_old in range(skipped + 1):
            of_new = skipped - of_old
            length = 1 if of_old == of_new else _EQUAL
            lines = old[at + of_old : at + of_old + length]
            if lines and lines == new[other + of_new : other + of_new + length]:
                return of_old, of_new
    return None


def _lines(text: str) -> list[str]:
    """Split a text at line feeds only, as `patch` does."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def _done(fix: Fix) -> str:
    old = escape_controls(key_of(fix.path))
    match fix.edit:
        case Rename(key):
            return f"`{escape_controls(str(fix.path[-1]))}` is now `{escape_controls(key)}`"
        case Move(to):
            return f"`{old}` is now `{escape_controls(key_of(to))}`"
    value = f'"{fix.target}"' if isinstance(fix.target, str) else str(fix.target).lower()
    return f"`{old}` is now {escape_controls(value)}"


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 or name == 'more' else 's'}"
