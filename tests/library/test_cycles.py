"""Cycles of rubrics: which are reported, and that the search does not grow out of hand."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import calls_of

from evalcontract.library.library import MAX_GROUP, Artifact, Library, find_cycles, read_artifact
from evalcontract.library.references import check_cycles, check_depth
from evalcontract.model.reference import Kind
from evalcontract.source import Document, read_stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def library_of(graph: Mapping[int, Sequence[int]]) -> Library:
    """Return a library of rubrics by number, each with composites that refer to others."""
    return Library(rubric(number, targets) for number, targets in graph.items())


def rubric(number: int, targets: Sequence[int]) -> Artifact:
    checks = [{"kind": "composite", "rubric_ref": f"rubric/r{to}@1.0.0"} for to in targets]
    value: dict[str, Any] = {"id": f"r{number}", "version": "1.0.0", "checks": checks}
    document = read_stream(io.BytesIO(json.dumps(value).encode()), f"r{number:04}.json")
    assert isinstance(document, Document)
    return read_artifact(Kind.RUBRIC, document)


def cycles_of(library: Library) -> set[tuple[str, ...]]:
    """Return the reported cycles, as the names of their hops."""
    return {
        tuple(str(hop.id) for hop, _ in chain)
        for artifact in library.artifacts
        for chain in find_cycles(artifact, library)
    }


@pytest.mark.parametrize(
    ("graph", "cycles"),
    [
        ({0: [1], 1: []}, set()),
        ({0: [0]}, {("r0",)}),
        ({0: [1], 1: [0]}, {("r0", "r1"), ("r1", "r0")}),
        (
            {0: [1, 2], 1: [2], 2: [0]},
            {("r0", "r1", "r2"), ("r0", "r2"), ("r1", "r2", "r0"), ("r2", "r0")},
        ),
        ({0: [1], 1: [2], 2: [1]}, {("r1", "r2"), ("r2", "r1")}),
        ({0: [9], 1: [1, 1]}, {("r1",)}),
    ],
)
def test_cycles(graph: Mapping[int, Sequence[int]], cycles: set[tuple[str, ...]]) -> None:
    assert cycles_of(library_of(graph)) == cycles


NODES = st.integers(0, 5)


@given(edges=st.lists(st.tuples(NODES, NODES), max_size=14))
def test_a_rubric_is_in_a_cycle_if_it_reaches_itself(edges: list[tuple[int, int]]) -> None:
    graph = {node: [to for start, to in edges if start == node] for node in range(6)}
    library = library_of(graph)
    for node, artifact in enumerate(library.artifacts):
        reached: set[int] = set()
        waiting = [*graph[node]]
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                waiting += graph[at]
        assert library.rubric_cycles.is_in_cycle(artifact) == (node in reached)
        assert bool(find_cycles(artifact, library)) == (node in reached)
        for chain in find_cycles(artifact, library):
            hops = [hop.id for hop, _ in chain]
            assert hops[0] == artifact.id
            assert len(hops) == len({*hops})
            ends = [f"{use.reference.id}" for _, use in chain]
            assert ends == [*hops[1:], artifact.id]


def test_of_a_large_group_only_the_first_rubric_is_asked() -> None:
    count = MAX_GROUP + 1
    library = library_of({n: [(n + 1) % count] for n in range(count)})
    found = [problem for each in library.artifacts for problem in check_cycles(each, library)]
    assert [(each.code, len(each.related)) for each in found] == [("rubric/cycle", count - 1)]


def search_all(library: Library) -> None:
    for artifact in library.artifacts:
        assert not [*check_cycles(artifact, library)]
        assert len([*check_depth(artifact, library)]) <= len(artifact.uses)


def layers(depth: int, width: int = 8) -> Library:
    """Return layers of rubrics, each of which refers to all of the next layer."""
    return library_of(
        {
            layer * width + n: [(layer + 1) * width + to for to in range(width)]
            for layer in range(depth)
            for n in range(width)
        }
    )


def ring(count: int) -> Library:
    return library_of({n: [(n + 1) % count] for n in range(count)})


def test_the_search_grows_with_the_references() -> None:
    few, many = (calls_of(search_all, layers(depth)) for depth in (4, 16))
    assert many < 6 * few


@pytest.mark.costly
def test_the_search_in_a_ring_grows_with_the_ring() -> None:
    def search(library: Library) -> None:
        assert sum(len([*check_cycles(each, library)]) for each in library.artifacts) == 1

    few, many = (calls_of(search, ring(count)) for count in (2 * MAX_GROUP, 8 * MAX_GROUP))
    assert many < 6 * few
