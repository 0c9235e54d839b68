"""The output of `fix`: the findings that it fixed or could fix, or a diff."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Severity
from evalcontract.model.fix import Move, Rename
from evalcontract.model.path import key_of
from evalcontract.report.frame import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.model.fix import Fix


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


def write_diff(name: str, before: str, after: str, *, for_people: bool) -> Iterator[str]:
    """Yield the changed lines as a unified diff that `patch` accepts.

    Control characters are escaped for people and left unchanged for programs.
    """
    old, new = (_lines(text) for text in (before, after))
    for line in unified_diff(old, new, escape_controls(name), escape_controls(name)):
        text = line.removesuffix("\n")
        yield f"{escape_controls(text) if for_people else text}\n"
        if text == line:
            yield "\\ No newline at end of file\n"


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
