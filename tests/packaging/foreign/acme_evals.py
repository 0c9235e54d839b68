"""
An input is written in capital letters only.

Why: Models answer shouted questions in another tone, and scores are not comparable.

Bad:
    questions:
      - {id: hours, input: WHEN DO YOU OPEN?, criteria: Names the hour}

Good:
    questions:
      - {id: hours, input: When do you open?, criteria: Names the hour}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.plugin import (
    CheckKind,
    Code,
    Needs,
    Problem,
    Report,
    RowSubject,
    State,
    Style,
    Surroundings,
    barred,
    reads_nothing,
    row_rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOUTING = Code("acme/shouting", page=__doc__)


def _silent(plan: object, bundle: str | None) -> dict[str, Any]:
    del plan, bundle
    return {"properties": {"input": {"pattern": "[a-z]"}}}


@row_rule(SHOUTING, silent=_silent)
def shouts(subject: RowSubject) -> Iterator[Problem]:
    """Yield an input that shouts."""
    if subject.row["input"].isupper():
        yield Problem(SHOUTING, "the input shouts", (*subject.path, "input"), "write it quietly")


def _needs(check: dict[str, Any], around: Surroundings) -> Needs:
    del around
    if check["min_words"] > check.get("max_words", check["min_words"]):
        return barred(State.FAIL, "no text has so many and so few words")
    return Needs()


WORD_COUNT = CheckKind(
    "word_count",
    reads_nothing,
    _needs,
    {
        "required": ["min_words"],
        "properties": {
            "min_words": {"type": "integer", "minimum": 0},
            "max_words": {"type": "integer", "minimum": 0},
        },
    },
)

TICKET = {"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "integer"}}}


def write_lines(report: Report, style: Style) -> Iterator[str]:
    """Write one line for each finding."""
    del style
    for finding in report.diagnostics:
        yield f"{finding.place} {finding.code}\n"
