"""The scale of a judge: which answers it may give, what each is worth, and which of them pass.

Grading and calibration both use it, so that a judge passes the same outputs in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import is_finite_number

_TOLERANCE = 1e-9


class ScaleError(Exception):
    """A judge has no usable scale, or an answer is not on it; the message says why."""


class Scale(NamedTuple):
    """The answers of a judge, from `low` to `high`; `levels` are the values of named answers.

    An answer passes from `threshold` on; with `is_default`, the judge names none, and it is the
    middle. A `binary` judge answers `pass` or `fail`.
    """

    score_type: str
    low: float = 0.0
    high: float = 1.0
    threshold: float = 0.5
    levels: Mapping[str, float] | None = None
    is_default: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether the judge gives scores, which a threshold turns into pass or fail."""
        return self.score_type != "binary"

    def score(self, value: float) -> float:
        """Return the score from 0 to 1 of a value on the scale."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def passes(self, value: float) -> bool:
        """Whether a value on the scale passes."""
        return reaches(value, self.threshold)


def reaches(value: float, threshold: float) -> bool:
    """Whether a value reaches a threshold, but for what sums of floats are inexact by."""
    return value >= threshold - _TOLERANCE


_BINARY = Scale("binary", levels={"pass": 1.0, "fail": 0.0})


def scale_of(judge: Mapping[str, Any]) -> Scale:
    """Return the scale of a judge.

    Its ends are `min_score` and `max_score`; without them, the lowest and the highest of
    `level_values`, or else 0 and 1. Levels without values are evenly spaced between the ends.
    Without a `pass_threshold`, what reaches the middle of the scale passes.

    Raises:
        ScaleError: the judge is malformed.

    """
    score_type = judge.get("score_type", "binary")
    if score_type == "binary":
        return _BINARY
    if score_type not in ("continuous", "levels"):
        raise ScaleError("its `score_type` is not known")
    names: Any = judge.get("level_names")
    values: Any = judge.get("level_values")
    numbers = [judge.get(key) for key in ("min_score", "max_score", "pass_threshold")]
    if any(map(_is_too_large, [*numbers, *(values if isinstance(values, list) else ())])):
        raise ScaleError("its scale is too wide: no float is as large")
    if score_type == "levels":
        _require_levels(names, values)
    low, high = _ends(judge, values if score_type == "levels" else None)
    if not low < high or not isfinite(high - low):
        raise ScaleError(f"its scale from {low:g} to {high:g} is empty or too wide")
    is_default = "pass_threshold" not in judge
    threshold = low + (high - low) / 2 if is_default else judge["pass_threshold"]
    if not is_finite_number(threshold):
        raise ScaleError("its `pass_threshold` is not a number")
    scale = Scale(score_type, low, high, float(threshold), None, is_default)
    if score_type == "continuous":
        return scale
    if values is None:
        values = [low + (high - low) * rank / (len(names) - 1) for rank in range(len(names))]
    if not all(low <= value <= high for value in values):
        raise ScaleError("its `level_values` are not all on its scale")
    return scale._replace(levels=dict(zip(names, map(float, values), strict=True)))


def _require_levels(names: Any, values: Any) -> None:
    if not _is_list_of(str, names) or len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004
        raise ScaleError("its `level_names` are not at least two different names")
    if values is None:
        return
    if (
        not isinstance(values, list)
        or len(values) != len(names)
        or not all(map(is_finite_number, values))
    ):
        raise ScaleError("its `level_values` are not one number for each level")


def _ends(judge: Mapping[str, Any], values: list[float] | None) -> tuple[float, float]:
    ends = (judge.get("min_score"), judge.get("max_score"))
    if ends == (None, None):
        return (float(min(values)), float(max(values))) if values else (0.0, 1.0)
    if not all(map(is_finite_number, ends)):
        raise ScaleError("its `min_score` and `max_score` are not two numbers")
    return float(ends[0] or 0), float(ends[1] or 0)


def _is_too_large(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and not is_finite_number(value)


def _is_list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
