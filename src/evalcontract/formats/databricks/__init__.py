"""Evaluation sets of Databricks agent evaluation, per its public documentation.

The verdicts of the real loader are unknown: its licence allows the package on Databricks only. What
the documentation requires is an error if it is missing; what it leaves open is at most a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._conversion import FACTS, GUIDELINES, documents_named
from evalcontract.formats._findings import (
    SystemChecker,
    as_json,
    missing_key,
    parsed_json,
    stops_loader,
)
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.formats._frames import first_row_of, frame_of, layout_of
from evalcontract.model.diagnostic import Path, Problem, key_of
from evalcontract.model.nearest import nearest
from evalcontract.model.values import clipped
from evalcontract.source.document import value_at

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.source.external import ExternalFile

APPLICATION, OUTPUTS = "application", "outputs"
#: The columns that hold documents.
_CONTEXTS = ("expected_retrieved_context", "retrieved_context")
_MISSING = "databricks/missing-key"
_DUPLICATE = Problem(
    "databricks/duplicate-id", "duplicate request id `{name}`", (), "request ids must be unique"
)


class RequestChecker(SystemChecker):
    """One pass over rows; remembers the request ids."""

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next row."""
        if not is_clean:
            problems = self._faults(row, path)
            yield from problems
            if stops_loader(problems):
                return
        request = row["request"]
        yield from _request(request, (*path, "request"))
        misspelled = self._schema.near_misses(row, path)
        yield from misspelled
        where = (*path, "trace")
        if not is_trace(row.get("trace")) and all(each.path[:-1] != where for each in misspelled):
            message = "only a `trace` that is an MLflow trace is documented"
            yield _undocumented(message, where, "write what `Trace.to_json` gives")
        yield from self._names.duplicate(
            row.get("request_id"), path, "request_id", problem=_DUPLICATE
        )
        if "response" in row and not isinstance(row["response"], str | None):
            message = "only a `response` that is a text is documented"
            yield _undocumented(message, (*path, "response"), "write the text of the answer")
        if row.get("expected_facts") and row.get("expected_response"):
            yield Problem(
                "databricks/two-expectations",
                "the row has both `expected_facts` and `expected_response`",
                (*path, "expected_response"),
                "remove one of them: MLflow's own correctness judge rejects both together",
                on_key=True,
            )

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        problems = [advised(problem, row, path) for problem in self._schema.faults(row, path)]
        if not isinstance(row, dict):
            return problems
        # If the key is at another place, the schema's own problem points there.
        placed = {p.message: p for p in problems if p.code == _MISSING and p.on_key}
        missing = [
            problem if problem.on_key else placed.get(problem.message, problem)
            for problem in _missing(row, path, has_outputs=self._variant == OUTPUTS)
        ]
        reported = {problem.path for problem in missing}
        return [
            *missing,
            *(p for p in problems if p.code != _MISSING and p.path not in reported),
        ]


def is_trace(value: Any) -> bool:
    """Whether a value can be a trace of MLflow, as a mapping or as its JSON text; null is none."""
    read = parsed_json(value) if isinstance(value, str) else value
    return value is None or (isinstance(read, dict) and read.keys() >= {"info", "data"})


def _request(request: Any, path: Path) -> Iterator[Problem]:
    if isinstance(request, list):
        advice = "write `{messages: […]}`"
        yield _undocumented("a request that is a bare list of messages", path, advice)
    elif isinstance(request, dict):
        if "messages" in request and "query" in request:
            message = "the request has both `messages` and `query`; it is unclear which one is used"
            yield _undocumented(message, path, "remove one of them")
        elif request.get("messages") == []:
            yield _undocumented("`messages` is empty", (*path, "messages"), "add a message")
    elif not request.strip():
        yield _undocumented("the request is blank", path, "write the question")


def _undocumented(message: str, path: Path, advice: str | None) -> Problem:
    return Problem("databricks/undocumented", message, path, advice)


_EXAMPLES = {
    "request": '"request": "What is a shuffle?"',
    "messages": '"messages": [{"role": "user", "content": "What is a shuffle?"}]',
    "doc_uri": '"doc_uri": "guide/shuffle.md"',
}
# Keys that have a meaning of their own, and are never taken for a misspelling.
_KNOWN = frozenset({"request_id", "expected_response", "response", "trace", "content", "history"})


def _missing(row: dict[str, Any], path: Path, *, has_outputs: bool) -> Iterator[Problem]:
    """Yield the required keys that are missing, each once."""
    yield from _one_of(row, path, ("request",), where="")
    if has_outputs:
        yield from _one_of(row, path, ("response", "trace"), where="the row")
    request = row.get("request")
    if isinstance(request, dict):
        yield from _one_of(request, (*path, "request"), ("messages", "query"), where="`request`")
    for key in _CONTEXTS:
        documents = row.get(key)
        for index, document in enumerate(documents if isinstance(documents, list) else ()):
            if isinstance(document, dict):
                where = f" in `{key_of((key, index))}`"
                yield from _one_of(document, (*path, key, index), ("doc_uri",), where=where)


