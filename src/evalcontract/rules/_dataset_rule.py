"""Rules for a whole dataset: they see the rows as a stream and keep only what they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Path, Problem
    from evalcontract.source.comments import CutText


class DatasetContext(NamedTuple):
    """What a dataset rule may use besides the rows.

    The path of row n is `(*prefix, n)`; `root` holds the dataset's own keys, without the rows;
    `bundles` the names of the declared bundles. `cut_texts` returns the texts that a comment of
    YAML probably cuts off.
    """

    prefix: Path
    root: dict[str, Any]
    bundles: frozenset[str]
    cut_texts: Callable[[], Iterable[CutText]] = tuple


class Watch(Protocol):
    """The state of a rule during one pass over one dataset."""

    def see(self, first_index: int, rows: list[Any]) -> Iterator[Problem]:
        """Observe the next rows. A row may have any type: the structure stage checks that."""
        ...

    def finish(self) -> Iterator[Problem]:
        """Yield the problems that only the whole dataset reveals."""
        ...


class IdWatch(Watch, Protocol):
    """A watch that needs only the ids of clean rows, so that the rows need not be kept."""

    def see_ids(self, first_index: int, ids: list[str]) -> Iterator[Problem]:
        """Observe the ids of the next rows, which have no findings.

        Each row has an id; the bundle of a row, if it has one, is declared.
        """
        ...


class DatasetRule(NamedTuple):
    """A rule for a dataset as a whole."""

    code: Code
    watch: Callable[[DatasetContext], Watch]
