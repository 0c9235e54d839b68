"""A case as a row of ours, and a row of ours as a case, as far as each has places for the other.

What is lost on the way is kept aside by `residual`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats._conversion import BUNDLES, OURS, Loss, default_id
from evalcontract.formats._residual import Residual, applied
from evalcontract.formats.northstar.normalization import EXPECTED, METRICS, TRACE, is_blank, normal
from evalcontract.formats.northstar.pydantic_coercion import RefusedError
from evalcontract.formats.northstar.rubric import from_rubric
from evalcontract.formats.northstar.rubric_synthesis import graded
from evalcontract.formats.northstar.unwritable import with_unwritable
from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from evalcontract.model.path import Path

#: The key below `metadata` of a row of ours under which what it cannot say of a case is kept.
THEIRS = "northstar"
#: The mappings of a case that are compared key by key.
NESTED: dict[str, Any] = {"expected": {"trace": {}}, "metrics": {}, "metadata": {}}
_FORMS: dict[str, Any] = {"expected": EXPECTED, "metrics": METRICS}
_NUMBERED = re.compile(r"row_[0-9]+")
#: What is expected of a trace, or of a run as a whole, by the same name in the bundle `agent`.
OF_RUN = ("require_tool_output_reference", "max_latency_ms", "max_cost_usd")
OF_TRACE = (
    "max_repeated_tool_calls",
    "allowed_state_transitions",
    "min_retrieval_precision",
    "min_retrieval_recall",
    "max_step_cost_usd",
)
#: What judges read, below the `expected` of a row.
OF_JUDGES = ("goal", "rubric", "ground_truth")
BUNDLE = "agent"


class Plain(NamedTuple):
    """A row of ours without a residual, and its rubric."""

    row: dict[str, Any]
    rubric: dict[str, Any] | None


def to_row(case: dict[str, Any], index: int) -> Plain:
    """Turn a case, in which everything is JSON, as far as a row has places for it."""
    expected = normal(case.get("expected", {}), EXPECTED)
    name = case["id"] if not is_blank(case["id"]) else default_id(index)
    row: dict[str, Any] = {
        "id": name,
        "input": input_of(case.get("input"), case["messages"], name),
    }
    judged = expected.get("rubric", expected.get("goal"))
    if judged is not None:
        row["criteria"] = judged
        row["expected"] = {key: expected[key] for key in OF_JUDGES if key in expected}
    rubric, asked = graded(expected)
    row = {**row, **asked, **({"expected": row["expected"]} if "expected" in row else {})}
    if "context" in expected:
        row["context"] = expected["context"]
    row["bundle"] = BUNDLE
    row["messages"] = case["messages"]
    if isinstance(case.get("trace"), dict):
        row["trace"] = case["trace"]
    if "metrics" in case:
        row["metrics"] = normal(case["metrics"], METRICS)
    of_trace = expected.get("trace", {})
    if "relevant_retrieval_ids" in of_trace:
        row["expected_documents"] = [{"id": each} for each in of_trace["relevant_retrieval_ids"]]
    row |= {key: expected[key] for key in OF_RUN if key in expected}
    row |= {key: of_trace[key] for key in OF_TRACE if key in of_trace}
    kept = {k: v for k, v in case.get("metadata", {}).items() if k not in (THEIRS, OURS)}
    if kept:
        row["metadata"] = kept
    return Plain(row, rubric)


class Made(NamedTuple):
    """A case made of a row, what it cannot say of the rubric, and the keys that it says all of."""

    case: dict[str, Any]
    losses: list[Loss]
    said: set[str]


def to_case(row: dict[str, Any], rubric: dict[str, Any] | None) -> Made:
    """Turn a row; what it says of its rubric and cannot be said in a case is lost."""
    carried = from_rubric(rubric, row)
    expected = carried.expected | _judged(row)
    if context := _texts(row.get("context")):
        expected["context"] = context
        carried.said.add("context")
    expected |= _sound(row, OF_RUN, EXPECTED)
    if of_trace := _sound(row, OF_TRACE, TRACE) | _documents(row):
        expected["trace"] = of_trace
    messages = _messages(row, carried.said)
    case: dict[str, Any] = {"id": row["id"], "messages": messages}
    if row["input"] != input_of(None, messages, row["id"]):
        case["input"] = row["input"]
    if expected:
        case["expected"] = expected
    if row.get("bundle") in BUNDLES:
        carried.said.add("bundle")
    metrics = row.get("metrics")
    if isinstance(metrics, dict) and json_equal(metrics, _sound(metrics, METRICS, METRICS)):
        case["metrics"] = metrics
    if isinstance(row.get("trace"), dict):
        case["trace"] = row["trace"]
    metadata = row.get("metadata", {})
    if kept := {key: part for key, part in metadata.items() if key not in (THEIRS, OURS)}:
        case["metadata"] = kept
    residual = metadata.get(THEIRS)
    case = _restored(case, residual) if isinstance(residual, dict) else case
    return Made(case, carried.losses, carried.said)


def _messages(row: dict[str, Any], said: set[str]) -> list[dict[str, Any]]:
    """Return the conversation of a row, or what it asks and the answer that was recorded."""
    messages = row.get("messages")
    if isinstance(messages, list) and all(isinstance(each, dict) for each in messages):
        return messages
    messages = [{"role": "user", "content": row["input"]}]
    if isinstance(row.get("recorded_output"), str):
        messages.append({"role": "assistant", "content": row["recorded_output"]})
        said.add("recorded_output")
    return messages


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    """Return what judges are to grade by; `criteria` count where they say something else."""
    given = row.get("expected", {})
    found = {key: given[key] for key in ("goal", "rubric") if isinstance(given.get(key), str)}
    criteria = row.get("criteria")
    if criteria is None:
        return {}
    if found.get("rubric", found.get("goal")) != criteria:
        found["rubric" if "rubric" in found else "goal"] = criteria
    return found


def _texts(value: Any) -> list[str] | None:
    texts = [value] if isinstance(value, str) else value
    is_texts = isinstance(texts, list) and all(isinstance(each, str) for each in texts)
    return texts if is_texts else None


def _sound(row: dict[str, Any], keys: Any, forms: Any) -> dict[str, Any]:
    """Return the fields of a row that a case takes as they are."""
    found = {}
    for key in keys:
        try:
            if row.get(key) is not None and json_equal(forms[key](row[key]), row[key]):
                found[key] = row[key]
        except (RefusedError, TypeError):
            continue  # no case could say it
    return found


def _documents(row: dict[str, Any]) -> dict[str, Any]:
    documents = row.get("expected_documents")
    if not isinstance(documents, list):
        return {}
    names = [each.get("id") for each in documents if isinstance(each, dict)]
    is_named = len(names) == len(documents) and all(isinstance(each, str) for each in names)
    return {"relevant_retrieval_ids": names} if is_named else {}


def _restored(case: dict[str, Any], residual: dict[str, Any]) -> dict[str, Any]:
    """Return a case with what was kept of it, where that still means what the row says."""
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
        return _means(path, value, now)

    kept = residual.get("written")
    if isinstance(kept, dict):
        case = applied(case, Residual(kept, []), NESTED, fits)
    return with_unwritable(case, residual.get("unwritable"))


def _means(path: Path, value: Any, now: Any) -> bool:
    """Whether the normal form of a value at a path is what stands there."""
    form: Any = _FORMS
    try:
        for step in path:
            form = form[step]
        return json_equal(form(value), now)
    except (RefusedError, AttributeError, LookupError, TypeError):
        return False  # somebody else has written here


def input_of(given: Any, messages: list[dict[str, Any]], name: str) -> str:
    """Return the input of ours for a case with such an `input`, and None for one without.

    A text is it; else the last text of a user, else whatever there is as JSON, else the case's
    name.
    """
    if isinstance(given, str) and not is_blank(given):
        return given
    for message in reversed(messages):
        text = _text_of(message.get("content")) if message.get("role") == "user" else ""
        if not is_blank(text):
            return text
    if given is not None and not isinstance(given, str):
        return json.dumps(given, ensure_ascii=False)
    return json.dumps(messages, ensure_ascii=False) if messages else name


def _text_of(content: Any) -> str:
    """Return the text of a message, which may be a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (each.get("text") for each in parts if isinstance(each, dict))
    return "\n".join(each for each in texts if isinstance(each, str))
