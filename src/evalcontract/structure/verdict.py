"""Whether a value is valid by the schema of a `json_schema` check, and if not, why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import format_path
from evalcontract.model.values import clipped
from evalcontract.structure.native import PatternLimitError, matches
from evalcontract.structure.native_errors import from_native
from evalcontract.structure.timed import TimedValidator, TooMuchWork, number_of_values

if TYPE_CHECKING:
    from evalcontract.structure.native import Matches
    from evalcontract.structure.step_limit import StepCounter

#: Maximum number of steps of the exact engine for one value.
MAX_STEPS = 150_000
#: Of a value with more parts than this, the first violation is not described.
MAX_PARTS = 50_000
_MAX_CHARACTERS = 300


class UndecidedError(Exception):
    """It cannot be decided within the limits whether a value is valid."""


class AuthoredSchema:
    """A schema without faults that an author wrote, for many values.

    `search` tells whether a pattern matches in a text.
    """

    def __init__(self, schema: Any, search: Matches = matches) -> None:
        self._schema = schema
        self._search = search
        self._native: TimedValidator | None = None
        self._exact: StepCounter | None = None

    def first_violation(self, value: Any) -> str | None:
        """Return why a value is invalid, by its first violation and its path; None if it is valid.

        Raises:
            UndecidedError: it takes too much work, reaches the limit of a pattern, or is nested
                too deeply.

        """
        if isinstance(self._schema, bool):
            return None if self._schema else "no value is valid by its schema"
        self._native = self._native or TimedValidator(self._schema, self._search)
        try:
            return None if self._native.is_valid(value) else self._described(self._native, value)
        except TooMuchWork:
            return self._by_steps(value)
        except (ValueError, TypeError, RecursionError):
            # A number beyond 64 bits, or a limit of a pattern: the exact engine decides.
            return self._by_steps(value)

    def _described(self, validator: TimedValidator, value: Any) -> str:
        """Return the first violation of an invalid value."""
        from jsonschema_rs import ValidationError  # slow to import

        from evalcontract.structure.messages.values import message_for

        if number_of_values(value) > MAX_PARTS:
            return "it is invalid by the schema"
        try:
            validator.native.validate(value)
        except ValidationError as error:
            violation = from_native(error, value, self._schema)
            path = tuple(error.instance_path)
            if violation is None:
                return _at(path, error.message)
            subject = f"`{format_path(path)}`" if path else "the JSON value"
            if violation.validator == "required":
                missing = [
                    key for key in violation.validator_value if key not in violation.instance
                ]
                return clipped(f"{subject} has no key `{missing[0]}`", _MAX_CHARACTERS)
            message = message_for("output", violation, (), None, subject).message
            return clipped(message, _MAX_CHARACTERS)
        return "it is invalid by the schema"

    def _by_steps(self, value: Any) -> str | None:
        from evalcontract.structure.step_limit import StepCounter, StepLimitExceeded

        self._exact = self._exact or StepCounter(self._schema, self._search)
        try:
            errors = self._exact.errors(value, MAX_STEPS)
        except StepLimitExceeded:
            message = f"checking it against the schema takes over {MAX_STEPS:,} steps"
            raise UndecidedError(message) from None
        except PatternLimitError as error:
            raise UndecidedError(str(error)) from None
        except RecursionError:
            raise UndecidedError("it is nested too deeply to be checked") from None
        if not errors:
            return None
        return _at(tuple(errors[0].absolute_path), errors[0].message)


def _at(path: tuple[str | int, ...], message: str) -> str:
    return clipped(f"{format_path(path)}: {message}" if path else message, _MAX_CHARACTERS)
