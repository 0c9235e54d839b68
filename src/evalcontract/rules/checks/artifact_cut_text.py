"""
A `#` in a text without quotation marks begins a comment: the rest of the text is lost.

Why: YAML reads ` #` as the start of a comment, even in the middle of a sentence. The check searches
for `your ticket`, which nearly every answer contains.

Bad:
    id: names_the_ticket
    version: "1.0.0"
    checks:
      - id: ticket
        kind: must_contain_any
        values:
          - your ticket #4711
    scoring: {combine: all_pass}

Good:
    id: names_the_ticket
    version: "1.0.0"
    checks:
      - id: ticket
        kind: must_contain_any
        values:
          - "your ticket #4711"
    scoring: {combine: all_pass}
"""

from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Code, Context, Problems, Rule, Subject, rule
from evalcontract.rules._texts import cut_text_problem

_CODES = {
    Kind.RUBRIC: Code("rubric/cut-text", guess=True, page=__doc__),
    Kind.JUDGE: Code("judge/cut-text", guess=True),  # its page is a file of `pages/`
}


def _check(subject: Subject, context: Context) -> Problems:
    document = subject.artifact.document
    if " #" not in document.text or not document.may_be_yaml:
        return
    from evalcontract.source.comments import cut_texts_of_artifact  # rarely needed

    for cut in cut_texts_of_artifact(document):
        yield cut_text_problem(_CODES[subject.artifact.kind], cut)


RULES: tuple[Rule, ...] = tuple(rule(code)(_check) for code in _CODES.values())
