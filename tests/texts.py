"""What people read, in snapshot files of plain text that `make messages` writes anew.

A message is reworded in one place, and the diff of the snapshots is what a reviewer reads. A test
that takes `snapshot` bears the mark `messages`. Others assert codes, places and the facts of a
message: what stands in it between backticks or quotes, and its numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from syrupy.assertion import SnapshotAssertion

_FACT = re.compile(r"`(?P<code>[^`]*)`|(?P<number>(?<![\w.])[0-9][0-9.,]*(?<![.,])(?!\w))")


class _Text(SingleFileSnapshotExtension):
    """A snapshot is a file of plain text."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT


def plain(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Return a snapshot that is a file of plain text."""
    return snapshot.use_extension(_Text)


def facts(message: str | None) -> list[str]:
    """Return what a message names, in its order, whatever the words around it are."""
    return [each["code"] or each["number"] for each in _FACT.finditer(message or "")]


def told(findings: Iterable[tuple[object, str, str | None]]) -> str:
    """Return a text of what each finding is about, its message and its help."""
    lines = []
    for about, message, help_ in findings:
        lines.append(f"{about}: {message}")
        if help_:
            lines.append(f"  help: {help_}")
    return "\n".join(lines) + "\n"
