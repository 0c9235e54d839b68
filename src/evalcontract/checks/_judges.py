"""What the judges of a check read of a row, by their templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.checks._kind import EvalContext, Field, Needs, State, never_runs
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.analysis.template import Template
    from evalcontract.library.artifact import Artifact

_ROOTS: tuple[Field, ...] = ("expected", "context")


def needs_of_judges(
    references: Iterable[str], around: EvalContext, *, of_row: bool = True
) -> Needs:
    """Return what judges cannot do without; one that is not there bars the check.

    With `of_row` a name below a variable is the row's own; without it the check may fill it in.
    """
    fields: dict[Field, None] = {}
    paths: dict[Field, None] = {}
    for text in references:
        judge = _judge(text, around)
        if judge is None:
            return never_runs(State.UNAVAILABLE, f"there is no `{text}`")
        if not isinstance(judge.document.value.get("template"), str):
            return never_runs(State.UNAVAILABLE, f"`{text}` has no template")
        plain, _ = _roots(judge)
        fields.update(dict.fromkeys(field for field in _ROOTS if field in plain))
        if of_row:
            paths.update(dict.fromkeys(_paths(judge)))
    return Needs(tuple(fields), present=tuple(paths))


def reads_of_judges(references: Iterable[str], around: EvalContext) -> frozenset[str]:
    """Return the fields that the templates of judges mention at all, or were meant to."""
    found: set[str] = set()
    for text in references:
        judge = _judge(text, around)
        if judge is not None:
            plain, guarded = _roots(judge)
            found |= plain | guarded | _meant(judge)
    # A template that shows `expected` shows what stands below it.
    return frozenset(found | ({"expected.format"} if "expected" in found else set()))


def _judge(text: str, around: EvalContext) -> Artifact | None:
    reference = Reference.parse(text)
    found = around.library.resolve(reference) if reference else None
    return found.artifact if isinstance(found, Resolved) else None


def _read(template: str) -> Template:
    from evalcontract.analysis.template import scan  # slow to import

    return scan(template)


def _paths(judge: Artifact) -> list[str]:
    """Return the names below a variable that a template shows in any case.

    A section over one of them, or over something above it, is the author's own test for it.
    """
    read = _read(judge.document.value["template"])
    tested = {tag.name for tag in read.tags if tag.kind in ("section", "inverted")}
    return sorted(path for path in read.paths if tested.isdisjoint(_upward(path)))


def _upward(path: str) -> Iterator[str]:
    """Yield a dotted name, and each above it."""
    while path:
        yield path
        path = path.rpartition(".")[0]


def _roots(judge: Artifact) -> tuple[set[str], set[str]]:
    """Return the variables that a template shows in any case, and those it shows if they are there.

    A section over a variable is the author's own test for it.
    """
    template = judge.document.value.get("template")
    if not isinstance(template, str):
        return set(), set()
    read = _read(template)
    sections = {tag.name.split(".")[0] for tag in read.tags if tag.kind in ("section", "inverted")}
    return set(read.shown) - sections, sections


def _meant(judge: Artifact) -> set[str]:
    """Return the variables that a template's faulty tags may mean: those faults are told there."""
    template = judge.document.value.get("template")
    faults = _read(template).faults if isinstance(template, str) else ()
    return {root for fault in faults for root in fault.meant if root in _ROOTS}
