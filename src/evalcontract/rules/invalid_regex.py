"""
The pattern of a `regex` check does not compile.

Why: The check can never run. Patterns are Python's `re`, so some of what PCRE or JavaScript
take is a fault here.

Bad:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_date, kind: regex, pattern: "([0-9]{4}"}
    scoring: {combine: all_pass}

Good:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_date, kind: regex, pattern: "([0-9]{4})"}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "rubric/invalid-regex"


@rule(CODE, Kind.RUBRIC, page=__doc__)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check["kind"] != "regex":
            continue
        fault = _fault(check["pattern"], check.get("flags", []))
        if fault:
            yield Problem(CODE, f"the pattern does not compile: {fault}", (*path, "pattern"))


def _fault(pattern: str, flags: list[str]) -> str | None:
    """Return what Python's `re` says of a pattern; None where it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": legal, and not ours to say
            # Under `x` what looks unclosed may stand in a comment.
            re.compile(pattern, re.VERBOSE if "x" in flags else 0)
    except re.error as error:
        at = f", at character {error.pos + 1}" if error.pos is not None else ""
        return f"{error.msg}{at}"
    except (RecursionError, OverflowError) as error:
        return str(error)
    return None
