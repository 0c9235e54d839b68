"""Placeholders of other template languages, which Mustache hands to the model as they stand.

Braces stand in prose and in code too. So only what names a variable of a template counts, and of
that only the surest form where the variable is shown by a tag as well.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalcontract.analysis.template_names import BELOW, ROOTS, surely_means, written
from evalcontract.analysis.template_tags import Tag, TagFault, brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FORM = re.compile(
    r"(?P<percent>%\((?P<of_percent>[\w.-]{1,80})\)[a-z])"
    r"|(?P<statement>\{%[-+]?\s{0,9}(?P<word>\w{1,20})\b[^{}%\n]{0,200}%\})"
    r"|(?P<remark>\{\#(?!\})[^{}\n]{0,300}?\#\})"
    r"|(?P<dollar>\$\{\s{0,9}(?P<of_dollar>[\w.-]{1,80})\s{0,9}\}|\{\$(?P<of_smarty>[\w.-]{1,80})\})"
    r"|(?P<brace>(?<![\w$#@^\\])\{(?P<space>\s{0,9})(?P<of_brace>[^\W\d][\w.-]{0,79})"
    r"(?:\[[^\]{}\n]{0,40}\])?(?:![rsa])?(?::[-+.<>=^0-9][^{}\s\"',]{0,20})?\s{0,9}\})"
)
_STATEMENTS = frozenset({
    "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "with", "endwith",
    "include", "import", "from", "extends", "block", "endblock", "macro", "endmacro", "call",
    "raw", "endraw", "filter", "endfilter", "unless", "endunless", "assign", "case", "when",
    "comment", "endcomment",
})  # fmt: skip
_NAMES = ("of_percent", "of_dollar", "of_smarty", "of_brace")
_CODE = re.compile(r"`{3,}|`|\n")
_MANY = 3  # others that an advice names

_SAID = {
    "percent": "is how Python's `%` fills in a text",
    "dollar": "is how other languages fill in a text",
    "brace": "is how Python's `str.format` fills in a text",
    "statement": "is a statement of Jinja or Liquid",
    "remark": "is a comment of Jinja",
}
_INSTEAD = {
    "statement": "write a section: `{{#expected}}…{{/expected}}` where it is there, and "
    "`{{^expected}}…{{/expected}}` where not",
    "remark": "write `{{! … }}`",
}


@dataclass(slots=True)
class _Kind:
    """What is found of one language: the first of it, and what to write for each form."""

    tag: Tag
    forms: dict[str, str] = field(default_factory=dict)
    meant: set[str] = field(default_factory=set)


def find_foreign(
    text: str, plain: Iterable[tuple[int, str]], shown: frozenset[str]
) -> Iterator[TagFault]:
    """Yield a fault for each language that stands in the parts of a template outside of tags.

    `plain` are these parts, each with where it starts; `shown` is what the tags show.
    """
    found: dict[str, _Kind] = {}
    code: list[tuple[int, int]] | None = None
    for start, part in plain:
        if "{" not in part and "%" not in part:
            continue
        for match in _FORM.finditer(part):
            if code is None:
                code = list(_code(text))
            at, form = start + match.start(), match[0]
            language = next(name for name in _SAID if match[name])
            root, right = _meaning(match, shown, is_code=_is_in(at, code))
            if not right:
                continue
            if language not in found:
                occurrence = text.count(form, 0, at)
                found[language] = _Kind(Tag("foreign", "", form, at, occurrence, mark=form))
            found[language].forms.setdefault(form, right)
            found[language].meant |= {root} if root else set()
    yield from (_fault(language, kind) for language, kind in found.items())


def _fault(language: str, kind: _Kind) -> TagFault:
    (form, right), *others = kind.forms.items()
    message = f"`{brief(form)}` {_SAID[language]}; Mustache hands it to the model as it stands"
    advice = _INSTEAD.get(language) or f"write `{right}`"
    if others and language not in _INSTEAD:
        named = [f"`{instead}` for `{brief(other)}`" for other, instead in others[:_MANY]]
        advice += f", {', '.join(named)}"
        advice += ", and so on" if len(others) > _MANY else ""
    return TagFault(message, advice, kind.tag, frozenset(kind.meant))


def _meaning(
    match: re.Match[str], shown: frozenset[str], *, is_code: bool
) -> tuple[str | None, str | None]:
    """Return the variable that a placeholder means, and the tag to write; None: leave it alone."""
    name = next((match[each] for each in _NAMES if match[each]), None)
    if name is None:
        is_meant = not is_code and (bool(match["remark"]) or match["word"] in _STATEMENTS)
        return None, ("{{! … }}" if match["remark"] else "{{#expected}}") if is_meant else None
    first, *rest = name.split(".")
    root = surely_means(first)
    is_sure = first in ROOTS and not match["space"]
    if root is None or (root in shown and (is_code or not is_sure)):
        return None, None
    return root, written(".".join([root, *rest]) if root in BELOW else root, "variable")


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text between backticks, on one line or fenced."""
    opened, mark = 0, ""
    for found in _CODE.finditer(text):
        if found[0] == "\n":
            mark = "" if mark == "`" else mark
        elif not mark:
            opened, mark = found.start(), found[0][:3]
        elif mark == found[0][:3]:
            yield opened, found.end()
            mark = ""


def _is_in(at: int, parts: list[tuple[int, int]]) -> bool:
    index = bisect_right(parts, (at, at)) - 1
    return index >= 0 and at < parts[index][1]
