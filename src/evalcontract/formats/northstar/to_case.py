"""A row of ours as a case: what a case has places for, and what comes back by its stash."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from evalcontract.formats._conversion import BUNDLES, OURS, Loss
from evalcontract.formats.northstar.asked import input_of
from evalcontract.formats.northstar.lax import RefusedError
from evalcontract.formats.northstar.normal import EXPECTED, METRICS, TRACE
from evalcontract.formats.northstar.rubric import from_rubric
from evalcontract.formats.northstar.stash import THEIRS, restored, with_unwritable
from evalcontract.formats.northstar.to_row import OF_RUN, OF_TRACE
from evalcontract.model.same import same

_NUMBERED = re.compile(r"row_[0-9]+")


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
    if isinstance(metrics, dict) and same(metrics, _sound(metrics, METRICS, METRICS)):
        case["metrics"] = metrics
    if isinstance(row.get("trace"), dict):
        case["trace"] = row["trace"]
    metadata = row.get("metadata", {})
    if kept := {key: part for key, part in metadata.items() if key not in (THEIRS, OURS)}:
        case["metadata"] = kept
    stash = metadata.get(THEIRS)
    case = _with_stash(case, stash) if isinstance(stash, dict) else case
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
            if row.get(key) is not None and same(forms[key](row[key]), row[key]):
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


def _with_stash(case: dict[str, Any], stash: dict[str, Any]) -> dict[str, Any]:
    """Return a case with what was stashed when it became a row of ours."""
    kept = stash.get("written")
    kept = kept if isinstance(kept, dict) else {}
    for key, forms in (("expected", EXPECTED), ("metrics", METRICS)):
        if key in kept and (found := restored(case.get(key), kept[key], forms)) is not None:
            case[key] = found
    name, messages = case["id"], case["messages"]
    if "input" in kept and case.get("input", input_of(None, messages, name)) == input_of(
        kept["input"], messages, name
    ):
        case["input"] = kept["input"]
    if "trace" in kept and kept["trace"] is None and "trace" not in case:
        case["trace"] = None
    if isinstance(kept.get("metadata"), dict):
        case["metadata"] = {**case.get("metadata", {}), **kept["metadata"]}
    if isinstance(kept.get("id"), str) and _NUMBERED.fullmatch(name):
        case["id"] = kept["id"]
    return with_unwritable(case, stash.get("unwritable"))
