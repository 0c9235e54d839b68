"""The references of a JSON Schema: where they lead, whether they run in a circle, and how far.

Two schemas are joined where one is applied to the very value of the other: by `$ref` and by
`allOf` and its like. A circle of such steps never comes to an end, since it takes nothing of the
value; one that goes down through `properties` or `items` ends with the value, and is sound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from evalcontract.model.nearest import nearest
from evalcontract.structure.subschemas import (
    IN_PLACE_LISTS,
    IN_PLACE_MAPPINGS,
    IN_PLACE_SCHEMA,
    parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

_REFERENCES = ("$ref", "$dynamicRef")
_IN_PLACE = frozenset((*IN_PLACE_SCHEMA, *IN_PLACE_LISTS, *IN_PLACE_MAPPINGS))
#: Schemas that may be applied to one value. A large schema takes some hundreds.
MOST_STEPS = 100_000


@dataclass(slots=True)
class SchemaNode:
    """One schema of a document: where it stands, and which others are applied to its value."""

    schema: dict[str, Any]
    path: Path
    steps: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A reference that leads to no schema, at `path`; `meant` is one that would."""

    path: Path
    reference: str
    why: str
    meant: str | None


class Graph:
    """The schemas of one document. `strays` are those found only by a reference, at odd places.

    The schema has to be valid by the metaschema; what a reference leads to elsewhere may not be.
    """

    def __init__(self, schema: Any) -> None:
        self.nodes: dict[int, SchemaNode] = {}
        self.dead_ends: list[DeadEnd] = []
        self.strays: list[tuple[Path, Any]] = []
        self._anchors: dict[str, list[int]] = {}
        self._waiting: list[tuple[SchemaNode, str, str, Any]] = []
        resource = _resource(schema)
        # An empty registry: nothing is ever fetched.
        resolver = Registry().resolver_with_root(resource)
        self._add(schema, (), resolver)
        while self._waiting:
            self._follow(*self._waiting.pop(0))

    def _add(self, schema: Any, path: Path, resolver: Any) -> None:
        if not isinstance(schema, dict) or id(schema) in self.nodes:
            return
        if path and isinstance(schema.get("$id"), str):
            resolver = resolver.in_subresource(_resource(schema))
        node = self.nodes[id(schema)] = SchemaNode(schema, path)
        if isinstance(schema.get("$dynamicAnchor"), str):
            self._anchors.setdefault(schema["$dynamicAnchor"], []).append(id(schema))
        for keyword in _REFERENCES:
            if isinstance(schema.get(keyword), str):
                self._waiting.append((node, keyword, schema[keyword], resolver))
        for way, part in parts(schema):
            if way[0] in _IN_PLACE and isinstance(part, dict):
                node.steps.append((str(way[0]), id(part)))
            self._add(part, (*path, *way), resolver)

    def _follow(self, node: SchemaNode, keyword: str, reference: str, resolver: Any) -> None:
        try:
            found = resolver.lookup(reference)
            target = found.contents
        except (Unresolvable, ValueError, LookupError, TypeError, AttributeError):
            self.dead_ends.append(self._dead_end(node, keyword, reference))
            return
        if isinstance(target, bool):
            return
        if not isinstance(target, dict):
            why = "leads to no schema"
            self.dead_ends.append(DeadEnd((*node.path, keyword), reference, why, None))
            return
        if id(target) not in self.nodes:
            way = _pointed(reference) if reference.startswith("#/") else (*node.path, keyword)
            self.strays.append((way, target))
            self._add(target, way, found.resolver)
        targets = [id(target)]
        if keyword == "$dynamicRef" and isinstance(target.get("$dynamicAnchor"), str):
            # Which of them is meant depends on the way here, so each may be.
            targets = self._anchors.get(target["$dynamicAnchor"], targets)
        node.steps.extend((f"{keyword}: {reference}", each) for each in targets)

    def _dead_end(self, node: SchemaNode, keyword: str, reference: str) -> DeadEnd:
        path = (*node.path, keyword)
        if not reference.startswith("#"):
            return DeadEnd(path, reference, "is elsewhere, and nothing is ever fetched", None)
        known = [pointer(each.path) for each in self.nodes.values()]
        known += [f"#{name}" for name in self._anchors]
        tail = reference.rpartition("/")[2]
        same = [each for each in known if each.rpartition("/")[2] == tail and "efs/" in each]
        meant = next(iter(same), None) or nearest(reference, known)
        return DeadEnd(path, reference, "leads nowhere in this schema", meant)

    def circles(self) -> Iterator[list[tuple[SchemaNode, str]]]:
        """Yield every circle of steps that take nothing of a value: its schemas, with each step.

        Of circles that share a schema one is enough.
        """
        done: set[int] = set()
        told: set[int] = set()
        for start in self.nodes:
            trail: list[tuple[int, int]] = [(start, 0)]
            on_trail = {start: 0}
            while trail:
                at, count = trail[-1]
                steps = self.nodes[at].steps
                if at in done or count == len(steps):
                    done.add(at)
                    on_trail.pop(at, None)
                    trail.pop()
                    continue
                trail[-1] = (at, count + 1)
                target = steps[count][1]
                if target in on_trail:
                    circle = trail[on_trail[target] :]
                    if not told & {each for each, _ in circle}:
                        told |= {each for each, _ in circle}
                        yield [(self.nodes[a], self.nodes[a].steps[n - 1][0]) for a, n in circle]
                elif target not in done:
                    on_trail[target] = len(trail)
                    trail.append((target, 0))

    def too_many(self) -> SchemaNode | None:
        """Return the innermost schema that takes too many steps for one value; it has no circles.

        Schemas that lead twice to the same one, which does so too, double them at every hop.
        """
        counts: dict[int, int] = {}
        for start in self.nodes:
            trail = [start]
            while trail:
                at = trail[-1]
                missing = [each for _, each in self.nodes[at].steps if each not in counts]
                if missing:
                    trail.extend(missing)
                    continue
                trail.pop()
                if at not in counts:
                    counts[at] = 1 + sum(counts[each] for _, each in self.nodes[at].steps)
                    if counts[at] > MOST_STEPS:
                        return self.nodes[at]
        return None


def _resource(schema: Any) -> Resource[Any]:
    return DRAFT202012.create_resource(schema)


def _pointed(reference: str) -> Path:
    steps = reference.removeprefix("#/").split("/")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def pointer(path: Path) -> str:
    """Write a path as a reference: `#/$defs/a`."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "/".join(("#", *steps))
