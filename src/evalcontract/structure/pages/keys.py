"""The pages of keys that are hardly the author's own: misplaced ones, and other tools' names."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_MISPLACED = """
A key of the contract stands where nobody reads it.

Why: The author sees it in the file and believes that it counts. No check ever looks there.
"""
_FOREIGN = """
A key has the name that another tool gives to a key of ours.

Why: The row loads, and what it holds is compared with nothing: the name means nothing here.
"""

_EXAMPLES = {
    "dataset/misplaced-key": """
        Bad:
            questions:
              - {id: refund, input: My refund as JSON please., format: json}

        Good:
            questions:
              - {id: refund, input: My refund as JSON please., expected: {format: json}}
        """,
    "rubric/misplaced-key": """
        Bad:
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: weighted_avg}
            threshold: 0.5

        Good:
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: weighted_avg, threshold: 0.5}
        """,
    "judge/misplaced-key": """
        Bad:
            id: accuracy
            version: "1.0.0"
            template: "{{ input }} was answered by {{ output }}. Is it right?"
            validated_at: 2026-05-08

        Good:
            id: accuracy
            version: "1.0.0"
            template: "{{ input }} was answered by {{ output }}. Is it right?"
            validation: {validated_at: 2026-05-08}
        """,
    "dataset/foreign-key": """
        Bad:
            questions:
              - {id: capital, input: What is the capital of France?, ground_truth: Paris}

        Good:
            questions:
              - {id: capital, input: What is the capital of France?, expected_facts: [Paris]}
        """,
    "rubric/foreign-key": """
        Bad:
            id: tone
            version: "1.0.0"
            assertions:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}

        Good:
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}
        """,
    "judge/foreign-key": """
        Bad:
            id: accuracy
            version: "1.0.0"
            prompt: "{{ input }} was answered by {{ output }}. Is it right?"

        Good:
            id: accuracy
            version: "1.0.0"
            template: "{{ input }} was answered by {{ output }}. Is it right?"
        """,
}


def _page(code: str, examples: str) -> Page:
    text = _MISPLACED if code.endswith("/misplaced-key") else _FOREIGN
    indented = "\n".join(f"        {line}" if line else line for line in text.splitlines())
    return parse_page(code, indented + examples)


PAGES: tuple[Page, ...] = tuple(_page(code, examples) for code, examples in _EXAMPLES.items())
