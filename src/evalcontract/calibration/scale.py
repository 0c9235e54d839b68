"""What a judge may answer, and how labels and verdicts are read on its scale."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.listing import clipped, listed
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PASS = frozenset({"pass", "passed", "true", "yes", "1"})
_FAIL = frozenset({"fail", "failed", "false", "no", "0"})


# Of more levels than these, none is looked for that a verdict resembles.
_MANY = 50


class Unknown(NamedTuple):
    """A value that cannot be read: why, and what to write."""

    message: str
    help: str


class Scale(NamedTuple):
    """The scale of a judge: its lowest and highest score, and the scores of its levels by name.

    A binary judge has neither. `pass_threshold` is the lowest score that passes, None if the judge
    gives none.
    """

    score_type: str
    lowest: float = -inf
    highest: float = inf
    levels: Mapping[str, float] = {}
    pass_threshold: float | None = None

    @classmethod
    def of(cls, judge: dict[str, Any]) -> Scale:
        """Return the scale of a judge that the schema accepts."""
        kind = judge.get("score_type", "binary")
        threshold = judge.get("pass_threshold")
        threshold = None if threshold is None else _as_float(threshold)
        if kind == "levels":
            names = judge["level_names"]
            spread = [number / (len(names) - 1) for number in range(len(names))]
            values = judge.get("level_values", spread)
            levels = dict(zip(names, map(_as_float, values), strict=False))
            return cls(kind, min(levels.values()), max(levels.values()), levels, threshold)
        if kind == "continuous":
            lowest, highest = (
                _as_float(judge.get(key, default))
                for key, default in (("min_score", 0), ("max_score", 1))
            )
            return cls(kind, lowest, highest, pass_threshold=threshold)
        return cls(kind)

    @property
    def is_numeric(self) -> bool:
        """Whether the judge gives scores, which a threshold turns into pass or fail."""
        return self.score_type != "binary"

    def verdict(self, value: Any) -> bool | float | Unknown:
        """Read a verdict of the judge: a score, or pass or fail of a binary judge."""
        if not self.is_numeric:
            word = passes(value)
            return _not_a_word(value) if word is None else word
        return self.score(value)

    def score(self, value: Any) -> float | Unknown:
        """Read a score: a number on the judge's scale, or the name of a level."""
        if self.levels:
            name = value if isinstance(value, str) else str(value)
            if name in self.levels:
                return self.levels[name]
            near = nearest(name, self.levels) if len(self.levels) <= _MANY else None
            advice = f"did you mean `{near}`?" if near else f"write one of {listed(self.levels)}"
            return Unknown(f"`{clipped(name)}` is not a level of the judge", advice)
        number = _number(value)
        scale = f"{self.lowest:g} to {self.highest:g}"
        if number is None:
            return Unknown(f"`{_shown(value)}` is not a number", f"write a score from {scale}")
        if not self.lowest <= number <= self.highest:
            message = f"{number:g} is not on the judge's scale, {scale}"
            return Unknown(message, "correct the score, or `min_score` and `max_score`")
        return number

    def has_scores(self, labels: Iterable[Any]) -> bool:
        """Whether human labels are scores, rather than pass or fail.

        They are if one of them can only be a score: a level, or a number other than 0 and 1.
        """
        return self.is_numeric and any(
            passes(value) is None and not isinstance(self.score(value), Unknown) for value in labels
        )


def passes(value: Any) -> bool | None:
    """Read pass or fail in any of its words; return None if it is none of them.

    These are pass, passed, true, yes and 1; fail, failed, false, no and 0; case is ignored.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = value.strip().casefold() if isinstance(value, str) else ""
    return True if word in _PASS else False if word in _FAIL else None


def human(value: Any) -> bool | Unknown:
    """Read a human label: pass or fail."""
    word = passes(value)
    return _not_a_word(value) if word is None else word


def _not_a_word(value: Any) -> Unknown:
    return Unknown(f"`{_shown(value)}` is neither pass nor fail", "write pass or fail")


def _as_float(number: float) -> float:
    """Return a number of a judge as a float, infinite if no float is as large."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _shown(value: Any) -> str:
    try:
        return clipped(str(value))
    except ValueError:  # an integer of too many digits
        return "a very large number"
