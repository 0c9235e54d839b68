"""The scale of a judge: which answers it may give, and what each is worth."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.numbers import is_finite_number

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOLERANCE = 1e-9


class ScaleError(Exception):
    """A judge has no usable scale, or an answer is not on it; the message says why."""


class Grade(NamedTuple):
    """What an answer is worth: its score from 0 to 1, and whether it passes."""

    score: float
    passes: bool


class Scale(NamedTuple):
    """The answers of a judge, from `low` to `high`; `levels` are the values of named answers.

    An answer passes from `threshold` on. A `binary` judge answers `pass` or `fail`.
    """

    score_type: str
    low: float = 0.0
    high: float = 1.0
    threshold: float = 0.5
    levels: Mapping[str, float] | None = None

    @property
    def wanted(self) -> str:
        """What the verdict has to be, as a model is told."""
        if self.levels is not None:
            names = [json.dumps(name, ensure_ascii=False) for name in self.levels]
            return f"{', '.join(names[:-1])} or {names[-1]}"
        return f"a number from {self.low:g} to {self.high:g}"

    def grade(self, verdict: Any) -> Grade:
        """Return what a verdict is worth.

        Raises:
            ScaleError: the verdict is not on the scale.

        """
        value = self._named(verdict) if self.levels is not None else self._number(verdict)
        score = (value - self.low) / (self.high - self.low)
        return Grade(min(1.0, max(0.0, score)), value >= self.threshold - _TOLERANCE)

    def _named(self, verdict: Any) -> float:
        levels = self.levels or {}
        if isinstance(verdict, str):
            if verdict in levels:
                return levels[verdict]
            folded = verdict.strip().casefold()
            values = [value for name, value in levels.items() if name.strip().casefold() == folded]
            if len(values) == 1:
                return values[0]
        raise ScaleError(f"it is not {self.wanted}")

    def _number(self, verdict: Any) -> float:
        if not is_finite_number(verdict) or not self.low <= verdict <= self.high:
            raise ScaleError(f"it is not {self.wanted}")
        return float(verdict)


_BINARY = Scale("binary", levels={"pass": 1.0, "fail": 0.0})


def scale_of(judge: Mapping[str, Any]) -> Scale:
    """Return the scale of a judge.

    Continuous judges without ends answer from 0 to 1. Levels without values are evenly spaced.
    Without a `pass_threshold`, the upper half of the scale passes.

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
    if score_type == "levels":
        _require_levels(names, values)
    low, high = _ends(judge, values if score_type == "levels" else None)
    if not low < high or not isfinite(high - low):
        raise ScaleError(f"its scale from {low:g} to {high:g} is empty or too wide")
    threshold = judge.get("pass_threshold", low + (high - low) / 2)
    if not is_finite_number(threshold):
        raise ScaleError("its `pass_threshold` is not a number")
    if score_type == "continuous":
        return Scale(score_type, low, high, threshold)
    if values is None:
        values = [low + (high - low) * rank / (len(names) - 1) for rank in range(len(names))]
    if not all(low <= value <= high for value in values):
        raise ScaleError("its `level_values` are not all on its scale")
    return Scale(
        score_type, low, high, threshold, dict(zip(names, map(float, values), strict=True))
    )


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


def _is_list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
