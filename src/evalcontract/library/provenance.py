"""Provenance: exactly which rubrics and judges a dataset's scores rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.library.library import Library, Resolved
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from evalcontract.library.artifact import Artifact


@dataclass(frozen=True, slots=True)
class Reached:
    """One artifact that is reached. `name` is exact, such as `rubric/tone@1.0.0`.

    `sha256` is the digest of its file's bytes, in hexadecimal; `pinned` is False where at least
    one reference on the way to it names no version.
    """

    name: str
    file: str
    sha256: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result must quote to be repeated: the file's digest, and all that it reaches."""

    file: str
    sha256: str
    rubrics: tuple[Reached, ...] = ()
    judges: tuple[Reached, ...] = ()


def provenance_of(
    file: str, sha256: str, starts: list[tuple[Artifact, bool]], library: Library
) -> Provenance:
    """Return the exact versions and digests of all that some artifacts reach."""
    pinned: dict[int, bool] = {}
    found: dict[int, Artifact] = {}
    waiting = list(starts)
    while waiting:
        artifact, is_pinned = waiting.pop()
        before = pinned.get(id(artifact))
        if before is not None and before <= is_pinned:
            continue
        found[id(artifact)] = artifact
        pinned[id(artifact)] = is_pinned
        for use in artifact.uses:
            resolved = library.resolve(use.reference)
            if isinstance(resolved, Resolved):
                waiting.append((resolved.artifact, is_pinned and resolved.pinned))
    reached = sorted(
        (
            (Reached(each.name, each.file, each.document.sha256, pinned[key]), each.kind)
            for key, each in found.items()
        ),
        key=lambda pair: pair[0].name,
    )
    return Provenance(
        file,
        sha256,
        tuple(each for each, kind in reached if kind is Kind.RUBRIC),
        tuple(each for each, kind in reached if kind is Kind.JUDGE),
    )
