"""Rubrics that refer to each other in a circle, found once for a whole library."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalcontract.library.artifact import Artifact

#: In a group of more rubrics, cycles are reported for the first file only: the number of shortest
#: cycles grows with the square of the group, and they all have to be resolved together anyway.
MAX_GROUP = 100


class RubricCycles:
    """The cycles among rubrics.

    `references` are the rubrics that each rubric refers to, by the `id()` of both. A group is a set
    of rubrics of which each reaches all others; a rubric is in a cycle if it is in a group of two
    or more, or refers to itself.
    """

    def __init__(
        self, rubrics: Iterable[Artifact], references: Mapping[int, tuple[int, ...]]
    ) -> None:
        self._references = references
        self._groups: dict[int, frozenset[int]] = {}
        self._first: set[int] = set()
        files = {id(rubric): rubric.file for rubric in rubrics}
        for members in _groups(references):
            group = frozenset(members)
            if len(group) > 1 or members[0] in references[members[0]]:
                self._groups |= dict.fromkeys(group, group)
                self._first.add(min(members, key=lambda member: files[member]))

    def is_in_cycle(self, rubric: Artifact) -> bool:
        """Whether a rubric refers to itself, directly or indirectly."""
        return id(rubric) in self._groups

    def is_reported(self, rubric: Artifact) -> bool:
        """Whether the cycles through a rubric are searched for."""
        group = self._groups.get(id(rubric), ())
        return bool(group) and (len(group) <= MAX_GROUP or id(rubric) in self._first)

    def distances_to(self, rubric: Artifact) -> dict[int, int]:
        """Return the number of references to a rubric from each rubric of its group."""
        group = self._groups[id(rubric)]
        referring: dict[int, list[int]] = {member: [] for member in group}
        for member in group:
            for target in self._references[member]:
                if target in group:
                    referring[target].append(member)
        distances = {id(rubric): 0}
        queue = deque(distances)
        while queue:
            target = queue.popleft()
            for member in referring[target]:
                if member not in distances:
                    distances[member] = distances[target] + 1
                    queue.append(member)
        return distances


def _groups(references: Mapping[int, tuple[int, ...]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of a graph (Tarjan), each from its first node."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: dict[int, None] = {}
    for start in references:
        walk = [] if start in order else [(start, iter(references[start]))]
        while walk:
            node, targets = walk[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                open_nodes[node] = None
            for target in targets:
                if target not in order:
                    walk.append((target, iter(references[target])))
                    break
                if target in open_nodes:
                    lowest[node] = min(lowest[node], order[target])
            else:
                walk.pop()
                if walk:
                    parent = walk[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                if lowest[node] == order[node]:
                    group = list(_popped_through(open_nodes, node))
                    yield group[::-1]


def _popped_through(nodes: dict[int, None], last: int) -> Iterator[int]:
    """Remove and yield the last nodes, up to and including `last`."""
    node = None
    while node != last:
        node, _ = nodes.popitem()
        yield node
