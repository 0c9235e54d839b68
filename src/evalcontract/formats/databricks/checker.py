"""What is to be said of the rows of an evaluation set."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, as_json, clipped, stops_loader, value_at
from evalcontract.formats.databricks.conversion import CONTEXTS
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.nearest import nearest
from evalcontract.model.path import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path

_MISSING = "databricks/missing-key"


class RequestChecker:
    """One pass over rows; it keeps the request ids."""

    def __init__(self, schema: SchemaChecker, *, has_outputs: bool) -> None:
        self._schema = schema
        self._has_outputs = has_outputs
        self._first = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next row."""
        if not is_clean:
            found = self._faults(row, path)
            yield from found
            if stops_loader(found):
                return
        yield from _request(row["request"], (*path, "request"))
        id_ = row.get("request_id")
        if isinstance(id_, str):
            yield from self._id(id_, path)
        if "response" in row and not isinstance(row["response"], str | None):
            message = "the documentation knows a `response` that is text alone"
            yield _undocumented(message, (*path, "response"), "write the text of the answer")
        if row.get("expected_facts") and row.get("expected_response"):
            yield Problem(
                "databricks/two-expectations",
                "a row with both `expected_facts` and `expected_response`",
                (*path, "expected_response"),
                "keep one of them: MLflow's own judge of correctness refuses the pair",
                on_key=True,
            )

    def finish(self) -> Iterator[Problem]:
        """Yield nothing: what repeats is told where it does."""
        return iter(())

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        found = [advised(each, row, path) for each in self._schema.faults(row, path)]
        if not isinstance(row, dict):
            return found
        # Where the key stands in another place, the schema's own finding is at that place.
        placed = {each.message: each for each in found if each.code == _MISSING and each.on_key}
        lacking = [
            each if each.on_key else placed.get(each.message, each)
            for each in absent(row, path, has_outputs=self._has_outputs)
        ]
        told = {each.path for each in lacking}
        rest = [each for each in found if each.code != _MISSING and each.path not in told]
        return [*lacking, *rest]

    def _id(self, id_: str, path: Path) -> Iterator[Problem]:
        if first := self._first.before(id_, path):
            yield Problem(
                "databricks/duplicate-id",
                f"another row has the request id `{id_}` already",
                (*path, "request_id"),
                "give each row an id of its own",
                related=(Related("first used here", (*first, "request_id")),),
            )


def _request(request: Any, path: Path) -> Iterator[Problem]:
    if isinstance(request, list):
        advice = "write `{messages: […]}`"
        yield _undocumented("a bare list of messages is no documented request", path, advice)
    elif isinstance(request, dict):
        if "messages" in request and "query" in request:
            message = "a request with both `messages` and `query`: which one is asked is not known"
            yield _undocumented(message, path, "keep one of them")
        elif request.get("messages") == []:
            yield _undocumented("`messages` is empty: nothing is asked", (*path, "messages"), None)
    elif not request.strip():
        yield _undocumented("the request is blank: nothing is asked", path, None)


def _undocumented(message: str, path: Path, advice: str | None) -> Problem:
    return Problem("databricks/undocumented", message, path, advice)


_EXAMPLES = {
    "request": '"request": "What is a shuffle?"',
    "messages": '"messages": [{"role": "user", "content": "What is a shuffle?"}]',
    "doc_uri": '"doc_uri": "guide/shuffle.md"',
}


def absent(row: dict[str, Any], path: Path, *, has_outputs: bool) -> Iterator[Problem]:
    """Yield what a row lacks, each once; `path` leads to the row."""
    yield from _one_of(row, path, ("request",), "")
    if has_outputs:
        yield from _one_of(row, path, ("response", "trace"), "the row")
    request = row.get("request")
    if isinstance(request, dict):
        yield from _one_of(request, (*path, "request"), ("messages", "query"), "`request`")
    for key in CONTEXTS:
        items = row.get(key)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                where = f" in `{key_of((key, index))}`"
                yield from _one_of(item, (*path, key, index), ("doc_uri",), where)


def _one_of(
    value: dict[str, Any], path: Path, keys: tuple[str, ...], where: str
) -> Iterator[Problem]:
    """Yield that none of some keys is in a mapping; `where` is what the sentence calls it."""
    if any(key in value for key in keys):
        return
    first = keys[0]
    message = f"`{first}` is missing{where}"
    if len(keys) > 1:
        message = f"{where} has neither `{first}` nor `{keys[1]}`"
    for key in keys:
        near = nearest(key, (each for each in value if each.isidentifier()))
        if near is not None and near not in _KNOWN:
            advice = f"`{near}` is not read: call it `{key}`"
            yield Problem("databricks/missing-key", message, (*path, near), advice, on_key=True)
            return
    example = _EXAMPLES.get(first)
    advice = f"such as {example}" if example else f"record `{first}`, or `{keys[1]}`"
    yield Problem("databricks/missing-key", message, path, advice)


# What has a meaning of its own, however near it looks.
_KNOWN = frozenset({"request_id", "expected_response", "response", "trace", "content", "history"})


def advised(problem: Problem, row: Any, path: Path) -> Problem:
    """Return a problem of a row at `path` with the help that fits what stands there."""
    if problem.code != "databricks/wrong-type":
        return problem
    where = problem.path[len(path) :]
    value = value_at(row, where)
    if isinstance(value, float) and math.isnan(value):
        message = f"{problem.message.rpartition(',')[0]}, not NaN"
        return problem._replace(message=message, help="write null, or leave the key out")
    if isinstance(value, str) and (instead := _of_text(value, where)):
        return problem._replace(help=f"write {clipped(instead)}")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return problem._replace(help=f"write it without the brackets: {clipped(as_json(value[0]))}")
    return problem


def _of_text(text: str, where: Path) -> str | None:
    """Return the list or mapping that a bare text is meant as, by its place in a row."""
    match where:
        case ("expected_facts" | "guidelines",):
            return _listed(text)
        case (str(key),) if key in CONTEXTS:
            return as_json([{"doc_uri": text}])
        case (str(key), int()) if key in CONTEXTS:
            return as_json({"doc_uri": text})
        case ("request", "messages"):
            return as_json([{"role": "user", "content": text}])
    return None


def _listed(text: str) -> str:
    """Return a text as a list; one that holds a list of JSON is that list."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return as_json(found if isinstance(found, list) else [text])
