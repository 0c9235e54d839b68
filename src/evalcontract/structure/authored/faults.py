"""Find the problems that make a JSON Schema (Draft 2020-12) unusable."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.model.values import clipped
from evalcontract.structure.authored.fault import SchemaFault
from evalcontract.structure.native import is_schema, native_for, reads_pattern
from evalcontract.structure.subschemas import patterns, plain, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path
    from evalcontract.structure.authored.graph import Graph

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
        from evalcontract.structure.authored.graph import Graph  # slow to import

        graph = Graph(supported)
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
    from evalcontract.structure.authored.messages import metaschema_faults  # slow to import

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


def _reference_faults(graph: Graph) -> list[SchemaFault]:
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
    from evalcontract.structure.authored.graph import pointer

    names = [pointer(node.path) for node, _ in circle]
    chain = " → ".join(f"`{name}`" for name in _shortened([*names, names[0]]))
    paths = [(*node.path, step.split(":")[0]) for node, step in circle if step.startswith("$")]
    return SchemaFault(
        f"circular reference that never reaches a value: {chain}",
        paths[0] if paths else circle[0][0].path,
        "remove one reference, or recurse through `properties` or `items`",
        also=tuple(("continued here", path) for path in paths[1:6]),
    )


def _shortened(names: list[str]) -> list[str]:
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
