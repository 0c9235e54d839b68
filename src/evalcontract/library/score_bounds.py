"""The scores that are possible, where a threshold stands to be reached.

Every score is from 0 to 1. Less than that is certain only of a judge that answers in levels and
says how its scale is brought to 0..1, and of what is built from such judges.
"""

from __future__ import annotations

import sys
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.library.library import Library
    from evalcontract.model.path import Path

#: Scores are compared with some tolerance: a mean of decimals is not exact.
TOLERANCE = 1e-9


class Bounds(NamedTuple):
    """The lowest and the highest score that is possible."""

    low: float = 0.0
    high: float = 1.0


class Threshold(NamedTuple):
    """A threshold where it stands, and the scores that are held against it."""

    path: Path
    value: float
    bounds: Bounds


def thresholds(
    scoring: dict[str, Any],
    checks: Iterable[tuple[Path, dict[str, Any]]],
    written: int,
    library: Library,
) -> Iterator[Threshold]:
    """Yield each threshold of a rubric that decides something.

    `checks` are its well-formed ones; of a rubric with others (`written` counts all) nothing
    narrower than 0..1 is certain.
    """
    checks = list(checks)
    for path, check in checks:
        for key in ("threshold", "min_recall"):
            if key in check and check.get("facts") != []:
                yield Threshold((*path, key), check[key], _of_check(check, library))
    combine = scoring.get("combine")
    if "threshold" in scoring and combine not in ("all_pass", "any_pass", None):
        parts = [check for _, check in checks]
        bounds = _combined(scoring, parts, library) if len(parts) == written else Bounds()
        yield Threshold(("scoring", "threshold"), scoring["threshold"], bounds)


def _of_check(check: dict[str, Any], library: Library, *, inner: bool = False) -> Bounds:
    match check:
        case {"kind": "llm_judge", "jury": {"judges": [*judges], **jury}}:
            if jury.get("aggregation", "majority_vote") == "majority_vote":
                return Bounds()
            counted = [each for each in judges if isinstance(each, dict)]
            if len(counted) < len(judges):
                return Bounds()
            return _hull([_of_judge(each.get("judge_prompt_ref"), library) for each in counted])
        case {"kind": "llm_judge", "judge_prompt_ref": reference}:
            return _of_judge(reference, library)
        case {"kind": "composite", "rubric_ref": reference} if not inner:
            return _of_rubric(_value(reference, library), library)
    return Bounds()


def _of_rubric(rubric: Any, library: Library) -> Bounds:
    """Return the bounds of a rubric that may have any fault."""
    match rubric:
        case {"checks": [_, *_] as checks, "scoring": {"combine": str()} as scoring}:
            if all(isinstance(check, dict) for check in checks):
                return _combined(scoring, checks, library, inner=True)
    return Bounds()


def _combined(
    scoring: dict[str, Any], checks: list[dict[str, Any]], library: Library, *, inner: bool = False
) -> Bounds:
    """Return what holds for every way to combine, and if checks are skipped: no score leaves it."""
    if scoring["combine"] in ("all_pass", "any_pass"):
        return Bounds()
    weights = scoring.get("weights") if scoring["combine"] == "weighted_avg" else None
    weights = weights if isinstance(weights, dict) else {}
    counted = [check for check in checks if _weight(check.get("id"), weights) != 0]
    return _hull([_of_check(check, library, inner=inner) for check in counted])


def _weight(id_: Any, weights: dict[str, Any]) -> Any:
    return weights.get(id_, 1) if isinstance(id_, str) else 1


def _is_finite(value: Any) -> bool:
    """Whether a value is a number that can be reckoned with, and no truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _hull(bounds: list[Bounds]) -> Bounds:
    if not bounds:
        return Bounds()
    return Bounds(min(each.low for each in bounds), max(each.high for each in bounds))


def _value(text: Any, library: Library) -> Any:
    reference = Reference.parse(text) if isinstance(text, str) else None
    found = library.resolve(reference) if reference else None
    return found.artifact.document.value if isinstance(found, Resolved) else None


def _of_judge(text: Any, library: Library) -> Bounds:
    match _value(text, library):
        case {
            "score_type": "levels",
            "level_values": [_, *_] as values,
            "min_score": int() | float() as low,
            "max_score": int() | float() as high,
        } if all(_is_finite(each) for each in (low, high, *values)) and low < high:
            lowest, highest = min(values), max(values)
            if low <= lowest <= highest <= high and isfinite(high - low):
                return Bounds((lowest - low) / (high - low), (highest - low) / (high - low))
    return Bounds()
