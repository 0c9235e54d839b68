"""What is wrong with references: dangling, unpinned, going in circles, nested too deeply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.advice import advise, meant_by, says
from evalcontract.library.graph import find_cycles, rubric_steps
from evalcontract.library.library import Dangling, Resolved
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.listing import chained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.library.artifact import Artifact, ReferenceSite
    from evalcontract.library.library import Library
    from evalcontract.library.names import UnreadableNames
    from evalcontract.model.fix import Fix


def check_use(
    use: ReferenceSite, library: Library, unreadable: UnreadableNames
) -> Iterator[Problem]:
    """Yield what is wrong with one reference. `unreadable` are files that may be what it means."""
    found = library.resolve(use.reference)
    if isinstance(found, Dangling):
        advice = advise(found, library, unreadable)
        near = meant_by(found, library, unreadable)
        is_there = near is not None and isinstance(library.resolve(near), Resolved)
        fix = _written(use, str(near), safe=False) if is_there else None
        yield Problem("reference/dangling", says(found, library), use.path, advice, fix=fix)
    elif not found.pinned:
        broken = unreadable.get(f"{use.reference.kind}/{use.reference.id}", ())
        unless = "".join(f"; {file} could not be read" for _, file in broken)
        message = f"unpinned reference `{use.reference}` (resolves to {found.artifact.version})"
        name = found.artifact.name
        fix = None if broken else _written(use, name)
        code = "reference/unpinned"
        yield Problem(code, f"{message}{unless}", use.path, f"pin it: {name}", fix=fix)


def _written(use: ReferenceSite, reference: str, *, safe: bool = True) -> Fix:
    from evalcontract.model.fix import Fix, Write  # only for what is wrong

    return Fix(use.path, Write(reference), safe)


def check_cycles(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield the cycles through a rubric of which it is the one to report.

    A cycle is one mistake: the rubric with the first file name reports it, with every hop.
    """
    for chain in find_cycles(artifact, library):
        if artifact.file != min(hop.file for hop, _ in chain):
            continue
        names = [*(hop.name for hop, _ in chain), artifact.name]
        related = tuple(
            Related(f"{hop.name} refers to {use.reference}", use.path, hop.file)
            for hop, use in chain[1:]
        )
        message = f"circular rubric reference: {chained(names)}"
        advice = "remove one of these references"
        yield Problem("rubric/cycle", message, chain[0][1].path, advice, related=related)


def check_depth(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield each composite that leads to a rubric with composites of its own.

    Hops of a cycle are left to `check_cycles`.
    """
    for use, target in rubric_steps(artifact, library):
        if target is artifact or find_cycles(target, library) or find_cycles(artifact, library):
            continue
        inner = [each for each in target.uses if each.via == "composite"]
        if inner:
            yield Problem(
                "rubric/nested-composite",
                f"{target.name} is itself a composite; composites cannot be nested",
                use.path,
                "list the checks of the inner rubric in one of the two",
                related=(Related("it refers on here", inner[0].path, target.file),),
            )
