"""What a conversion could not carry: counted for people, listed for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.model.path import format_path, key_of
from evalcontract.report.frame import cells, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from evalcontract.formats._conversion import Loss
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place

#: The version of the form of a loss report.
VERSION = "1.0"


class Sort(NamedTuple):
    """Losses of one sort: the key that they are of, why, and whether it is kept aside."""

    key: str
    reason: str
    is_kept: bool


@dataclass
class Losses:
    """The losses of one conversion. `first` is where a sort was met first.

    With a `report` every one is listed there, as JSON, while the rows stream by.
    """

    report: BinaryIO | None = None
    counts: dict[Sort, int] = field(default_factory=dict)
    first: dict[Sort, Place] = field(default_factory=dict)
    total: int = 0

    def begin(self, head: dict[str, str]) -> None:
        """Begin the report; `head` says what is converted into what."""
        if self.report:
            opened = json.dumps({"version": VERSION, **head}, ensure_ascii=False)[:-1]
            self.report.write(f'{opened}, "losses": ['.encode())

    def note(
        self, losses: Iterable[Loss], index: int | None, path: Path, place: Callable[[Path], Place]
    ) -> None:
        """Note what was lost of a row, or of what stands around the rows."""
        for each in losses:
            sort = Sort(key_of(each.path), each.reason, each.is_kept)
            self.counts[sort] = self.counts.get(sort, 0) + 1
            if self.report or sort not in self.first:
                where = place((*path, *each.path))
                self.first.setdefault(sort, where)
                self._list(each, index, (*path, *each.path), where)
            self.total += 1

    def end(self) -> None:
        """End the report."""
        if self.report:
            self.report.write(b"\n]}\n" if self.total else b"]}\n")

    def _list(self, loss: Loss, index: int | None, path: Path, place: Place) -> None:
        if not self.report:
            return
        line = json.dumps(
            {
                "row_index": index,
                "path": format_path(path),
                "file": place.file,
                "line": place.span.line if place.span else None,
                "reason": loss.reason,
                "kept": loss.is_kept,
            },
            ensure_ascii=False,
        )
        comma = "," if self.total else ""
        self.report.write(f"{comma}\n{line}".encode("utf-8", "backslashreplace"))


def write_losses(losses: Losses) -> Iterator[str]:
    """Write each sort of loss in one line, what is gone before what is kept aside."""
    for is_kept, heading in (
        (False, "lost:"),
        (True, "preserved in metadata, restored when converting back:"),
    ):
        sorts = [each for each in losses.counts if each.is_kept is is_kept]
        if not sorts:
            continue
        yield f"{heading}\n"
        counts = [f"{losses.counts[each]:,}" for each in sorts]
        names = [f"`{visible(each.key)}`" for each in sorts]
        width, room = max(map(cells, names)), max(map(len, counts))
        for sort, count, name in zip(sorts, counts, names, strict=True):
            gap = " " * (width - cells(name))
            yield f"  {count:>{room}}  {name}{gap}  {visible(sort.reason)}\n"
            yield f"  {'':>{room}}  {'':{width}}  first at {visible(str(losses.first[sort]))}\n"
