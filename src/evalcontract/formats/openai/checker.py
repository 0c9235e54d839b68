"""Check the items of hosted evals and the samples of the registry; predict their graders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import missing_key, parsed_json, stops_loader
from evalcontract.formats._format import RowChecker
from evalcontract.formats._graders import GraderPrediction
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

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker

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
            message, advice = f"`{near}` is not a key that evals read", "did you mean `ideal`?"
            yield Problem("openai/near-miss-key", message, (*path, near), advice, on_key=True)
        elif len(row) == 1:
            message = "the sample has no `ideal`, without which Match and Includes stop"
            advice = "write the right answer, or a list of right answers"
            yield Problem("openai/nothing-expected", message, path, advice)
        return
    ideal = row["ideal"]
    where: Path = (*path, "ideal")
    if ideal == []:
        message = "`ideal` is an empty list, so no answer is right"
        yield Problem("openai/empty-ideal", message, where, "write the right answers")
        return
    for index, text in enumerate(ideal if isinstance(ideal, list) else [ideal]):
        if text == "":
            place: Path = (*where, index) if isinstance(ideal, list) else where
            message = "every answer contains the empty text, so that Match and Includes pass"
            yield Problem("openai/empty-ideal", message, place, "write the right answer")


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


def predict_criteria(root: dict[str, Any], row: Any) -> Iterator[GraderPrediction] | None:
    """Return the prediction for each criterion of an eval; None if it has none."""
    criteria = criteria_of(root, MAX_CRITERIA)
    return _predicted(criteria, len(root["testing_criteria"]), row) if criteria else None


def _predicted(
    criteria: Iterable[tuple[int, dict[str, Any]]], count: int, row: Any
) -> Iterator[GraderPrediction]:
    names: dict[str, int] = {}
    for index, criterion in criteria:
        given = criterion.get("name")
        name = given if isinstance(given, str) and given else f"testing_criteria[{index}]"
        names[name] = names.get(name, 0) + 1
        unique = name if names[name] == 1 else f"{name} ({names[name]})"
        yield _of_criterion(unique, criterion, row)
    if (more := count - MAX_CRITERIA) > 0:
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
