"""A policy: the mode, and what a configuration changes about the severities of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.model.code import Code, ModeSeverities
    from evalcontract.model.diagnostic import Severity

#: The age from which a judge's validation is stale, where nobody says otherwise.
DEFAULT_MAX_AGE_DAYS = 90

_NONE: Mapping[str, ModeSeverities] = {}


class Policy(NamedTuple):
    """How severe findings are. `strict` is the mode; `overrides` replace what codes declare.

    `max_age_days` is the age in days from which a judge's validation is stale, and `age_from` the
    file of the target that asks for it; None where no target does.
    """

    strict: bool = False
    max_age_days: int = DEFAULT_MAX_AGE_DAYS
    overrides: Mapping[str, ModeSeverities] = _NONE
    age_from: str | None = None

    def severity_of(self, code: Code) -> Severity | None:
        """Return how severe a finding is; None where it is not reported."""
        severities = self.overrides.get(code) or code.severities
        return severities.strict if self.strict else severities.soft

    def join(self, other: Policy) -> Policy:
        """Return the policy for what two datasets share: the stricter of both."""
        aged = min(self, other, key=lambda each: each.max_age_days)
        return Policy(
            strict=self.strict or other.strict,
            max_age_days=aged.max_age_days,
            overrides=self.overrides,
            age_from=aged.age_from,
        )


def policy_of_target(
    target: Mapping[str, Any], file: str, base: Policy, *, forced: bool | None
) -> Policy:
    """Return the policy that a target asks for; `forced` is the mode of a command line."""
    asked = target.get("strict_validation")
    days = target.get("max_validation_age_days")
    strict = asked if isinstance(asked, bool) else base.strict
    return Policy(
        strict=strict if forced is None else forced,
        max_age_days=days if is_count(days) else base.max_age_days,
        overrides=base.overrides,
        age_from=file if is_count(days) else base.age_from,
    )


def is_count(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number, 1 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
