"""Datasets of pydantic-evals, as `Dataset.from_file` reads them without types of the author's own.

Measured on pydantic-evals 2.62.0: it rejects every unknown key. Inputs and outputs may be anything;
a task that gives `Dataset` types of its own is stricter, which the file does not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._format import codes_of_system
from evalcontract.formats._graders import GraderPrediction, listed_predictions
from evalcontract.formats._plain import PlainFormat

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

# So many evaluators of a case are predicted.
_MOST = 100


class PydanticEvals(PlainFormat):
    """Cases in a file, with the evaluators of all of them beside."""

    name = "pydantic_evals"
    title = "pydantic-evals"
    media = ("yaml", "json")
    basis = "`Dataset.from_file` of pydantic-evals 2.62.0, run"
    codes = codes_of_system(
        "pydantic_evals",
        rejected=("unknown-key", "duplicate-id"),
        never=("near-miss-key", "ignored-key"),
    )
    named_by = ("name",)
    below = "cases"
    label = "name"
    values = ("inputs", "expected_output")
    signs = (frozenset({"inputs"}),)
    others = frozenset({"messages", "expectations"})
    duplicate = "pydantic-evals stops here"
    no_mark = ("json",)

    @classmethod
    def may_recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect cases that stand alone, which the loader rejects."""
        others = {"expected_output", "evaluators"}
        return cls() if "inputs" in value and not others.isdisjoint(value) else None

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        """Predict the evaluators of a case, and those of the file."""
        value = file.document.value if file and file.document else {}
        beside = value.get("evaluators") if isinstance(value, dict) else None
        listed = [*row.get("evaluators", ()), *(beside if isinstance(beside, list) else ())]
        found = (_predicted(each, row) for each in listed[:_MOST])
        yield from listed_predictions(
            found, total=len(listed), most=_MOST, what="evaluators", kind="evaluator"
        )


def _predicted(evaluator: Any, row: dict[str, Any]) -> GraderPrediction:
    """Predict an evaluator: only `EqualsExpected` says nothing of a case that expects nothing."""
    name = evaluator if isinstance(evaluator, str) else evaluator.get("name", next(iter(evaluator)))
    if name == "EqualsExpected" and row.get("expected_output") is None:
        reason = "the case has no `expected_output`"
        return GraderPrediction(name, "evaluator", "skip", reason=reason, field="expected_output")
    return GraderPrediction(str(name), "evaluator", "run")
