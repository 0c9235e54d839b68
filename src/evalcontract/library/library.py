"""The library: rubrics and judges by id and version, and what a reference means in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version, newest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcontract.library.artifact import Artifact


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference that leads to an artifact."""

    artifact: Artifact
    pinned: bool


@dataclass(frozen=True, slots=True)
class Dangling:
    """A reference that leads nowhere.

    `versions` exist for its id, oldest first; `nearest` is the id that was probably meant.
    """

    reference: Reference
    versions: tuple[Version, ...]
    nearest: str | None


class Library:
    """Every rubric and judge of a workspace. It never changes once made."""

    def __init__(self, artifacts: Iterable[Artifact] = ()) -> None:
        self._all = tuple(artifacts)
        self._known: dict[Kind, dict[str, dict[Version, list[Artifact]]]] = {
            Kind.RUBRIC: {},
            Kind.JUDGE: {},
        }
        self._files = {(each.kind, each.file): each for each in self._all}
        for artifact in self._all:
            if artifact.id is not None and artifact.version is not None:
                versions = self._known[artifact.kind].setdefault(artifact.id, {})
                versions.setdefault(artifact.version, []).append(artifact)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All of them, those without a readable identity too."""
        return self._all

    def in_file(self, kind: Kind, file: str) -> Artifact | None:
        """Return the artifact of a kind that was read from a file; None where none was."""
        return self._files.get((kind, file))

    def versions(self, kind: Kind, id_: str) -> Mapping[Version, list[Artifact]]:
        """Return the artifacts of an id by version; more than one of a version is a fault."""
        return self._known[kind].get(id_, {})

    def ids(self, kind: Kind) -> list[str]:
        """List the ids of a kind."""
        return sorted(self._known[kind])

    def resolve(self, reference: Reference) -> Resolved | Dangling:
        """Look a reference up. A pin is exact; without one the newest version is meant.

        Of two artifacts with the same id and version, the first by file name is taken.
        """
        versions = self.versions(reference.kind, reference.id)
        if reference.version is None and versions:
            return Resolved(versions[newest(list(versions))][0], pinned=False)
        if reference.version is not None and reference.version in versions:
            return Resolved(versions[reference.version][0], pinned=True)
        near = None if versions else nearest(reference.id, self.ids(reference.kind))
        return Dangling(reference, tuple(sorted(versions)), near)

    def pinned_references(self, kind: Kind) -> list[str]:
        """List every reference that resolves and is pinned, in each way that it can be written.

        `1.2.0` may be pinned as `1.2` too. Versions with build metadata can be written in more
        ways than can be listed; those are resolved one at a time.
        """
        found = []
        for id_, versions in self._known[kind].items():
            for version in versions:
                found.append(f"{kind}/{id_}@{version}")
                if version.patch == 0 and not version.is_prerelease:
                    found.append(f"{kind}/{id_}@{version.major}.{version.minor}")
        return found
