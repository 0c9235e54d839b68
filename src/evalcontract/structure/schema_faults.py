"""The problems that make a JSON Schema (Draft 2020-12) unusable.

Its references are a graph. An edge joins two schemas that apply to the same value: by `$ref`, or by
an in-place applicator such as `allOf`. A circle of such edges is infinite recursion. A circle
through `properties` or `items` is not: it ends with the value.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from evalcontract.model.diagnostic import Path, key_of
from evalcontract.model.nearest import Suggestions, nearest
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.structure.exact import metaschema_violations
from evalcontract.structure.native import SchemaViolation, is_schema, native_for, reads_pattern
from evalcontract.structure.parts import (
    IN_PLACE_LISTS,
    IN_PLACE_MAPPINGS,
    IN_PLACE_SCHEMA,
    TYPES,
    parts,
    patterns,
    plain,
    subschemas,
)
from evalcontract.structure.value_messages import message_for, type_name


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """A problem at a path of a schema, with its message and help.

    `also` are related paths, each with a message: the further steps of a circular reference.
    """

    message: str
    path: Path
    help: str | None = None
    on_key: bool = False
    also: tuple[tuple[str, Path], ...] = ()


#: Maximum number of faults to return for one schema.
_MAX_FAULTS = 20


def schema_faults(schema: Any) -> tuple[SchemaFault, ...]:
    """Return the faults of a JSON Schema, each mistake once; an empty tuple if it is usable."""
    try:
        return tuple(_faults(schema))[:_MAX_FAULTS]
    except RecursionError:
        return (SchemaFault("the schema is nested too deeply to be used", ()),)


def _faults(schema: Any) -> list[SchemaFault]:
    if isinstance(schema, bool):
        return []
    faults = [*_metaschema_faults(schema, ()), *_pattern_faults(schema, ())]
    if faults:
        return faults
    supported = plain(schema)
    if _has_references(supported):
        graph = SchemaGraph(supported)
        for path, subschema in graph.outside:
            faults += [*_metaschema_faults(subschema, path), *_pattern_faults(subschema, path)]
        faults += [] if faults else _reference_faults(graph)
    return faults or list(_engine_faults(supported))


def _has_references(schema: Any) -> bool:
    return any(
        "$ref" in subschema or "$dynamicRef" in subschema for _, subschema in subschemas(schema)
    )


# The metaschema


def _metaschema_faults(schema: Any, path: Path) -> list[SchemaFault]:
    if is_schema(schema):
        return []

    return [replace(fault, path=(*path, *fault.path)) for fault in metaschema_faults(schema)]


# Patterns

_PYTHON_ONLY = {
    r"\Z": "write `$` for the end",
    "(?P=": r"write `\1` to refer to the first group",
    "(?#": "remove the comment, or put it into `$comment`",
    "(?>": "write `(?:`: ECMA-262 has no atomic groups",
    "{,": "write the 0: `{0,…}`",
}


# The time to match a pattern grows with the square of its length.
_MAX_PATTERN_LENGTH = 5000


def _pattern_faults(schema: Any, path: Path) -> Iterator[SchemaFault]:
    for relative_path, pattern, on_key in patterns(schema):
        pattern_path = (*path, *relative_path)
        if len(pattern) > _MAX_PATTERN_LENGTH:
            message = (
                f"a pattern has {len(pattern):,} characters; the maximum is {_MAX_PATTERN_LENGTH:,}"
            )
            yield SchemaFault(message, pattern_path, "list the strings in an `enum`", on_key)
        elif not reads_pattern(pattern):
            reason, advice = _why_invalid(pattern)
            message = f"the pattern `{clipped(pattern)}` is not a regular expression{reason}"
            yield SchemaFault(message, pattern_path, advice, on_key)


def _why_invalid(pattern: str) -> tuple[str, str]:
    """Return the reason why a pattern is invalid, which may be empty, and the advice."""
    for syntax, advice in _PYTHON_ONLY.items():
        if syntax in pattern:
            return f": ECMA-262 has no `{syntax}`", advice
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        at = f" at character {error.pos + 1}" if error.pos is not None else ""
        return f": {error.msg}{at}", "use a regular expression of ECMA-262"
    except (RecursionError, OverflowError):
        return ": it is too large", "simplify the pattern"
    return "", "use a regular expression of ECMA-262, and escape literal special characters"


# References


def _reference_faults(graph: SchemaGraph) -> list[SchemaFault]:
    faults = []
    for end in graph.dead_ends:
        advice = f"did you mean `{end.meant}`?" if end.meant else "put the schema below `$defs`"
        keyword = end.path[-1]
        message = f"`{keyword}: {clipped(end.reference)}` {end.why}"
        faults.append(SchemaFault(message, end.path, advice))
    faults.extend(map(_circle_fault, graph.circles()))
    node = None if faults else graph.too_many()
    if node is not None:
        message = (
            "checking one value takes more than 100,000 steps: schemas refer twice to the same one"
        )
        advice = "refer to each schema once: every second reference doubles the steps"
        faults.append(SchemaFault(message, node.path, advice, on_key=True))
    return faults


def _circle_fault(circle: list[Any]) -> SchemaFault:

    names = [pointer(node.path) for node, _ in circle]
    chain = " → ".join(f"`{name}`" for name in _shorten([*names, names[0]]))
    paths = [(*node.path, step.split(":")[0]) for node, step in circle if step.startswith("$")]
    return SchemaFault(
        f"circular reference that never reaches a value: {chain}",
        paths[0] if paths else circle[0][0].path,
        "remove one reference, or recurse through `properties` or `items`",
        also=tuple(("continued here", path) for path in paths[1:6]),
    )


def _shorten(names: list[str]) -> list[str]:
    most = 6
    return names if len(names) <= most else [*names[:3], "…", *names[-2:]]


# The engine


def _engine_faults(schema: Any) -> Iterator[SchemaFault]:
    try:
        native_for(schema)
    except ValueError as error:
        for path, subschema in subschemas(schema):
            if isinstance(subschema.get("$id"), str) and "URI" in str(error):
                yield SchemaFault("`$id` is not a valid URI", (*path, "$id"))
                return
        yield SchemaFault("the schema is not supported by the validator", ())


_TYPES_LISTED = ", ".join(f"`{name}`" for name in TYPES)
#: Type names of other languages.
_TYPE_ALIASES = {
    **dict.fromkeys(("str", "text", "char", "date", "datetime", "uuid", "uri"), "string"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("dict", "map", "mapping", "hash", "struct"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "sequence"), "array"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("none", "nil", "undefined"), "null"),
}
_ANCHOR = "use letters, digits, `-`, `_` and `.`, with a letter first"
_PATTERN_ADVICE: dict[Any, str] = {
    "$id": "use a URI without `#…`; `$anchor` names a subschema",
    "$anchor": _ANCHOR,
    "$dynamicAnchor": _ANCHOR,
}
_MAPPINGS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def metaschema_faults(schema: Any) -> Iterator[SchemaFault]:
    """Yield the violations of the Draft 2020-12 metaschema in a schema, each mistake once."""
    seen: set[tuple[Path, str]] = set()
    for violation, meant in metaschema_violations(schema):
        fault = _fault(violation, meant)
        if (fault.path, fault.message) not in seen:
            seen.add((fault.path, fault.message))
            yield fault


def _fault(error: SchemaViolation, violation: SchemaViolation) -> SchemaFault:  # noqa: PLR0911 - a table
    path = error.path
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else _item(path)
    if path[-1:] == ("type",) and error.keyword == "anyOf":
        return _type(error.instance, path)
    if error.keyword == "type" and set(error.keyword_value) == {"object", "boolean"}:
        return _no_schema(error.instance, path, name)
    if path[-1:] == ("required",) and isinstance(error.instance, bool):
        owner = path[-2] if len(path) > 1 else "name"
        advice = f"list the key in its parent schema: `required: [{owner}]` beside `properties`"
        return SchemaFault("`required` must be a list of names", path, advice)
    if str(path[-1:]).find("exclusiveM") >= 0 and isinstance(error.instance, bool):
        inclusive = str(path[-1])[9:].lower()
        advice = f"write the limit itself and remove `{inclusive}`: `{path[-1]}: 10`"
        return SchemaFault(f"{name} must be a number", path, advice)
    if violation.keyword == "pattern":
        message = f"{name} cannot be `{violation.instance}`"
        return SchemaFault(message, path, _PATTERN_ADVICE.get(path[-1]))
    if violation.keyword == "type" and violation.keyword_value == "integer":
        message = f"{name} must be a whole number, not {_quote(violation.instance)}"
        return SchemaFault(message, path)
    problem = message_for("bundle", violation, violation.path, written=None, subject="a schema")
    return SchemaFault(_with_name(problem.message, path, name), problem.path, problem.help)


def _item(path: Path) -> str:
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    return f"an item of `{key}`" if key else "a schema"


def _with_name(message: str, path: Path, name: str) -> str:
    """Replace the path in a message by the name of the keyword: the report shows the location."""
    shown_path = f"`{key_of(path)}`"
    return message.replace(shown_path, name, 1) if path else message


def _quote(value: Any) -> str:
    return f"{value}" if isinstance(value, float) else type_name(value)


def _type(value: Any, path: Path) -> SchemaFault:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if item not in TYPES:
                return _one_type(item, (*path, index))
        if not value:
            return SchemaFault("`type` is an empty list", path, f"add one of {_TYPES_LISTED}")
        duplicate = next(item for item in value if value.count(item) > 1)
        return SchemaFault(f"duplicate item `{duplicate}` in `type`", path, "remove one")
    return _one_type(value, path)


def _one_type(value: Any, path: Path) -> SchemaFault:
    if value is None:
        return SchemaFault("`type` is empty", path, 'quote the name of a type: "null"')
    if not isinstance(value, str):
        message = "`type` must be the name of a type, or a list of names"
        return SchemaFault(message, path, f"one of {_TYPES_LISTED}")
    folded = value.lower()
    meant = folded if folded in TYPES else _TYPE_ALIASES.get(folded) or nearest(folded, TYPES)
    if folded in ("any", "mixed"):
        return SchemaFault(f"`type` cannot be `{value}`", path, "omit `type` to allow any value")
    advice = f"did you mean `{meant}`?" if meant else f"one of {_TYPES_LISTED}"
    return SchemaFault(f"`type` cannot be `{value}`", path, advice)


def _no_schema(value: Any, path: Path, name: str) -> SchemaFault:
    if not path:
        return SchemaFault("a schema must be a mapping, true or false", path)
    advice = None
    if path[-1] == "items" and isinstance(value, list):
        advice = "in Draft 2020-12, schemas for individual items belong below `prefixItems`"
    elif isinstance(value, str) and value.lower() in ("true", "false"):
        advice = f"remove the quotes: {value.lower()}"
    elif isinstance(value, str):
        meant = value.lower() if value.lower() in TYPES else _TYPE_ALIASES.get(value.lower())
        advice = f"write a schema: {{type: {meant}}}" if meant else "write a schema: {type: …}"
    elif value is None:
        advice = "write a schema, or `true` for any value"
    elif path[-1] in ("required", "type") and path[-2:-1] and path[-2] in _MAPPINGS:
        advice = f"`{path[-1]}` belongs beside `{path[-2]}`, not in it"
    return SchemaFault(f"{name} must be a schema: a mapping, true or false", path, advice)


_REFERENCES = ("$ref", "$dynamicRef")
_IN_PLACE = frozenset((*IN_PLACE_SCHEMA, *IN_PLACE_LISTS, *IN_PLACE_MAPPINGS))
#: Maximum number of schemas applied to one value. A large schema takes some hundreds.
MOST_STEPS = 100_000


@dataclass(slots=True)
class SchemaNode:
    """A schema of a document: its path, and the steps to schemas for the same value.

    A step is a keyword, for a reference with its target, and the id of a schema.
    """

    schema: dict[str, Any]
    path: Path
    steps: list[tuple[str, int]] = field(default_factory=list)


# So many unresolvable references are compared with those that resolve; no more are reported.
_MAX_ADVISED = 20


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """An unresolvable reference at `path`; `meant` is the one that was probably meant."""

    path: Path
    reference: str
    why: str
    meant: str | None


class _Targets(NamedTuple):
    """The targets of references: definitions by name, and all schemas by spelling."""

    # `size` is the number of schemas that were known then.

    size: int
    by_name: dict[str, str]
    suggestions: Suggestions


class SchemaGraph:
    """The schemas of one document and the references between them.

    The document must be valid against the metaschema. `outside` are the schemas under unknown
    keywords, which only a reference leads to; they may be invalid.
    """

    def __init__(self, schema: Any) -> None:
        self.nodes: dict[int, SchemaNode] = {}
        self.dead_ends: list[DeadEnd] = []
        self.outside: list[tuple[Path, Any]] = []
        self._targets: _Targets | None = None
        self._anchors: dict[str, list[int]] = {}
        self._pending: list[tuple[SchemaNode, str, str, Any]] = []
        resource = _resource(schema)
        # An empty registry: nothing is ever fetched.
        resolver = Registry().resolver_with_root(resource)
        self._add(schema, (), resolver)
        while self._pending:
            self._follow(*self._pending.pop(0))

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
                self._pending.append((node, keyword, schema[keyword], resolver))
        for relative_path, part in parts(schema):
            if relative_path[0] in _IN_PLACE and isinstance(part, dict):
                node.steps.append((str(relative_path[0]), id(part)))
            self._add(part, (*path, *relative_path), resolver)

    def _follow(self, node: SchemaNode, keyword: str, reference: str, resolver: Any) -> None:
        try:
            resolved = resolver.lookup(reference)
            target = resolved.contents
        except (Unresolvable, ValueError, LookupError, TypeError, AttributeError):
            self.dead_ends.append(self._dead_end(node, keyword, reference))
            return
        if isinstance(target, bool):
            return
        if not isinstance(target, dict):
            why = "does not refer to a schema"
            self.dead_ends.append(DeadEnd((*node.path, keyword), reference, why, None))
            return
        if id(target) not in self.nodes:
            is_pointer = reference.startswith("#/")
            path = _path_of(reference) if is_pointer else (*node.path, keyword)
            self.outside.append((path, target))
            self._add(target, path, resolved.resolver)
        targets = [id(target)]
        if keyword == "$dynamicRef" and isinstance(target.get("$dynamicAnchor"), str):
            # The target depends on the evaluation path, so it may be any schema with the anchor.
            targets = self._anchors.get(target["$dynamicAnchor"], targets)
        node.steps.extend((f"{keyword}: {reference}", target_id) for target_id in targets)

    def _dead_end(self, node: SchemaNode, keyword: str, reference: str) -> DeadEnd:
        path = (*node.path, keyword)
        if not reference.startswith("#"):
            return DeadEnd(path, reference, "is an external schema, which is never fetched", None)
        if len(self.dead_ends) >= _MAX_ADVISED:
            return DeadEnd(path, reference, "does not exist in this schema", None)
        return DeadEnd(
            path, reference, "does not exist in this schema", self._target_like(reference)
        )

    def _target_like(self, reference: str) -> str | None:
        """Return the reference to a schema that was probably meant, or None."""
        if self._targets is None or self._targets.size != len(self.nodes):
            known = [pointer(target.path) for target in self.nodes.values()]
            known += [f"#{name}" for name in self._anchors]
            by_name: dict[str, str] = {}
            for item in known:
                if "efs/" in item:
                    by_name.setdefault(item.rpartition("/")[2], item)
            self._targets = _Targets(len(self.nodes), by_name, Suggestions(known))
        same_name = self._targets.by_name.get(reference.rpartition("/")[2])
        return same_name or self._targets.suggestions.nearest(reference)

    def circles(self) -> Iterator[list[tuple[SchemaNode, str]]]:
        """Yield the circles of steps for the same value: the schemas, each with its step.

        Of circles that share a schema, only one is yielded.
        """
        visited: set[int] = set()
        reported: set[int] = set()
        for start in self.nodes:
            trail: list[tuple[int, int]] = [(start, 0)]
            on_trail = {start: 0}
            while trail:
                current, position = trail[-1]
                steps = self.nodes[current].steps
                if current in visited or position == len(steps):
                    visited.add(current)
                    on_trail.pop(current, None)
                    trail.pop()
                    continue
                trail[-1] = (current, position + 1)
                target = steps[position][1]
                if target in on_trail:
                    circle = trail[on_trail[target] :]
                    members = {member for member, _ in circle}
                    if not reported & members:
                        reported |= members
                        yield [
                            (self.nodes[member], self.nodes[member].steps[n - 1][0])
                            for member, n in circle
                        ]
                elif target not in visited:
                    on_trail[target] = len(trail)
                    trail.append((target, 0))

    def too_many(self) -> SchemaNode | None:
        """Return the innermost schema that takes too many steps for one value, or None.

        The graph must have no circles. Every second reference to the same schema doubles the steps.
        """
        counts: dict[int, int] = {}
        for start in self.nodes:
            trail = [start]
            while trail:
                current = trail[-1]
                targets = [target for _, target in self.nodes[current].steps]
                uncounted = [target for target in targets if target not in counts]
                if uncounted:
                    trail.extend(uncounted)
                    continue
                trail.pop()
                if current not in counts:
                    counts[current] = 1 + sum(counts[target] for target in targets)
                    if counts[current] > MOST_STEPS:
                        return self.nodes[current]
        return None


def _resource(schema: Any) -> Resource[Any]:
    return DRAFT202012.create_resource(schema)


def _path_of(reference: str) -> Path:
    """Return the path of a reference with a JSON Pointer: `#/$defs/a`."""
    steps = reference.removeprefix("#/").split("/")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def pointer(path: Path) -> str:
    """Return the reference for a path, with a JSON Pointer: `#/$defs/a`."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "/".join(("#", *steps))


