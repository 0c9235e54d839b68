"""`must_contain_any`: looks at the output alone."""

from __future__ import annotations

from evalcontract.checks._kind import CheckKind, always_runs, reads_nothing

KIND = CheckKind("must_contain_any", reads_nothing, always_runs)
