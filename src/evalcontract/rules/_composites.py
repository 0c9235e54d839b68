"""The checks of a rubric together with those that it reaches through composites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.clashes import ALTERNATIVES
from evalcontract.analysis.clashing_texts import name_of
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference
from evalcontract.structure.valid_parts import valid_parts_of_rubric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.library.library import Library
    from evalcontract.model.path import Path
    from evalcontract.rules._rule import Subject
    from evalcontract.structure.valid_parts import Checks

#: What the path of a check inside a composite ends in.
REFERENCE = "rubric_ref"


def checks_through_composites(subject: Subject, library: Library) -> Checks:
    """Return the checks of a rubric, and after them those that its composites reach.

    The path of a check inside a composite is that of the composite's reference, and its id is
    `composite/check`. A composite is left out if its checks do not count as those of the rubric
    itself do: if one of them is enough and all of the rubric's have to pass, or the reverse, or if
    its threshold is 0. Each rubric is reached once.
    """
    combine = subject.value.get("scoring", {}).get("combine")
    seen: set[int] = {id(subject.artifact)}
    inner = [
        placed
        for path, check in subject.checks
        if check["kind"] == "composite" and check.get("threshold") != 0
        for placed in _inside(path, check, combine, library, seen)
    ]
    return (*subject.checks, *inner)


def is_inside(path: Path) -> bool:
    """Whether a path begins with that of a check inside a composite."""
    return path[2:3] == (REFERENCE,)


def outer_part(path: Path) -> Path:
    """Return the part of a path that is in the rubric itself."""
    return path[:3] if is_inside(path) else path


def _inside(
    path: Path, composite: dict[str, object], combine: str | None, library: Library, seen: set[int]
) -> Iterator[tuple[Path, dict[str, object]]]:
    reference = Reference.parse(str(composite[REFERENCE]))
    target = library.resolve(reference) if reference else None
    if not isinstance(target, Resolved) or id(target.artifact) in seen:
        return
    seen.add(id(target.artifact))
    value = target.artifact.document.value
    if not isinstance(value, dict):
        return
    valid, checks = valid_parts_of_rubric(value)
    inner = valid.get("scoring", {}).get("combine")
    if inner is None or (inner in ALTERNATIVES) != (combine in ALTERNATIVES):
        return
    outside = name_of(path, composite).strip("`")
    for place, check in checks:
        if check["kind"] != "composite":
            name = name_of(place, check).strip("`")
            yield (*path, REFERENCE), {**check, "id": f"{outside}/{name}"}
