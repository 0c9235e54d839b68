"""What the rules say of small workspaces, as the text of a snapshot."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from doors import Options, check_workspaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def said(folder: Path, files: dict[str, str]) -> list[str]:
    """Return a line for each finding, with its place, and one for each part of its advice."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    options = Options(root=folder, strict=False, today=date(2026, 6, 1))
    lines = []
    for finding in check_workspaces(folder, options).diagnostics:
        span = finding.place.span
        at = f"{span.line}:{span.column}-{span.end_column}" if span else ""
        lines.append(f"{finding.code} {finding.pointer} {at} {finding.message}")
        related = [
            (message, str(place).removeprefix(f"{folder}/")) for message, place in finding.related
        ]
        lines += [f"  {message}: {place}" for message, place in related]
        lines += [f"  {finding.sites.message}"] if finding.sites else []
        lines += [f"  help: {finding.help}"] if finding.help else []
    return lines


def shown(cases: Iterable[str], told: Sequence[list[str]]) -> str:
    """Return each case, long ones clipped, with what is said of it."""
    titles = ("\n".join(line[:120] for line in case.strip().splitlines()) for case in cases)
    pairs = zip(titles, told, strict=True)
    return "\n".join("\n".join([f"== {title}", *lines]) + "\n" for title, lines in pairs)
