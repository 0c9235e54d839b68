"""Read recorded traces as NorthStar's graders do, which reconstruct the run from the payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPAN_KINDS = frozenset({"agent", "workflow", "model", "tool", "custom"})
_EVENT_TYPES = frozenset(
    {
        *("user_input", "system_message", "assistant_message", "reasoning"),
        *("tool_arguments", "tool_result", "final_response", "custom"),
    }
)
_CONTEXT = frozenset({"reasoning", "assistant_message", "final_response"})
_STALE = ("stale", "stale_context", "used_stale_context")
# Lists of ids, and of mappings with an id, in what a tool gave.
_IDS, _DOCUMENTS = ("retrieved_ids", "document_ids", "ids"), ("hits", "documents", "results")
_TRUE = frozenset({"1", "true", "yes", "error", "failed"})


class Trace(NamedTuple):
    """The run of a trace, and its spans and events."""

    run: dict[str, Any]
    spans: list[dict[str, Any]]
    events: list[dict[str, Any]]

    @property
    def has_failed_tool(self) -> bool:
        """Whether the span of a tool has an error."""
        return any(span.get("kind") == "tool" and _has_error(span) for span in self.spans)

    @property
    def has_failure(self) -> bool:
        """Whether a span, an event or the run has an error."""
        marked = (_is_true(event, key) for event in self.events for key in ("error", "failed"))
        return bool(self.run.get("error")) or any(map(_has_error, self.spans)) or any(marked)

    @property
    def tool_calls(self) -> int:
        """The number of calls of tools that belong to a span."""
        return sum(
            event.get("type") == "tool_arguments" and event.get("span_id") is not None
            for event in self.events
        )

    @property
    def has_context(self) -> bool:
        """Whether an event uses context, or is marked as using stale context."""
        return any(
            event.get("type") in _CONTEXT or any(_is_true(event, key) for key in _STALE)
            for event in self.events
        )

    @property
    def states(self) -> int:
        """The number of events that have a state."""
        return sum(_state_of(event) is not None for event in self.events)

    @property
    def has_costs(self) -> bool:
        """Whether a span has a cost."""
        costs = (_attributes(span).get("cost_usd") for span in self.spans)
        return any(isinstance(cost, int | float) and not isinstance(cost, bool) for cost in costs)

    @property
    def has_documents(self) -> bool:
        """Whether a result of a tool has ids of documents."""
        results = (e.get("content") for e in self.events if e.get("type") == "tool_result")
        return any(map(_has_ids, results))


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


def read(payload: dict[str, Any]) -> Trace | None:
    """Return the trace of a payload; None if NorthStar ignores it, or stops at it."""
    id_ = id_of(payload)
    run = _run_of(payload, id_)
    if id_ is None or run is None or fault_of(payload):
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
            yield f"`kind` of a span is none of {', '.join(sorted(_SPAN_KINDS))}"
        elif not isinstance(span.get("name"), str):
            yield "a span has no `name`"
    for event in _of_run(payload, "events", id_):
        if event.get("type") not in _EVENT_TYPES:
            yield f"`type` of an event is none of {', '.join(sorted(_EVENT_TYPES))}"
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


def _is_true(event: dict[str, Any], key: str) -> bool:
    value = _attributes(event).get(key)
    return value.lower() in _TRUE if isinstance(value, str) else bool(value)


def _state_of(event: dict[str, Any]) -> Any:
    content = event.get("content")
    for part in (_attributes(event), content if isinstance(content, dict) else {}):
        if (state := part.get("state") or part.get("to_state")) is not None:
            return state
    return None


def _has_ids(content: Any) -> bool:
    if isinstance(content, dict):
        for key in _IDS:
            if isinstance(content.get(key), list):
                return bool(content[key])
        content = next((v for k in _DOCUMENTS if isinstance(v := content.get(k), list)), None)
    documents = content if isinstance(content, list) else ()
    return any(isinstance(part, dict) and part.get("id") is not None for part in documents)
