"""Read parts of a valid case as NorthStar's graders do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

from evalcontract.formats._findings import as_json
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import integer

# The white space of Unicode, which differs from that of `str.strip`.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
# After a zero, a minus is still a sign, but not before a zero and another digit.
_WHOLE = lazy_pattern(
    r"(?:(?P<sign>[+-]?)(?:0[0_]*(?=[0-9]))?|\+?0[0_]*(?P<late>-)_?(?!0[0-9_]))"
    r"(?P<digits>[0-9](?:_?[0-9])*)(?:\.0+)?",
    re.ASCII,
)
_NUMBER = lazy_pattern(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
)
_MOST_DIGITS = 4300
# Floats from here on are not coerced to integers.
_LARGEST = 2.0**63
_TRUE = frozenset({"yes", "y", "true", "t", "on", "1"})
_FALSE = frozenset({"no", "n", "false", "f", "off", "0"})


class CoercionError(Exception):
    """A value is rejected; `fault` is the second half of the code that reports it."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


def to_int(value: Any) -> int:
    """Coerce a value to an integer.

    Raises:
        CoercionError: it is rejected.

    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise CoercionError("wrong-type")
        if not -_LARGEST < value < _LARGEST:
            raise CoercionError("out-of-range")
        return int(value)
    if not isinstance(value, str):
        raise CoercionError("wrong-type")
    match = _WHOLE.fullmatch(value.strip(_SPACE))
    if match is None:
        raise CoercionError("malformed-value")
    digits = match["digits"].replace("_", "").lstrip("0")
    number = integer(digits or "0", most=_MOST_DIGITS)
    if number is None:
        raise CoercionError("out-of-range")
    return -number if "-" in (match["sign"], match["late"]) else number


def to_float(value: Any) -> float:
    """Coerce a value to a float, which may be infinite or NaN.

    Raises:
        CoercionError: it is rejected.

    """
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            raise CoercionError("out-of-range") from None
    if not isinstance(value, str):
        raise CoercionError("wrong-type")
    text = value.strip(_SPACE)
    # Unlike a whole number, one with underscores has no spaces around it.
    if "_" in text and text == value and "_" not in (text[0], text[-1]) and "__" not in text:
        text = text.replace("_", "")
    if not _NUMBER.fullmatch(text):
        raise CoercionError("malformed-value")
    return float(text)


def to_bool(value: Any) -> bool:
    """Coerce a value to a boolean.

    Raises:
        CoercionError: it is rejected.

    """
    if isinstance(value, str):
        word = value.lower()
        if word not in _TRUE | _FALSE:
            raise CoercionError("malformed-value")
        return word in _TRUE
    if not isinstance(value, int | float) or value not in (0, 1):
        raise CoercionError("wrong-type")
    return bool(value)


_SPAN_KINDS = ("agent", "custom", "model", "tool", "workflow")
_EVENT_TYPES = (
    *("assistant_message", "custom", "final_response", "reasoning"),
    *("system_message", "tool_arguments", "tool_result", "user_input"),
)
_CONTEXT = frozenset({"reasoning", "assistant_message", "final_response"})
_STALE = ("stale", "stale_context", "used_stale_context")
# Lists of ids, and of mappings with an id, in what a tool gave.
_IDS, _DOCUMENTS = ("retrieved_ids", "document_ids", "ids"), ("hits", "documents", "results")
# Calls of tools, or states, that a grader compares with each other.
_FEWEST = 2
_TRUE_TEXTS = frozenset({"1", "true", "yes", "error", "failed"})


class Trace(NamedTuple):
    """The run of a trace, and its spans and events."""

    run: dict[str, Any]
    spans: list[dict[str, Any]]
    events: list[dict[str, Any]]


def id_of(payload: dict[str, Any]) -> str | None:
    """Return the id of the run that a payload is of; None if NorthStar ignores the payload."""
    if payload.get("run_id") is not None:
        return str(payload["run_id"])
    first = next(iter(_mappings(payload, "runs")), {})
    return str(first["id"]) if first.get("id") is not None else None


def fault_of(payload: dict[str, Any]) -> str | None:
    """Return why NorthStar stops at a payload that it does not ignore; None if it reads it."""
    id_ = id_of(payload)
    run = _run_of(payload, id_)
    if run is None:
        return f"`runs` has no run with the id `{id_}`"
    session = run.get("session_id")
    if all(part.get("id") != session for part in _mappings(payload, "sessions")):
        return f"`sessions` has no session with the id `{session}`"
    return next(_faults(run, payload, id_), None)


def read_trace(row: dict[str, Any]) -> Trace | None:
    """Return the trace of a case; None if NorthStar ignores it, or stops at it."""
    payload = trace_of(row)
    id_ = id_of(payload) if payload else None
    run = _run_of(payload, id_) if payload else None
    if payload is None or run is None or fault_of(payload):
        return None
    return Trace(run, _of_run(payload, "spans", id_), _of_run(payload, "events", id_))


def _faults(run: dict[str, Any], payload: dict[str, Any], id_: str | None) -> Iterator[str]:
    for key in ("id", "session_id"):
        if not _is_uuid(run.get(key)):
            yield f"`{key}` of the run is no UUID"
    if not isinstance(run.get("name"), str):
        yield "the run has no `name`"
    for span in _of_run(payload, "spans", id_):
        if span.get("kind") not in _SPAN_KINDS:
            yield f"`kind` of a span is none of {', '.join(_SPAN_KINDS)}"
        elif not isinstance(span.get("name"), str):
            yield "a span has no `name`"
    for event in _of_run(payload, "events", id_):
        if event.get("type") not in _EVENT_TYPES:
            yield f"`type` of an event is none of {', '.join(_EVENT_TYPES)}"
        elif "content" not in event:
            yield "an event has no `content`"


def _of_run(payload: dict[str, Any], key: str, id_: str | None) -> list[dict[str, Any]]:
    return [part for part in _mappings(payload, key) if part.get("run_id") == id_]


def _run_of(payload: dict[str, Any], id_: str | None) -> dict[str, Any] | None:
    return next((run for run in _mappings(payload, "runs") if run.get("id") == id_), None)


def _mappings(payload: dict[str, Any], key: str) -> list[dict[str, Any]]:
    parts = payload.get(key)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _is_uuid(value: Any) -> bool:
    try:
        UUID(value)
    except (ValueError, TypeError, AttributeError):
        return False
    return True


def _attributes(part: dict[str, Any]) -> dict[str, Any]:
    attributes = part.get("attributes")
    return attributes if isinstance(attributes, dict) else {}


def _has_error(span: dict[str, Any]) -> bool:
    return span.get("status") == "error" or span.get("error") is not None


def _has_cost(span: dict[str, Any]) -> bool:
    cost = _attributes(span).get("cost_usd")
    return isinstance(cost, int | float) and not isinstance(cost, bool)


def _is_marked(event: dict[str, Any], *keys: str) -> bool:
    """Whether an attribute of an event is true, or a text that says so."""
    values = map(_attributes(event).get, keys)
    return any(v.lower() in _TRUE_TEXTS if isinstance(v, str) else v for v in values)


def _uses_context(event: dict[str, Any]) -> bool:
    return event.get("type") in _CONTEXT or _is_marked(event, *_STALE)


def _is_call(event: dict[str, Any]) -> bool:
    return event.get("type") == "tool_arguments" and event.get("span_id") is not None


def _has_state(event: dict[str, Any]) -> bool:
    content = event.get("content")
    parts = (_attributes(event), content if isinstance(content, dict) else {})
    return any((part.get("state") or part.get("to_state")) is not None for part in parts)


def _has_documents(event: dict[str, Any]) -> bool:
    """Whether an event is the result of a tool that has ids of documents."""
    content = event.get("content") if event.get("type") == "tool_result" else None
    if isinstance(content, dict):
        for key in _IDS:
            if isinstance(content.get(key), list):
                return bool(content[key])
        content = next((v for k in _DOCUMENTS if isinstance(v := content.get(k), list)), None)
    documents = content if isinstance(content, list) else ()
    return any(isinstance(part, dict) and part.get("id") is not None for part in documents)


#: What a trace may lack of what a grader needs, by the name of the fact.
LACKING: Mapping[str, Callable[[Trace], bool]] = {
    "few_calls": lambda trace: sum(map(_is_call, trace.events)) < _FEWEST,
    "few_states": lambda trace: sum(map(_has_state, trace.events)) < _FEWEST,
    "no_documents": lambda trace: not any(map(_has_documents, trace.events)),
    "no_costs": lambda trace: not any(map(_has_cost, trace.spans)),
    "no_context": lambda trace: not any(map(_uses_context, trace.events)),
    "no_failed_tool": lambda trace: all(
        span.get("kind") != "tool" or not _has_error(span) for span in trace.spans
    ),
    "no_failure": lambda trace: (
        not (
            trace.run.get("error")
            or any(map(_has_error, trace.spans))
            or any(_is_marked(event, "error", "failed") for event in trace.events)
        )
    ),
}


#: The fields that hold a list.
LISTS = (
    *("required_tools", "forbidden_tools", "tool_sequence", "tool_arguments"),
    *("contains", "not_contains", "context"),
)
#: The fields that are compared with the final answer.
TEXT_GRADERS = ("contains", "not_contains", "ground_truth")
#: Each limit, and the metric that it limits.
LIMITS = {"max_latency_ms": "latency_ms", "max_cost_usd": "cost_usd"}
_REFERENCE = "require_tool_output_reference"
# What the graders of the default plan read; they ignore a reference that is false.
_EVALUATED = frozenset({*LISTS, "ground_truth", "max_tool_calls", *LIMITS} - {"context"})

# What judges and the graders of traces read.
_JUDGED = ("goal", "rubric", "context", "trace")


def is_evaluated(expected: dict[str, Any]) -> bool:
    """Whether any grader of the default plan reads these expectations."""
    given = {key: value for key, value in expected.items() if value is not None}
    return not _EVALUATED.isdisjoint(given) or (_REFERENCE in given and to_bool(given[_REFERENCE]))


def is_judged(row: dict[str, Any]) -> bool:
    """Whether a judge reads what a case expects, or a grader of traces its trace."""
    expected = row.get("expected") or {}
    return trace_of(row) is not None or any(expected.get(key) is not None for key in _JUDGED)


def is_blank(text: str) -> bool:
    """Whether a text is empty or white space."""
    return not text.strip()


def phrases(value: Any) -> list[str]:
    """Return the texts of a field that holds a list of texts, a single text, or null."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def has_content(messages: list[dict[str, Any]], role: str) -> bool:
    """Whether any message of a role has content."""
    return any(message.get("role") == role and message.get("content") for message in messages)


def trace_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the trace that NorthStar uses, of the case or of its input; None if there is none."""
    trace = row.get("trace")
    given = row.get("input")
    if trace is None and isinstance(given, dict):
        trace = given.get("trace")
    return trace if isinstance(trace, dict) and id_of(trace) is not None else None


def input_of(given: Any, messages: list[dict[str, Any]], name: str) -> str:
    """Return the text that evalcontract has as the input of a case with the `input` given.

    That is the `input` itself if it is a text, or the last text of a user. Otherwise it is the
    JSON of the input or of the messages, or the name of the case.
    """
    if isinstance(given, str) and not is_blank(given):
        return given
    for message in reversed(messages):
        text = _text_of(message.get("content")) if message.get("role") == "user" else ""
        if not is_blank(text):
            return text
    if given is not None and not isinstance(given, str):
        return as_json(given)
    return as_json(messages) if messages else name


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
