"""
A list of a check has the same value twice.

Why: A duplicate fact counts twice in the recall. In other lists, a duplicate has no effect, and
another value was probably intended.

Bad:
    id: facts
    version: "1.0.0"
    checks:
      - {id: deadline, kind: fact_match, facts: [30 days, free of charge, 30  Days]}
    scoring: {combine: all_pass}

Good:
    id: facts
    version: "1.0.0"
    checks:
      - {id: deadline, kind: fact_match, facts: [30 days, free of charge]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from evalcontract.analysis.texts import normalized
from evalcontract.rules._rule import (
    Code,
    Context,
    Problem,
    Problems,
    Related,
    Severity,
    Subject,
    rule,
)

CODE = Code("rubric/repeated-value", strict=Severity.WARNING, page=__doc__)

#: Without `expected_tools`, since a tool may be expected to be called twice.
_LISTS = (
    "values",
    "facts",
    "required_sections",
    "forbidden_patterns",
    "forbidden_tools",
    "required_keys",
)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    for path, check in subject.checks:
        for key in _LISTS:
            first: dict[str, int] = {}
            for index, value in enumerate(check.get(key, ())):
                # Facts are matched ignoring case and spaces; other lists are compared as written.
                same = (
                    " ".join(normalized(value, case_sensitive=False).split())
                    if key == "facts"
                    else value
                )
                if same in first:
                    before = (*path, key, first[same])
                    place = (*path, key, index)
                    message = f"duplicate item `{value}` in `{key}`"
                    related = (Related("first listed here", before),)
                    yield Problem(CODE, message, place, "remove one of the two", related=related)
                first.setdefault(same, index)
