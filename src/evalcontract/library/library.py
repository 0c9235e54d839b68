"""The library: rubrics and judges by id and version, and what a reference means in it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.library.names import promised
from evalcontract.library.suggestions import Suggestions
from evalcontract.model.nearest import normalise
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version, newest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalcontract.library.artifact import Artifact


class Resolved(NamedTuple):
    """A reference that leads to an artifact."""

    artifact: Artifact
    pinned: bool


class Dangling(NamedTuple):
    """A reference that leads nowhere.

    `versions` exist for its id, oldest first.
    """

    reference: Reference
    versions: tuple[Version, ...]


class Library:
    """Every rubric and judge of a workspace. It never changes once made."""

    def __init__(self, artifacts: Iterable[Artifact] = ()) -> None:
        self._all = tuple(artifacts)
        self._known: dict[Kind, dict[str, dict[Version, list[Artifact]]]] = {
            Kind.RUBRIC: {},
            Kind.JUDGE: {},
        }
        self._pinned: dict[Kind, list[str]] = {}
        self._suggestions: dict[Kind, Suggestions] = {}
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
        return Dangling(reference, tuple(sorted(versions)))

    def nearest_id(self, kind: Kind, id_: str) -> str | None:
        """Return the id that was probably meant by one that is not there; see `Suggestions`."""
        if kind not in self._suggestions:
            self._suggestions[kind] = Suggestions(self.ids(kind))
        return self._suggestions[kind].nearest(id_)

    def suspects(self, kind: Kind, id_: str) -> list[Artifact]:
        """Return the artifacts that an id may mean although they do not answer to it.

        Those whose own id or version cannot be read, and those whose file is named for the id.
        """
        return self._suspects.get(f"{kind}/{id_}", [])

    @cached_property
    def _suspects(self) -> dict[str, list[Artifact]]:
        found: dict[str, list[Artifact]] = {}
        for artifact in self._all:
            for id_ in dict.fromkeys(_ids_of(artifact)):
                found.setdefault(f"{artifact.kind}/{id_}", []).append(artifact)
        return found

    @cached_property
    def used(self) -> frozenset[int]:
        """The judges that some rubric refers to, by identity."""
        found = (self.resolve(use.reference) for each in self._all for use in each.uses)
        return frozenset(id(each.artifact) for each in found if isinstance(each, Resolved))

    def at(self, file: str) -> Artifact | None:
        """Return the artifact of a file, by its name."""
        return self._by_file.get(file)

    @cached_property
    def _by_file(self) -> dict[str, Artifact]:
        return {each.file: each for each in self._all}

    def pinned_references(self, kind: Kind) -> list[str]:
        """List every reference that resolves and is pinned, in each way that it can be written.

        `1.2.0` may be pinned as `1.2` too. Versions with build metadata can be written in more
        ways than can be listed; those are resolved one at a time.
        """
        if kind not in self._pinned:
            found = self._pinned.setdefault(kind, [])
            for id_, versions in self._known[kind].items():
                for version in versions:
                    found.append(f"{kind}/{id_}@{version}")
                    if version.patch == 0 and not version.is_prerelease:
                        found.append(f"{kind}/{id_}@{version.major}.{version.minor}")
        return self._pinned[kind]


def _ids_of(artifact: Artifact) -> Iterator[str]:
    """Yield the ids that an artifact may be meant by, besides the one that it answers to."""
    named, _ = promised(artifact.file, artifact.kind)
    if artifact.id is None:
        value = artifact.document.value
        written = value.get("id") if isinstance(value, dict) else None
        if isinstance(written, str):
            yield normalise(written)
    elif artifact.version is None:
        yield artifact.id
    if named is not None and named != artifact.id:
        yield named
