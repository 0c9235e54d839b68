"""
The schema of a `json_schema` check requires a key that it describes only under another spelling.

Why: An output with the key that is described lacks the one that is required, so it fails. One with
the required key passes whatever its value is.

Bad:
    id: structured
    version: "1.0.0"
    checks:
      - id: shape
        kind: json_schema
        schema:
          type: object
          required: [anwser]
          properties: {answer: {type: string}}
    scoring: {combine: all_pass}

Good:
    id: structured
    version: "1.0.0"
    checks:
      - id: shape
        kind: json_schema
        schema:
          type: object
          required: [answer]
          properties: {answer: {type: string}}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.schema_sense import refusal
from evalcontract.model.code import Code
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule
from evalcontract.rules._schemas import remarks, schemas_of, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Problem

CODE = Code("rubric/near-miss-required", guess=True, page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, schema in schemas_of(subject, context):
        refused = refusal(schema)  # `rubric/unsatisfiable-schema` says so
        for each in remarks(schema):
            if each.fault == "near-miss-required" and each.path != refused:
                yield told(CODE, path, each.message, each.path, each.help, on_key=each.on_key)
