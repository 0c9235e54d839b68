"""The pages of what is wrong with the structure of a dataset."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "dataset/no-questions": """
        A dataset has no list `questions`: it is missing, misspelled, or no list.

        Why: Without it there are no rows. A reader that takes that for an empty list runs nothing,
        and an evaluation of nothing is green.

        Bad:
            question:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}

        Good:
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
        """,
    "dataset/near-miss-key": """
        A key that nobody knows looks like one of the contract, misspelled.

        Why: Rows may have keys of their own, so it passes the schema, and then nothing reads it:
        the facts below are never looked for, and any answer passes. A key that is meant as it
        stands begins with `x_`, or belongs below `metadata`.

        Bad:
            questions:
              - {id: france, input: What is the capital of France?, expected_fact: [Paris]}

        Good:
            questions:
              - {id: france, input: What is the capital of France?, expected_facts: [Paris]}
        """,
    "dataset/missing-key": """
        A key that must be there is missing.

        Why: Without an `input` there is nothing to ask, and without an `id` no result can be
        assigned to the row. A runner fails there in the middle of a run, or asks an empty question.

        Bad:
            questions:
              - {id: france, expected_facts: [Paris]}

        Good:
            questions:
              - {id: france, input: What is the capital of France?, expected_facts: [Paris]}
        """,
    "dataset/unknown-key": """
        A mapping that takes a fixed set of keys has another one.

        Why: Nobody reads the key. Below, a call with any arguments counts as the expected one.

        Bad:
            questions:
              - id: order
                input: Where is order 1042?
                expected_tools:
                  - {name: search_orders, args: {order_id: 1042}}

        Good:
            questions:
              - id: order
                input: Where is order 1042?
                expected_tools:
                  - {name: search_orders, arguments: {order_id: 1042}}
        """,
    "dataset/unknown-value": """
        A value is none of those that its key can have.

        Why: The check that reads it has no case for it. A format that it does not know is a format
        that it does not check, and broken JSON passes.

        Bad:
            questions:
              - {id: order, input: Give me order 1042 as JSON., expected: {format: JSON}}

        Good:
            questions:
              - {id: order, input: Give me order 1042 as JSON., expected: {format: json}}
        """,
    "dataset/wrong-type": """
        A value is of another type than its key takes: a text where a list belongs, a number where
        a text does.

        Why: A program that loops over the text `Paris` finds five facts: P, a, r, i and s. Nearly
        every answer holds them all, and passes.

        Bad:
            questions:
              - {id: france, input: What is the capital of France?, expected_facts: Paris}

        Good:
            questions:
              - {id: france, input: What is the capital of France?, expected_facts: [Paris]}
        """,
    "dataset/malformed-value": """
        A text is not written as its key asks: an id, a version or a reference.

        Why: It cannot be looked up. A row whose `rubric_ref` is no reference is graded by no
        rubric.

        Bad:
            # file: data.yaml
            questions:
              - {id: refund, input: May I send it back?, rubric_ref: tone 1.0.0}
            # file: rubrics/tone.yaml
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}

        Good:
            # file: data.yaml
            questions:
              - {id: refund, input: May I send it back?, rubric_ref: rubric/tone@1.0.0}
            # file: rubrics/tone.yaml
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}
        """,
    "dataset/empty-value": """
        A text is empty that must say something.

        Why: Every answer contains the empty text. As a forbidden text it fails all of them, and as
        an expected fact it passes all of them.

        Bad:
            questions:
              - {id: refund, input: May I send it back?, must_not_contain: [""]}

        Good:
            questions:
              - {id: refund, input: May I send it back?, must_not_contain: [stupid]}
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
