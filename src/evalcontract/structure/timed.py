"""The native engine with a limit on its work, for the schemas that authors write.

It has no limit of its own, and cannot be interrupted: a list with many items that are each compared
with many alternatives takes minutes. Its work is bounded in advance by the number of alternatives
and of values, and measured where that says little.
"""

from __future__ import annotations

from functools import cached_property
from time import thread_time
from typing import TYPE_CHECKING, Any

from evalcontract.structure.native import matches, native_for
from evalcontract.structure.subschemas import IN_PLACE_LISTS, IN_PLACE_MAPPINGS, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.structure.native import Matches
    from evalcontract.structure.subschemas import Schema

#: A schema with so many alternatives is always quick.
FEW_ALTERNATIVES = 20
#: Maximum number of values times alternatives in one call; each takes up to a microsecond.
MAX_WORK = 2_000_000
#: Seconds of processor time for all calls, and for each value; beyond both, the engine is too slow.
MAX_SECONDS, SECONDS_PER_VALUE = 1.0, 20e-6


class TooMuchWork(Exception):
    """The native engine may take too long; `StepCounter` decides."""


class TimedValidator:
    """Checks values against the schema of a bundle.

    `whole` is the schema that they are checked against, if that of the bundle is a part of it.
    `search` tells whether a pattern matches in a text; `clock` returns the processor time in
    seconds.
    """

    def __init__(
        self,
        schema: Schema,
        search: Matches = matches,
        *,
        whole: Schema | None = None,
        clock: Callable[[], float] = thread_time,
    ) -> None:
        self._schema = schema
        self._search = search
        self._whole = whole if whole is not None else schema
        self._clock = clock
        self._seconds = 0.0
        self._values = 0

    def is_valid(self, value: Any) -> bool:
        """Whether a value is valid.

        Raises:
            TooMuchWork: this may take too long, or other values did.
            PatternLimitError: a pattern reaches the limit of its engine.
            ValueError, TypeError, RecursionError: it is not a JSON value.

        """
        if self._alternatives <= FEW_ALTERNATIVES:
            return bool(self.native.is_valid(value))
        if self._is_slow():
            raise TooMuchWork
        many = number_of_values(value)
        if many * self._alternatives > MAX_WORK:
            raise TooMuchWork
        self._values += many
        native = self.native
        start = self._clock()
        try:
            return bool(native.is_valid(value))
        finally:
            self._seconds += self._clock() - start

    def _is_slow(self) -> bool:
        return self._seconds > max(MAX_SECONDS, self._values * SECONDS_PER_VALUE)

    @cached_property
    def native(self) -> Any:
        """The native validator, without a limit."""
        return native_for(self._whole, self._search)

    @cached_property
    def _alternatives(self) -> int:
        return sum(_alternatives_of(subschema) for _, subschema in subschemas(self._schema))


def _alternatives_of(schema: Schema) -> int:
    """Return the number of schemas, patterns and values that a value is compared with in turn."""
    keywords = (*IN_PLACE_LISTS, *IN_PLACE_MAPPINGS, "patternProperties", "dependentRequired")
    values = schema.get("enum", ())
    # Values of one simple type are looked up.
    are_looked_up = len({type(value) for value in values}) <= 1 and not any(
        isinstance(value, dict | list) for value in values
    )
    lists = sum(len(schema.get(keyword, ())) for keyword in keywords)
    return lists + (0 if are_looked_up else len(values))


def number_of_values(value: Any) -> int:
    """Return the number of mappings, lists and scalars in a value."""
    number, pending = 0, [value]
    while pending:
        part = pending.pop()
        number += 1
        if isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return number
