"""The graph of references: what an artifact reaches, and the cycles in it."""

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
    """Yield each reference of an artifact that resolves, with what it leads to."""
    for use in artifact.uses:
        found = library.resolve(use.reference)
        if isinstance(found, Resolved):
            yield use, found.artifact


def rubric_steps(artifact: Artifact, library: Library) -> Iterator[tuple[ReferenceSite, Artifact]]:
    """Yield the steps that lead to a rubric: those of `composite` checks."""
    return (step for step in steps(artifact, library) if step[1].kind is Kind.RUBRIC)


def reach(starts: Iterable[Artifact], library: Library) -> list[Artifact]:
    """Return every artifact that is reached from some, those included, each once."""
    seen: dict[int, Artifact] = {}
    waiting = list(starts)
    while waiting:
        artifact = waiting.pop()
        if id(artifact) not in seen:
            seen[id(artifact)] = artifact
            waiting.extend(target for _, target in steps(artifact, library))
    return list(seen.values())


def find_cycles(start: Artifact, library: Library) -> list[list[Hop]]:
    """Return the ways from a rubric back to itself: the shortest through each of its references.

    Each is a list of hops (rubric, its reference), the first of them from `start`.
    """
    found = []
    for use, target in rubric_steps(start, library):
        way = [] if target is start else _shortest(target, start, library)
        if way is not None:
            found.append([(start, use), *way])
    return found


def _shortest(start: Artifact, end: Artifact, library: Library) -> list[Hop] | None:
    """Return the shortest way between two rubrics, None where there is none."""
    waiting: list[tuple[Artifact, list[Hop]]] = [(start, [])]
    seen = {id(start)}
    while waiting:
        here, path = waiting.pop(0)
        for use, target in rubric_steps(here, library):
            if target is end:
                return [*path, (here, use)]
            if id(target) not in seen:
                seen.add(id(target))
                waiting.append((target, [*path, (here, use)]))
    return None
