"""Detect typical mistakes where a JSON scanner fails: comments, and text around the value."""

from __future__ import annotations

#: The message and the advice for a Markdown fence around the content of a file.
FENCE = ("the file is inside a Markdown code block", "remove the lines that begin with ```")
FENCE_MARK = "```"
_COMMENTS = ("//", "/*", "#")


def hint_at(text: str, at: int) -> tuple[str, str] | None:
    """Return message and advice for a mistake at an offset; None if there is nothing typical."""
    if text.startswith(FENCE_MARK, at):
        return FENCE
    if text.startswith(_COMMENTS, at):
        return "a comment is not allowed", "remove it; JSON has no comments"
    return None


def hint_before(text: str, at: int) -> tuple[str, str] | None:
    """Return message and advice for prose at an offset, if the JSON value follows it."""
    value = min((place for sign in "{[" if (place := text.find(sign, at)) > at), default=None)
    if text[:at].strip() or value is None or not text[at].isalpha():
        return None
    if (fence := text.find(FENCE_MARK, at, value)) != -1 and text[fence - 1] == "\n":
        return FENCE[0], "remove the lines that begin with ```, and the text around them"
    return "text before the value", f"remove everything before the `{text[value]}`"
