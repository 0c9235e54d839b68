"""What will become of a system's graders on a row, by the table of its graders.

`schema/formats/NAME.graders.json` lists `graders` and `verdicts`. A grader has `names`, a `kind`,
what it `reads`, and the names of the verdicts that may apply, in order. The first that applies
counts; where none does, the `state`, `reason` and `field` of the grader itself. A verdict applies
if all keys that it calls `missing` are null or absent, if all that it calls `empty` are so or
hold nothing, or else if the fact of its name is true of the row. Both may be for some `variants`
of the format alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import GraderPrediction
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Row = dict[str, Any]
    #: Tells of a row and the key that a grader reads, such as `expected.contains`.
    Fact = Callable[[Row, str], bool]

_NO_FACTS: Mapping[str, Fact] = {}


def predictions(
    system: str, row: Row, variant: str | None, facts: Mapping[str, Fact] = _NO_FACTS
) -> Iterator[GraderPrediction]:
    """Yield what will become of each grader of a system on a row."""
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


def value_at(row: Row, key: str) -> Any:
    """Return the value of a key such as `expected.trace`; None where there is none."""
    value: Any = row
    for step in key.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


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
        return all(value_at(row, str(_filled(key, grader))) is None for key in missing)
    if empty := verdict.get("empty"):
        return not any(value_at(row, key) for key in empty)
    return facts[verdict["fact"]](row, grader.get("reads", ""))


def _filled(text: str | None, grader: dict[str, Any]) -> str | None:
    """Return a text of the table with the words of the grader in its place."""
    return text.format_map(grader) if text and "{" in text else text
