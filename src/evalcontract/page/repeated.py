"""Passes over the same datasets in several modes: what one finds is kept for the others.

A mode decides how severe problems are, and not which ones there are.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.datasets.native_pass import NativePass
from evalcontract.datasets.passes import begin_pass
from evalcontract.model.startup import NamedTuple
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.datasets.passes import Dataset, DatasetPass
    from evalcontract.datasets.run import Run
    from evalcontract.policy import Policy


class SharedPasses:
    """The passes of the first mode over its datasets, in order."""

    def __init__(self) -> None:
        self._begun: list[_Begun] = []

    def begin(
        self, dataset: Dataset, run: Run, policy: Policy, graded: frozenset[str]
    ) -> DatasetPass:
        """Begin a pass whose results are kept."""
        first = begin_pass(dataset, run, policy, graded)
        if isinstance(first, NativePass):
            first.keep()
        self._begun.append(_Begun(first, policy, graded))
        return first

    def followers(self) -> Followers:
        """Return the passes of another mode over the same datasets."""
        return Followers(iter(self._begun))


class _Begun(NamedTuple):
    """A pass, and what it was begun with."""

    first: DatasetPass
    policy: Policy
    graded: frozenset[str]


class Followers:
    """The passes of another mode over the same datasets, in the same order."""

    def __init__(self, begun: Iterator[_Begun]) -> None:
        self._begun = begun

    def begin(
        self, dataset: Dataset, run: Run, policy: Policy, graded: frozenset[str]
    ) -> DatasetPass:
        """Begin a pass with the results that are kept, or a new one where it may find others."""
        again = None
        for first, other, keys in islice(self._begun, 1):
            is_same = first.file == dataset.file and keys == graded
            if isinstance(first, NativePass) and is_same and _report_the_same(policy, other):
                again = first.again(run, policy)
        return again or begin_pass(dataset, run, policy, graded)


def _report_the_same(one: Policy, other: Policy) -> bool:
    """Whether two policies report the same codes, so that they reach a limit at the same one."""
    return all(
        (one.severity_of(code) is None) == (other.severity_of(code) is None)
        for code in KnownCodes().values()
    )
