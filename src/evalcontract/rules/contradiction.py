"""
Two checks of a rubric contradict each other: no output can pass both.

Why: One of the two fails for every output, so `all_pass` never passes and an average never reaches
1. Only certain contradictions are reported, with the case sensitivity of both checks considered.

Bad:
    id: refund
    version: "1.0.0"
    checks:
      - {id: says_so, kind: must_contain_any, values: [full refund, money back]}
      - {id: no_promise, kind: must_not_contain, values: [refund]}
    scoring: {combine: all_pass}

Good:
    id: refund
    version: "1.0.0"
    checks:
      - {id: says_so, kind: must_contain_any, values: [full refund, money back]}
      - {id: no_promise, kind: must_not_contain, values: [refund at once]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.clashes import find_clashes
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("rubric/contradiction", page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    combine = subject.value.get("scoring", {}).get("combine")
    if combine is None:
        return  # without it, whether all checks must pass is unknown
    for clash in find_clashes(subject.checks, combine):
        related = (Related(clash.other_message, clash.other),)
        yield Problem(CODE, clash.message, clash.path, clash.advice, related=related)
