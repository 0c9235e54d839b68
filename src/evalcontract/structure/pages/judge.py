"""The pages of what is wrong with the structure of a judge."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

# `HEAD` in a page stands for these lines.
_HEAD = """
            # file: judges/accuracy.yaml
            id: accuracy
            version: "1.0.0"
"""

_TEXTS = {
    "judge/near-miss-key": """
        A key that nobody knows looks like one of the contract, misspelled.

        Why: A judge may have keys of its own, so it passes the schema, and then nothing reads it:
        below, a grade of 0.9 is read as the answer to a yes-or-no question. A key that is meant as
        it stands begins with `x_`, or belongs below `metadata`.

        Bad:
            HEAD
            template: "How right is it, from 0 to 1? {{ output }}"
            score_typ: continuous

        Good:
            HEAD
            template: "How right is it, from 0 to 1? {{ output }}"
            score_type: continuous
        """,
    "judge/missing-key": """
        A key that must be there is missing.

        Why: The judge cannot be asked, or its answer not be read. Without `level_names` nobody
        knows whether `fair` is better than `good`.

        Bad:
            HEAD
            template: "Is it poor, fair or good? {{ output }}"
            score_type: levels

        Good:
            HEAD
            template: "Is it poor, fair or good? {{ output }}"
            score_type: levels
            level_names: [poor, fair, good]
        """,
    "judge/unknown-key": """
        A mapping that takes a fixed set of keys has another one.

        Why: Nobody reads the key. What it says of the judge's validation is never compared with the
        rates, and a wrong rate goes unnoticed.

        Bad:
            HEAD
            template: "Is it right? {{ output }}"
            validation:
              tpr: 0.9
              tnr: 0.8
              confusion_matrix: {tp: 90, fn: 10, tn: 80, fp: 20, undecided: 6}

        Good:
            HEAD
            template: "Is it right? {{ output }}"
            validation:
              tpr: 0.9
              tnr: 0.8
              confusion_matrix: {tp: 90, fn: 10, tn: 80, fp: 20}
        """,
    "judge/unknown-value": """
        A value is none of those that its key can have.

        Why: The answer of the judge cannot be turned into a score, and every check that uses it
        fails in the middle of a run.

        Bad:
            HEAD
            template: "Is it right? {{ output }}"
            score_type: yes_or_no

        Good:
            HEAD
            template: "Is it right? {{ output }}"
            score_type: binary
        """,
    "judge/wrong-type": """
        A value is of another type than its key takes: a text where a number belongs, a number where
        a text does.

        Why: A program compares texts letter by letter: `"200"` is less than `"30"`, and a judge
        that was validated well is turned down, or the other way round.

        Bad:
            HEAD
            template: "Is it right? {{ output }}"
            validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: "200"}

        Good:
            HEAD
            template: "Is it right? {{ output }}"
            validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
        """,
    "judge/malformed-value": """
        A text is not written as its key asks: an id, a version, a date or a digest.

        Why: A date that nobody can read never becomes old. The judge goes on with a validation that
        may be years behind it.

        Bad:
            HEAD
            template: "Is it right? {{ output }}"
            validation: {tpr: 0.95, tnr: 0.9, validated_at: 8 May 2026, sample_size: 200}

        Good:
            HEAD
            template: "Is it right? {{ output }}"
            validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
        """,
    "judge/empty-value": """
        A text is empty that must say something.

        Why: A model that is asked nothing answers something all the same, and that becomes the
        score of every output.

        Bad:
            HEAD
            template: ""

        Good:
            HEAD
            template: "Is it right? {{ output }}"
        """,
    "judge/out-of-range": """
        A number is smaller or larger than its key allows.

        Why: Rates are shares from 0 to 1. A rate of 95 makes the judge better than perfect in every
        comparison, and a correction that divides by the rates gives nonsense.

        Bad:
            HEAD
            template: "Is it right? {{ output }}"
            validation: {tpr: 95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}

        Good:
            HEAD
            template: "Is it right? {{ output }}"
            validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
        """,
    "judge/repeated-item": """
        A list holds the same item twice, and takes each only once.

        Why: Two levels of the same name have different scores, and an answer that names them has
        both.

        Bad:
            HEAD
            template: "Is it poor, fair or good? {{ output }}"
            score_type: levels
            level_names: [poor, good, good]

        Good:
            HEAD
            template: "Is it poor, fair or good? {{ output }}"
            score_type: levels
            level_names: [poor, fair, good]
        """,
    "judge/too-few-items": """
        A list has fewer items than it needs.

        Why: A judge that knows one level only gives the same grade to every output, so that it
        judges nothing.

        Bad:
            HEAD
            template: "Is it good? {{ output }}"
            score_type: levels
            level_names: [good]

        Good:
            HEAD
            template: "Is it good? {{ output }}"
            score_type: levels
            level_names: [poor, good]
        """,
    "judge/conflicting-key": """
        A key stands beside another one that rules it out.

        Why: A judge that says pass or fail has no levels. One of the two keys is left over from an
        earlier version, and which one a program follows is chance.

        Bad:
            HEAD
            template: "Is it poor, fair or good? {{ output }}"
            score_type: binary
            level_names: [poor, fair, good]

        Good:
            HEAD
            template: "Is it poor, fair or good? {{ output }}"
            score_type: levels
            level_names: [poor, fair, good]
        """,
}

PAGES: tuple[Page, ...] = tuple(
    parse_page(code, text.replace("\n            HEAD\n", _HEAD)) for code, text in _TEXTS.items()
)
