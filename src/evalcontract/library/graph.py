"""The graph of references: reachable artifacts and cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.library import Resolved
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.library.artifact import Artifact, ReferenceSite
    from evalcontract.library.library import Library

    Hop = tuple[Artifact, ReferenceSite]


def steps(artifact: Artifact, library: Library) -> Iterator[tuple[ReferenceSite, Artifact]]:
    """Yield each reference of an artifact that resolves, with its target."""
    for use in artifact.uses:
        target = library.resolve(use.reference)
        if isinstance(target, Resolved):
            yield use, target.artifact


def rubric_steps(artifact: Artifact, library: Library) -> Iterator[tuple[ReferenceSite, Artifact]]:
    """Yield the references to rubrics, which are those of `composite` checks."""
    return (step for step in steps(artifact, library) if step[1].kind is Kind.RUBRIC)


def reach(starts: Iterable[Artifact], library: Library) -> list[Artifact]:
    """Return the artifacts and all that they reference transitively, each once."""
    seen: dict[int, Artifact] = {}
    stack = list(starts)
    while stack:
        artifact = stack.pop()
        if id(artifact) not in seen:
            seen[id(artifact)] = artifact
            stack.extend(target for _, target in steps(artifact, library))
    return list(seen.values())


def find_cycles(start: Artifact, library: Library) -> list[list[Hop]]:
    """Return the cycles through a rubric: the shortest one for each of its references.

    Each is a list of hops (rubric, reference), the first of them from `start`.
    """
    cycles = []
    for use, target in rubric_steps(start, library):
        path = [] if target is start else _shortest_path(target, start, library)
        if path is not None:
            cycles.append([(start, use), *path])
    return cycles


def _shortest_path(start: Artifact, end: Artifact, library: Library) -> list[Hop] | None:
    """Return the shortest path between two rubrics, or None."""
    queue: list[tuple[Artifact, list[Hop]]] = [(start, [])]
    seen = {id(start)}
    while queue:
        rubric, path = queue.pop(0)
        for use, target in rubric_steps(rubric, library):
            if target is end:
                return [*path, (rubric, use)]
            if id(target) not in seen:
                seen.add(id(target))
                queue.append((target, [*path, (rubric, use)]))
    return None
