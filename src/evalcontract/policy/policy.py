"""The policy of a run: the mode, and the severities that a configuration overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.model.code import Code, ModeSeverities
    from evalcontract.model.diagnostic import Severity

#: The default maximum age of a judge's validation.
DEFAULT_MAX_AGE_DAYS = 90

_NONE: Mapping[str, ModeSeverities] = {}


class Policy(NamedTuple):
    """How severe findings are. `strict` is the mode; `overrides` replace the codes' severities.

    A judge's validation that is older than `max_age_days` is stale; `age_from` is the file of the
    target that sets this limit, or None.
    """

    strict: bool = False
    max_age_days: int = DEFAULT_MAX_AGE_DAYS
    overrides: Mapping[str, ModeSeverities] = _NONE
    age_from: str | None = None

    def severity_of(self, code: Code) -> Severity | None:
        """Return the severity of a code, or None if it is not reported."""
        severities = self.overrides.get(code) or code.severities
        return severities.strict if self.strict else severities.soft

    def join(self, other: Policy) -> Policy:
        """Return the stricter combination of both, for what two datasets share."""
        limiting = min(self, other, key=lambda policy: policy.max_age_days)
        return Policy(
            strict=self.strict or other.strict,
            max_age_days=limiting.max_age_days,
            overrides=self.overrides,
            age_from=limiting.age_from,
        )


def policy_of_target(
    target: Mapping[str, Any], file: str, base: Policy, *, forced: bool | None
) -> Policy:
    """Return the policy that a target sets; `forced` is the mode from the command line."""
    wanted = target.get("strict_validation")
    days = target.get("max_validation_age_days")
    strict = wanted if isinstance(wanted, bool) else base.strict
    return Policy(
        strict=strict if forced is None else forced,
        max_age_days=days if is_count(days) else base.max_age_days,
        overrides=base.overrides,
        age_from=file if is_count(days) else base.age_from,
    )


def is_count(value: Any) -> TypeGuard[int]:
    """Whether a value is an integer of at least 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
