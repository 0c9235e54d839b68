"""YAML text becomes plain values, with positions on demand.

libyaml (through PyYAML) finds the events; what they mean is decided here and in `scalars`:
the core schema of YAML 1.2, merge keys, no duplicate keys, one document.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

from evalcontract.model.span import Span
from evalcontract.source.document import Document
from evalcontract.source.fault import Fault, SourceFault, duplicate_fault
from evalcontract.source.limits import MAX_DEPTH, MAX_REPLAYED, deep_fault, replay_fault
from evalcontract.source.memory import collector_paused
from evalcontract.source.node import Node
from evalcontract.source.scalars import resolve_plain, resolve_tagged
from evalcontract.source.yaml_parts import (
    Event,
    apply_merge,
    complex_key,
    height_of,
    placeholders,
    put_back,
    rows_without_dash,
    span_between,
    span_of,
    unsupported,
    unsupported_tag,
)

# Without the C extension PyYAML's own parser gives the same events, slowly.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CORE_COLLECTIONS = {
    yaml.MappingStartEvent: "tag:yaml.org,2002:map",
    yaml.SequenceStartEvent: "tag:yaml.org,2002:seq",
}


def parse_yaml(text: str, file: str, data: bytes) -> Document:
    """Parse one YAML document; `data` are the bytes that `text` came from.

    Raises:
        Fault: `source/syntax`, `source/duplicate-key`, `source/multiple-documents`,
            `source/limit-exceeded`, `source/unsupported` …

    """
    value = _Builder(text, keep_nodes=False).document()
    return Document(file, value, text, data, lambda: nodes_of(text))


def read_piece(text: str, *, depth: int = 0, keep_nodes: bool = False) -> tuple[Any, Node]:
    """Return the value of a piece of a document that stands alone, and its places, if asked for.

    `depth` is how deep in the document it stands.

    Raises:
        Fault: it does not stand alone, or there is a fault in it, whatever it is.

    """
    builder = _Builder(text, keep_nodes=keep_nodes, depth=depth)
    value = builder.document()
    if builder.has_anchors:
        raise Fault
    return value, builder.node


def nodes_of(text: str) -> Node:
    """Return the places of a document that can be parsed."""
    builder = _Builder(text, keep_nodes=True)
    builder.document()
    return builder.node


class Anchored(NamedTuple):
    """What an alias stands for; `text` is that of a scalar, which is what it is as a key."""

    value: Any
    node: Node
    size: int
    text: str | None = None


class _NodesNeeded(Exception):
    """A duplicate key was met without positions: look again, with them."""


class _Builder:
    """Builds the value of one document from its events, and the tree of places if asked."""

    def __init__(self, text: str, *, keep_nodes: bool, depth: int = 0) -> None:
        self._text = text
        self._keep = keep_nodes
        self._depth = depth
        self._restore = placeholders(text)
        self.node = Node(Span.point())
        self._anchors: dict[str, Anchored | None] = {}
        self._plain: dict[str, object] = {}
        self._count = 0
        self._replayed = 0
        self._duplicates: list[SourceFault] = []

    @property
    def has_anchors(self) -> bool:
        """Whether anything in it may be repeated elsewhere."""
        return bool(self._anchors)

    def document(self) -> Any:
        """Return the value; `node` is its tree of places afterwards, if asked for."""
        hidden = {ord(broken): private for private, broken in self._restore.items()}
        try:
            self._next = _PARSER(self._text.translate(hidden) if hidden else self._text).get_event
            with collector_paused():
                return self._document()
        except _NodesNeeded:
            return _Builder(self._text, keep_nodes=True).document()
        except yaml.YAMLError as error:
            from evalcontract.source.yaml_errors import explain  # slow to import

            raise Fault(explain(error, self._text)) from None

    def _document(self) -> Any:
        self._next()  # the start of the stream
        event = self._next()
        if isinstance(event, yaml.StreamEndEvent):
            raise Fault(SourceFault("source/empty", "the file holds no value, only comments"))
        if event.version is not None and event.version != (1, 2):
            raise Fault(unsupported(event, "a `%YAML 1.1` directive", "remove the directive"))
        value = self._value(self._next(), self._depth)
        node = self.node
        self._next()  # the end of the document
        event = self._next()
        if not isinstance(event, yaml.StreamEndEvent):
            raise Fault(
                SourceFault(
                    "source/multiple-documents",
                    "a second document starts here",
                    span_of(event),
                    "keep one document in a file",
                )
            )
        if self._duplicates:
            raise Fault(*self._duplicates)
        self.node = node
        return value

    def _value(self, event: Event, depth: int) -> Any:
        kind = event.__class__
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.AliasEvent:
            return self._alias(event, depth)
        if depth >= MAX_DEPTH:
            raise Fault(deep_fault(span_of(event)))
        if event.tag not in (None, "!", _CORE_COLLECTIONS[kind]):
            raise Fault(unsupported_tag(event))
        before = self._count
        if event.anchor is not None:
            self._anchors[event.anchor] = None  # an alias to it from inside has no end
        build = self._mapping if kind is yaml.MappingStartEvent else self._sequence
        value = build(event, depth + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchored(value, self.node, self._count - before)
        return value

    def _scalar(self, event: Event) -> Any:
        self._count += 1
        text = event.value
        if event.tag is None and event.implicit[0]:
            try:
                value = self._plain[text]
            except KeyError:
                value = self._plain[text] = self._resolve(event, text)
        elif event.tag is None:
            value = text
        else:
            value = self._resolve(event, text)
        if self._restore and isinstance(value, str):
            value = put_back(value, self._restore)
        if self._keep:
            self.node = Node(span_of(event), None, put_back(text, self._restore))
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchored(value, self.node, 1, text)
        return value

    def _resolve(self, event: Event, text: str) -> object:
        try:
            return resolve_plain(text) if event.tag is None else resolve_tagged(event.tag, text)
        except LookupError:
            raise Fault(unsupported_tag(event)) from None
        except ValueError:
            message = f"`{text[:40]}` cannot be read as a number"
            raise Fault(
                SourceFault("source/syntax", message, span_of(event), "quote it, if it is text")
            ) from None

    def _sequence(self, start: Event, depth: int) -> list[Any]:
        values: list[Any] = []
        nodes: list[Node] = []
        self._count += 1
        while True:
            event = self._next()
            if event.__class__ is yaml.SequenceEndEvent:
                break
            values.append(self._value(event, depth))
            if self._keep:
                nodes.append(self.node)
        if self._keep:
            self.node = Node(span_between(start, event), nodes)
        return values

    def _mapping(self, start: Event, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        nodes: dict[str, tuple[Span, Node]] = {}
        merges: list[tuple[Any, Node]] = []
        first_merge = None
        twice: list[SourceFault] = []
        self._count += 1
        while True:
            event = self._next()
            if event.__class__ is yaml.MappingEndEvent:
                break
            key, merge = self._key(event)
            value = self._value(self._next(), depth)
            if merge and first_merge is not None:
                twice.append(duplicate_fault(key, span_of(event), first_merge))
            if merge:
                first_merge = span_of(event)
                merges.append((self._checked_merge(event, value), self.node))
                continue
            if key in values:
                twice.append(self._duplicate(event, key, nodes))
                continue
            values[key] = value
            if self._keep:
                nodes[key] = (span_of(event), self.node)
        for value, node in merges:
            apply_merge(values, nodes, value, node)
        if self._keep:
            self.node = Node(span_between(start, event), nodes)
        if twice:
            self._duplicates += rows_without_dash(twice, start, self._text) or twice
        return values

    def _key(self, event: Event) -> tuple[str, bool]:
        """Return a key and whether it merges; keys are their text, as the editors read them."""
        if event.__class__ is yaml.AliasEvent:
            self._alias(event, 0)
            anchored = self._anchors.get(event.anchor or "")
            if anchored is not None and anchored.text is not None:
                return put_back(anchored.text, self._restore), False
        elif event.__class__ is yaml.ScalarEvent:
            if event.tag is not None or event.anchor is not None:
                self._scalar(event)  # refuses tags, keeps the anchor
            key = put_back(event.value, self._restore) if self._restore else event.value
            return key, key == "<<" and event.implicit[0]
        raise Fault(complex_key(event, self._text))

    def _alias(self, event: Event, depth: int) -> Any:
        if event.anchor not in self._anchors:
            message = f"`*{event.anchor}` has no anchor `&{event.anchor}` before it"
            advice = f'quote it, if it is text: "*{event.anchor}"'
            raise Fault(SourceFault("source/syntax", message, span_of(event), advice))
        anchored = self._anchors[event.anchor]
        if anchored is None:
            message = f"`*{event.anchor}` stands inside of its own anchor, without end"
            raise Fault(SourceFault("source/syntax", message, span_of(event)))
        value, self.node = anchored.value, anchored.node
        self._replayed += anchored.size
        self._count += anchored.size
        if self._replayed > MAX_REPLAYED:
            raise Fault(replay_fault(span_of(event)))
        if depth + height_of(value, {}) > MAX_DEPTH:
            raise Fault(deep_fault(span_of(event)))
        return value

    def _duplicate(
        self, event: Event, key: str, nodes: dict[str, tuple[Span, Node]]
    ) -> SourceFault:
        if not self._keep:
            raise _NodesNeeded
        first, _ = nodes[key]
        return duplicate_fault(key, span_of(event), first)

    def _checked_merge(self, event: Event, value: Any) -> Any:
        parts = value if isinstance(value, list) else [value]
        if all(isinstance(part, dict) for part in parts):
            return value
        message = "`<<` merges a mapping or a list of mappings"
        raise Fault(
            SourceFault("source/syntax", message, span_of(event), 'quote it as "<<" to have a key')
        )
