"""Read labels of people and verdicts of a judge as they stand in files, on its scale."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.scale import Scale

_PASS = frozenset({"pass", "passed", "true", "yes", "1"})
_FAIL = frozenset({"fail", "failed", "false", "no", "0"})

# Of more levels than these, none is looked for that a verdict resembles.
_MANY = 50


class Unknown(NamedTuple):
    """A value that cannot be read: why, and what to write."""

    message: str
    help: str


def read_verdict(scale: Scale, value: Any) -> bool | float | Unknown:
    """Read a verdict of a judge: a score, or pass or fail of a binary judge."""
    if not scale.is_numeric:
        word = passes(value)
        return _not_a_word(value) if word is None else word
    return read_score(scale, value)


def read_score(scale: Scale, value: Any) -> float | Unknown:
    """Read a score: a number on the scale of a judge, or the name of a level."""
    if scale.levels is not None:
        name = value if isinstance(value, str) else _shown(value)
        if name in scale.levels:
            return scale.levels[name]
        near = nearest(name, scale.levels) if len(scale.levels) <= _MANY else None
        advice = f"did you mean `{near}`?" if near else f"write one of {listed(scale.levels)}"
        return Unknown(f"`{clipped(name)}` is not a level of the judge", advice)
    number = _number(value)
    ends = f"{scale.low:g} to {scale.high:g}"
    if number is None:
        return Unknown(f"`{_shown(value)}` is not a number", f"write a score from {ends}")
    if not scale.low <= number <= scale.high:
        message = f"{number:g} is not on the judge's scale, {ends}"
        return Unknown(message, "correct the score, or `min_score` and `max_score`")
    return number


def have_scores(scale: Scale, labels: Iterable[Any]) -> bool:
    """Whether human labels are scores, rather than pass or fail.

    They are if one of them can only be a score: a level, or a number other than 0 and 1.
    """
    return scale.is_numeric and any(
        passes(value) is None and not isinstance(read_score(scale, value), Unknown)
        for value in labels
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
