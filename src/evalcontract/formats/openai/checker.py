"""Check the items of hosted evals, and the samples of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import missing_key, stops_loader
from evalcontract.formats._format import RowChecker
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.diagnostic import Path

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
