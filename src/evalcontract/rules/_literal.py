"""Texts that are compared as they are, but look like a regular expression or a template."""

from __future__ import annotations

import re

from evalcontract.model.startup import lazy_pattern

# A class such as `\d` that no letter follows, as in a namespace or a path; `.*` between words or at
# the start, but not `db.*`; inline flags; both anchors.
_REGEX = lazy_pattern(
    r"\\[dDwWsSb](?![A-Za-z\\/.])|(?:^|(?<=[\w ]))\.[*+]\??(?=\w)|(?<= )\.[*+]\??(?= )"
    r"|\(\?[aimsux]+\)|\(\?:|^\^.+\$$",
    re.DOTALL,
)
_TAG = lazy_pattern(r"\{\{\s*[\w.]+\s*\}\}")
#: The variables of a template. Another name in `must_not_contain` keeps out unfilled templates.
_VARIABLE = lazy_pattern(r"\{\{\s*(?:input|output|expected|context|criteria)(?:\.\w+)*\s*\}\}")

_TAGS = {"must_contain_any": _TAG, "must_not_contain": _VARIABLE}
# Matches every such text, and few others; it is faster than the other patterns.
_SUSPICIOUS = lazy_pattern(r"[\\{*+^]|\(\?")


def fault_of(text: str, kind: str) -> tuple[str, str] | None:
    """Return the message about a text that a kind of check compares and the advice, or None."""
    tag = _TAGS.get(kind)
    if tag is None or _SUSPICIOUS.search(text) is None:
        return None
    if tag.search(text):
        message = f"`{text}` looks like a template, but is compared as it is"
        return message, "write the text itself, or use an `llm_judge` check"
    if _REGEX.search(text):
        message = f"`{text}` looks like a regular expression, but is compared as it is"
        negate = ", `negate: true`" if kind == "must_not_contain" else ""
        return message, f"use a check with `kind: regex`{negate}"
    return None
