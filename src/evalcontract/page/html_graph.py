"""The graph of references for the HTML report: datasets, rubrics, judges, and what is missing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evalcontract.library.artifact import references_in_row
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Kind
from evalcontract.page.content import Edge, Graph, Node

if TYPE_CHECKING:
    from typing import Any

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.reference import Reference

# A picture of more nodes shows nothing any more.
_MAX_NODES = 400


class GraphCollector:
    """Collects the references of datasets, and all that these reach."""

    def __init__(self) -> None:
        self._nodes: dict[object, Node] = {}
        self._edges: dict[tuple[object, object], Edge] = {}

    def dataset(self, file: str, library: Library) -> DatasetNode:
        """Add a dataset; its references are those of the rows that the result takes."""
        return DatasetNode(self, file, library)

    def node(self, key: object, node: Node) -> None:
        """Add a node, or replace it."""
        self._nodes[key] = node

    def refer(self, start: object, reference: Reference, count: int, library: Library) -> None:
        """Add references of a node, and what they reach."""
        resolved = library.resolve(reference)
        if not isinstance(resolved, Resolved):
            end: object = (id(library), str(reference))
            version = str(reference.version) if reference.version else ""
            self.node(end, Node(str(reference.kind), reference.id, version, None, missing=True))
            self._edge(start, end, count, pinned=reference.version is not None)
            return
        artifact = resolved.artifact
        if id(artifact) not in self._nodes:
            self._add(artifact, library)
        self._edge(start, id(artifact), count, pinned=resolved.pinned)

    def _add(self, artifact: Artifact, library: Library) -> None:
        """Add an artifact and all that it reaches; the stack is as deep as the graph may be."""
        stack = [artifact]
        cycles = library.rubric_cycles
        while stack:
            each = stack.pop()
            if id(each) in self._nodes:
                continue
            in_cycle = each.kind is Kind.RUBRIC and cycles.is_in_cycle(each)
            group = cycles.distances_to(each) if in_cycle else {}
            name, version = each.id or each.file, str(each.version or "")
            self.node(id(each), Node(str(each.kind), name, version, each.file, in_cycle=in_cycle))
            for use in each.uses:
                target = library.resolve(use.reference)
                if isinstance(target, Resolved):
                    stack.append(target.artifact)
                    key = (id(each), id(target.artifact))
                    self._edge(*key, 1, pinned=target.pinned, in_cycle=key[1] in group)
                else:
                    self.refer(id(each), use.reference, 1, library)

    def _edge(
        self, start: object, end: object, count: int, *, pinned: bool, in_cycle: bool = False
    ) -> None:
        known = self._edges.get((start, end), Edge(0, 0, 0, pinned=True))
        self._edges[start, end] = Edge(
            0, 0, known.uses + count, known.pinned and pinned, known.in_cycle or in_cycle
        )

    def graph(self) -> Graph:
        """Return the graph; of too large a one, the nodes that were found first."""
        keys = list(self._nodes)[:_MAX_NODES]
        number = {key: at for at, key in enumerate(keys)}
        edges = [
            edge._replace(start=number[start], end=number[end])
            for (start, end), edge in self._edges.items()
            if start in number and end in number
        ]
        return Graph([self._nodes[key] for key in keys], edges, len(self._nodes) - len(keys))


class DatasetNode:
    """A dataset of the graph, row by row."""

    def __init__(self, graph: GraphCollector, file: str, library: Library) -> None:
        self._graph = graph
        self._file = file
        self._library = library
        self._count = 0
        self._references: Counter[Reference] = Counter()
        self._graph.node(("dataset", file), Node("dataset", file, "", file))

    def take(self, row: Any) -> None:
        """Take a row."""
        self._count += 1
        self._references.update(site.reference for site in references_in_row(row, ()))

    def finish(self) -> None:
        """Add the references of all rows."""
        rows = "1 row" if self._count == 1 else f"{self._count:,} rows"
        key = ("dataset", self._file)
        self._graph.node(key, Node("dataset", self._file, rows, self._file))
        for reference, count in self._references.items():
            self._graph.refer(key, reference, count, self._library)
