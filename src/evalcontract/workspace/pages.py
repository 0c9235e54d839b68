"""The pages of what is wrong with bundles, and with what a target names."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "bundle/invalid-schema": """
        The schema of a bundle is no JSON Schema (Draft 2020-12).

        Why: Rows of the bundle cannot be checked against it. Their own keys stay unchecked, and a
        row without its documents is asked all the same.

        Bad:
            # file: bundles/retrieval.schema.json
            {"type": "object", "properties": {"documents": {"type": "list"}}}

        Good:
            # file: bundles/retrieval.schema.json
            {"type": "object", "properties": {"documents": {"type": "array"}}}
        """,
    "target/missing-dataset": """
        A target names a dataset that is not there.

        Why: The target runs nothing. A scheduled evaluation that finds no rows ends without a
        failure, and the system goes unwatched.

        Bad:
            # file: targets/support.yaml
            dataset: datasets/support_questions.yaml
            # file: datasets/support.yaml
            questions:
              - {id: refund, input: May I send it back?, criteria: Names the period}

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            # file: datasets/support.yaml
            questions:
              - {id: refund, input: May I send it back?, criteria: Names the period}
        """,
    "target/wrong-kind": """
        A target names a rubric, a judge or another file of the workspace where a dataset belongs.

        Why: It has no rows, so that the target runs nothing. What is graded by the rubric goes
        unwatched, and the mode that the target asks for holds for nobody.

        Bad:
            # file: targets/support.yaml
            dataset: rubrics/refund.yaml
            # file: rubrics/refund.yaml
            id: refund
            version: "1.0.0"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            # file: datasets/support.yaml
            questions:
              - {id: refund, input: May I send it back?, rubric_ref: rubric/refund@1.0.0}
            # file: rubrics/refund.yaml
            id: refund
            version: "1.0.0"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
