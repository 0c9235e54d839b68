"""
Two checks of a rubric have the same id.

Why: A weight or a result that names the id could belong to either check.

Bad:
    id: polite
    version: "1.0.0"
    checks:
      - {id: words, kind: must_not_contain, values: [stupid]}
      - {id: words, kind: must_contain_any, values: [please]}
    scoring: {combine: all_pass}

Good:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: asks_kindly, kind: must_contain_any, values: [please]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from evalcontract.rules._rule import Code, Context, Path, Problem, Problems, Related, Subject, rule

CODE = Code("rubric/duplicate-check-id", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    first: dict[str, Path] = {}
    for path, check in subject.checks:
        if "id" not in check:
            continue
        id_, place = check["id"], (*path, "id")
        if id_ in first:
            related = (Related("first used here", first[id_]),)
            advice = "check ids must be unique"
            yield Problem(CODE, f"duplicate check id `{id_}`", place, advice, related=related)
        first.setdefault(id_, place)
