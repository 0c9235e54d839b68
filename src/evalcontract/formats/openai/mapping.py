"""Items and samples as rows of evalcontract and back, without what is preserved beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import (
    conversation_of,
    default_id,
    last_question,
    with_bundle,
)
from evalcontract.formats._expectations import own_expectations, reference_of
from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats._residual import is_row
from evalcontract.formats.openai.fields import SAME
from evalcontract.formats.openai.templates import filled, text_of

if TYPE_CHECKING:
    from evalcontract.formats.openai.export import Keys

_ITEM_KEYS = frozenset({"id", "expected", "context", *SAME})
_SAMPLE_KEYS = frozenset({"id", "input", "ideal", "completion", "metadata"})
_MAPPINGS = ("expected_tools", "expected_documents", "retrieved_documents", "messages")


def row_of_item(row: dict[str, Any], index: int, keys: Keys) -> dict[str, Any]:
    """Convert an item and its sample."""
    item = row["item"]
    ours: dict[str, Any] = {"id": _id_of(item, index), "input": _question(item, keys)}
    ours |= {key: item[key] for key in SAME if _is_same(key, item.get(key))}
    expected = own_expectations({"expected": item.get("expected")})
    if keys.reference and _is_text(item.get(keys.reference)):
        expected = {"reference": item[keys.reference], **expected}
    if expected:
        ours["expected"] = expected
    rest = {key: part for key, part in item.items() if key not in (*_ITEM_KEYS, *keys)}
    context = item.get("context")
    if isinstance(context, dict) or rest:
        context = {**(context if isinstance(context, dict) else {}), **rest}
    if context is not None and context != {}:
        ours["context"] = context
    answer = item.get(keys.output) if keys.output else mapping_at(row, "sample").get("output_text")
    if isinstance(answer, str):
        ours["recorded_output"] = answer
    return with_bundle(ours)


def item_of_row(row: dict[str, Any], index: int, keys: Keys) -> dict[str, Any]:
    """Convert a row to an item and its sample."""
    item: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        item["id"] = row.get("id")
    item[keys.input or "input"] = row.get("input")
    if reference := reference_of(row):
        item[keys.reference or "reference"] = reference
    item |= {key: row[key] for key in SAME if row.get(key) is not None}
    if conversation_of(row).has_more or item.get("messages") == []:
        item.pop("messages", None)
    if own := own_expectations(row):
        item["expected"] = own
    context = row.get("context")
    if isinstance(context, dict):
        taken = {*_ITEM_KEYS, *keys, "input", "reference"}
        item |= {key: part for key, part in context.items() if key not in taken}
        if below := {key: part for key, part in context.items() if key in taken}:
            item["context"] = below
    elif context is not None:
        item["context"] = context
    theirs: dict[str, Any] = {"item": item}
    answer = row.get("recorded_output", conversation_of(row).answer)
    if answer is not None and keys.output:
        item[keys.output] = answer
    elif answer is not None:
        theirs["sample"] = {"output_text": answer}
    return theirs


def asked_messages(template: list[dict[str, Any]], item: dict[str, Any]) -> list[Any] | None:
    """Return the messages that a model is asked for an item; None if they are not only texts."""
    asked = []
    for message in template:
        content = message.get("content")
        text = content.get("text") if isinstance(content, dict) else content
        said = filled(text, item) if isinstance(text, str) else None
        if said is None:
            return None
        asked.append({"role": message.get("role"), "content": said})
    return asked


def row_of_sample(sample: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a sample of the registry."""
    given = sample["input"]
    question = last_question(given) if isinstance(given, list) else given
    is_asked = _is_text(question)
    ours: dict[str, Any] = {
        "id": _id_of(sample, index),
        "input": question if is_asked else text_of(given) or " ",
    }
    if is_list_of(given, dict) and given and (len(given) > 1 or not is_asked):
        ours["messages"] = given
    ideal = sample.get("ideal")
    if _is_text(ideal):
        ours["expected"] = {"reference": ideal}
    elif is_list_of(ideal, str) and ideal and all(map(_is_text, ideal)):
        ours["must_contain_any"] = ideal
    context = {key: part for key, part in sample.items() if key not in _SAMPLE_KEYS}
    if context:
        ours["context"] = context
    if isinstance(sample.get("completion"), str):
        ours["recorded_output"] = sample["completion"]
    return with_bundle(ours)


def sample_of_row(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a row to a sample of the registry."""
    sample: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        sample["id"] = row.get("id")
    asked = conversation_of(row).asked
    sample["input"] = asked or [{"role": "user", "content": row.get("input")}]
    alternatives = row.get("must_contain_any")
    if reference := reference_of(row):
        sample["ideal"] = reference
    elif is_list_of(alternatives, str) and alternatives:
        sample["ideal"] = alternatives
    answer = row.get("recorded_output", conversation_of(row).answer)
    if isinstance(answer, str):
        sample["completion"] = answer
    context = row.get("context")
    if isinstance(context, dict):
        sample |= {key: part for key, part in context.items() if key not in _SAMPLE_KEYS}
    return sample


def _id_of(value: dict[str, Any], index: int) -> str:
    id_ = value.get("id")
    return str(id_) if _is_text(id_) else default_id(index)


def _question(item: dict[str, Any], keys: Keys) -> str:
    """Return the question of an item, or else all of it but the answers as readable text."""
    if keys.input and _is_text(item.get(keys.input)):
        return str(item[keys.input])
    messages = item.get("messages")
    last = last_question(messages) if isinstance(messages, list) else None
    if isinstance(last, str) and last.strip():
        return last
    told = {key: part for key, part in item.items() if key not in (*_ITEM_KEYS, *keys[1:])}
    return "\n".join(f"{key}: {text_of(part)}" for key, part in told.items()) or "{}"


def _is_same(key: str, value: Any) -> bool:
    """Whether the value of an item's key has the type that the key of a row has."""
    if value is None or not is_row({key: value}):
        return False
    if key == "criteria":
        return _is_text(value)
    if key in _MAPPINGS and key != "expected_tools":
        return is_list_of(value, dict) and bool(value)
    if key == "expected_tools":
        return bool(value)
    return bool(value) and all(map(_is_text, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
