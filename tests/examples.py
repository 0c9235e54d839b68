"""How many examples a property is tried on: a few that never change, or as many as are asked for.

`make test` tries a share of them, the same ones every time, so that a failure is the change's own.
`make thorough` tries all, and others every time.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

THOROUGH = "thorough"
_QUICK = "quick"
_SHARE = 6
_AT_LEAST = 25
_DEAR, _FEW = 50, 8  # what is not worth more than fifty has eight


def load_profiles() -> None:
    """Make the profiles known; the quick one holds unless another is asked for."""
    # No test asserts a time, and machines are busy. The cache that each test has may be shared by
    # its examples. Neither a time nor how often a value is drawn in vain is anybody's promise.
    always: dict[str, Any] = {
        "deadline": None,
        "suppress_health_check": list(HealthCheck),
    }
    settings.register_profile(THOROUGH, **always)
    settings.register_profile(_QUICK, max_examples=_AT_LEAST, derandomize=True, **always)
    settings.load_profile(_QUICK)


def examples(many: int) -> settings:
    """Return the settings of a property that is worth `many` examples when there is time."""
    if settings.get_current_profile_name() == THOROUGH:
        return settings(max_examples=many)
    return settings(max_examples=max(many // _SHARE, _AT_LEAST if many > _DEAR else _FEW))
