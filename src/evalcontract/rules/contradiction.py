"""
Two demands of a rubric that no output can meet together.

Why: One of the two fails for every output, so that `all_pass` can never pass and a mean can
never be full. What is told is certain: one part of the other, by both checks' rules of case.

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
        return  # what the checks mean together is not known
    for clash in find_clashes(subject.checks, combine):
        related = (Related(clash.other_message, clash.other),)
        yield Problem(CODE, clash.message, clash.path, clash.advice, related=related)
