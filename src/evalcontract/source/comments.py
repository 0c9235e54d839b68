"""The comments of a YAML text, by the line that they stand on."""

from __future__ import annotations

import re
from typing import NamedTuple

import yaml

# What stands between two tokens; a comment is all of it from a `#` to the end of the line.
_COMMENT = re.compile(r"#[^\n\r]*")


class Comment(NamedTuple):
    """A comment: its line, from 1, its text from the `#` on, and the line of what follows it."""

    line: int
    text: str
    next_line: int


def comments_of(text: str) -> list[Comment]:
    """List the comments of a YAML text that can be read; none of one that cannot."""
    found: list[Comment] = []
    end = 0
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            start, line = token.start_mark.index, token.start_mark.line + 1
            if start > end:
                found += _between(text, end, start, line)
            end = max(end, token.end_mark.index)
    except yaml.YAMLError:
        return []
    return found


def _between(text: str, start: int, end: int, next_line: int) -> list[Comment]:
    first = text.count("\n", 0, start) + 1
    return [
        Comment(first + text.count("\n", start, each.start()), each[0].rstrip(), next_line)
        for each in _COMMENT.finditer(text, start, end)
    ]
