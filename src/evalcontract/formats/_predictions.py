"""Predict which graders of a system will run on a row, from the table of its graders.

`schema/formats/NAME.graders.json` lists `graders` and `verdicts`. A grader has `names`, a `kind`,
the key that it `reads`, and the names of its verdicts, in order. The first verdict that applies
counts; if none does, the `state`, `reason` and `field` of the grader itself count. A verdict
applies if all its `missing` keys are null or absent, if all its `empty` keys are so or have an
empty value, or otherwise if the fact of its name is true of the row. `variants` limits graders and
verdicts to some variants of the format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import GraderPrediction
from evalcontract.source.document import value_at
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Row = dict[str, Any]
    #: A predicate on a row and the key that a grader reads, such as `expected.contains`.
    Fact = Callable[[Row, str], bool]

_NO_FACTS: Mapping[str, Fact] = {}


def predictions(
    system: str, row: Row, variant: str | None, facts: Mapping[str, Fact] = _NO_FACTS
) -> Iterator[GraderPrediction]:
    """Yield the prediction for each grader of a system on a row."""
    graders = table(f"formats/{system}.graders")
    for grader in graders["graders"]:
        if not _is_for(grader, variant):
            continue
        verdicts = (graders["verdicts"][name] | {"fact": name} for name in grader["verdicts"])
        verdict = next((v for v in verdicts if _applies(v, grader, row, variant, facts)), grader)
        state = verdict.get("state", "run")
        reason, field = (_filled(verdict.get(key), grader) for key in ("reason", "field"))
        for name in grader["names"]:
            yield GraderPrediction(name, grader["kind"], state, reason, field)


def read_field(row: Row, field: str) -> Any:
    """Return the value of a field such as `expected.trace`; None if there is none."""
    return value_at(row, tuple(field.split(".")))


def _is_for(entry: dict[str, Any], variant: str | None) -> bool:
    return variant in entry.get("variants", (variant,))


def _applies(
    verdict: dict[str, Any],
    grader: dict[str, Any],
    row: Row,
    variant: str | None,
    facts: Mapping[str, Fact],
) -> bool:
    if not _is_for(verdict, variant):
        return False
    if missing := verdict.get("missing"):
        return all(read_field(row, str(_filled(key, grader))) is None for key in missing)
    if empty := verdict.get("empty"):
        return not any(read_field(row, key) for key in empty)
    return facts[verdict["fact"]](row, grader.get("reads", ""))


def _filled(text: str | None, grader: dict[str, Any]) -> str | None:
    """Fill the placeholders of a text from the table with the values of a grader."""
    return text.format_map(grader) if text and "{" in text else text
