"""The normal form of expectations: what rubrics and rows of evalcontract can represent.

A form returns None for a value that cannot be represented, or that expects nothing. A value that
differs from its normal form is preserved as it was written, and restored if the normal form is
still the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.case import is_blank, phrases
from evalcontract.formats.northstar.number_fields import (
    OF_EXPECTED,
    OF_METRICS,
    OF_TRACE,
    FieldType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Form = Callable[[Any], Any]


def _text(value: Any) -> str | None:
    return None if value is None or is_blank(value) else str(value)


def _phrases(value: Any) -> list[str] | None:
    """Return phrases without duplicates, ignoring case."""
    distinct: dict[str, str] = {}
    for phrase in phrases(value):
        if not is_blank(phrase):
            distinct.setdefault(phrase.lower(), phrase)
    return [*distinct.values()] or None


def _names(value: Any) -> list[str] | None:
    return [*dict.fromkeys(name for name in phrases(value) if not is_blank(name))] or None


def _sequence(value: Any) -> list[str] | None:
    """Return names in their order; an empty list means that no tool may be called."""
    if value is None or any(map(is_blank, phrases(value))):
        return None
    return [*phrases(value)]


def _passages(value: Any) -> list[str] | None:
    return [*phrases(value)] or None


def _calls(value: Any) -> list[dict[str, Any]] | None:
    if not value or any(is_blank(call["name"]) for call in value):
        return None
    return [{"name": call["name"], "arguments": call["arguments"]} for call in value]


def _list(value: Any) -> list[Any] | None:
    return None if value is None else [*value]


def _number(wanted: FieldType) -> Form:
    def form(value: Any) -> Any:
        if value is None:
            return None
        number = wanted.coerce(value)
        if wanted.kind == "number" and not isinstance(value, str):
            number = int(value) if isinstance(value, bool) else value
        return None if isinstance(number, float) and not math.isfinite(number) else number

    return form


#: The forms of the fields, by their mapping.
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
    """Return the normal form of a mapping, without what cannot be represented."""
    result = {}
    for key, part in value.items():
        form = forms[key]
        normalized = form(part) if callable(form) else normal(part or {}, form) or None
        if normalized is not None:
            result[key] = normalized
    return result
