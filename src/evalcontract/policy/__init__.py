"""What each code weighs in each mode. Soft and strict are known here, and nowhere below."""

from __future__ import annotations

from evalcontract.policy.exit_status import exit_status
from evalcontract.policy.policy import Policy, policy_of_target
from evalcontract.policy.table import DEFAULT, TABLE
from evalcontract.policy.weight import Weight
from evalcontract.policy.weights import parse_weights

__all__ = [
    "DEFAULT",
    "TABLE",
    "Policy",
    "Weight",
    "exit_status",
    "parse_weights",
    "policy_of_target",
]
