"""A policy: the table, with the changes that a configuration makes to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest
from evalcontract.policy.table import DEFAULT, TABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.policy.weight import Weight

#: The age from which a judge's validation is stale, where nobody says otherwise.
DEFAULT_MAX_AGE_DAYS = 90

_NAMES: dict[str, Severity | None] = {
    "ignore": None,
    "note": Severity.NOTE,
    "warning": Severity.WARNING,
    "error": Severity.ERROR,
}


@dataclass(frozen=True, slots=True)
class Policy:
    """What findings weigh. `strict` picks the column; `changes` replace entries of the table.

    `max_age_days` is the age in days from which a judge's validation is stale.
    """

    strict: bool = False
    max_age_days: int = DEFAULT_MAX_AGE_DAYS
    changes: Mapping[str, Weight] = field(default_factory=dict)

    def weigh(self, code: str) -> Severity | None:
        """Return what a code weighs; None where it is not to be reported."""
        weight = self.changes.get(code) or TABLE.get(code, DEFAULT)
        return weight[self.strict]

    def join(self, other: Policy) -> Policy:
        """Return the policy for what two datasets share: the stricter of both."""
        return Policy(
            strict=self.strict or other.strict,
            max_age_days=min(self.max_age_days, other.max_age_days),
            changes=self.changes,
        )


def policy_of_target(target: Mapping[str, Any], base: Policy, *, forced: bool | None) -> Policy:
    """Return the policy that a target asks for; `forced` is the mode of a command line."""
    asked = target.get("strict_validation")
    days = target.get("max_validation_age_days")
    strict = asked if isinstance(asked, bool) else base.strict
    return Policy(
        strict=strict if forced is None else forced,
        max_age_days=days if is_count(days) else base.max_age_days,
        changes=base.changes,
    )


def is_count(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number, 1 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def parse_weights(table: Mapping[str, Any], where: str) -> dict[str, Weight]:
    """Read the `[severity]` table of a configuration.

    Each code has one severity, or one for each mode: `"rubric/cycle" = "error"`,
    `"rubric/cycle" = { soft = "note", strict = "error" }`. `ignore` reports nothing.

    Raises:
        ConfigurationError: an unknown severity or mode.

    """
    weights = {}
    for code, entry in table.items():
        kind = code.partition("/")[0]
        if code not in TABLE and kind in {each.partition("/")[0] for each in TABLE}:
            near = nearest(code, TABLE)
            meant = f"; did you mean {near}?" if near else ""
            raise ConfigurationError(f"{where}: there is no code {code}{meant}")
        modes = entry if isinstance(entry, dict) else {"soft": entry, "strict": entry}
        if not modes.keys() <= {"soft", "strict"}:
            raise ConfigurationError(f"{where}: {code}: modes are `soft` and `strict`")
        soft, hard = TABLE.get(code, DEFAULT)
        weights[code] = (
            _severity(modes["soft"], code, where) if "soft" in modes else soft,
            _severity(modes["strict"], code, where) if "strict" in modes else hard,
        )
    return weights


def _severity(name: Any, code: str, where: str) -> Severity | None:
    if not isinstance(name, str) or name not in _NAMES:
        raise ConfigurationError(f"{where}: {code}: {name!r} is none of {', '.join(_NAMES)}")
    return _NAMES[name]