#: A state takes about 150 bytes, and a microsecond to make.
MAX_STATES = 600_000

_TOKEN = lazy_pattern(
    r"""
    (?P<property>\\[pP]\{[^}]*\}?)
    | (?P<escape>\\.)
    | (?P<set>\[\^?(?:\\.|[^\]\\])*\]?)
    | (?P<open>\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?)
    | (?P<close>\))
    | (?P<many>\{(?P<least>[0-9]{1,9})(?:,(?P<most>[0-9]{0,9}))?\})
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# The states of a class of characters beyond ASCII, whose UTF-8 bytes are matched one by one.
_PROPERTY, _MOST_CHARACTERS, _NON_ASCII = 500, 10, 4
_NO_STATES = frozenset("|^$*+?")


def pattern_size(pattern: str) -> int:
    """Return about how many states the automaton of a pattern has."""
    outer: list[int] = []  # the sizes of the groups around, up to the current one
    size = last = 0  # of the current group without its last item, and of that item
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        if kind == "many":
            last *= max(int(token["most"] or token["least"]), 1)
        elif kind == "open":
            outer.append(size + last)
            size = last = 0
        elif kind == "close":
            last = size + last + 1
            size = outer.pop() if outer else 0
        else:
            size += last
            last = _states(token[0], str(kind))
    return size + last + sum(outer)


def _states(text: str, kind: str) -> int:
    """Return about how many states a character or a class of characters takes."""
    if kind == "property" or (kind == "set" and "\\p" in text.lower()):
        return _PROPERTY
    if kind == "set":
        rest = any(part in text for part in ("[^", r"\W", r"\D", r"\S", r"\s"))
        return _MOST_CHARACTERS if rest else 1 if text.isascii() else _NON_ASCII
    if kind == "escape":
        return _MOST_CHARACTERS if text[1] in "WDSs" else 1
    return 0 if text in _NO_STATES else _MOST_CHARACTERS if text == "." else 1
