"""The pages of faults that a row can have only by the schema of its bundle."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "dataset/conflicting-key": """
        A key stands where the schema of the row's bundle forbids it, mostly beside another one.

        Why: The two keys say different things about one row. The checks read one of them and the
        report shows the other, so that nobody can tell what was asked for.

        Bad:
            # file: data.yaml
            bundle: quiz
            questions:
              - {id: france, input: What is the capital of France?, choices: [Paris], open: true}
            # file: bundles/quiz.schema.json
            {
              "if": {"required": ["open"]},
              "then": {"properties": {"choices": {"not": {}}}},
              "properties": {"choices": {"type": "array"}, "open": {"type": "boolean"}}
            }

        Good:
            # file: data.yaml
            bundle: quiz
            questions:
              - {id: france, input: What is the capital of France?, open: true}
            # file: bundles/quiz.schema.json
            {
              "if": {"required": ["open"]},
              "then": {"properties": {"choices": {"not": {}}}},
              "properties": {"choices": {"type": "array"}, "open": {"type": "boolean"}}
            }
        """,
    "dataset/invalid-value": """
        A value breaks a rule of the bundle's schema that has no code of its own, such as `maxItems`
        or `oneOf`. The message says which.

        Why: The bundle's checks count on that rule. A row that breaks it fails in the middle of a
        run, or gets a score that means something else than those of the other rows.

        Bad:
            # file: data.yaml
            bundle: quiz
            questions:
              - {id: france, input: What is the capital of France?, choices: [Paris, Nice, Lyon]}
            # file: bundles/quiz.schema.json
            {"properties": {"choices": {"type": "array", "maxItems": 2}}}

        Good:
            # file: data.yaml
            bundle: quiz
            questions:
              - {id: france, input: What is the capital of France?, choices: [Paris, Nice]}
            # file: bundles/quiz.schema.json
            {"properties": {"choices": {"type": "array", "maxItems": 2}}}
        """,
    "dataset/out-of-range": """
        A number is smaller or larger than the schema of the row's bundle allows.

        Why: The number steers the row: with no documents to retrieve the system is asked to answer
        from nothing, and its score is about a case that cannot happen.

        Bad:
            # file: data.yaml
            bundle: retrieval
            questions:
              - {id: refund, input: May I send it back?, top_k: 0}
            # file: bundles/retrieval.schema.json
            {"properties": {"top_k": {"type": "integer", "minimum": 1}}}

        Good:
            # file: data.yaml
            bundle: retrieval
            questions:
              - {id: refund, input: May I send it back?, top_k: 5}
            # file: bundles/retrieval.schema.json
            {"properties": {"top_k": {"type": "integer", "minimum": 1}}}
        """,
    "dataset/repeated-item": """
        A list holds the same item twice, and the schema of the row's bundle forbids that.

        Why: It counts twice. A recall over two documents that are one is never what it seems.

        Bad:
            # file: data.yaml
            bundle: retrieval
            questions:
              - {id: refund, input: May I send it back?, documents: [terms, terms]}
            # file: bundles/retrieval.schema.json
            {"properties": {"documents": {"type": "array", "uniqueItems": true}}}

        Good:
            # file: data.yaml
            bundle: retrieval
            questions:
              - {id: refund, input: May I send it back?, documents: [terms, faq]}
            # file: bundles/retrieval.schema.json
            {"properties": {"documents": {"type": "array", "uniqueItems": true}}}
        """,
    "dataset/too-few-items": """
        A list has fewer items than the schema of the row's bundle asks for.

        Why: The list is what an answer is compared with. All of nothing is found in any answer, so
        that the row passes whatever the system says.

        Bad:
            # file: data.yaml
            bundle: retrieval
            questions:
              - {id: refund, input: May I send it back?, documents: []}
            # file: bundles/retrieval.schema.json
            {"properties": {"documents": {"type": "array", "minItems": 1}}}

        Good:
            # file: data.yaml
            bundle: retrieval
            questions:
              - {id: refund, input: May I send it back?, documents: [terms]}
            # file: bundles/retrieval.schema.json
            {"properties": {"documents": {"type": "array", "minItems": 1}}}
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
