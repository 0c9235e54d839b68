"""Predict which graders of a system will run on a row, from the table of its graders.

`schema/formats/NAME.graders.json` lists `graders` and `verdicts`. A grader has `names`, a `kind`,
the key that it `reads`, and the names of its verdicts, in order. The first verdict that applies
counts; if none does, the `state`, `reason` and `field` of the grader itself count. A verdict
applies if all its `missing` keys are null or absent, if all its `empty` keys are so or have an
empty value, or otherwise if the fact of its name is true of the row. `variants` limits graders and
verdicts to some variants of the format. An `unasked` verdict is that of a row that has nothing for
the grader. `plans` are the sets of graders that a system has names for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import quoted
from evalcontract.formats._format import GraderPrediction
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.source.document import value_at
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from evalcontract.formats._format import Format

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
        is_asked = not verdict.get("unasked", False)
        for name in grader["names"]:
            yield GraderPrediction(name, grader["kind"], state, reason, field, is_asked)


def chosen_graders(
    form: Format, variant: str | None, plan: str | None, only: Sequence[str]
) -> frozenset[str] | None:
    """Return the names of the graders of a plan, and of those that are named; None for all.

    Raises:
        UsageError: the system has no such plan or grader.

    """
    if plan is None and not only:
        return None
    system = form.title
    if form.schemas:  # of another package, which says its graders for each row
        if plan is not None:
            raise UsageError(f"there is no plan `{plan}`: {system} has no plans")
        return frozenset(only)
    graders = table(f"formats/{form.name}.graders")
    plans = graders.get("plans", {})
    if plan is not None and plan not in plans:
        known = f"the plans of {system} are {quoted(plans)}" if plans else f"{system} has no plans"
        raise UsageError(f"there is no plan `{plan}`: {_meant(plan, plans) or known}")
    known_names = [n for g in graders["graders"] if _is_for(g, variant) for n in g["names"]]
    for name in only:
        if name not in known_names:
            advice = _meant(name, known_names) or f"{system} has {quoted(known_names)}"
            raise UsageError(f"there is no grader `{name}`: {advice}")
    return frozenset((*plans.get(plan, ()), *only))


def _meant(name: str, known: Iterable[str]) -> str | None:
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else None


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
