"""What `fix` did, or would do: each finding that is gone, or the lines that change."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Severity
from evalcontract.model.fix import Move, Rename
from evalcontract.model.path import key_of
from evalcontract.report.frame import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.model.fix import Fix


def write_fixed(fixed: Sequence[Diagnostic], limit: int) -> Iterator[str]:
    """Write the findings that are gone, by file; so many of them at the most, if not 0."""
    file = ""
    for found in islice(fixed, limit or None):
        if found.place.file != file:
            file = found.place.file
            yield f"{visible(file)}\n"
        span = found.place.span
        at = f"{span.line}:{span.column}" if span else ""
        yield f"  {at}  {found.code}  {_done(found.fix)}\n" if found.fix else ""
    yield from _hidden(len(fixed), limit)


def _hidden(count: int, limit: int) -> Iterator[str]:
    if limit and count > limit:
        yield f"… {_many(count - limit, 'more finding')}: `--limit 0` shows all\n"


def write_sum(fixed: int, files: int, left: Sequence[Diagnostic]) -> Iterator[str]:
    """Write how many findings are gone, how many are left, and what else could be fixed."""
    done = (
        f"{_many(fixed, 'finding')} fixed in {_many(files, 'file')}" if fixed else "nothing fixed"
    )
    if not left:
        yield f"{done}; none left\n"
        return
    counts = [
        _many(count, str(severity))
        for severity in sorted(Severity, reverse=True)
        if (count := sum(found.severity is severity for found in left))
    ]
    yield f"{done}; {len(left):,} left: {', '.join(counts)}\n"
    if unsafe := sum(found.fix is not None and not found.fix.safe for found in left):
        yield f"{_many(unsafe, 'more')} fixable with `--unsafe-fixes`\n"


def write_prospect(fixable: int, files: int) -> Iterator[str]:
    """Write how many findings would be gone."""
    done = f"{_many(fixable, 'finding')} fixable in {_many(files, 'file')}"
    yield f"{done if fixable else 'nothing to fix'}\n"


def write_refused(refused: Sequence[tuple[Diagnostic, str]], limit: int) -> Iterator[str]:
    """Write which fixes were not made, and why; so many of them at the most, if not 0."""
    for found, reason in refused[: limit or None]:
        yield f"not fixed: {visible(str(found.place))}: {found.code}: {visible(reason)}\n"
    yield from _hidden(len(refused), limit)


def write_diff(name: str, before: str, after: str, *, for_people: bool) -> Iterator[str]:
    """Write the lines that change as a unified diff, which `patch` takes.

    For people control characters are shown; for programs they are what they are.
    """
    old, new = (_lines(text) for text in (before, after))
    for line in unified_diff(old, new, visible(name), visible(name)):
        text = line.removesuffix("\n")
        yield f"{visible(text) if for_people else text}\n"
        if text == line:
            yield "\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Split a text at line feeds alone, as `patch` does."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def _done(fix: Fix) -> str:
    old = visible(key_of(fix.path))
    match fix.edit:
        case Rename(key):
            return f"`{visible(str(fix.path[-1]))}` is now `{visible(key)}`"
        case Move(to):
            return f"`{old}` is now `{visible(key_of(to))}`"
    value = f'"{fix.target}"' if isinstance(fix.target, str) else str(fix.target).lower()
    return f"`{old}` is now {visible(value)}"


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 or name == 'more' else 's'}"
