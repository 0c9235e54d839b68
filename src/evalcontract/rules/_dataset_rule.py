"""A rule over a whole dataset: it sees the rows as they stream by, and keeps what it must."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path


class DatasetContext(NamedTuple):
    """What a dataset rule may know: where rows stand, the dataset's own keys, the bundles.

    The path of row n is `prefix` and n; `root` holds the keys beside the rows.
    """

    prefix: Path
    root: dict[str, Any]
    bundles: frozenset[str]


class Watch(Protocol):
    """One pass over one dataset."""

    def see(self, first_index: int, rows: list[Any]) -> Iterator[Problem]:
        """Look at the next rows. A row may be anything: structure is judged elsewhere."""
        ...

    def finish(self) -> Iterator[Problem]:
        """Yield what only the whole dataset shows."""
        ...


class IdWatch(Watch, Protocol):
    """One to which the ids of clean rows are enough. Without it, every row has to be kept."""

    def see_ids(self, first_index: int, ids: list[str]) -> Iterator[Problem]:
        """Take note of the next rows, of which nothing is to be said; each has an id.

        Those that name a bundle name one that is declared.
        """
        ...


class DatasetRule(NamedTuple):
    """A judgement on a dataset as a whole."""

    code: Code
    watch: Callable[[DatasetContext], Watch]
