"""What is to be said of the rows of an evaluation set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats.databricks.absent import absent
from evalcontract.formats.databricks.advice import advised
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path

_MISSING = "databricks/missing-key"
# Faults of the schema that leave a row as it is.
_HARMLESS = ("near-miss-key", "misplaced-key", "foreign-key", "ignored-key")


class RequestChecker:
    """One pass over rows; it keeps the request ids."""

    def __init__(self, schema: SchemaChecker, *, has_outputs: bool) -> None:
        self._schema = schema
        self._has_outputs = has_outputs
        self._first: dict[str, Path] = {}

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next row."""
        if not is_clean:
            found = self._faults(row, path)
            yield from found
            if any(each.code.partition("/")[2] not in _HARMLESS for each in found):
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
        place = (*path, "request_id")
        first = self._first.setdefault(id_, place)
        if first != place:
            yield Problem(
                "databricks/duplicate-id",
                f"another row has the request id `{id_}` already",
                place,
                "give each row an id of its own",
                related=(Related("first used here", first),),
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
