"""Predict which graders will run on an item or a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import parsed_json
from evalcontract.formats._format import GraderPrediction
from evalcontract.formats._predictions import predictions
from evalcontract.formats.openai.export import criteria_of, is_well_formed, root_of, texts_of
from evalcontract.formats.openai.fields import HOSTED, SAMPLES
from evalcontract.formats.openai.rubrics import MAX_CRITERIA
from evalcontract.formats.openai.templates import filled, variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.source.external import ExternalFile


def _right_answers(row: dict[str, Any]) -> list[Any]:
    ideal = row.get("ideal")
    return ideal if isinstance(ideal, list) else [ideal]


_INVALID = object()
FACTS = {
    "empty_list": lambda row, _: row.get("ideal") == [],
    "empty_text": lambda row, _: "" in _right_answers(row),
    "no_json": lambda row, _: any(
        parsed_json(text, _INVALID) is _INVALID
        for text in _right_answers(row)
        if isinstance(text, str)
    ),
}


def predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    """Yield the predictions for a row without the eval that it belongs to."""
    return predictions("openai", row, variant or HOSTED, FACTS)


def predict_in(read: ExternalFile, row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    """Yield the prediction for each criterion of the file; for each type if it has none."""
    root = root_of(read) if variant != SAMPLES else {}
    criteria = criteria_of(root, MAX_CRITERIA)
    if not criteria:
        yield from predict(row, variant)
        return
    names: dict[str, int] = {}
    for index, criterion in criteria:
        given = criterion.get("name")
        name = given if isinstance(given, str) and given else f"testing_criteria[{index}]"
        names[name] = names.get(name, 0) + 1
        unique = name if names[name] == 1 else f"{name} ({names[name]})"
        yield _of_criterion(unique, criterion, row)
    if (more := len(root["testing_criteria"]) - MAX_CRITERIA) > 0:
        reason = f"only {MAX_CRITERIA} criteria are predicted"
        yield GraderPrediction(f"{more:,} more criteria", "testing_criterion", "skip", reason)


def _of_criterion(name: str, criterion: dict[str, Any], row: dict[str, Any]) -> GraderPrediction:
    kind = str(criterion.get("type"))
    if not is_well_formed(criterion):
        return GraderPrediction(name, kind, "fail", "the criterion is malformed")
    for _, text in texts_of(criterion):
        for each in variables(text):
            if (
                each.path[:1] == ("item",)
                and filled(f"{{{{{each.written}}}}}", row["item"]) is None
            ):
                reason = f"the item has no `{'.'.join(each.path[1:])}`"
                return GraderPrediction(name, kind, "fail", reason, each.path[1])
    if criterion.get("type") == "label_model":
        labels = set(criterion.get("labels") or ())
        passing = labels & set(criterion.get("passing_labels") or ())
        if labels and passing == labels:
            return GraderPrediction(name, kind, "vacuous", "every label passes", None)
        if not passing:
            return GraderPrediction(name, kind, "fail", "no label passes", None)
    if _is_empty_search(criterion, row):
        reason = "every output contains an empty text"
        return GraderPrediction(name, kind, "vacuous", reason, None)
    return GraderPrediction(name, kind, "run")


def _is_empty_search(criterion: dict[str, Any], row: dict[str, Any]) -> bool:
    if criterion.get("operation") not in ("like", "ilike"):
        return False
    return filled(criterion.get("reference", ""), row["item"]) == ""
