"""The normal form of what a case expects: as our rubrics and rows can carry it.

A form returns None for what cannot be carried, or asks for nothing. What differs from its normal
form is kept as it was written, and comes back where the normal form is still the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.case import phrases
from evalcontract.formats.northstar.pydantic_coercion import (
    OF_EXPECTED,
    OF_METRICS,
    OF_TRACE,
    FieldType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Form = Callable[[Any], Any]


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text."""
    return not text.strip()


def _text(value: Any) -> str | None:
    return None if value is None or is_blank(value) else str(value)


def _phrases(value: Any) -> list[str] | None:
    """Return phrases whose case does not matter, each once."""
    found: dict[str, str] = {}
    for each in phrases(value):
        if not is_blank(each):
            found.setdefault(each.lower(), each)
    return [*found.values()] or None


def _names(value: Any) -> list[str] | None:
    return [*dict.fromkeys(each for each in phrases(value) if not is_blank(each))] or None


def _sequence(value: Any) -> list[str] | None:
    """Return names in their order; an empty list asks that no tool is called."""
    if value is None or any(map(is_blank, phrases(value))):
        return None
    return [*phrases(value)]


def _passages(value: Any) -> list[str] | None:
    return [*phrases(value)] or None


def _calls(value: Any) -> list[dict[str, Any]] | None:
    if not value or any(is_blank(each["name"]) for each in value):
        return None
    return [{"name": each["name"], "arguments": each["arguments"]} for each in value]


def _list(value: Any) -> list[Any] | None:
    return None if value is None else [*value]


def _number(wanted: FieldType) -> Form:
    def form(value: Any) -> Any:
        if value is None:
            return None
        found = wanted.taken(value)
        if wanted.kind == "number" and not isinstance(value, str):
            found = int(value) if isinstance(value, bool) else value
        return None if isinstance(found, float) and not math.isfinite(found) else found

    return form


#: The forms of the fields, by the mapping that they stand in.
TRACE: Mapping[str, Form] = {
    **{key: _number(wanted) for key, wanted in OF_TRACE.items()},
    "allowed_state_transitions": _list,
    "relevant_retrieval_ids": _list,
}
EXPECTED: Mapping[str, Form | Mapping[str, Form]] = {
    **{key: _number(wanted) for key, wanted in OF_EXPECTED.items()},
    **dict.fromkeys(("goal", "rubric", "ground_truth"), _text),
    **dict.fromkeys(("required_tools", "forbidden_tools"), _names),
    **dict.fromkeys(("contains", "not_contains"), _phrases),
    "context": _passages,
    "tool_sequence": _sequence,
    "tool_arguments": _calls,
    "trace": TRACE,
}
METRICS: Mapping[str, Form] = {key: _number(wanted) for key, wanted in OF_METRICS.items()}


def normal(value: Mapping[str, Any], forms: Mapping[str, Any]) -> dict[str, Any]:
    """Return the normal form of a mapping: what can be carried of it."""
    found = {}
    for key, part in value.items():
        form = forms[key]
        carried = form(part) if callable(form) else normal(part or {}, form) or None
        if carried is not None:
            found[key] = carried
    return found
