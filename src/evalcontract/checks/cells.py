"""Checks on a row, each with its prediction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks._kind import Prediction, State
    from evalcontract.checks.steps import Steps


@dataclass(frozen=True, slots=True)
class Cell:
    """One check on one row. For a row without a rubric, `check` is the key of the expectation."""

    check: str
    kind: str
    outlook: Prediction


class PlannedCells(Sequence[Cell]):
    """The checks of a rubric on a row, and then the `own` cells of the row.

    `outlooks` has a prediction for each group of checks. The cells are made when they are asked
    for: there are as many as rows times checks.
    """

    __slots__ = ("outlooks", "own", "steps")

    def __init__(
        self, steps: Steps, outlooks: tuple[Prediction, ...], own: tuple[Cell, ...]
    ) -> None:
        self.steps = steps
        self.outlooks = outlooks
        self.own = own

    def __len__(self) -> int:
        return self.steps.total + len(self.own)

    def __iter__(self) -> Iterator[Cell]:
        for step, outlook in self.steps.each_with(self.outlooks):
            yield Cell(step.name, step.kind, outlook)
        yield from self.own

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Cell, ...]: ...
    def __getitem__(self, index: int | slice) -> Cell | tuple[Cell, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def count_states(cells: Sequence[Cell]) -> Counter[State]:
    """Return the number of cells by state."""
    states: Counter[State] = Counter()
    if isinstance(cells, PlannedCells):
        for group, outlook in zip(cells.steps.groups, cells.outlooks, strict=True):
            states[outlook.state] += group.total
        cells = cells.own
    states.update(cell.outlook.state for cell in cells)
    return states
