"""The number of findings by code, and how many of them are fixable."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.diagnostic import Diagnostic


def write_statistics(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield a line for each severity and code, the most severe and then the most frequent first."""
    groups: dict[tuple[int, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault((-diagnostic.severity, diagnostic.code), []).append(diagnostic)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1]))
    if not ordered:
        return
    width = len(f"{max(map(len, groups.values())):,}")
    longest = max(len(code) for _, code in groups)
    for (_, code), found in ordered:
        line = f"{len(found):{width},}  {found[0].severity!s:7}  {code:{longest}}  {_notes(found)}"
        yield f"{line.rstrip()}\n"


def _notes(found: Sequence[Diagnostic]) -> str:
    """Return how many findings are fixable, and how many places they stand for."""
    fixes = [diagnostic.fix for diagnostic in found if diagnostic.fix]
    safe = sum(fix.safe for fix in fixes)
    places = sum(diagnostic.sites.total if diagnostic.sites else 1 for diagnostic in found)
    notes = [f"{safe:,} fixable"] if safe else []
    notes += [f"{len(fixes) - safe:,} fixable with --unsafe-fixes"] if len(fixes) > safe else []
    notes += [f"{places:,} places"] if places > len(found) else []
    return ", ".join(notes)
