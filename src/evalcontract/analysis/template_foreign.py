"""Find placeholders of other template languages, which Mustache passes to the model unchanged.

Prose and code contain braces too, so only placeholders that name a template variable count. If a
tag shows the variable as well, only the least ambiguous form counts.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalcontract.analysis.template_names import BELOW, ROOTS, surely_means, written
from evalcontract.analysis.template_tags import Tag, TagFault, brief
from evalcontract.model.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

_FORM = lazy_pattern(
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
_CODE = lazy_pattern(r"`{3,}|`|\n")
_MAX_OTHERS = 3  # further placeholders that the advice names

_MESSAGES = {
    "percent": "is a placeholder of Python's `%` operator",
    "dollar": "is a placeholder of other template languages",
    "brace": "is a placeholder of Python's `str.format`",
    "statement": "is a Jinja or Liquid statement",
    "remark": "is a Jinja comment",
}
_INSTEAD = {
    "statement": "write a section: `{{#expected}}…{{/expected}}` if it is present, "
    "`{{^expected}}…{{/expected}}` if not",
    "remark": "write `{{! … }}`",
}


@dataclass(slots=True)
class _Placeholders:
    """The placeholders of one language: the first one, and the replacement for each."""

    tag: Tag
    replacements: dict[str, str] = field(default_factory=dict)
    meant: set[str] = field(default_factory=set)


def find_foreign(
    text: str, plain: Iterable[tuple[int, str]], shown: frozenset[str]
) -> Iterator[TagFault]:
    """Yield a fault for each template language found outside of tags.

    `plain` has the parts of the text outside of tags, each with its start; `shown` has the
    variables that the tags show.
    """
    by_language: dict[str, _Placeholders] = {}
    code: list[tuple[int, int]] | None = None
    for start, part in plain:
        if "{" not in part and "%" not in part:
            continue
        for match in _FORM.finditer(part):
            if code is None:
                code = list(_code(text))
            at, form = start + match.start(), match[0]
            language = next(name for name in _MESSAGES if match[name])
            root, replacement = _meaning(match, shown, is_code=_is_in(at, code))
            if not replacement:
                continue
            if language not in by_language:
                tag = Tag("foreign", "", form, at, text.count(form, 0, at), mark=form)
                by_language[language] = _Placeholders(tag)
            by_language[language].replacements.setdefault(form, replacement)
            by_language[language].meant |= {root} if root else set()
    for language, placeholders in by_language.items():
        yield _fault(language, placeholders)


def _fault(language: str, placeholders: _Placeholders) -> TagFault:
    (form, replacement), *others = placeholders.replacements.items()
    message = f"`{brief(form)}` {_MESSAGES[language]}; Mustache passes it to the model unchanged"
    advice = _INSTEAD.get(language) or f"write `{replacement}`"
    if others and language not in _INSTEAD:
        named = [f"`{instead}` for `{brief(other)}`" for other, instead in others[:_MAX_OTHERS]]
        advice += f", {', '.join(named)}"
        advice += ", and so on" if len(others) > _MAX_OTHERS else ""
    return TagFault(message, advice, placeholders.tag, frozenset(placeholders.meant))


def _meaning(
    match: re.Match[str], shown: frozenset[str], *, is_code: bool
) -> tuple[str | None, str | None]:
    """Return the variable that a placeholder means and its replacement; None if it is ignored."""
    name = next((match[group] for group in _NAMES if match[group]), None)
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
    """Yield the inline code and fenced blocks of a text, as start and end."""
    opened, mark = 0, ""
    for match in _CODE.finditer(text):
        if match[0] == "\n":
            mark = "" if mark == "`" else mark
        elif not mark:
            opened, mark = match.start(), match[0][:3]
        elif mark == match[0][:3]:
            yield opened, match.end()
            mark = ""


def _is_in(at: int, parts: list[tuple[int, int]]) -> bool:
    index = bisect_right(parts, (at, at)) - 1
    return index >= 0 and at < parts[index][1]
