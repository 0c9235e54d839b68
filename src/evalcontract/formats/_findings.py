"""What the row checkers of all systems ask and say alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

# Faults of keys that the loader of a system does not read: it passes them over.
_PASSED_OVER = ("near-miss-key", "misplaced-key", "foreign-key", "ignored-key")
_MOST = 60


def is_passed_over(problem: Problem) -> bool:
    """Whether a finding is one of a key that the loader passes over."""
    return problem.code.partition("/")[2] in _PASSED_OVER


def stops_loader(problems: Iterable[Problem]) -> bool:
    """Whether the loader stops at one of the findings of a schema."""
    return not all(map(is_passed_over, problems))


def value_at(value: Any, steps: Path) -> Any:
    """Return what stands at a path of a value.

    Raises:
        LookupError: nothing does.

    """
    for step in steps:
        value = value[step]
    return value


def mapping_at(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the mapping below some keys; an empty one where there is none."""
    for key in keys:
        inner = value.get(key)
        value = inner if isinstance(inner, dict) else {}
    return value


def without(problems: Iterable[Problem], path: Path) -> list[Problem]:
    """Leave out what is said of a place, and of all below it."""
    return [problem for problem in problems if problem.path[: len(path)] != path]


class FirstRows:
    """Tells which row had a name first. It keeps an index for each name, and nothing more."""

    def __init__(self) -> None:
        self._first: dict[str | bytes, str | int] = {}

    def before(self, name: str | bytes, path: Path) -> Path | None:
        """Return the path of the first row with a name, where it is an earlier one than `path`."""
        index = path[-1] if path else 0
        first = self._first.setdefault(name, index)
        return None if first == index else (*path[:-1], first)


def as_json(value: Any) -> str:
    """Return a value as people write it in JSON."""
    return json.dumps(value, ensure_ascii=False)


def clipped(text: str, most: int = _MOST) -> str:
    """Return a text in few characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
