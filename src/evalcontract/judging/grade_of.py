"""What the verdict of a model is worth on the scale of its judge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.scale import ScaleError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import is_finite_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.model.scale import Scale


class Grade(NamedTuple):
    """What an answer is worth: its score from 0 to 1, and whether it passes.

    `verdict` is the answer as it stands on the scale: the exact name of a level, or a number.
    """

    score: float
    passes: bool
    verdict: str | float


def wanted(scale: Scale) -> str:
    """Return what the verdict has to be, as a model is told."""
    if scale.levels is not None:
        names = [json.dumps(name, ensure_ascii=False) for name in scale.levels]
        return f"{', '.join(names[:-1])} or {names[-1]}"
    return f"a number from {scale.low:g} to {scale.high:g}"


def grade_of(scale: Scale, verdict: Any) -> Grade:
    """Return what a verdict is worth.

    Raises:
        ScaleError: the verdict is not on the scale.

    """
    if scale.levels is None:
        value, named = _number(scale, verdict), verdict
    else:
        named = _name(scale, scale.levels, verdict)
        value = scale.levels[named]
    return Grade(scale.score(value), scale.passes(value), named)


def _name(scale: Scale, levels: Mapping[str, float], verdict: Any) -> str:
    if isinstance(verdict, str):
        if verdict in levels:
            return verdict
        folded = verdict.strip().casefold()
        names = [name for name in levels if name.strip().casefold() == folded]
        if len(names) == 1:
            return names[0]
    raise ScaleError(f"it is not {wanted(scale)}")


def _number(scale: Scale, verdict: Any) -> float:
    if not is_finite_number(verdict) or not scale.low <= verdict <= scale.high:
        raise ScaleError(f"it is not {wanted(scale)}")
    return float(verdict)
