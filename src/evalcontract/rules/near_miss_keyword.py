"""
The schema of a `json_schema` check has a word that is one slip away from a keyword.

Why: JSON Schema passes over words that it does not know, so the demand is not made, and an output
that breaks it passes. Words that come close to no keyword are the author's own, as are those that
begin with `x-`.

Bad:
    id: structured
    version: "1.0.0"
    checks:
      - {id: shape, kind: json_schema, schema: {type: object, requierd: [answer]}}
    scoring: {combine: all_pass}

Good:
    id: structured
    version: "1.0.0"
    checks:
      - {id: shape, kind: json_schema, schema: {type: object, required: [answer]}}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule
from evalcontract.rules._schemas import remarks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Problem

CODE = Code("rubric/near-miss-keyword", guess=True, page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    yield from remarks_of(subject, context, "near-miss-keyword", CODE)
