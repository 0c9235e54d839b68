"""What the check of a dataset finds, kept for passes in other modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcontract.datasets.diagnostics import Locatable
    from evalcontract.datasets.ignoring_rows import IgnoringRow
    from evalcontract.model.diagnostic import Path, Place, Problem, Within
    from evalcontract.source import Batch


class BatchFindings(NamedTuple):
    """A batch, its problems, and its rows that may ignore some of them."""

    batch: Batch
    problems: list[Problem]
    ignoring: Sequence[IgnoringRow]


class KeptResults:
    """The results of one check; `places` are the places of its dataset, each searched once."""

    def __init__(self, places: Locatable) -> None:
        self.places = _KeptPlaces(places)
        self.has_failed = False
        self._kept: list[BatchFindings] = []
        self._live: Iterator[BatchFindings] | None = None
        self._final: list[Problem] | None = None

    def batches(self, begin: Callable[[], Iterator[BatchFindings]]) -> Iterator[BatchFindings]:
        """Yield what is kept, and then what is left of the check, which the first caller begins.

        Rows are kept of the first batch alone, whose rows may be those of another tool.
        """
        if self._live is None:
            self._live = begin()
        at = 0
        while True:
            if at == len(self._kept) and not self._read(self._live):
                return
            yield self._kept[at]
            at += 1

    def _read(self, live: Iterator[BatchFindings]) -> bool:
        """Keep the next batch; return whether there is one."""
        self.has_failed = True  # unless nothing is raised
        found = next(live, None)
        self.has_failed = False
        if found is None:
            return False
        if found.batch.first_index:
            found = found._replace(batch=found.batch._replace(rows=[]))
        self._kept.append(found)
        return True

    def finish(self, finish: Callable[[], list[Problem]]) -> list[Problem]:
        """Return the problems of the dataset as a whole."""
        if self._final is None:
            self._final = finish()
        return self._final


class _KeptPlaces:
    """Places that are searched once."""

    def __init__(self, source: Locatable) -> None:
        self.file = source.file
        self._source = source
        self._found: dict[tuple[Path, bool, Within | None], Place] = {}

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path; see `Document.place`."""
        key = path, on_key, within
        if key not in self._found:
            self._found[key] = self._source.place(path, on_key=on_key, within=within)
        return self._found[key]
