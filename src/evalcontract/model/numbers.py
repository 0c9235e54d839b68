"""Numbers of JSON and YAML, where `true` is none, and neither is what a float cannot hold."""

from __future__ import annotations

import sys
from typing import Any, TypeGuard


def is_finite_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a finite number that a float can hold, and not a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max
