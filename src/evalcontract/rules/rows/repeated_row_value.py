"""
A list of a row has the same text twice.

Why: A duplicate fact counts twice in the recall. In other lists, a duplicate has no effect, and
another text was probably intended.

Bad:
    questions:
      - {id: lamp, input: May I send it back?, expected_facts: [30 days, free of charge, 30 days]}

Good:
    questions:
      - {id: lamp, input: May I send it back?, expected_facts: [30 days, free of charge]}
"""

from __future__ import annotations

from typing import Any

from evalcontract.rules._rule import (
    Code,
    Problem,
    Problems,
    Related,
    RowGroup,
    RowSubject,
    Severity,
    row_rule,
)
from evalcontract.rules._texts import LISTS, is_blank

CODE = Code("dataset/repeated-value", strict=Severity.WARNING, page=__doc__)


def _silent(group: RowGroup) -> dict[str, Any]:
    del group
    return {"properties": {key: {"uniqueItems": True} for key in LISTS}}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Problems:
    for key in LISTS:
        first: dict[str, int] = {}
        for index, text in enumerate(subject.row.get(key, ())):
            before = first.setdefault(text, index)
            # Blank texts are reported as `dataset/blank-value`.
            if before != index and not is_blank(text):
                related = (Related("first listed here", (*subject.path, key, before)),)
                message = f"duplicate item `{text}` in `{key}`"
                path = (*subject.path, key, index)
                yield Problem(CODE, message, path, "remove one of the two", related=related)
