"""The pages of what is wrong with the structure of a target."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

# `DATA` in a page stands for these lines.
_DATA = """
            # file: datasets/support.yaml
            questions:
              - {id: refund, input: May I send it back?, criteria: Names the period}
"""

_TEXTS = {
    "target/missing-key": """
        A key that must be there is missing.

        Why: A target without a `dataset` runs nothing, and what it asks for is asked of nobody.

        Bad:
            # file: targets/support.yaml
            strict_validation: true
            DATA

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            strict_validation: true
            DATA
        """,
    "target/unknown-key": """
        A target has a key that it does not take.

        Why: Nobody reads the key. Below, the author believes that faults in the dataset stop the
        evaluation, and they are mere warnings.

        Bad:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            strict: true
            DATA

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            strict_validation: true
            DATA
        """,
    "target/wrong-type": """
        A value is of another type than its key takes.

        Why: In YAML 1.2 `yes` is a text, and many programs take every text for true, `no` as well.
        How strictly a dataset is judged must not hang on that.

        Bad:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            strict_validation: yes
            DATA

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            strict_validation: true
            DATA
        """,
    "target/malformed-value": """
        A text is not written as its key asks: an id, or a path that begins at the workspace.

        Why: An absolute path leads to the file on one machine only. On another one the target runs
        nothing, or an older copy of the dataset.

        Bad:
            # file: targets/support.yaml
            dataset: /evaluations/datasets/support.yaml
            DATA

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            DATA
        """,
    "target/out-of-range": """
        A number is smaller than its key allows.

        Why: With an age of 0 days every validation is too old on the day that it is made, and no
        judge can be used.

        Bad:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            max_validation_age_days: 0
            DATA

        Good:
            # file: targets/support.yaml
            dataset: datasets/support.yaml
            max_validation_age_days: 30
            DATA
        """,
}

PAGES: tuple[Page, ...] = tuple(
    parse_page(code, text.replace("\n            DATA\n", _DATA)) for code, text in _TEXTS.items()
)
