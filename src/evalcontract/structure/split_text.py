"""Advice for a text in a flow list that a comma in it has split: `[1,000 EUR]` has two items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Path, Problem

_HEAD = lazy_pattern(r"[-+]?[1-9]\d{0,2}")
_TAIL = lazy_pattern(r"\d{3}(?!\d).*")


def with_whole_text(
    problem: Problem, path: Path, source_text: Callable[[Path], str | None]
) -> Problem:
    """Return the problem of an item with the advice to quote the whole text, if it was split."""
    *parent, last = path or ("",)
    if not isinstance(last, int) or not problem.code.endswith("/wrong-type"):
        return problem
    before, own, after = (
        source_text((*parent, index)) if index >= 0 else None for index in range(last - 1, last + 2)
    )
    for head, tail in ((own, after), (before, own)):
        if head and tail and _HEAD.fullmatch(head) and _TAIL.fullmatch(tail):
            advice = f'quote the text with its comma: "{head},{tail}"'
            return problem._replace(help=advice, fix=None)
    return problem
