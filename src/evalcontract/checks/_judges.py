"""What the judges of a check read of a row, by their templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.template import scan
from evalcontract.checks._kind import Field, Needs, State, Surroundings, barred
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.library.artifact import Artifact

_ROOTS: tuple[Field, ...] = ("expected", "context")


def needs_of_judges(references: Iterable[str], around: Surroundings) -> Needs:
    """Return what judges cannot do without; one that is not there bars the check."""
    fields: dict[Field, None] = {}
    for text in references:
        judge = _judge(text, around)
        if judge is None:
            return barred(State.UNAVAILABLE, f"there is no `{text}`")
        if not isinstance(judge.document.value.get("template"), str):
            return barred(State.UNAVAILABLE, f"`{text}` has no template")
        plain, _ = _roots(judge)
        fields.update(dict.fromkeys(field for field in _ROOTS if field in plain))
    return Needs(tuple(fields))


def reads_of_judges(references: Iterable[str], around: Surroundings) -> frozenset[str]:
    """Return the fields that the templates of judges mention at all."""
    found: set[str] = set()
    for text in references:
        judge = _judge(text, around)
        if judge is not None:
            plain, guarded = _roots(judge)
            found |= plain | guarded
    # A template that shows `expected` shows what stands below it.
    return frozenset(found | ({"expected.format"} if "expected" in found else set()))


def _judge(text: str, around: Surroundings) -> Artifact | None:
    reference = Reference.parse(text)
    found = around.library.resolve(reference) if reference else None
    return found.artifact if isinstance(found, Resolved) else None


def _roots(judge: Artifact) -> tuple[set[str], set[str]]:
    """Return the variables that a template shows in any case, and those it shows if they are there.

    A section over a variable is the author's own test for it.
    """
    template = judge.document.value.get("template")
    if not isinstance(template, str):
        return set(), set()
    read = scan(template)
    sections = {tag.name.split(".")[0] for tag in read.tags if tag.kind in ("section", "inverted")}
    return set(read.shown) - sections, sections
