"""Answers of earlier runs, in the cache folder of the user."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from evalcontract.cache.store import Cache
from evalcontract.judging.client import PARAMETERS, Reply
from evalcontract.judging.prompt import AGAIN

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.judging.prompt import Message

# Change this when the format of answers changes.
_NAME = "answers-2"
# The cache is looked through for what is too old after so many answers.
_TRIM_EVERY = 500


def question_key(judge: str, template: str, url: str, model: str, messages: list[Message]) -> str:
    """Return the key of a question: a SHA-256 digest of all that the answer depends on.

    `judge` is its exact name; the messages contain its scale and the rendered template. Nothing of
    it can be read from the key.
    """
    parts = [judge, template, url, model, messages, PARAMETERS, AGAIN]
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class AnswerCache:
    """Answers by the keys of their questions: the text and the tokens, nothing of the question."""

    def __init__(self, folder: Path) -> None:
        self._cache = Cache(folder, _NAME, trim_every=_TRIM_EVERY)

    def get(self, key: str) -> Reply | None:
        """Return an answer; None if there is none, or it is damaged."""
        body = self._cache.get(key)
        if body is None:
            return None
        try:
            text, *tokens = json.loads(body)
        except (ValueError, TypeError, RecursionError):
            return None
        is_whole = isinstance(text, str) and len(tokens) == len(Reply._fields) - 1
        return Reply(text, *tokens) if is_whole else None

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer, if possible."""
        self._cache.put(key, json.dumps(reply).encode())
