"""Convert a case to a row of evalcontract and back, as far as each can represent the other.

`residual` preserves the rest.
"""

from __future__ import annotations

import json
import math
from typing import Any

from evalcontract.formats._conversion import (
    BUNDLES,
    OURS,
    Loss,
    conversation_of,
    default_id,
    reference_of,
)
from evalcontract.formats._fields import Field
from evalcontract.formats._findings import has_lone_surrogate, is_list_of, mapping_at
from evalcontract.formats._residual import Residual, applied
from evalcontract.formats.northstar.case import CoercionError, input_of, is_blank
from evalcontract.formats.northstar.numbers import EXPECTED, METRICS, TRACE, normal
from evalcontract.formats.northstar.rubric import GradedRow, from_rubric, grade_expectations
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import json_equal

#: Limits of a run and of its trace. Rows of the bundle `agent` may have them by the same names.
OF_RUN = ("require_tool_output_reference", "max_latency_ms", "max_cost_usd")
OF_TRACE = (
    "max_repeated_tool_calls",
    "allowed_state_transitions",
    "min_retrieval_precision",
    "min_retrieval_recall",
    "max_step_cost_usd",
)
_UNMEASURED = "no check of evalcontract grades it"
_NO_GRADER = "NorthStar has no grader for it"
_NO_PLACE = "cases have no place for it"

FIELDS = (
    Field("id", "id"),
    Field("messages", "messages", "the whole run"),
    Field("messages", "context.history", "before the question"),
    Field("messages", "recorded_output", "the last answer"),
    Field("input", "input", "by default the last text of a user"),
    Field("expected.goal", "criteria"),
    Field("expected.rubric", "criteria", "a `goal` beside it is `expected.goal`"),
    Field("expected.ground_truth", "expected.reference", "and one of `expected_facts`"),
    Field("expected.contains", "expected_facts", "facts are found over line breaks, too"),
    Field("expected.not_contains", "must_not_contain"),
    Field("expected.required_tools", "expected_tools"),
    Field("expected.tool_arguments", "expected_tools", "one call of each tool"),
    Field("expected.tool_sequence", "expected_tools", "and a check of the exact sequence"),
    Field("expected.tool_sequence", "rubric_ref", "the check of the exact sequence"),
    Field("expected.forbidden_tools", "rubric_ref", "of the check `tool_usage`"),
    Field("expected.max_tool_calls", "rubric_ref", "`max_calls` of the check `tool_usage`"),
    Field("expected.context", "context", "a list of texts"),
    Field("expected.trace.relevant_retrieval_ids", "expected_documents", "the ids alone"),
    Field("trace", "trace"),
    Field("metrics", "metrics"),
    Field("metadata", "metadata"),
    *(Field(f"expected.{key}", None, _UNMEASURED) for key in OF_RUN),
    *(Field(f"expected.trace.{key}", None, _UNMEASURED) for key in OF_TRACE),
    Field(None, "expected.format", _NO_GRADER),
    Field(None, "expected.*", _NO_GRADER),
    Field(None, "must_contain_any", "NorthStar asks for every phrase, not for one of them"),
    Field(None, "expected_documents", "cases have the ids of documents, not their texts"),
    Field(None, "retrieved_documents", "NorthStar takes them from the trace"),
    Field(None, "context", "the context of a case is a list of texts"),
    Field(None, "*", _NO_PLACE),
)


def without_unwritable(value: Any) -> tuple[Any, list[list[Any]]]:
    """Return a value that is valid JSON, and what was replaced: paths, each with Python's text."""
    replaced: list[list[Any]] = []
    return _plain(value, (), replaced), sorted(replaced, key=json.dumps)


def _plain(value: Any, path: Path, replaced: list[list[Any]]) -> Any:
    match value:
        case float() if not math.isfinite(value):
            replaced.append([*path, json.dumps(value)])
            return None
        case str() if has_lone_surrogate(value):
            replaced.append([*path, json.dumps(value)])
            return value.encode("utf-8", "replace").decode()
        case dict() if any(map(has_lone_surrogate, value)):
            replaced.append([*path, json.dumps(value)])
            return {}
        case dict():
            return {key: _plain(part, (*path, key), replaced) for key, part in value.items()}
        case list():
            return [_plain(part, (*path, index), replaced) for index, part in enumerate(value)]
    return value


def with_unwritable(case: dict[str, Any], kept: Any) -> dict[str, Any]:
    """Restore the values that were replaced, where their stand-ins are unchanged."""
    for entry in kept if isinstance(kept, list) else ():
        try:
            *path, text = entry
            value = json.loads(text)
            case = _replaced(case, path, without_unwritable(value)[0], value)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
            continue  # the entry is foreign, or its place is gone
    return case


def _replaced(value: Any, path: list[Any], stand_in: Any, by: Any) -> Any:
    """Return a copy of a value with another part at a path, if the stand-in is there."""
    if not path:
        return by if json_equal(value, stand_in) else value
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], stand_in, by)
    return copy


