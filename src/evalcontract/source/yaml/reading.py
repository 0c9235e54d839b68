"""The exact reader of YAML: from the events of libyaml to values and places, with merge keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from evalcontract.model.diagnostic import Span
from evalcontract.source import faults
from evalcontract.source.document import Document, Node
from evalcontract.source.faults import ParseError, SourceProblem, collector_paused
from evalcontract.source.yaml import events
from evalcontract.source.yaml.events import Event, MaskedText, span_of
from evalcontract.source.yaml.scalars import resolve_plain, resolve_tagged

_Pairs = dict[str, tuple[Span, Node]]


def _merge(
    values: dict[str, Any], nodes: _Pairs, merges: list[tuple[Event, Any, Node]]
) -> Iterable[SourceProblem]:
    """Add merged keys to a mapping and its tree of positions; return problems of duplicate `<<`."""
    # `merges` are the `<<` keys of the mapping, each with its value and the node of the value. Keys
    # that are there take precedence.
    for event, merged, node in merges:
        mappings = merged if isinstance(merged, list) else [merged]
        if not all(isinstance(mapping, dict) for mapping in mappings):
            advice = 'quote it if it is an ordinary key: "<<"'
            message = "the value of `<<` must be a mapping or a list of mappings"
            raise ParseError(events.fault_at(event, message, advice))
        children = node.children if isinstance(node.children, list) else [node] * len(mappings)
        for mapping, child in zip(mappings, children, strict=True):
            new = {key: mapping[key] for key in mapping if key not in values}
            values.update(new)
            if isinstance(child.children, dict):
                nodes.update((key, child.children[key]) for key in new)
    spans = [span_of(event) for event, _, _ in merges]
    return [faults.duplicate_fault("<<", span, spans[at]) for at, span in enumerate(spans[1:])]


# Without the C extension, the slower Python parser of PyYAML yields the same events.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_SCALAR: Any = yaml.ScalarEvent
_ODD_KEYS = frozenset(("-", ""))
_SEQUENCE_END, _MAPPING_END = yaml.SequenceEndEvent, yaml.MappingEndEvent
_CORE_COLLECTIONS = {
    yaml.MappingStartEvent: "tag:yaml.org,2002:map",
    yaml.SequenceStartEvent: "tag:yaml.org,2002:seq",
}


def parse_yaml(text: str, file: str, data: bytes) -> Document:
    """Parse one YAML document; `data` are the bytes that `text` came from.

    Raises:
        ParseError: `source/syntax`, `source/duplicate-key`, `source/unsupported` …

    """
    value = _build(text).value
    return Document(file, value, text, data=data, nodes=lambda: nodes_of(text))


def read_piece(text: str, *, depth: int = 0, keep_nodes: bool = False) -> tuple[Any, Node]:
    """Return the value and, with `keep_nodes`, the tree of positions of a part of a document.

    `depth` is the nesting depth of the part in the document.

    Raises:
        ParseError: the part has anchors, which may be used elsewhere, or cannot be parsed.

    """
    builder = _build(text, keep_nodes=keep_nodes, depth=depth)
    if builder.anchors:
        raise ParseError
    return builder.value, builder.node


def nodes_of(text: str) -> Node:
    """Return the tree of positions of a document that is known to be valid."""
    return _build(text, keep_nodes=True).node


def keys_as_libyaml(text: str) -> list[tuple[str, Span]]:
    """Return the keys of the mapping that a text is for loaders built on libyaml, and their places.

    They take tags and indentations that `parse_yaml` refuses. Without a mapping, there are none.
    """
    found: list[tuple[str, Span]] = []
    depth, is_key = 0, True
    try:
        for event in yaml.parse(text, _PARSER):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth == 1 and isinstance(event, yaml.SequenceStartEvent):
                    return []
                continue
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth == 1 and isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                if is_key and isinstance(event, _SCALAR):
                    found.append((event.value, span_of(event)))
                is_key = not is_key
    except yaml.YAMLError:
        return []
    return found


def _build(text: str, *, keep_nodes: bool = False, depth: int = 0) -> _Builder:
    """Build the value of a text; start again with nodes or hidden surrogates if needed."""
    events.check_lines(text)
    hidden = events.hide(text)
    builder: _Builder | None = None
    while True:
        try:
            builder = _Builder(text, hidden, keep_nodes=keep_nodes, depth=depth)
            with collector_paused():
                builder.build()
        except _NodesRequiredError:
            keep_nodes = True
        except ParseError as error:
            tags = builder.tags.values() if builder else ()
            raise ParseError(*tags, *error.faults) from None
        except yaml.YAMLError as error:
            with_surrogates = events.hide_surrogates(hidden)
            if with_surrogates is None:
                from evalcontract.source.yaml.hints import explain  # slow to import

                raise ParseError(explain(error, text, hidden.text)) from None
            hidden = with_surrogates
        else:
            return builder


class _NodesRequiredError(Exception):
    """A duplicate key was found without positions."""


class _Builder:
    """Builds the value of a document from its events and, with `keep_nodes`, the tree of nodes."""

    def __init__(self, text: str, hidden: MaskedText, *, keep_nodes: bool, depth: int) -> None:
        self._text = text
        self._keep = keep_nodes
        self._depth = depth
        # A block scalar at the end of a file without a final line break ends like any other.
        end = "" if text.endswith("\n") else "\n"
        self._next = _PARSER(hidden.text + end).get_event
        self._hidden = hidden if hidden.restore else None
        self._has_explicit_keys = hidden.has_explicit_keys
        self._indentation = events.Indentation(text)
        self._block: Event | None = None  # the start event of the enclosing block
        self.value: Any = None
        self.node = Node(Span.point())
        self.anchors: dict[str, events.AnchoredValue | None] = {}
        self._plain: dict[str, object] = {}
        self._replayed = 0
        self._duplicates: list[SourceProblem] = []
        self.tags: dict[str, SourceProblem] = {}  # those that are not supported

    def build(self) -> None:
        """Parse the document: set `value` and, with `keep_nodes`, `node`."""
        self._next()  # the stream start
        event = self._next()
        if isinstance(event, yaml.StreamEndEvent):
            message = "the file has no value, only comments"
            raise ParseError(SourceProblem("source/empty", message))
        if event.version is not None:
            events.check_version(event, self._text)
        value, node = self._value(self._next(), self._depth), self.node
        self._next()  # the document end
        event = self._next()
        if not isinstance(event, yaml.StreamEndEvent):
            message, advice = "a second document starts here", "keep one document per file"
            raise ParseError(
                events.fault_at(event, message, advice, code="source/multiple-documents")
            )
        if self.tags or self._duplicates:
            raise ParseError(*self._duplicates)
        self.value, self.node = value, node

    def _value(self, event: Event, depth: int) -> Any:
        kind = event.__class__
        if kind is _SCALAR:
            return self._scalar(event)
        if kind is yaml.AliasEvent:
            return self._alias(event, depth)
        if depth >= faults.MAX_DEPTH:
            raise ParseError(faults.deep_fault(span_of(event)))
        if event.tag not in (None, "!", _CORE_COLLECTIONS[kind]):
            self._refuse_tag(event)
        if event.anchor is not None:
            events.check_name(event, self._text)
            self.anchors[event.anchor] = None  # an alias to it inside of it is endless
        outer_block = self._block
        if not event.flow_style:
            self._block = event
        build = self._mapping if kind is yaml.MappingStartEvent else self._sequence
        value = build(event, depth + 1)
        self._block = outer_block
        if event.anchor is not None:
            size, height = events.extent_of(value, {})
            self.anchors[event.anchor] = events.AnchoredValue(value, self.node, size, height=height)
        return value

    def _scalar(self, event: Event) -> Any:
        text, style = event.value, event.style
        if not style and event.tag is None:
            try:
                value = self._plain[text]
            except KeyError:
                value = self._plain[text] = self._resolve(event, text)
        else:
            if style and event.start_mark.line != event.end_mark.line:
                self._indentation.check_text(event, self._block)
            value = text if event.tag is None else self._resolve(event, text)
        if self._hidden is not None and not text.isascii():
            text = self._hidden.show(text, escaped=style == '"')
            value = text if isinstance(value, str) else value
        if self._keep:
            self.node = Node(span_of(event), None, text)
        if event.anchor is not None:
            events.check_name(event, self._text)
            self.anchors[event.anchor] = events.AnchoredValue(value, self.node, 1, text)
        return value

    def _resolve(self, event: Event, text: str) -> object:
        if text == "-":
            events.check_dash(event, self._text)
        if self._hidden is not None and not text.isascii():
            events.check_comment(event, self._text)
        try:
            return resolve_plain(text) if event.tag is None else resolve_tagged(event.tag, text)
        except LookupError:
            self._refuse_tag(event)
            return text
        except ValueError:
            message = f"`{text[:40]}` cannot be read as a number"
            raise ParseError(events.fault_at(event, message, "quote it if it is text")) from None

    def _refuse_tag(self, event: Event) -> None:
        advice = "remove the tag, or quote the value if it is text"
        self.tags.setdefault(event.tag, events.unsupported(event, f"the tag `{event.tag}`", advice))

    def _sequence(self, start: Event, depth: int) -> list[Any]:
        values: list[Any] = []
        nodes: list[Node] = []
        repeated = 0
        next_event = self._next
        while (event := next_event()).__class__ is not _SEQUENCE_END:
            values.append(self._value(event, depth))
            if event.__class__ is yaml.AliasEvent and isinstance(values[-1], dict | list):
                repeated += 1
                if repeated > faults.MAX_REPEATED_ITEMS:
                    items = f"more than {faults.MAX_REPEATED_ITEMS:,} items of one list"
                    message = f"aliases repeat mappings or lists as {items}"
                    raise ParseError(faults.limit_fault(message, span_of(event)))
            if self._keep:
                nodes.append(self.node)
        if self._keep or start.flow_style:
            self._end(start, event, nodes)
        return values

    def _mapping(self, start: Event, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        nodes: _Pairs = {}
        merges: list[tuple[Event, Any, Node]] = []
        duplicates: list[SourceProblem] = []
        next_event = self._next
        while (event := next_event()).__class__ is not _MAPPING_END:
            key = self._key(event)
            value_event = next_event()
            if value_event.__class__ is _SCALAR:  # saves a call in the most frequent case
                value = self._scalar(value_event)
            else:
                value = self._value(value_event, depth)
            if key == "<<" and event.__class__ is _SCALAR and event.implicit[0]:
                merges.append((event, value, self.node))
            elif key in values:
                duplicates.append(self._duplicate(event, key, nodes))
            else:
                values[key] = value
                if self._keep:
                    nodes[key] = (span_of(event), self.node)
        duplicates += _merge(values, nodes, merges)
        if self._keep or start.flow_style:
            self._end(start, event, nodes)
        if duplicates:
            without_dash = events.rows_without_dash(duplicates, start, self._text)
            self._duplicates += without_dash or duplicates
        return values

    def _end(self, start: Event, end: Event, nodes: events.Children) -> None:
        if start.flow_style and start.start_mark.line != end.end_mark.line:
            self._indentation.check_brackets(start, end, self._block)
        if self._keep:
            self.node = Node(span_of(start, end), nodes)

    def _key(self, event: Event) -> str:
        """Return the text of a key: keys are strings, as in editors."""
        if event.__class__ is not _SCALAR:
            return self._odd_key(event)
        key: str = event.value
        if event.tag is not None or event.anchor is not None:
            self._scalar(event)  # checks the tag, stores the anchor
        elif self._has_explicit_keys and event.style:
            self._indentation.check_text(event, self._block)
        if key in _ODD_KEYS:
            events.check_key(event, self._text)
        if self._hidden is not None and not key.isascii():
            events.check_comment(event, self._text)
            key = self._hidden.show(key, escaped=event.style == '"')
        return key

    def _odd_key(self, event: Event) -> str:
        """Return the key of an event that is not a scalar: an alias of a scalar, or an error."""
        kind = event.__class__
        if kind is yaml.AliasEvent:
            self._alias(event, 0)
            events.check_key(event, self._text)
            anchored = self.anchors.get(event.anchor)
            if anchored is not None and anchored.text is not None:
                return anchored.text
        raise ParseError(events.complex_key(event, self._text))

    def _alias(self, event: Event, depth: int) -> Any:
        events.check_name(event, self._text)
        if event.anchor not in self.anchors:
            message = f"`*{event.anchor}` has no anchor `&{event.anchor}` before it"
            advice = f'quote it if it is text: "*{event.anchor}"'
            raise ParseError(events.fault_at(event, message, advice))
        anchored = self.anchors[event.anchor]
        if anchored is None:
            message = f"endless recursion: the alias `*{event.anchor}` is inside its own anchor"
            raise ParseError(events.fault_at(event, message))
        value, self.node = anchored.value, anchored.node
        self._replayed += anchored.size
        if self._replayed > faults.MAX_REPLAYED:
            message = f"aliases repeat more than {faults.MAX_REPLAYED:,} values"
            raise ParseError(faults.limit_fault(message, span_of(event)))
        if depth + anchored.height > faults.MAX_DEPTH:
            raise ParseError(faults.deep_fault(span_of(event)))
        return value

    def _duplicate(self, event: Event, key: str, nodes: _Pairs) -> SourceProblem:
        if not self._keep:
            raise _NodesRequiredError
        return faults.duplicate_fault(key, span_of(event), nodes[key][0])
