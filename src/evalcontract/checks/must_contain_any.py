"""`must_contain_any`: reads the row's `must_contain_any` unless it has its own `values`."""

from __future__ import annotations

from evalcontract.checks._kind import CheckKind, needs_unless, reads_unless

KIND = CheckKind(
    "must_contain_any",
    reads_unless("values", "must_contain_any"),
    needs_unless("values", "must_contain_any"),
)
