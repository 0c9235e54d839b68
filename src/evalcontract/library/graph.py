"""The graph of references: reachable artifacts and cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evalcontract.library.artifact import Artifact, ReferenceSite
    from evalcontract.library.library import Library

    Hop = tuple[Artifact, ReferenceSite]


def rubric_steps(artifact: Artifact, library: Library) -> Iterator[tuple[ReferenceSite, Artifact]]:
    """Yield the references to rubrics, which are those of `composite` checks."""
    return (step for step in library.resolved_uses(artifact) if step[1].kind is Kind.RUBRIC)


def visit(start: Artifact, library: Library, is_new: Callable[[Artifact], bool]) -> None:
    """Call `is_new` with an artifact and all that it references transitively, once with each.

    Where it returns False, the references of that artifact are not followed.
    """
    seen: set[int] = set()
    stack = [start]
    while stack:
        artifact = stack.pop()
        if id(artifact) not in seen:
            seen.add(id(artifact))
            if is_new(artifact):
                stack.extend(target for _, target in library.resolved_uses(artifact))


def find_cycles(start: Artifact, library: Library) -> list[list[Hop]]:
    """Return the cycles through a rubric: the shortest one for each of its references.

    Each is a list of hops (rubric, reference), the first of them from `start`. For a rubric of a
    large group that refer to each other there are none, unless it is the first of the group; see
    `RubricCycles`.
    """
    cycles = library.rubric_cycles
    if not cycles.is_reported(start):
        return []
    distances = cycles.distances_to(start)
    paths: dict[int, list[Hop]] = {}
    chains = []
    for use, target in rubric_steps(start, library):
        if id(target) in distances:
            if id(target) not in paths:
                paths[id(target)] = _shortest_path(target, start, library, distances)
            chains.append([(start, use), *paths[id(target)]])
    return chains


def _shortest_path(
    start: Artifact, end: Artifact, library: Library, distances: Mapping[int, int]
) -> list[Hop]:
    """Return the shortest path between two rubrics; `distances` are those to the end."""
    path: list[Hop] = []
    rubric = start
    while rubric is not end:
        wanted = distances[id(rubric)] - 1
        use, target = next(
            step for step in rubric_steps(rubric, library) if distances.get(id(step[1])) == wanted
        )
        path.append((rubric, use))
        rubric = target
    return path
