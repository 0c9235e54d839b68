"""The pages of what is wrong with references."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "reference/dangling": """
        A reference leads nowhere: there is no rubric or judge of that id, or it has no such
        version.

        Why: The row has no rubric to be graded by, or the check no judge. A runner that passes over
        it leaves answers ungraded, and the score is about the others only.

        Bad:
            # file: data.yaml
            questions:
              - {id: refund, input: May I send it back?, rubric_ref: rubric/tone@2.0.0}
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
    "reference/unpinned": """
        A reference names no version, so it means whichever is the newest.

        Why: When somebody adds a version, the same answers get other scores. A change of the score
        then says nothing about the system that is evaluated.

        Bad:
            # file: data.yaml
            questions:
              - {id: refund, input: May I send it back?, rubric_ref: rubric/tone}
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
    "rubric/cycle": """
        A rubric refers to itself, directly or by way of other rubrics.

        Why: Its score needs its own score first, so grading never comes to an end.

        Bad:
            # file: rubrics/style.yaml
            id: style
            version: "1.0.0"
            checks:
              - {id: tone, kind: composite, rubric_ref: rubric/tone@1.0.0}
            scoring: {combine: all_pass}
            # file: rubrics/tone.yaml
            id: tone
            version: "1.0.0"
            checks:
              - {id: style, kind: composite, rubric_ref: rubric/style@1.0.0}
            scoring: {combine: all_pass}

        Good:
            # file: rubrics/style.yaml
            id: style
            version: "1.0.0"
            checks:
              - {id: tone, kind: composite, rubric_ref: rubric/tone@1.0.0}
            scoring: {combine: all_pass}
            # file: rubrics/tone.yaml
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}
        """,
    "rubric/nested-composite": """
        A composite check refers to a rubric that has a composite check itself.

        Why: Composites reach one level. What stands below is not graded, or it is weighed twice
        over, and nobody can tell from the score which check decided it.

        Bad:
            # file: rubrics/answer.yaml
            id: answer
            version: "1.0.0"
            checks:
              - {id: style, kind: composite, rubric_ref: rubric/style@1.0.0}
            scoring: {combine: all_pass}
            # file: rubrics/style.yaml
            id: style
            version: "1.0.0"
            checks:
              - {id: tone, kind: composite, rubric_ref: rubric/tone@1.0.0}
            scoring: {combine: all_pass}
            # file: rubrics/tone.yaml
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}

        Good:
            # file: rubrics/answer.yaml
            id: answer
            version: "1.0.0"
            checks:
              - {id: tone, kind: composite, rubric_ref: rubric/tone@1.0.0}
            scoring: {combine: all_pass}
            # file: rubrics/tone.yaml
            id: tone
            version: "1.0.0"
            checks:
              - {id: no_insults, kind: must_not_contain, values: [stupid]}
            scoring: {combine: all_pass}
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
