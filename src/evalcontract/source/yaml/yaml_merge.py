"""Merge keys: `<<` adds the keys of another mapping, with their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.source.fault import ParseError, SourceProblem, duplicate_fault
from evalcontract.source.yaml.yaml_faults import no_merge
from evalcontract.source.yaml.yaml_parts import Event, span_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Span
    from evalcontract.source.node import Node


def merge(
    values: dict[str, Any],
    nodes: dict[str, tuple[Span, Node]],
    merges: list[tuple[Event, Any, Node]],
) -> Iterable[SourceProblem]:
    """Add merged keys to a mapping and its tree of positions; return problems of duplicate `<<`.

    `merges` are the `<<` keys of the mapping, each with its value and the node of the value.

    Raises:
        ParseError: a merged value is not a mapping.

    """
    for event, value, node in merges:
        if not all(isinstance(part, dict) for part in _parts(value)):
            raise ParseError(no_merge(event))
        _apply(values, nodes, value, node)
    spans = [span_of(event) for event, _, _ in merges]
    return [duplicate_fault("<<", span, spans[at]) for at, span in enumerate(spans[1:])]


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _apply(
    values: dict[str, Any], nodes: dict[str, tuple[Span, Node]], merged: Any, node: Node
) -> None:
    """Add the keys of a merged value to a mapping; existing keys take precedence."""
    if isinstance(merged, list):
        children = node.children if isinstance(node.children, list) else [node] * len(merged)
        for part, child in zip(merged, children, strict=True):
            _apply(values, nodes, part, child)
        return
    for key, value in merged.items():
        if key not in values:
            values[key] = value
            if isinstance(node.children, dict):
                nodes[key] = node.children[key]
