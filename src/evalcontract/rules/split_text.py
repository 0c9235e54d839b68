"""
A comma in a text without quotation marks splits it: the rest became a key without a value.

Why: Between braces, as in `{input: Hello, how are you?}`, YAML ends a text at a comma. The model is
asked only the part before it.

Bad:
    questions:
      - {id: greeting, input: Hello, how are you?, criteria: Greets back}

Good:
    questions:
      - {id: greeting, input: "Hello, how are you?", criteria: Greets back}
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.plan import Plan

CODE = Code("dataset/split-text", guess=True, page=__doc__)

_SENTENCE_ENDS = (".", "?", "!", "…")


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any]:
    del plan, bundle
    return {"additionalProperties": {"not": {"type": "null"}}}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    text_key = None
    for before, key in pairwise(subject.row):
        if isinstance(subject.row[before], str):
            text_key = before
        elif subject.row[before] is not None:
            text_key = None
        text = subject.row[text_key] if text_key else ""
        if text and _is_rest(subject, key) and not text.endswith(_SENTENCE_ENDS):
            message = f"a comma splits `{text_key}`: `{key}` is a key without a value"
            advice = f"put the whole text of `{text_key}` in quotation marks"
            yield Problem(CODE, message, (*subject.path, key), advice, on_key=True)
            text_key = None  # further rests of the same text are the same mistake


def _is_rest(subject: RowSubject, key: str) -> bool:
    """Whether a key without a value looks like the rest of a sentence."""
    if subject.row[key] is not None or subject.source is None:
        return False
    if subject.source.raw((*subject.path, key)) != "":
        return False  # a null that is written, or of unknown origin
    return key.endswith(_SENTENCE_ENDS) or (" " in key and key[:1].islower())
