"""What a code weighs: a severity in soft mode, and one in strict mode."""

from __future__ import annotations

from evalcontract.model.diagnostic import Severity

#: None means that nothing is reported in that mode.
Weight = tuple[Severity | None, Severity | None]
