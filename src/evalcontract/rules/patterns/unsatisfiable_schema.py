"""
The schema of a `json_schema` check accepts no value at all.

Why: Two of its keywords contradict each other, so the check fails for every output.

Bad:
    id: structured
    version: "1.0.0"
    checks:
      - id: shape
        kind: json_schema
        schema:
          type: object
          required: [answer]
          properties: {anwser: {type: string}}
          additionalProperties: false
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
          additionalProperties: false
    scoring: {combine: all_pass}
"""

from evalcontract.model.diagnostic import format_path
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule
from evalcontract.rules._schemas import schemas_of


@rule(Code("rubric/unsatisfiable-schema", page=__doc__))
def RULE(subject: Subject, context: Context) -> Problems:
    for path, schema in schemas_of(subject, context):
        from evalcontract.structure.schema_keywords import refusal  # slow to import

        place = refusal(schema)
        if place is None:
            continue
        message = "no value can match this schema"
        remarks = context.schemas.remarks(schema)
        fix = next((remark.help for remark in remarks if remark.path == place), None)
        if path[-1] == "schema":
            advice = fix or "this part excludes every value"
            yield Problem(RULE.code, message, (*path, *place), advice)
        else:
            advice = fix or f"its part at {format_path(place)} excludes every value"
            yield Problem(RULE.code, message, path, advice)
