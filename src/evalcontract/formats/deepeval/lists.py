"""Texts in place of lists that DeepEval splits otherwise than their author means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.formats.deepeval.reading import DELIMITER, parsed, texts_of
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path


def misread_list(key: str, text: str, place: Path, *, read_as: str) -> Iterator[Problem]:
    """Yield that a text is JSON, which is `read_as` something else, or that parts are blank."""
    parts = texts_of(text)
    if text.strip().startswith("[") and _is_list(text):
        message = f"`{key}` is the JSON of a list, and is read as {read_as}"
        advice = f"write `{DELIMITER}` between the texts"
        yield Problem("deepeval/list-as-text", message, place, advice)
    elif any(not part.strip() for part in parts):
        message = f"`{key}` is split at `{DELIMITER}` into {len(parts)} texts, some of them blank"
        yield Problem("deepeval/list-as-text", message, place, "write JSON, where lists are lists")


def _is_list(text: str) -> bool:
    try:
        return isinstance(parsed(text), list)
    except ValueError:
        return False
