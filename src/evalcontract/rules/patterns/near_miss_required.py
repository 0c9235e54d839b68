"""
The schema of a `json_schema` check spells a key differently in `required` and in `properties`.

Why: An output with the key from `properties` fails, because the required key is missing. An output
with the required key passes whatever its value is.

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

from typing import Any

from evalcontract.rules._rule import Code, Context, Problem, Problems
from evalcontract.rules._schemas import schema_rule
from evalcontract.structure.schema_keywords import refusal


@schema_rule(Code("rubric/near-miss-required", guess=True, page=__doc__))
def RULE(schema: Any, context: Context) -> Problems:
    refused = refusal(schema)  # reported as `rubric/unsatisfiable-schema`
    for remark in context.schemas.remarks(schema):
        if remark.fault == "near-miss-required" and remark.path != refused:
            message, place, advice = remark.message, remark.path, remark.help
            yield Problem(RULE.code, message, place, advice, on_key=remark.on_key)
