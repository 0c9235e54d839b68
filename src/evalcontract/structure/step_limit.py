"""The exact engine with a limit on its work, for the schemas that authors write.

In a schema with two references to itself, every level of a value doubles the work.
"""

from __future__ import annotations

import threading
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from jsonschema import validators

from evalcontract.structure.exact import NOTHING_TO_FETCH, DetailValidator, pattern_keywords
from evalcontract.structure.native import matches
from evalcontract.structure.native_errors import MAX_VIOLATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema import ValidationError

    from evalcontract.structure.native import Matches

#: The number of keys or values that cost one step, for keywords that only compare them.
_COMPARED_PER_STEP = 10
# To compare a value that is no text counts as so many: `jsonschema` asks for its type first.
_COMPARED_AS = 5
_COMPARING = frozenset({"enum", "required", "properties"})


class StepLimitExceeded(Exception):
    """The check of a value exceeds the maximum number of steps."""


class StepCounter:
    """Checks values against an untrusted schema; `steps` is what the last check took.

    A step is a keyword that is applied to a part of the value. `search` tells whether a pattern
    matches in a text.
    """

    def __init__(self, schema: Any, search: Matches = matches) -> None:
        self.steps = 0
        self._search = search
        self._counting = _counting()
        self._validator = self._counting.validator(schema, registry=NOTHING_TO_FETCH)

    def errors(self, value: Any, limit: int) -> list[ValidationError]:
        """Return the violations of a value, no more than one beyond `MAX_VIOLATIONS`.

        Raises:
            StepLimitExceeded: the check takes more than `limit` steps.
            PatternLimitError: it depends on a pattern whose search reached a limit.
            RecursionError: the value is nested too deeply.

        """
        count = self._counting.count
        count.steps, count.limit, count.search = 0, limit, self._search
        try:
            return list(islice(self._validator.iter_errors(value), MAX_VIOLATIONS + 1))
        except BaseException as error:
            # What `referencing` keeps its schemas in panics where Python's stack is at its end.
            if type(error).__name__ == "PanicException":
                raise RecursionError from error
            raise
        finally:
            self.steps = count.steps


class _Count(threading.local):
    """The steps of the check that goes on in a thread, and their limit."""

    steps = 0
    limit = 0
    search: Matches = staticmethod(matches)


class _Counting:
    """A validator class that counts its steps; making such a class takes milliseconds."""

    def __init__(self) -> None:
        self.count = _Count()

        def search(pattern: str, text: str) -> bool:
            return self.count.search(pattern, text)

        keywords = {
            name: self._counted(name, keyword)
            for name, keyword in {
                **DetailValidator.VALIDATORS,
                **pattern_keywords(search),
            }.items()
        }
        self.validator = validators.extend(DetailValidator, keywords)

    def _counted(self, name: str, keyword: Any) -> Callable[..., Any]:
        def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
            count = self.count
            count.steps += 1 + _comparisons(name, value, instance, schema) // _COMPARED_PER_STEP
            if count.steps > count.limit:
                raise StepLimitExceeded
            return keyword(validator, value, instance, schema)

        return apply


@cache
def _counting() -> _Counting:
    return _Counting()


def _comparisons(name: str, value: Any, instance: Any, schema: Any) -> int:
    """Return how many keys or values a keyword compares."""
    if name in _COMPARING:
        is_slow = name == "enum" and not isinstance(instance, str)
        return len(value) * (_COMPARED_AS if is_slow else 1)
    if name == "uniqueItems" and isinstance(instance, list):
        return len(instance)
    if isinstance(instance, dict):
        if name == "patternProperties":
            return len(value) * len(instance)
        if name in ("additionalProperties", "unevaluatedProperties"):
            return (1 + len(schema.get("patternProperties", ()))) * len(instance)
    return 0
