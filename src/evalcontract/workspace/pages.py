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
    "bundle/near-miss-keyword": """
        The schema of a bundle has a word that is one slip away from a keyword.

        Why: JSON Schema passes over words that it does not know, so rows that break the rule are
        taken as they are. Words that come close to no keyword are the author's own, as are those
        that begin with `x-`.

        Bad:
            # file: bundles/retrieval.schema.json
            {"type": "object", "properties": {"top_k": {"type": "integer", "minimun": 1}}}

        Good:
            # file: bundles/retrieval.schema.json
            {"type": "object", "properties": {"top_k": {"type": "integer", "minimum": 1}}}
        """,
    "bundle/near-miss-required": """
        The schema of a bundle requires a key that it describes only under another spelling.

        Why: Every row with the key that is described lacks the one that is required. A row with the
        required one passes whatever its value is.

        Bad:
            # file: bundles/retrieval.schema.json
            {"required": ["documnets"], "properties": {"documents": {"type": "array"}}}

        Good:
            # file: bundles/retrieval.schema.json
            {"required": ["documents"], "properties": {"documents": {"type": "array"}}}
        """,
    "bundle/outdated-keyword": """
        The schema of a bundle has a keyword of an older draft of JSON Schema, or of OpenAPI.

        Why: Schemas are read by Draft 2020-12, which has another keyword for it and passes over the
        old one. Rows that break the rule are taken as they are.

        Bad:
            # file: bundles/retrieval.schema.json
            {"dependencies": {"top_k": ["documents"]}}

        Good:
            # file: bundles/retrieval.schema.json
            {"dependentRequired": {"top_k": ["documents"]}}
        """,
    "bundle/slow-regex": """
        A pattern in the schema of a bundle can take exponentially long.

        Why: Where a repeated part can be read in two ways, each further repetition doubles the
        ways. Rows are checked here without going through them, but editors and most other
        validators try them all, and hang on one unlucky row.

        Bad:
            # file: bundles/retrieval.schema.json
            {"properties": {"slug": {"type": "string", "pattern": "^(\\\\w+-?)+$"}}}

        Good:
            # file: bundles/retrieval.schema.json
            {"properties": {"slug": {"type": "string", "pattern": "^\\\\w+(-\\\\w+)*$"}}}
        """,
    "bundle/unsatisfiable-schema": """
        No row at all is valid by the schema of a bundle.

        Why: Every row of the bundle is at fault, whatever stands in it. A schema that describes the
        list of all rows does that too: a bundle describes one.

        Bad:
            # file: bundles/retrieval.schema.json
            {"type": "array", "items": {"required": ["documents"]}}

        Good:
            # file: bundles/retrieval.schema.json
            {"type": "object", "required": ["documents"]}
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
