"""What is wrong with references: dangling, unpinned, going in circles, nested too deeply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.graph import find_cycle, rubric_steps
from evalcontract.library.library import Dangling
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.library.artifact import Artifact, Use
    from evalcontract.library.library import Library


def check_use(use: Use, library: Library, unreadable: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what is wrong with one reference.

    `unreadable` maps the name that a reference would have, `rubric/foo`, to the file that has
    such a name and could not be read.
    """
    found = library.resolve(use.reference)
    if isinstance(found, Dangling):
        yield _dangling(use, found, unreadable)
    elif not found.pinned:
        yield Problem(
            "reference/unpinned",
            f"`{use.reference}` names no version; today it means {found.artifact.version}",
            use.path,
            f"pin it: {found.artifact.name}",
        )


def _dangling(use: Use, found: Dangling, unreadable: Mapping[str, str]) -> Problem:
    reference = use.reference
    advice: str | None
    if found.versions:
        message = f"`{reference.kind}/{reference.id}` has no version {reference.version}"
        known = ", ".join(str(version) for version in reversed(found.versions))
        advice = f"it has {known}"
    else:
        message = f"there is no {reference.kind} `{reference.id}`"
        file = unreadable.get(f"{reference.kind}/{reference.id}")
        advice = f"add {reference.kind}s/{reference.id}.yaml"
        if file:
            advice = f"{file} could not be read: mend that first"
        elif found.nearest:
            pin = f"@{reference.version}" if reference.version else ""
            advice = f"did you mean `{reference.kind}/{found.nearest}{pin}`?"
    return Problem("reference/dangling", message, use.path, advice)


def check_cycles(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield the cycle through a rubric, if it is the one of the cycle that reports it.

    A cycle is one mistake: the rubric with the first file name reports it, with every hop.
    """
    chain = find_cycle(artifact, library)
    if chain is None or artifact.file != min(hop.file for hop, _ in chain):
        return
    names = [*(hop.name for hop, _ in chain), artifact.name]
    related = tuple(
        Related(f"{hop.name} refers to {use.reference}", use.path, hop.file)
        for hop, use in chain[1:]
    )
    message = f"a rubric reaches itself: {' -> '.join(names)}"
    advice = "take one of these references out"
    yield Problem("rubric/cycle", message, chain[0][1].path, advice, related=related)


def check_depth(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield each composite that leads to a rubric with composites of its own.

    Hops of a cycle are left to `check_cycles`.
    """
    for use, target in rubric_steps(artifact, library):
        if target is artifact or find_cycle(target, library) or find_cycle(artifact, library):
            continue
        inner = [each for each in target.uses if each.via == "composite"]
        if inner:
            yield Problem(
                "rubric/nested-composite",
                f"{target.name} is a composite itself; a composite reaches one level",
                use.path,
                "list the checks of the inner rubric in one of the two",
                related=(Related("it refers on here", inner[0].path, target.file),),
            )
