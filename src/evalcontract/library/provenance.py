"""Provenance: the exact rubrics and judges behind a dataset's scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.library.library import Library, Resolved
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from evalcontract.library.artifact import Artifact


@dataclass(frozen=True, slots=True)
class Reached:
    """An artifact that is referenced transitively. `name` is exact, such as `rubric/tone@1.0.0`.

    `sha256` is the digest of the file's bytes, in hexadecimal. `pinned` is False if any reference
    on the path to it has no version.
    """

    name: str
    file: str
    sha256: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is needed to reproduce a result: the file's digest and all transitive references."""

    file: str
    sha256: str
    rubrics: tuple[Reached, ...] = ()
    judges: tuple[Reached, ...] = ()


def provenance_of(
    file: str, sha256: str, starts: list[tuple[Artifact, bool]], library: Library
) -> Provenance:
    """Return the exact versions and digests of some artifacts and all that they reference.

    `starts` has each artifact with whether the dataset's reference to it is pinned.
    """
    pinned: dict[int, bool] = {}
    artifacts: dict[int, Artifact] = {}
    stack = list(starts)
    while stack:
        artifact, is_pinned = stack.pop()
        previous = pinned.get(id(artifact))
        if previous is not None and previous <= is_pinned:
            continue
        artifacts[id(artifact)] = artifact
        pinned[id(artifact)] = is_pinned
        for use in artifact.uses:
            resolved = library.resolve(use.reference)
            if isinstance(resolved, Resolved):
                stack.append((resolved.artifact, is_pinned and resolved.pinned))
    reached = sorted(
        (
            (
                Reached(artifact.name, artifact.file, artifact.document.sha256, pinned[key]),
                artifact.kind,
            )
            for key, artifact in artifacts.items()
        ),
        key=lambda pair: pair[0].name,
    )
    return Provenance(
        file,
        sha256,
        tuple(item for item, kind in reached if kind is Kind.RUBRIC),
        tuple(item for item, kind in reached if kind is Kind.JUDGE),
    )