#: The mappings of a case that are compared key by key.
NESTED: dict[str, Any] = {"expected": {"trace": {}}, "metrics": {}, "metadata": {}}
_FORMS: dict[str, Any] = {"expected": EXPECTED, "metrics": METRICS}
_NUMBERED = lazy_pattern(r"row_[0-9]+")
_REQUIRED, _ARGUMENTS = ("expected", "required_tools"), ("expected", "tool_arguments")


def restored(case: dict[str, Any], residual: dict[str, Any]) -> dict[str, Any]:
    """Restore what a row preserves of a case, where it still means what the row says."""
    name, messages = case["id"], case["messages"]

    def fits(path: Path, value: Any, now: Any) -> bool:
        match path:
            case ("id",):
                return isinstance(value, str) and bool(_NUMBERED.fullmatch(name))
            case ("input",):
                plain = input_of(None, messages, name) if now is None else now
                return bool(plain == input_of(value, messages, name))
            case ("trace",) | ("expected", "trace"):
                return value is None and now is None
            case ("metadata", _):
                return True
        return _means(path, value, now) or _is_implied(path, value, now, case)

    written = residual.get("written")
    if isinstance(written, dict):
        case = applied(case, Residual(written, []), NESTED, fits)
    return with_unwritable(case, residual.get("unwritable"))


def _is_implied(path: Path, value: Any, now: Any, case: dict[str, Any]) -> bool:
    """Whether a value may stand in place of what the case has: what the row says stays the same."""
    expected = case.get("expected", {})
    if path == _REQUIRED:
        return _are_implied_tools(_normal(path, value), now or [], expected)
    if path == _ARGUMENTS and now:
        return _are_same_calls(_normal(path, value), now)
    if now is not None:
        return False
    match path:
        case ("expected", "ground_truth"):
            return any(_means(path, value, text) for text in (None, *expected.get("contains", ())))
        case ("expected", key) | ("expected", "trace", key):
            return key in (*OF_RUN, *OF_TRACE) and _normal(path, value) is not ...
    return False


def _are_implied_tools(names: Any, now: list[str], expected: dict[str, Any]) -> bool:
    """Whether the tools that are required beyond those of now are called anyway."""
    if not is_list_of(names, str) or not set(now) <= set(names):
        return False
    calls = (call["name"] for call in expected.get("tool_arguments", ()))
    return set(names) - set(now) <= {*expected.get("tool_sequence", ()), *calls}


def _are_same_calls(calls: Any, now: list[Any]) -> bool:
    """Whether calls are those of now in another order."""
    is_as_many = isinstance(calls, list) and len(calls) == len(now)
    return is_as_many and all(any(json_equal(call, one) for one in now) for call in calls)


def _means(path: Path, value: Any, now: Any) -> bool:
    """Whether the normal form of a value at a path is the current value."""
    normalized = _normal(path, value)
    return normalized is not ... and json_equal(normalized, now)


def _normal(path: Path, value: Any) -> Any:
    """Return the normal form of a value at a path; `...` if the value is foreign."""
    form: Any = _FORMS
    try:
        for step in path:
            form = form[step]
        return form(value)
    except (CoercionError, AttributeError, LookupError, TypeError):
        return ...


#: The metadata key under which a row preserves what it cannot represent of a case.
THEIRS = "northstar"
# What judges read, and a row may have below `expected`.
_OF_JUDGES = ("goal", "rubric", "ground_truth")
# How a row says that its criteria are the rubric of a case that has no goal.
_FROM_RUBRIC = {"criteria_from": "rubric"}


def to_row(case: dict[str, Any], index: int) -> GradedRow:
    """Convert a case that is valid JSON, without a residual."""
    expected = normal(case.get("expected", {}), EXPECTED)
    name = case["id"] if not is_blank(case["id"]) else default_id(index)
    row: dict[str, Any] = {
        "id": name,
        "input": input_of(case.get("input"), case["messages"], name),
    }
    criteria = expected.get("rubric", expected.get("goal"))
    if criteria is not None:
        row["criteria"] = criteria
    own = {"reference": expected["ground_truth"]} if "ground_truth" in expected else {}
    if "rubric" in expected and "goal" in expected:
        own["goal"] = expected["goal"]
    if own:
        row["expected"] = own
    graded_row, rubric = grade_expectations(expected)
    row |= graded_row
    if "context" in expected:
        row["context"] = expected["context"]
    row["bundle"] = "agent"
    row["messages"] = case["messages"]
    if isinstance(case.get("trace"), dict):
        row["trace"] = case["trace"]
    if "metrics" in case:
        row["metrics"] = normal(case["metrics"], METRICS)
    of_trace = expected.get("trace", {})
    if "relevant_retrieval_ids" in of_trace:
        row["expected_documents"] = [{"id": id_} for id_ in of_trace["relevant_retrieval_ids"]]
    metadata = _own_metadata(case)
    if "rubric" in expected and "goal" not in expected:
        metadata[THEIRS] = dict(_FROM_RUBRIC)
    if metadata:
        row["metadata"] = metadata
    return GradedRow(row, rubric)


