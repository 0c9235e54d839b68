"""Check the items of hosted evals and the samples of the registry; predict their graders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.formats._findings import missing_key, near_miss, parsed_json, stops_loader
from evalcontract.formats._format import RowChecker, SchemaChecker
from evalcontract.formats._graders import GraderPrediction, listed_predictions
from evalcontract.formats.openai.export import (
    criteria_of,
    filled,
    is_well_formed,
    texts_of,
    variables,
)
from evalcontract.formats.openai.rubrics import MAX_CRITERIA
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest

_MISSING = "openai/missing-key"
_EXAMPLES = {
    "item": 'such as "item": {"input": "How deep?"}',
    "input": 'such as "input": [{"role": "user", "content": "How deep?"}]',
}


class OpenAIChecker(RowChecker):
    """Reports what the row lacks of its schema, and a sample without a right answer."""

    def __init__(self, schema: SchemaChecker, *, is_sample: bool) -> None:
        self._schema = schema
        self._is_sample = is_sample
        self._required = "input" if is_sample else "item"

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next row."""
        problems = [] if is_clean else self._faults(row, path)
        yield from problems
        if self._is_sample and not stops_loader(problems):
            yield from _ideal(row, path)

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        problems = self._schema.faults(row, path)
        required = self._required
        if not isinstance(row, dict) or required in row:
            return problems
        message = f"`{required}` is missing"
        near = nearest(required, filter(str.isidentifier, row))
        found = missing_key("openai", message, path, required, near, _EXAMPLES[required])
        return [found, *(p for p in problems if p.code != _MISSING and p.path != found.path)]


def _ideal(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield a problem if a sample has no right answer, or one that every answer contains."""
    if "ideal" not in row:
        near = nearest("ideal", filter(str.isidentifier, row))
        if near is not None:
            message = f"`{near}` is not a key that evals read"
            yield near_miss("openai", message, (*path, near), "ideal")
        elif len(row) == 1:
            message = "the sample has no `ideal`, without which Match and Includes stop"
            advice = "write the right answer, or a list of right answers"
            yield Problem("openai/nothing-expected", message, path, advice)
        return
    ideal, where = row["ideal"], (*path, "ideal")
    if ideal == []:
        message = "`ideal` is an empty list, so no answer is right"
        yield Problem("openai/empty-ideal", message, where, "write the right answers")
    for index, text in enumerate(_right_answers(row)):
        if text == "":
            place: Path = (*where, index) if isinstance(ideal, list) else where
            message = "every answer contains the empty text, so that Match and Includes pass"
            yield Problem("openai/empty-ideal", message, place, "write the right answer")


def _right_answers(row: dict[str, Any]) -> list[Any]:
    ideal = row.get("ideal")
    return ideal if isinstance(ideal, list) else [ideal]


FACTS = {
    "empty_list": lambda row, _: row.get("ideal") == [],
    "empty_text": lambda row, _: "" in _right_answers(row),
    "no_json": lambda row, _: any(
        isinstance(text, str) and parsed_json(text, ...) is ... for text in _right_answers(row)
    ),
}


def predict_criteria(root: dict[str, Any], row: Any) -> Iterator[GraderPrediction] | None:
    """Return the prediction for each criterion of an eval; None if it has none."""
    criteria = criteria_of(root, MAX_CRITERIA)
    if not criteria:
        return None
    return listed_predictions(
        (_prediction(f"testing_criteria[{index}]", each, row) for index, each in criteria),
        total=len(root["testing_criteria"]),
        most=MAX_CRITERIA,
        what="criteria",
        kind="testing_criterion",
    )


def _prediction(place: str, criterion: dict[str, Any], row: dict[str, Any]) -> GraderPrediction:
    name, kind = criterion.get("name"), str(criterion.get("type"))
    state, reason, field = _verdict(criterion, row)
    given = name if isinstance(name, str) and name else place
    return GraderPrediction(given, kind, state, reason, field)


def _verdict(criterion: dict[str, Any], row: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """Return the state of a criterion, its reason, and the key that decides."""
    if not is_well_formed(criterion):
        return "fail", "the criterion is malformed", None
    for each in (each for _, text in texts_of(criterion) for each in variables(text)):
        is_key = each.path[:1] == ("item",)
        if is_key and filled(f"{{{{{each.written}}}}}", row["item"]) is None:
            return "fail", f"the item has no `{'.'.join(each.path[1:])}`", each.path[1]
    if criterion.get("type") == "label_model":
        labels = set(criterion.get("labels") or ())
        passing = labels & set(criterion.get("passing_labels") or ())
        if labels and passing == labels:
            return "vacuous", "every label passes", None
        if not passing:
            return "fail", "no label passes", None
    if _is_empty_search(criterion, row):
        return "vacuous", "every output contains an empty text", None
    return "run", None, None


def _is_empty_search(criterion: dict[str, Any], row: dict[str, Any]) -> bool:
    if criterion.get("operation") not in ("like", "ilike"):
        return False
    return filled(criterion.get("reference", ""), row["item"]) == ""
