"""What Inspect makes of the values of a record: of its target, its choices and its JSON texts."""

from __future__ import annotations

import json
import math
from typing import Any

from evalcontract.formats._conversion import last_question
from evalcontract.model.values import integer

#: The keys of a record that Inspect reads by default.
KEYS = ("input", "target", "choices", "id", "metadata", "sandbox", "files", "setup", "checkpoint")
#: Values that a mapping may have as JSON text.
JSON_KEYS = ("metadata", "files", "checkpoint")


def is_nothing(value: Any) -> bool:
    """Whether a value is read as if the key were missing: null and NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def id_of(record: dict[str, Any]) -> str | None:
    """Return the id of a record as a text, by which Inspect compares it; None if it has none."""
    id_ = record.get("id")
    if id_ is None:
        return None
    return id_ if isinstance(id_, str) else str(int(id_))


def question_of(messages: list[Any]) -> str | None:
    """Return the text of the last user message; None if it has none."""
    content = last_question(messages)
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str) and text)
    return content if isinstance(content, str) and content else None


def targets_of(record: dict[str, Any]) -> list[str]:
    """Return the targets of a record; a missing one is an empty text, an empty list has none."""
    target = record.get("target")
    if is_nothing(target):
        return [""]
    return [str(part) for part in target] if isinstance(target, list) else [str(target)]


def choices_of(record: dict[str, Any]) -> list[str]:
    """Return the choices of a record: a text is split at commas, or else at blanks."""
    choices = record.get("choices")
    if is_nothing(choices):
        return []
    if isinstance(choices, list):
        return [str(choice) for choice in choices if str(choice).strip()]
    if not isinstance(choices, str):
        return [str(choices)]
    parts = choices.split(",")
    parts = choices.split() if len(parts) == 1 else parts
    return [part.strip() for part in parts if part.strip()]


def parsed(value: Any) -> Any:
    """Return the value of a JSON text, and any other value as it is.

    Raises:
        ValueError: the text is not JSON, as for Inspect.

    """
    try:
        return json.loads(value) if isinstance(value, str) else value
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def metadata_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a valid record; an empty mapping if it has none."""
    value = record.get("metadata")
    found = None if is_nothing(value) else parsed(value)
    return found if isinstance(found, dict) else {}


def has_other_choice(record: dict[str, Any]) -> bool:
    """Whether a target names a choice that there is not, at which `choice()` fails.

    Between commas and blanks it has numbers, or else letters, one for each right choice.
    """
    count = len(choices_of(record))
    if not count:
        return False
    words = [word for target in targets_of(record) for word in target.replace(",", " ").split()]
    return any(not 0 <= position < count for word in words for position in _positions(word))


def _positions(word: str) -> list[int]:
    """Return the positions of the choices that a word names, from 0; -1 for none."""
    if word.isnumeric():
        # One of too many digits is beyond all choices, as zero and a fraction are.
        number = integer(word)
        return [25 + number if number else -1]
    return [ord(letter.upper()[0]) - ord("A") if letter.isalpha() else -1 for letter in word]
