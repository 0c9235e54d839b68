"""What a row of ours asks the system, where a case says it in many ways or not at all."""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats.northstar.normal import is_blank


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
