"""
The schema of a `json_schema` check accepts every JSON value.

Why: The check requires only that the output is JSON. A misspelled keyword is reported as
`rubric/near-miss-keyword` instead.

Bad:
    id: structured
    version: "1.0.0"
    checks:
      - {id: shape, kind: json_schema, schema: {title: The answer}}
    scoring: {combine: all_pass}

Good:
    id: structured
    version: "1.0.0"
    checks:
      - {id: shape, kind: json_schema, schema: {title: The answer, type: object}}
    scoring: {combine: all_pass}
"""

from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule
from evalcontract.rules._schemas import schemas_of
from evalcontract.structure.schema_keywords import accepts_everything, unknown_keywords


@rule(Code("rubric/vacuous-schema", page=__doc__))
def RULE(subject: Subject, context: Context) -> Problems:
    for path, schema in schemas_of(subject, context):
        if not accepts_everything(schema) or any(context.schemas.remarks(schema)):
            continue
        advice = "constrain the value, or check for JSON only: `kind: format`, `format: json`"
        unknown = unknown_keywords(schema) if isinstance(schema, dict) else []
        if unknown:
            advice = f"`{unknown[0]}` is not a JSON Schema keyword"
        message = "the schema accepts every JSON value"
        yield Problem(RULE.code, message, path, advice, on_key=True)
