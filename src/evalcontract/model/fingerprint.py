"""Fingerprints: what a finding has in common with itself in another run, after other edits."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

from evalcontract.model.lazy_pattern import lazy_pattern
from evalcontract.model.path import format_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcontract.model.diagnostic import Diagnostic

#: Changes whenever the fingerprint of an unchanged finding does.
VERSION = 1
# Names of files stand in backticks; their numbers identify something, such as `rubric/a@1.0.0`.
_NAME = lazy_pattern(r"(`[^`]*`)")
_NUMBER = lazy_pattern(r"\d+(?:[.,]\d+)*")
_INDEX = lazy_pattern(r"\[\d+\]")


def fingerprints(
    diagnostics: Sequence[Diagnostic], name_of: Callable[[str], str] = str
) -> list[str]:
    """Return the fingerprint of each finding: 32 hexadecimal digits, different within one report.

    It depends on the code, the file as `name_of` names it, the row id, the path without indexes,
    and the message without its numbers: lines, columns, indexes, counts and the severity do not
    matter, so that an edit elsewhere in the file changes nothing. A finding for several places
    depends on its code, file and message alone. Of equal findings, all but the first are numbered.
    """
    counts: Counter[str] = Counter()
    marks = []
    for diagnostic in diagnostics:
        key = _key(diagnostic, name_of(diagnostic.place.file))
        counts[key] += 1
        number = f"\0{counts[key]}" if counts[key] > 1 else ""
        data = f"{VERSION}\0{key}{number}".encode("utf-8", "surrogatepass")
        marks.append(sha256(data).hexdigest()[:32])
    return marks


def _key(diagnostic: Diagnostic, name: str) -> str:
    row, path = diagnostic.row, diagnostic.path
    if diagnostic.sites is not None and diagnostic.sites.total > 1:
        row, path = None, ()
    elif row is not None and diagnostic.row_index in path:
        path = path[path.index(diagnostic.row_index) + 1 :]
    steps = _INDEX.sub("[]", format_path(path))
    return "\0".join([diagnostic.code, name, row or "", steps, _steady(diagnostic.message)])


def _steady(message: str) -> str:
    """Return a message without the numbers that an edit elsewhere may change."""
    parts = _NAME.split(message)
    parts[::2] = [_NUMBER.sub("#", part) for part in parts[::2]]
    parts[1::2] = [_INDEX.sub("[]", part) for part in parts[1::2]]
    return "".join(parts)
