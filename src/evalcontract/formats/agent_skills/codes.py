"""The codes of findings on the cases of Agent Skills."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

# JSON.parse rejects what Python reads as a number that is not finite.
_NOT_FINITE = Code("agent_skills/not-finite", soft=Severity.ERROR)

CODES = tuple(
    _NOT_FINITE if code == _NOT_FINITE else code
    for code in codes_of_system(
        "agent_skills",
        rejected=("empty-value", "unknown-value"),
        silently_accepted=("no-evals", "not-read", "other-name"),
    )
)
