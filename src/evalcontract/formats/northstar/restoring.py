"""Restore what a row preserves of a case, where it still means what the row says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import is_list_of
from evalcontract.formats._residual import Residual, applied
from evalcontract.formats.northstar.case import input_of
from evalcontract.formats.northstar.fields import OF_RUN, OF_TRACE
from evalcontract.formats.northstar.normalization import EXPECTED, METRICS
from evalcontract.formats.northstar.pydantic_coercion import CoercionError
from evalcontract.formats.northstar.unwritable import with_unwritable
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path

#: The mappings of a case that are compared key by key.
NESTED: dict[str, Any] = {"expected": {"trace": {}}, "metrics": {}, "metadata": {}}
_FORMS: dict[str, Any] = {"expected": EXPECTED, "metrics": METRICS}
_NUMBERED = lazy_pattern(r"row_[0-9]+")
_REQUIRED, _ARGUMENTS = ("expected", "required_tools"), ("expected", "tool_arguments")


def restored(case: dict[str, Any], residual: dict[str, Any]) -> dict[str, Any]:
    """Restore what a row preserves of a case, where it still means what the row says."""
    name, messages = case["id"], case["messages"]

    def fits(path: Path, value: Any, now: Any) -> bool:
        match path:
            case ("id",):
                return isinstance(value, str) and bool(_NUMBERED.fullmatch(name))
            case ("input",):
                plain = input_of(None, messages, name) if now is None else now
                return bool(plain == input_of(value, messages, name))
            case ("trace",) | ("expected", "trace"):
                return value is None and now is None
            case ("metadata", _):
                return True
        return _means(path, value, now) or _is_implied(path, value, now, case)

    written = residual.get("written")
    if isinstance(written, dict):
        case = applied(case, Residual(written, []), NESTED, fits)
    return with_unwritable(case, residual.get("unwritable"))


def _is_implied(path: Path, value: Any, now: Any, case: dict[str, Any]) -> bool:
    """Whether a value may stand in place of what the case has: what the row says stays the same."""
    expected = case.get("expected", {})
    if path == _REQUIRED:
        return _are_implied_tools(_normal(path, value), now or [], expected)
    if path == _ARGUMENTS and now:
        return _are_same_calls(_normal(path, value), now)
    if now is not None:
        return False
    match path:
        case ("expected", "ground_truth"):
            return any(_means(path, value, text) for text in (None, *expected.get("contains", ())))
        case ("expected", key) | ("expected", "trace", key):
            return key in (*OF_RUN, *OF_TRACE) and _normal(path, value) is not ...
    return False


def _are_implied_tools(names: Any, now: list[str], expected: dict[str, Any]) -> bool:
    """Whether the tools that are required beyond those of now are called anyway."""
    if not is_list_of(names, str) or not set(now) <= set(names):
        return False
    calls = (call["name"] for call in expected.get("tool_arguments", ()))
    return set(names) - set(now) <= {*expected.get("tool_sequence", ()), *calls}


def _are_same_calls(calls: Any, now: list[Any]) -> bool:
    """Whether calls are those of now in another order."""
    is_as_many = isinstance(calls, list) and len(calls) == len(now)
    return is_as_many and all(any(json_equal(call, one) for one in now) for call in calls)


def _means(path: Path, value: Any, now: Any) -> bool:
    """Whether the normal form of a value at a path is the current value."""
    normalized = _normal(path, value)
    return normalized is not ... and json_equal(normalized, now)


def _normal(path: Path, value: Any) -> Any:
    """Return the normal form of a value at a path; `...` if the value is foreign."""
    form: Any = _FORMS
    try:
        for step in path:
            form = form[step]
        return form(value)
    except (CoercionError, AttributeError, LookupError, TypeError):
        return ...
