"""Where findings are: the range that is underlined, the places related to it, the row, the edit.

The words are in the snapshots of `test_messages.py`: rewording a message changes those alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_examples import findings_of_bad_examples
from rule_fixtures import KINDS, findings_of_kind
from texts import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from evalcontract import Diagnostic
    from evalcontract.model.diagnostic import Fix, Place

pytestmark = pytest.mark.messages


@pytest.mark.slow
def test_bad_examples(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    sections = [section(*found) for found in findings_of_bad_examples(tmp_path)]
    assert "\n".join(sections) == plain(snapshot)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fixtures(
    kind: str, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = findings_of_kind(kind, tmp_path, monkeypatch)
    sections = [section(name, each, folder) for name, each, folder in found if each]
    assert "\n".join(sections) == plain(snapshot)


def section(title: str, findings: Iterable[Diagnostic], folder: Path) -> str:
    lines = (line for finding in findings for line in lines_of(finding))
    return f"== {title}\n" + "\n".join(lines).replace(f"{folder}/", "") + "\n"


def lines_of(finding: Diagnostic) -> Iterator[str]:
    """Yield a line for the place of a finding, and one for each thing that it has besides."""
    yield f"{finding.code} {shown(finding.place)} {ascii(finding.pointer)[1:-1]}"
    if finding.row is not None or finding.row_index is not None:
        yield f"  row {finding.row_index}: {finding.row}"
    for _, place in finding.related:
        yield f"  related {shown(place)}"
    if finding.fix:
        yield f"  {edit(finding.fix)}"
    if finding.cause:
        yield f"  because of {finding.cause.name} ({finding.cause.file})"
    for site in finding.sites.first if finding.sites else ():
        change = f", {edit(site.fix)}" if site.fix else ""
        yield f"  site {shown(site.place)} row {site.row_index}: {site.row}{change}"


def shown(place: Place) -> str:
    """Return the file of a place, and the underlined text within its first line."""
    if place.span is None:
        return place.file
    line, column, end_line, end_column = place.span
    end = end_column - 1 if line == end_line else None
    underlined = (place.text or "")[column - 1 : end]
    return f"{place.file}:{line}:{column}-{end_line}:{end_column} {underlined!a}"


def edit(fix: Fix) -> str:
    kind = "safe" if fix.safe else "unsafe"
    return f"{kind} fix at {fix.path!a}: {fix.edit!a}"
