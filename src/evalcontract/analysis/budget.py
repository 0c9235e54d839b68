"""A limit on the work of several analyses together."""

from __future__ import annotations

#: Steps for the patterns of a workspace, about a second. Most take some hundreds.
MAX_STEPS = 1_200_000


class Budget:
    """The steps that are left for some analyses; a started analysis is completed."""

    def __init__(self, steps: int | None = None) -> None:
        self._left = MAX_STEPS if steps is None else steps

    @property
    def is_spent(self) -> bool:
        """Whether no step is left."""
        return self._left <= 0

    def spend(self, steps: int) -> None:
        """Count the steps of an analysis."""
        self._left -= steps
