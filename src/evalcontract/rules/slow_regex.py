r"""
The pattern of a `regex` check can take exponentially long.

Why: Where a repeated part can be read in two ways, each further repetition doubles the ways, and
Python's `re` tries them all before it says no. One unlucky output hangs the whole run. What is
told is certain: the text in the message does it.

Bad:
    id: tagged
    version: "1.0.0"
    checks:
      - {id: only_tags, kind: regex, pattern: '^(\w+,?)+$'}
    scoring: {combine: all_pass}

Good:
    id: tagged
    version: "1.0.0"
    checks:
      - {id: only_tags, kind: regex, pattern: '^\w+(,\w+)*,?$'}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.regex_ambiguity import find_attack
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "rubric/slow-regex"

_ROUNDS = 40


@rule(CODE, Kind.RUBRIC, page=__doc__)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check["kind"] != "regex":
            continue
        full = check.get("match") == "full"
        attack = find_attack(check["pattern"], check.get("flags", ()), full=full)
        if attack is None:
            continue
        before = f"{attack.before!r}, " if attack.before != attack.word else ""
        after = f", then {attack.after!r}" if attack.after else ""
        text = f"{before}{_ROUNDS} times {attack.word!r}{after}"
        yield Problem(
            CODE,
            f"the pattern backtracks exponentially: on {text} it is not done in any useful time",
            (*path, "pattern"),
            "let every text be read in one way only: `a+` for `(a+)+`, `a(,a)*` for `(a,?)+`",
        )