def _one_of(
    value: dict[str, Any], path: Path, keys: tuple[str, ...], where: str
) -> Iterator[Problem]:
    """Yield a problem if a mapping has none of some keys; `where` names it in the message."""
    if any(key in value for key in keys):
        return
    first, *others = keys
    message = f"`{first}` is missing{where}"
    if others:
        message = f"{where} has neither `{first}` nor `{others[0]}`"
    example = _EXAMPLES.get(first)
    advice = f"such as {example}" if example else f"record `{first}` or `{others[0]}`"
    for key in keys:
        near = nearest(key, filter(str.isidentifier, value))
        if near is not None and near not in _KNOWN:
            yield missing_key("databricks", message, path, key, near, advice)
            return
    yield Problem(_MISSING, message, path, advice)


def advised(problem: Problem, row: Any, path: Path) -> Problem:
    """Return a schema problem with the help that fits the value."""
    if problem.code != "databricks/wrong-type":
        return problem
    where = problem.path[len(path) :]
    value = value_at(row, where)
    if isinstance(value, float) and math.isnan(value):
        message = f"{problem.message.rpartition(',')[0]}, not NaN"
        return problem._replace(message=message, help="write null, or remove the key")
    if isinstance(value, str) and (instead := _meant_by(value, where)):
        return problem._replace(help=f"write {clipped(instead)}")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return problem._replace(help=f"write it without the brackets: {clipped(as_json(value[0]))}")
    return problem


def _meant_by(text: str, where: Path) -> str | None:
    """Return the list or mapping that a bare text probably means, by its place in a row."""
    match where:
        case ("expected_facts" | "guidelines",):
            value = parsed_json(text)
            return as_json(value if isinstance(value, list) else [text])
        case (str(key),) if key in _CONTEXTS:
            return as_json([{"doc_uri": text}])
        case (str(key), int()) if key in _CONTEXTS:
            return as_json({"doc_uri": text})
        case ("request", "messages"):
            return as_json([{"role": "user", "content": text}])
    return None


_REQUEST = frozenset({"request"})
# Keys that are those of other systems; traces that MLflow searched for have a request as well.
_FOREIGN = frozenset({"inputs", "input", "queries", "cases", "trace_metadata"})
_NO_ROWS = Problem(
    "databricks/undocumented", "there are no rows, so nothing is evaluated", (), "add a row"
)
_NO_LIST = Problem(
    "databricks/rejected", "an evaluation set is a list of rows", (), "write `[…]` around the row"
)


def _has_no_content(row: dict[str, Any], _: str) -> bool:
    documents = row.get("retrieved_context") or ()
    return not row.get("trace") and not any(document.get("content") for document in documents)


_NAMED = documents_named("doc_uri")


class Databricks(Format):
    """Evaluation sets, with recorded outputs or without."""

    name = "databricks"
    title = "Databricks agent evaluation"
    variants = (APPLICATION, OUTPUTS)
    media = ("json", "jsonl", "yaml", "parquet")
    basis = "per public documentation"
    row_checker = RequestChecker
    conversion = "evalcontract.formats.databricks.conversion:RequestLens"
    codes = codes_of_system(
        "databricks",
        silently_accepted=("two-expectations",),
        guesses=("undocumented", "misplaced-key"),
        notes=("data-frame",),
    )
    ways = MappingProxyType({"facts": FACTS, "guidelines": GUIDELINES, "documents": _NAMED})
    facts = MappingProxyType({"no_content": _has_no_content})
    named_by = ("request_id",)

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a row by its request: a text, messages or a query."""
        first = first_row_of(value, _REQUEST)
        value = first if isinstance(first, dict) else value
        request = value.get("request")
        is_request = isinstance(request, str) or (
            isinstance(request, dict) and not {"messages", "query"}.isdisjoint(request)
        )
        if not is_request or not _FOREIGN.isdisjoint(value):
            return None
        has_outputs = not {"response", "trace"}.isdisjoint(value)
        return cls(OUTPUTS if has_outputs else APPLICATION)

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if file.document is None:
            return RowLayout()
        value = file.document.value
        if isinstance(value, list):
            return RowLayout(value, problems=() if value else (_NO_ROWS,))
        if frame := frame_of(value, _REQUEST):
            return layout_of(frame, "databricks")
        return RowLayout.without_rows(_NO_LIST)

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        read = {key: part for key, part in row.items() if key != "trace" or is_trace(part)}
        return super().predict(read, file)
