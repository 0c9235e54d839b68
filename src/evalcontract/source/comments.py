"""The comments of a YAML text, with their line numbers."""

from __future__ import annotations

from bisect import bisect_right

import yaml

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.text import LINE_END

# Searched in the text between two tokens: a comment is everything from `#` to the end of the line.
_COMMENT = lazy_pattern(r"#[^\n\r]*")
# Line breaks in YAML 1.1, which PyYAML scans; ordinary characters in YAML 1.2.
_BREAKS_OF_1_1 = dict.fromkeys(map(ord, "\x85\u2028\u2029"), "_")


# The same tokens, by libyaml where PyYAML has it: seven times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Comment(NamedTuple):
    """A comment: its line (from 1), its text including the `#`, and the line of the next token."""

    line: int
    text: str
    next_line: int


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a YAML text; an empty list if the text cannot be scanned."""
    comments: list[Comment] = []
    line_ends = [match.end() for match in LINE_END.finditer(text)]
    end = 0
    try:
        for token in yaml.scan(text.translate(_BREAKS_OF_1_1), Loader=_LOADER):
            start = token.start_mark.index
            if start > end:
                next_line = bisect_right(line_ends, start) + 1
                comments += [
                    Comment(
                        bisect_right(line_ends, match.start()) + 1, match[0].rstrip(), next_line
                    )
                    for match in _COMMENT.finditer(text, end, start)
                ]
            end = max(end, token.end_mark.index)
    except yaml.YAMLError:
        return []
    return comments
