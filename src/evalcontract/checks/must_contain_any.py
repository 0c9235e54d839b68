"""`must_contain_any`: reads only the output."""

from __future__ import annotations

from evalcontract.checks._kind import CheckKind, always_runs, reads_nothing

KIND = CheckKind("must_contain_any", reads_nothing, always_runs)
