"""How many examples a property is tried on: a share that never changes, or all.

`make test` tries a share of them, the same ones every time, so that a failure is the change's own.
`make thorough` tries all, and Hypothesis chooses others every time.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Case = TypeVar("Case")

_THOROUGH, _QUICK = "thorough", "quick"
_SHARE = 6
_AT_LEAST = 25


def load_profiles() -> None:
    """Register both profiles with Hypothesis; the quick one holds unless another is asked for."""
    # Neither a time nor how often a value is drawn in vain is anybody's promise.
    always: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
    settings.register_profile(_THOROUGH, **always)
    settings.register_profile(_QUICK, max_examples=_AT_LEAST, derandomize=True, **always)
    settings.load_profile(_QUICK)


def tries(many: int, *, at_least: int = 1) -> int:
    """Return how often to try what is worth `many` tries when there is time."""
    if settings.get_current_profile_name() == _THOROUGH:
        return many
    return max(many // _SHARE, at_least)


def some(of_all: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases that are tried, of many that stand in an order."""
    return islice(of_all, 0, None, 1 if tries(_SHARE) == _SHARE else _SHARE)


def examples(many: int) -> settings:
    """Return the settings of a property that is worth `many` examples when there is time."""
    return settings(max_examples=tries(many, at_least=min(many // 2, _AT_LEAST)))
