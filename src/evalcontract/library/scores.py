"""Scores: the scale of a judge, and the range of possible scores for each threshold of a rubric.

Grading and calibration use the same scale, so that a judge passes the same outputs in both. Every
score is from 0 to 1. A narrower range is certain only for judges that answer in levels and give the
range that is scaled to 0..1, and for combinations of such judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any

from evalcontract.library.library import Library
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import is_finite_number

#: The tolerance for comparing scores, since sums of floats are not exact.
TOLERANCE = 1e-9


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
    return value >= threshold - TOLERANCE


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


class Bounds(NamedTuple):
    """The lowest and the highest possible score."""

    low: float = 0.0
    high: float = 1.0


class ScoreThreshold(NamedTuple):
    """A threshold with its path, and the bounds of the scores that are compared with it."""

    path: Path
    value: float
    bounds: Bounds


def thresholds(
    scoring: dict[str, Any],
    checks: Iterable[tuple[Path, dict[str, Any]]],
    written: int,
    library: Library,
) -> Iterator[ScoreThreshold]:
    """Yield the thresholds of a rubric that have an effect.

    `checks` has the well-formed checks, `written` is the number of all checks. If they differ, the
    bounds of the rubric's own threshold are 0..1.
    """
    checks = list(checks)
    for path, check in checks:
        for key in ("threshold", "min_recall"):
            if key in check and check.get("facts") != []:
                yield ScoreThreshold((*path, key), check[key], _of_check(check, library))
    combine = scoring.get("combine")
    if "threshold" in scoring and combine not in ("all_pass", "any_pass", None):
        parts = [check for _, check in checks]
        bounds = _combine(scoring, parts, library) if len(parts) == written else Bounds()
        yield ScoreThreshold(("scoring", "threshold"), scoring["threshold"], bounds)


def _of_check(check: dict[str, Any], library: Library, *, inner: bool = False) -> Bounds:
    match check:
        case {"kind": "llm_judge", "jury": {"judges": [*judges], **jury}}:
            if jury.get("aggregation", "majority_vote") == "majority_vote":
                return Bounds()
            jurors = [juror for juror in judges if isinstance(juror, dict)]
            if len(jurors) < len(judges):
                return Bounds()
            return _hull([_of_judge(juror.get("judge_prompt_ref"), library) for juror in jurors])
        case {"kind": "llm_judge", "judge_prompt_ref": reference}:
            return _of_judge(reference, library)
        case {"kind": "composite", "rubric_ref": reference} if not inner:
            return _of_rubric(_value(reference, library), library)
    return Bounds()


def _of_rubric(rubric: Any, library: Library) -> Bounds:
    """Return the bounds of a rubric, which may be malformed."""
    match rubric:
        case {"checks": [_, *_] as checks, "scoring": {"combine": str()} as scoring}:
            if all(isinstance(check, dict) for check in checks):
                return _combine(scoring, checks, library, inner=True)
    return Bounds()


def _combine(
    scoring: dict[str, Any], checks: list[dict[str, Any]], library: Library, *, inner: bool = False
) -> Bounds:
    """Return bounds that hold for every `combine`, even if checks are skipped."""
    if scoring["combine"] in ("all_pass", "any_pass"):
        return Bounds()
    weights = scoring.get("weights") if scoring["combine"] == "weighted_avg" else None
    weights = weights if isinstance(weights, dict) else {}
    counted = [check for check in checks if _weight(check.get("id"), weights) != 0]
    return _hull([_of_check(check, library, inner=inner) for check in counted])


def _weight(id_: Any, weights: dict[str, Any]) -> Any:
    return weights.get(id_, 1) if isinstance(id_, str) else 1


def _hull(bounds: list[Bounds]) -> Bounds:
    if not bounds:
        return Bounds()
    return Bounds(min(part.low for part in bounds), max(part.high for part in bounds))


def _value(text: Any, library: Library) -> Any:
    artifact = library.artifact_of(text)
    return artifact.document.value if artifact else None


def _of_judge(text: Any, library: Library) -> Bounds:
    match _value(text, library):
        case {
            "score_type": "levels",
            "level_values": [_, *_] as values,
            "min_score": int() | float() as low,
            "max_score": int() | float() as high,
        } if all(map(is_finite_number, (low, high, *values))) and low < high:
            lowest, highest = min(values), max(values)
            if low <= lowest <= highest <= high and isfinite(high - low):
                return Bounds((lowest - low) / (high - low), (highest - low) / (high - low))
    return Bounds()
