"""What makes a JSON Schema (Draft 2020-12) one that no value can be checked against."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.structure.authored.fault import SchemaFault
from evalcontract.structure.native import is_schema, native_for, reads_pattern
from evalcontract.structure.subschemas import patterns, plain, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.authored.graph import Graph

#: Faults told of one schema; who has more, mends these first.
_MOST = 20


def schema_faults(schema: Any) -> tuple[SchemaFault, ...]:
    """Return what is wrong with a JSON Schema, each mistake once; nothing if it can be used."""
    try:
        return tuple(_faults(schema))[:_MOST]
    except RecursionError:
        return (SchemaFault("the schema is nested too deep to be used", ()),)


def _faults(schema: Any) -> list[SchemaFault]:
    if isinstance(schema, bool):
        return []
    found = [*_of_form(schema, ()), *_of_patterns(schema, ())]
    if found:
        return found
    sound = plain(schema)
    if _has_references(sound):
        from evalcontract.structure.authored.graph import Graph  # slow to import

        graph = Graph(sound)
        for path, stray in graph.strays:
            found += [*_of_form(stray, path), *_of_patterns(stray, path)]
        found += [] if found else _of_references(graph)
    return found or list(_of_engine(sound))


def _has_references(schema: Any) -> bool:
    every = subschemas(schema)
    return any("$ref" in each or "$dynamicRef" in each for _, each in every)


# The form: the metaschema


def _of_form(schema: Any, path: Path) -> list[SchemaFault]:
    if is_schema(schema):
        return []
    from evalcontract.structure.authored.messages import faults_of_form  # slow to import

    return [replace(each, path=(*path, *each.path)) for each in faults_of_form(schema)]


# Patterns

_PYTHON_ONLY = {
    r"\Z": "write `$` for the end",
    "(?P=": r"write `\1` for what the first group took",
    "(?#": "take the comment out; `$comment` holds one",
    "(?>": "an atomic group is no part of ECMA-262; write `(?:`",
    "{,": "write the 0: `{0,…}`",
}


# What the fast engine takes to match a pattern grows with the square of its length.
_LONGEST_PATTERN = 5000


def _of_patterns(schema: Any, path: Path) -> Iterator[SchemaFault]:
    for way, pattern, on_key in patterns(schema):
        if len(pattern) > _LONGEST_PATTERN:
            message = (
                f"a pattern has {len(pattern):,} characters, of {_LONGEST_PATTERN:,} at the most"
            )
            yield SchemaFault(message, (*path, *way), "list the texts in an `enum`", on_key)
        elif not reads_pattern(pattern):
            why, advice = _why_unread(pattern)
            message = f"the pattern `{_clipped(pattern)}` cannot be read{why}"
            yield SchemaFault(message, (*path, *way), advice, on_key)


def _why_unread(pattern: str) -> tuple[str, str]:
    for sign, advice in _PYTHON_ONLY.items():
        if sign in pattern:
            return f": `{sign}` is no part of it", advice
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        at = f" at character {error.pos + 1}" if error.pos is not None else ""
        return f": {error.msg}{at}", "a pattern is a regular expression of ECMA-262"
    except (RecursionError, OverflowError):
        return ": it is too large", "ask for less"
    return "", "a pattern is a regular expression of ECMA-262: escape what stands for itself"


def _clipped(text: str) -> str:
    most = 60
    return text if len(text) <= most else f"{text[: most - 1]}…"


# References


def _of_references(graph: Graph) -> list[SchemaFault]:
    found = []
    for end in graph.dead_ends:
        advice = f"did you mean `{end.meant}`?" if end.meant else "put the schema below `$defs`"
        keyword = end.path[-1]
        message = f"`{keyword}: {_clipped(end.reference)}` {end.why}"
        found.append(SchemaFault(message, end.path, advice))
    found.extend(map(_of_circle, graph.circles()))
    node = None if found else graph.too_many()
    if node is not None:
        message = "checking one value takes more than 100,000 steps: schemas lead twice to the same"
        advice = "lead to each schema once: what doubles at every hop has no end"
        found.append(SchemaFault(message, node.path, advice, on_key=True))
    return found


def _of_circle(circle: list[Any]) -> SchemaFault:
    from evalcontract.structure.authored.graph import pointer

    hops = [(node, step) for node, step in circle if step.startswith("$")]
    names = [pointer(node.path) for node, _ in circle]
    chain = " → ".join(f"`{name}`" for name in _ends([*names, names[0]]))
    places = [(*node.path, step.split(":")[0]) for node, step in hops]
    return SchemaFault(
        f"these references run in a circle, and never reach a value: {chain}",
        places[0] if places else circle[0][0].path,
        "let one of them describe something, or go down through `properties` or `items`",
        also=tuple(("which leads on from here", place) for place in places[1:6]),
    )


def _ends(names: list[str]) -> list[str]:
    most = 6
    return names if len(names) <= most else [*names[:3], "…", *names[-2:]]


# What is left


def _of_engine(schema: Any) -> Iterator[SchemaFault]:
    try:
        native_for(schema)
    except ValueError as error:
        for path, each in subschemas(schema):
            if isinstance(each.get("$id"), str) and "URI" in str(error):
                yield SchemaFault("`$id` is no address (a URI)", (*path, "$id"))
                return
        yield SchemaFault("the schema cannot be used by the engine that checks rows", ())
