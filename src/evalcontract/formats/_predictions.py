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

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import quoted
from evalcontract.formats._format import GraderPrediction
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.source.document import value_at
from evalcontract.source.installed import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from evalcontract.formats._format import Format
    from evalcontract.model.diagnostic import Path

    Row = dict[str, Any]
    #: A predicate on a row and the key that a grader reads, such as `expected.contains`.
    Fact = Callable[[Row, str], bool]

_NO_FACTS: Mapping[str, Fact] = {}


def predictions(
    system: str, row: Row, variant: str | None, facts: Mapping[str, Fact] = _NO_FACTS
) -> Iterator[GraderPrediction]:
    """Yield the prediction for each grader of a system on a row."""
    for reads, verdicts in _graders(system, variant):
        applies = (each.found for each in verdicts if each.applies(row, reads, facts))
        yield from next(applies)


class _Verdict(NamedTuple):
    """When a verdict of a grader applies, and what it predicts then."""

    missing: tuple[Path, ...]
    empty: tuple[Path, ...]
    fact: str | None
    found: tuple[GraderPrediction, ...]

    def applies(self, row: Row, reads: str, facts: Mapping[str, Fact]) -> bool:
        if self.missing:
            return all(value_at(row, path) is None for path in self.missing)
        if self.empty:
            return not any(value_at(row, path) for path in self.empty)
        return self.fact is None or facts[self.fact](row, reads)


@lru_cache(maxsize=32)  # systems by their variants
def _graders(system: str, variant: str | None) -> list[tuple[str, list[_Verdict]]]:
    """Return the key that each grader reads, and its verdicts; the last one always applies."""
    graders = table(f"formats/{system}.graders")
    known = {name: {**verdict, "fact": name} for name, verdict in graders["verdicts"].items()}
    return [
        (
            grader.get("reads", ""),
            [
                _verdict(verdict, grader)
                for verdict in (*(known[name] for name in grader["verdicts"]), grader)
                if _is_for(verdict, variant)
            ],
        )
        for grader in graders["graders"]
        if _is_for(grader, variant)
    ]


def _verdict(verdict: dict[str, Any], grader: dict[str, Any]) -> _Verdict:
    reason, field = (_filled(verdict.get(key), grader) for key in ("reason", "field"))
    state, is_asked = verdict.get("state", "run"), not verdict.get("unasked", False)
    return _Verdict(
        tuple(_path(key.format_map(grader)) for key in verdict.get("missing", ())),
        tuple(_path(key) for key in verdict.get("empty", ())),
        verdict.get("fact"),
        tuple(
            GraderPrediction(name, grader["kind"], state, reason, field, is_asked)
            for name in grader["names"]
        ),
    )


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
    return value_at(row, _path(field))


@lru_cache(maxsize=1_024)
def _path(field: str) -> Path:
    return tuple(field.split("."))


def _is_for(entry: dict[str, Any], variant: str | None) -> bool:
    return variant in entry.get("variants", (variant,))


def _filled(text: str | None, grader: dict[str, Any]) -> str | None:
    """Fill the placeholders of a text from the table with the values of a grader."""
    return text.format_map(grader) if text and "{" in text else text
