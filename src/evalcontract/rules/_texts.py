"""What rules on texts share: blank, cut, quoted and literal ones."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from evalcontract.checks.plan import VISIBLE
from evalcontract.model.codes import Code
from evalcontract.model.diagnostic import Place, Problem
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.comments import CutText

Value = TypeVar("Value", bound=Hashable)
Where = TypeVar("Where")


def cut_text_problem(code: Code, cut: CutText, row_index: int | None = None) -> Problem:
    """Return the problem of a text; `row_index` is that of its row, if it is in a dataset."""
    message = f"the text ends before `{cut.rest}`, which is a comment"
    advice = "put the whole text in quotation marks"
    return Problem(code, message, cut.path, advice, row_index=row_index)


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


def literal_fault(text: str, kind: str) -> tuple[str, str] | None:
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


#: Keys whose text must not be blank, and keys whose list of texts must not have duplicates.
TEXTS = ("id", "input", "criteria")
LISTS = ("expected_facts", "must_contain_any", "must_not_contain", "tags")
#: The parameters of checks that are lists of texts.
LISTS_OF_CHECKS = (
    *("values", "facts", "required_sections", "forbidden_patterns"),
    *("expected_tools", "forbidden_tools", "required_keys"),
)


def items_of(
    mapping: Mapping[str, Any], keys: Iterable[str]
) -> Iterator[tuple[tuple[str, int], Any]]:
    """Yield the items of the lists under some keys of a mapping, each with its path."""
    for key in keys:
        for index, item in enumerate(mapping.get(key, ())):
            yield (key, index), item


def repeats(values: Iterable[tuple[Where, Value]]) -> Iterator[tuple[Value, Where, Where]]:
    """Yield each value that came before, with its place and the first place of it."""
    first: dict[Value, Where] = {}
    for place, value in values:
        before = first.setdefault(value, place)
        if before != place:
            yield value, place, before


def is_blank(text: str) -> bool:
    """Whether a text has no visible character."""
    return re.search(VISIBLE, text) is None


# The English and German quotation marks, as a part of a character class.
_MARKS = "\u2018-\u201f"
_INNER = rf"[^{_MARKS}\"']+"
_WRAPPED = lazy_pattern(rf"[{_MARKS}]({_INNER})[{_MARKS}]")
# One mark of a pair of double ones: a comma has split the text.
_DOUBLE = "\u201c-\u201f"
_HALF = lazy_pattern(rf"(?P<first>[{_DOUBLE}]){_INNER}|{_INNER}(?P<last>[{_DOUBLE}])")
#: Matches exactly the texts with a fault; the pattern means the same in ECMA-262.
FAULTY = rf"^(?:[{_MARKS}]{_INNER}[{_MARKS}]|[{_DOUBLE}]{_INNER}|{_INNER}[{_DOUBLE}])$"


def wrapping_fault(text: str) -> tuple[str, str] | None:
    """Return the message about a text within quotation marks and the advice, or None."""
    if pair := _WRAPPED.fullmatch(text):
        message = f"the quotation marks `{text[0]}` and `{text[-1]}` are a part of this text"
        return message, f'write straight ones: `"{pair[1]}"`'
    if half := _HALF.fullmatch(text):
        mark = half["first"] or half["last"]
        message = f"the quotation mark `{mark}` is a part of this text"
        return message, "write straight ones around the whole text"
    return None


def is_plain(place: Place) -> bool:
    """Whether the text at a place is written without straight quotation marks.

    Within straight ones, its typographic ones are intended.
    """
    if place.span is None or place.text is None:
        return True
    return not place.text.startswith(("'", '"'), place.span.column - 1)
