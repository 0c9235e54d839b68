"""The comments of a YAML text, by the line that they stand on."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

import yaml

from evalcontract.source.text import LINE_END

# What stands between two tokens; a comment is all of it from a `#` to the end of the line.
_COMMENT = re.compile(r"#[^\n\r]*")
# They end a line in YAML 1.1 alone, by which the tokens are found.
_NOLINE_ENDS = dict.fromkeys(map(ord, "\x85\u2028\u2029"), "_")


class Comment(NamedTuple):
    """A comment: its line, from 1, its text from the `#` on, and the line of what follows it."""

    line: int
    text: str
    next_line: int


def comments_of(text: str) -> list[Comment]:
    """List the comments of a YAML text that can be read; none of one that cannot."""
    found: list[Comment] = []
    ends = [each.end() for each in LINE_END.finditer(text)]
    end = 0
    try:
        for token in yaml.scan(text.translate(_NOLINE_ENDS), Loader=yaml.SafeLoader):
            start = token.start_mark.index
            if start > end:
                next_line = bisect_right(ends, start) + 1
                found += [
                    Comment(bisect_right(ends, each.start()) + 1, each[0].rstrip(), next_line)
                    for each in _COMMENT.finditer(text, end, start)
                ]
            end = max(end, token.end_mark.index)
    except yaml.YAMLError:
        return []
    return found
