"""`must_not_contain`: reads the row's `must_not_contain` unless it has its own `values`."""

from __future__ import annotations

from evalcontract.checks._kind import CheckKind, needs_unless, reads_unless

KIND = CheckKind(
    "must_not_contain",
    reads_unless("values", "must_not_contain"),
    needs_unless("values", "must_not_contain"),
)
