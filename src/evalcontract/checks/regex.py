"""`regex`: says nothing where its pattern matches every text."""

from __future__ import annotations

import re
import warnings

from evalcontract.analysis.regex_totality import matches_everything
from evalcontract.checks._kind import (
    Check,
    CheckKind,
    Needs,
    State,
    Surroundings,
    barred,
    reads_nothing,
)


def _needs(check: Check, around: Surroundings) -> Needs:
    del around
    pattern, flags = check["pattern"], check.get("flags", [])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": legal
            # Under `x` what looks unclosed may stand in a comment.
            re.compile(pattern, re.VERBOSE if "x" in flags else 0)
    except (re.error, RecursionError, OverflowError):
        return barred(State.UNAVAILABLE, "its pattern does not compile")
    if matches_everything(pattern, flags, full=check.get("match") == "full"):
        what = "fails" if check.get("negate") else "passes"
        return barred(State.VACUOUS, f"`{pattern}` matches every text, so it {what} always")
    return Needs()


KIND = CheckKind("regex", reads_nothing, _needs)
