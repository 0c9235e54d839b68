"""The pages of a file of the wrong kind, and of what goes wrong in evalcontract itself."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "dataset/wrong-kind": """
        A rubric or a judge stands where a dataset belongs.

        Why: It has no rows, so that nothing is asked. And no reference finds it, since rubrics and
        judges are looked for in their own folders.

        Bad:
            # file: datasets/refund.yaml
            id: refund
            version: "1.0.0"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            # file: rubrics/refund.yaml
            id: refund
            version: "1.0.0"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/wrong-kind": """
        A dataset or a judge stands where a rubric belongs.

        Why: It has no checks, so that a row which is graded by it is not graded at all. Nor does a
        reference to the judge find it here.

        Bad:
            # file: rubrics/accuracy.yaml
            id: accuracy
            version: "1.0.0"
            template: "Is it right? {{ output }}"

        Good:
            # file: judges/accuracy.yaml
            id: accuracy
            version: "1.0.0"
            template: "Is it right? {{ output }}"
        """,
    "judge/wrong-kind": """
        A dataset or a rubric stands where a judge belongs.

        Why: It has no template, so that a model cannot be asked. Nor does a row that refers to the
        rubric find it here.

        Bad:
            # file: judges/refund.yaml
            id: refund
            version: "1.0.0"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            # file: rubrics/refund.yaml
            id: refund
            version: "1.0.0"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "internal/rule-crashed": """
        A rule of evalcontract, or of a package that adds rules to it, crashed on this file. That is
        a bug of the rule; the file may be right or wrong.

        Why: What the rule looks for was not looked for here. The exit code is 3, so that nobody
        takes a check that did not happen for a check that found nothing.

        Bad:
            # Whatever the rule cannot cope with. Please report the file with the message.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}

        Good:
            # The same file, with the version of evalcontract in which the rule is mended.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
