"""The policy of a run: the mode, and the severities that a configuration overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from evalcontract.model.diagnostic import SeveritySource
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.model.code import Code, ModeSeverities
    from evalcontract.model.diagnostic import Severity
    from evalcontract.policy.selection import Selection

#: The default maximum age of a judge's validation.
DEFAULT_MAX_AGE_DAYS = 90

_NONE: Mapping[str, ModeSeverities] = {}


class Policy(NamedTuple):
    """How severe findings are. `strict` is the mode; `overrides` replace the codes' severities.

    A judge's validation that is older than `max_age_days` is stale; `age_from` is the file that
    sets this limit, or None. `strict_from` is the setting that makes the mode strict, or None if
    the caller does; `overrides_from` is the file of the overrides, and `overrides_table` the
    table. `selection` has the codes that the caller wants to be reported, None for all.
    """

    strict: bool = False
    max_age_days: int = DEFAULT_MAX_AGE_DAYS
    overrides: Mapping[str, ModeSeverities] = _NONE
    age_from: str | None = None
    strict_from: SeveritySource | None = None
    overrides_from: str | None = None
    overrides_table: str = "[severity]"
    selection: Selection | None = None

    def severity_of(self, code: Code) -> Severity | None:
        """Return the severity of a code, or None if it is not reported."""
        if self.selection is not None and not self.selection.includes(code):
            return None
        severities = self.overrides.get(code) or code.severities
        return severities.strict if self.strict else severities.soft

    def source_of(self, code: Code, severity: Severity) -> SeveritySource | None:
        """Return the setting that gives a code another severity than soft mode does, or None."""
        if severity is code.severities.soft:
            return None
        overridden = self.overrides.get(code)
        if overridden and self.overrides_from and severity is overridden.soft:
            return SeveritySource(self.overrides_table, self.overrides_from)
        return self.strict_from if self.strict else None

    def join(self, other: Policy) -> Policy:
        """Return the stricter combination of both, for what two datasets share."""
        limiting = min(self, other, key=lambda policy: policy.max_age_days)
        return Policy(
            strict=self.strict or other.strict,
            max_age_days=limiting.max_age_days,
            overrides=self.overrides,
            age_from=limiting.age_from,
            strict_from=self.strict_from if self.strict else other.strict_from,
            overrides_from=self.overrides_from,
            overrides_table=self.overrides_table,
            selection=self.selection,
        )

    def forced(self, strict: bool | None) -> Policy:  # noqa: FBT001 - a mode, or None
        """Return the policy in the mode that the caller sets; None changes nothing."""
        return self if strict is None else self._replace(strict=strict, strict_from=None)

    def narrowed(self, selection: Selection | None) -> Policy:
        """Return the policy that reports only the selected codes; None changes nothing."""
        return self if selection is None else self._replace(selection=selection)


def policy_of_target(
    target: Mapping[str, Any], file: str, base: Policy, *, forced: bool | None
) -> Policy:
    """Return the policy that a target sets; `forced` is the mode from the command line."""
    wanted = target.get("strict_validation")
    days = target.get("max_validation_age_days")
    policy = base
    if isinstance(wanted, bool):
        source = SeveritySource("strict_validation", file) if wanted else None
        policy = policy._replace(strict=wanted, strict_from=source)
    if is_count(days):
        policy = policy._replace(max_age_days=days, age_from=file)
    return policy.forced(forced)


def is_count(value: Any) -> TypeGuard[int]:
    """Whether a value is an integer of at least 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
