"""How many examples a property is tried on: a few, a share that never changes, or all.

`make check` tries a few of them and `make test` a share, the same ones every time, so that a
failure is the change's own. `make thorough` tries all, and Hypothesis chooses others every time.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterable

Case = TypeVar("Case")


class _Effort(NamedTuple):
    """One of so many cases is tried, but at least so many."""

    one_of: int
    at_least: int


_EFFORTS = {"brief": _Effort(60, 5), "quick": _Effort(25, 20), "thorough": _Effort(1, 100)}


def load_profiles() -> None:
    """Register a profile for each effort with Hypothesis; "quick" holds unless one is asked for."""
    # Neither a time nor how often a value is drawn in vain is anybody's promise.
    always: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
    for name, effort in _EFFORTS.items():
        is_fixed = name != "thorough"
        settings.register_profile(
            name, max_examples=effort.at_least, derandomize=is_fixed, **always
        )
    settings.load_profile("quick")


def _effort() -> _Effort:
    return _EFFORTS[settings.get_current_profile_name()]


def tries(many: int, *, at_least: int = 1) -> int:
    """Return how often to try what is worth `many` tries when there is time."""
    return max(many // _effort().one_of, min(at_least, many))


def some(of_all: Iterable[Case], times: int = 1) -> list[Case]:
    """Return the cases that are tried, of many that stand in an order; or so many times as many."""
    return [*islice(of_all, 0, None, max(1, _effort().one_of // times))]


def a_few(of_all: Iterable[Case], number: int = 5) -> list[Case]:
    """Return the cases of a table that `make check` has time for; all, if there is more."""
    cases = [*of_all]
    if _effort() is not _EFFORTS["brief"]:
        return cases
    return cases[:: len(cases) // number | 1]  # odd, so that pairs take turns


def mostly_costly(of_all: Iterable[Case], number: int = 5) -> list[Any]:
    """Return all cases as parameters of a test; only a few of them run in `make check`."""
    cases = [*of_all]
    step = len(cases) // number | 1
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.costly if place % step else (),
        )
        for place, case in enumerate(cases)
    ]


def examples(many: int) -> settings:
    """Return the settings of a property that is worth `many` examples when there is time."""
    return settings(max_examples=tries(many, at_least=min(many // 2, _effort().at_least)))