class ConvertedCase(NamedTuple):
    """A case, what it cannot represent of the rubric, and the keys of the row that it represents.

    `said` has only keys whose whole value is represented.
    """

    case: dict[str, Any]
    losses: list[Loss]
    said: set[str]


def to_case(row: dict[str, Any], rubric: dict[str, Any] | None) -> ConvertedCase:
    """Convert a row, and restore what it preserves of a case."""
    carried = from_rubric(rubric, row)
    expected = _judged(row, carried.said) | carried.expected
    if expected.get("ground_truth") != reference_of(row):
        carried.said.discard("expected.reference")
    context = row.get("context")
    context = [context] if isinstance(context, str) else context
    if context and is_list_of(context, str):
        expected["context"] = context
        carried.said.add("context")
    expected |= _valid(row, OF_RUN, EXPECTED)
    if of_trace := _valid(row, OF_TRACE, TRACE) | _documents(row):
        expected["trace"] = of_trace
    carried.said.update(key for key in (*OF_RUN, *OF_TRACE) if key in {**expected, **of_trace})
    messages = _messages(row, carried.said)
    case: dict[str, Any] = {"id": row["id"], "messages": messages}
    if row["input"] != input_of(None, messages, row["id"]):
        case["input"] = row["input"]
    if expected:
        case["expected"] = expected
    if row.get("bundle") in BUNDLES:
        carried.said.add("bundle")
    metrics = row.get("metrics")
    if isinstance(metrics, dict) and json_equal(metrics, _valid(metrics, METRICS, METRICS)):
        case["metrics"] = metrics
    if isinstance(row.get("trace"), dict):
        case["trace"] = row["trace"]
    if metadata := _own_metadata(row):
        case["metadata"] = metadata
    residual = row.get("metadata", {}).get(THEIRS)
    case = restored(case, residual) if isinstance(residual, dict) else case
    return ConvertedCase(case, carried.losses, carried.said)


def _own_metadata(row: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of the author."""
    metadata = row.get("metadata", {})
    return {key: part for key, part in metadata.items() if key not in (THEIRS, OURS)}


def _messages(row: dict[str, Any], said: set[str]) -> list[dict[str, Any]]:
    """Return the conversation of a row, or its history and its question; then its answer."""
    messages = row.get("messages")
    if not is_list_of(messages, dict):
        history = mapping_at(row, "context").get("history")
        before = history if is_list_of(history, dict) else []
        if before and row["context"].keys() == {"history"}:
            said.add("context")
        messages = [*before, {"role": "user", "content": row["input"]}]
    else:
        said.add("messages")
    output = row.get("recorded_output")
    answer = conversation_of({"messages": messages}).answer
    if isinstance(output, str) and answer is None:
        messages = [*messages, {"role": "assistant", "content": output}]
        answer = output
    if answer is not None and output == answer:
        said.add("recorded_output")
    return messages


def _judged(row: dict[str, Any], said: set[str]) -> dict[str, Any]:
    """Return the goal, the rubric and the right answer that judges grade by."""
    given = mapping_at(row, "expected")
    texts = {key: given[key] for key in _OF_JUDGES if isinstance(given.get(key), str)}
    said.update(f"expected.{key}" for key in texts)
    criteria = row.get("criteria")
    if isinstance(criteria, str):
        is_rubric = mapping_at(row, "metadata", THEIRS).get("criteria_from") == "rubric"
        if "rubric" in texts and texts["rubric"] != criteria:
            said.discard("expected.rubric")
        texts["rubric" if is_rubric or "goal" in texts else "goal"] = criteria
        said.add("criteria")
    if (reference := reference_of(row)) is not None:
        if texts.setdefault("ground_truth", reference) != reference:
            said.discard("expected.ground_truth")
        texts["ground_truth"] = reference
        said.add("expected.reference")
    return texts


def _valid(row: dict[str, Any], keys: Any, forms: Any) -> dict[str, Any]:
    """Return the fields of a row that are valid in a case as they are."""
    valid = {}
    for key in keys:
        try:
            if row.get(key) is not None and json_equal(forms[key](row[key]), row[key]):
                valid[key] = row[key]
        except (CoercionError, TypeError):
            continue  # a case cannot have it
    return valid


def _documents(row: dict[str, Any]) -> dict[str, Any]:
    documents = row.get("expected_documents")
    if not is_list_of(documents, dict):
        return {}
    ids = [document.get("id") for document in documents]
    return {"relevant_retrieval_ids": ids} if is_list_of(ids, str) else {}
