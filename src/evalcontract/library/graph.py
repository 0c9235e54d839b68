"""The graph of references: what an artifact reaches, and the cycles in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.library import Resolved
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.library.artifact import Artifact, Use
    from evalcontract.library.library import Library


def steps(artifact: Artifact, library: Library) -> Iterator[tuple[Use, Artifact]]:
    """Yield each reference of an artifact that resolves, with what it leads to."""
    for use in artifact.uses:
        found = library.resolve(use.reference)
        if isinstance(found, Resolved):
            yield use, found.artifact


def rubric_steps(artifact: Artifact, library: Library) -> Iterator[tuple[Use, Artifact]]:
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


def find_cycle(start: Artifact, library: Library) -> list[tuple[Artifact, Use]] | None:
    """Return the shortest way from a rubric back to itself, as (rubric, its reference) hops.

    None where there is no way back.
    """
    paths: list[list[tuple[Artifact, Use]]] = [[]]
    ends = [start]
    seen: set[int] = set()
    while ends:
        end, path = ends.pop(0), paths.pop(0)
        for use, target in rubric_steps(end, library):
            hop = [*path, (end, use)]
            if target is start:
                return hop
            if id(target) not in seen:
                seen.add(id(target))
                ends.append(target)
                paths.append(hop)
    return None
