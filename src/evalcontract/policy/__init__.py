"""The severity of each code in soft and strict mode. No lower package knows the mode."""

from __future__ import annotations

from evalcontract.policy.exit_status import exit_status
from evalcontract.policy.policy import Policy, policy_of_target

__all__ = ["Policy", "exit_status", "policy_of_target"]
