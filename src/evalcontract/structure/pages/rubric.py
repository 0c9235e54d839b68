"""The pages of what is wrong with the structure of a rubric."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

# `HEAD` in a page stands for these lines.
_HEAD = """
            # file: rubrics/refund.yaml
            id: refund
            version: "1.0.0"
"""

_TEXTS = {
    "rubric/near-miss-key": """
        A key that nobody knows looks like one of the contract, misspelled.

        Why: A rubric may have keys of its own, so it passes the schema, and then nothing reads it:
        the rubric below counts as one for rows of every bundle. A key that is meant as it stands
        begins with `x_`, or belongs below `metadata`.

        Bad:
            HEAD
            applicable_bundle: [support]
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            HEAD
            applicable_bundles: [support]
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/missing-key": """
        A key that must be there is missing.

        Why: The rubric says less than a grader has to know: what a check looks for, or how the
        scores become one. A grader that guesses gives scores that nobody has asked for.

        Bad:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/unknown-key": """
        A check, or the scoring, has a key that it does not take.

        Why: Nobody reads the key, so that the check does not do what its author believes. Below it
        ignores case, and `php` passes for `PHP`.

        Bad:
            HEAD
            checks:
              - {id: language, kind: must_contain_any, values: [PHP], match_case: true}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: language, kind: must_contain_any, values: [PHP], case_sensitive: true}
            scoring: {combine: all_pass}
        """,
    "rubric/unknown-value": """
        A value is none of those that its key can have.

        Why: A grader has no case for it. A check of an unknown kind is never run, and a rubric
        without that check passes more than it should.

        Bad:
            HEAD
            checks:
              - {id: deadline, kind: contains, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/wrong-type": """
        A value is of another type than its key takes: a number where a text belongs, a text where
        a list does.

        Why: A version without quotes is a number, and YAML reads 1.10 as 1.1: a reference to 1.10.0
        would be followed to another version of the rubric than its author meant.

        Bad:
            # file: rubrics/refund.yaml
            id: refund
            version: 1.10
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            # file: rubrics/refund.yaml
            id: refund
            version: "1.10"
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/malformed-value": """
        A text is not written as its key asks: an id, a version, a reference or a path.

        Why: It cannot be looked up. No reference can pin the version `latest`, so that nobody can
        say later which rubric gave a score.

        Bad:
            # file: rubrics/refund.yaml
            id: refund
            version: latest
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/empty-value": """
        A text is empty that must say something.

        Why: Every output contains the empty text. A check that looks for it always passes, and one
        that forbids it always fails.

        Bad:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days, ""]}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days, thirty days]}
            scoring: {combine: all_pass}
        """,
    "rubric/out-of-range": """
        A number is smaller or larger than its key allows.

        Why: Scores go from 0 to 1. None reaches a threshold of 70, so that every answer fails.

        Bad:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
              - {id: polite, kind: must_not_contain, values: [stupid]}
            scoring: {combine: weighted_avg, threshold: 70}

        Good:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
              - {id: polite, kind: must_not_contain, values: [stupid]}
            scoring: {combine: weighted_avg, threshold: 0.7}
        """,
    "rubric/repeated-item": """
        A list holds the same item twice, and takes each only once.

        Why: The second says nothing. Mostly another item was meant, and that one is missing: below,
        the flag `m`, without which `^` matches in the first line only.

        Bad:
            HEAD
            checks:
              - {id: no_apology, kind: regex, pattern: ^sorry, flags: [i, i], negate: true}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: no_apology, kind: regex, pattern: ^sorry, flags: [i, m], negate: true}
            scoring: {combine: all_pass}
        """,
    "rubric/too-few-items": """
        A list has fewer items than it needs.

        Why: All of no checks have passed, whatever the output is: such a rubric lets everything
        through.

        Bad:
            HEAD
            checks: []
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: deadline, kind: must_contain_any, values: [30 days]}
            scoring: {combine: all_pass}
        """,
    "rubric/conflicting-key": """
        Two keys stand side by side of which there can be only one.

        Why: Each says what to check against, and they need not say the same. Which of them decides
        depends on the grader.

        Bad:
            HEAD
            checks:
              - {id: shape, kind: json_schema, schema: {type: object}, schema_ref: refund.json}
            scoring: {combine: all_pass}

        Good:
            HEAD
            checks:
              - {id: shape, kind: json_schema, schema: {type: object}}
            scoring: {combine: all_pass}
        """,
}

PAGES: tuple[Page, ...] = tuple(
    parse_page(code, text.replace("\n            HEAD\n", _HEAD)) for code, text in _TEXTS.items()
)
