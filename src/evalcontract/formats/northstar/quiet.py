"""Cases of which there is surely nothing to say, told from all others in a microsecond or two.

It may take a quiet case for another one, never the other way round: a test holds it against
the slow way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.contradictions import contradictions

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBERS: frozenset[Any] = frozenset({int, float})
# Beyond, whole numbers and floats are told apart with care.
_PLAIN = 2**53
_NOTHING: dict[str, Any] = {}
_UNREAD = frozenset({"goal", "rubric", "context"})
_TEXTS = frozenset({"contains", "not_contains", "ground_truth"})


def is_quiet(row: dict[str, Any]) -> bool:
    """Whether nothing is to be said of a case of which the schema says nothing; its id aside."""
    expected = row.get("expected", _NOTHING)
    if _UNREAD.issuperset(expected) or not _is_traced(row):
        return False
    metrics = row.get("metrics", _NOTHING)
    if metrics and not all(map(_is_plain, metrics.values())):
        return False
    for key, value in expected.items():
        if not _QUIET[key](value, metrics):
            return False
    if any(contradictions(expected)):
        return False
    return _TEXTS.isdisjoint(expected) or _is_answered(row["messages"])


def _is_traced(row: dict[str, Any]) -> bool:
    """Whether a trace that there is has the name of a run."""
    trace = row.get("trace")
    if trace is None:
        return row.get("input").__class__ is not dict
    return trace.get("run_id") is not None


def _is_plain(value: Any) -> bool:
    return value is None or (value.__class__ in _NUMBERS and -_PLAIN < value < _PLAIN)


def _is_answered(messages: list[dict[str, Any]]) -> bool:
    """Whether the last message is an answer, as it mostly is."""
    last = messages[-1] if messages else _NOTHING
    return last.get("role") == "assistant" and bool(last.get("content"))


def _anything(value: Any, metrics: Any) -> bool:
    del value, metrics
    return True


def _list(value: Any, metrics: Any) -> bool:
    del metrics
    return value.__class__ is list and bool(value)


def _no_text(value: Any, metrics: Any) -> bool:
    del metrics
    return value.__class__ is not str


def _text(value: Any, metrics: Any) -> bool:
    del metrics
    return bool(value) and not value.isspace()


def _texts(value: Any, metrics: Any) -> bool:
    del metrics
    return bool(value) and value.__class__ is list and all(map(_strip, value))


_strip = str.strip


def _true(value: Any, metrics: Any) -> bool:
    del metrics
    return value is True  # not a word, perhaps, that says no


def _count(value: Any, metrics: Any) -> bool:
    del metrics
    return value.__class__ in _NUMBERS and 0 <= value < _PLAIN


def _latency(value: Any, metrics: Any) -> bool:
    return _count(value, metrics) and metrics.get("latency_ms") is not None


def _cost(value: Any, metrics: Any) -> bool:
    return _count(value, metrics) and metrics.get("cost_usd") is not None


def _nothing(value: Any, metrics: Any) -> bool:
    del value, metrics
    return False  # what is expected of a trace takes the slow way


_QUIET: dict[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(("goal", "rubric"), _anything),
    "context": _no_text,
    **dict.fromkeys(("required_tools", "forbidden_tools", "tool_sequence"), _list),
    "tool_arguments": _list,
    **dict.fromkeys(("contains", "not_contains"), _texts),
    "ground_truth": _text,
    "require_tool_output_reference": _true,
    "max_tool_calls": _count,
    "max_latency_ms": _latency,
    "max_cost_usd": _cost,
    "trace": _nothing,
}
