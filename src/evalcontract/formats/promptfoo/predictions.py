"""Predict which assertions of a test will run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import GraderPrediction
from evalcontract.formats.promptfoo.assertions import SET, base_of, fault_of, types

if TYPE_CHECKING:
    from collections.abc import Iterator

#: So many assertions of a test are predicted one by one.
MAX_ASSERTIONS = 200
_ALL = ("contains-all", "icontains-all")


def predict(row: Any, _variant: str | None) -> Iterator[GraderPrediction]:
    """Yield a prediction for each assertion of a test."""
    used: dict[str, int] = {}
    flat = [*_flat(row.get("assert"))]
    for place, assertion in flat[:MAX_ASSERTIONS]:
        type_ = assertion.get("type")
        name = type_ if isinstance(type_, str) else place
        used[name] = used.get(name, 0) + 1
        unique = name if used[name] == 1 else f"{name} ({used[name]})"
        yield _of(unique, place, assertion, row.get("vars"))
    if len(flat) > MAX_ASSERTIONS:
        more = len(flat) - MAX_ASSERTIONS
        reason = f"only {MAX_ASSERTIONS} assertions are predicted"
        yield GraderPrediction(f"{more:,} more assertions", "assertion", "skip", reason)


def _flat(given: Any, place: str = "assert") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the assertions, those of a set one by one, with their places."""
    for index, assertion in enumerate(given if isinstance(given, list) else ()):
        here = f"{place}[{index}]"
        if not isinstance(assertion, dict):
            continue
        if assertion.get("type") == SET and place == "assert":
            yield from _flat(assertion.get("assert"), f"{here}.assert")
        else:
            yield here, assertion


def _of(name: str, place: str, assertion: dict[str, Any], variables: Any) -> GraderPrediction:
    kind, type_ = "assertion", assertion.get("type")
    if not isinstance(type_, str) or base_of(type_) not in types():
        return GraderPrediction(name, kind, "fail", "promptfoo has no such assertion", place)
    if reason := fault_of(assertion, variables):
        return GraderPrediction(name, kind, "fail", reason, place)
    if assertion.get("weight") == 0:
        return GraderPrediction(name, kind, "vacuous", "its weight is 0", place)
    if type_ in _ALL and assertion.get("value") == []:
        return GraderPrediction(name, kind, "vacuous", "it is empty, so that it passes", place)
    return GraderPrediction(name, kind, "run", None, place)
