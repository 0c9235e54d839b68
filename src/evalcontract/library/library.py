"""Rubrics and judges, by id and version: what a file says of itself, and what a reference means."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, TypeVar

from evalcontract.model.diagnostic import Path
from evalcontract.model.nearest import Suggestions, normalise
from evalcontract.model.reference import Kind, Reference, Version, newest
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Document


class ReferenceSite(NamedTuple):
    """A reference and its place. `via` is the kind of the check with the reference, or `row`."""

    path: Path
    reference: Reference
    via: str


class Artifact(NamedTuple):
    """One file of the library. `id` and `version` are None if missing or invalid.

    `library` is the name of the other workspace that it is from; None if it is of this one.
    """

    kind: Kind
    document: Document
    id: str | None
    version: Version | None
    uses: tuple[ReferenceSite, ...] = ()
    library: str | None = None

    @property
    def file(self) -> str:
        """The name of its file as shown in findings."""
        return self.document.file

    @property
    def name(self) -> str:
        """The pinned reference to exactly this artifact."""
        return f"{self.kind}/{self.id}@{self.version}"


def read_artifact(kind: Kind, document: Document) -> Artifact:
    """Return the artifact of a document, with whatever identity and references can be read.

    A version that YAML parses as a number is read as written: missing quotes are one mistake and
    must not make every reference to the version dangle.
    """
    value = document.value if isinstance(document.value, dict) else {}
    id_ = value.get("id")
    version = value.get("version")
    if isinstance(version, int | float) and not isinstance(version, bool):
        version = document.raw(("version",))
        if version and "." not in version:
            version = f"{version}.0"
    return Artifact(
        kind,
        document,
        id_ if isinstance(id_, str) and Reference.parse(f"{kind}/{id_}") else None,
        Version.parse(version) if isinstance(version, str) else None,
        tuple(uses_of_rubric(value)) if kind is Kind.RUBRIC else (),
    )


def uses_of_rubric(rubric: dict[str, Any]) -> Iterator[ReferenceSite]:
    """Yield the well-formed references of a rubric, which may have other faults."""
    checks = rubric.get("checks")
    for index, check in enumerate(checks if isinstance(checks, list) else ()):
        if not isinstance(check, dict):
            continue
        via = str(check.get("kind"))
        base: Path = ("checks", index)
        yield from _use(check, "rubric_ref", Kind.RUBRIC, path=base, via=via)
        yield from _use(check, "judge_prompt_ref", Kind.JUDGE, path=base, via=via)
        jury = check.get("jury")
        judges = jury.get("judges") if isinstance(jury, dict) else None
        for number, judge in enumerate(judges if isinstance(judges, list) else ()):
            if isinstance(judge, dict):
                path = (*base, "jury", "judges", number)
                yield from _use(judge, "judge_prompt_ref", Kind.JUDGE, path=path, via=via)


class FileUse(NamedTuple):
    """A file with a JSON Schema that a check names, and the place of the name."""

    path: Path
    name: str


def file_uses(artifact: Artifact) -> Iterator[FileUse]:
    """Yield the files that the checks of a rubric name; those of a library begin with its name."""
    above = f"{artifact.library}:" if artifact.library else ""
    value = artifact.document.value
    checks = value.get("checks") if isinstance(value, dict) else None
    for index, check in enumerate(checks if isinstance(checks, list) else ()):
        name = check.get("schema_ref") if isinstance(check, dict) else None
        if isinstance(name, str):
            yield FileUse(("checks", index, "schema_ref"), above + name)


def references_in_row(row: Any, path: Path) -> Iterator[ReferenceSite]:
    """Yield the well-formed reference of a row, if it has one."""
    if isinstance(row, dict):
        yield from _use(row, "rubric_ref", Kind.RUBRIC, path=path, via="row")


def _use(
    holder: dict[str, Any], key: str, kind: Kind, path: Path, via: str
) -> Iterator[ReferenceSite]:
    text = holder.get(key)
    reference = Reference.parse(text) if isinstance(text, str) else None
    if reference is not None and reference.kind is kind:
        yield ReferenceSite((*path, key), reference, via)


#: Unreadable files by `{kind}/{id}`: the version in the file name, and the file name.
UnreadableNames = dict[str, list[tuple[Version | None, str]]]


class MisnamedFolder(NamedTuple):
    """A folder that is probably meant as `rubrics/` or `judges/`, and the ids in its file names."""

    name: str
    ids: frozenset[str]


def identity_from_name(file: str, kind: str) -> tuple[str | None, Version | None]:
    """Return the id and the version in a file name, each None if it has none.

    Names are `{id}.yaml`, `{id}@{version}.yaml` or `{id}/{version}.yaml`, in the folder of the
    kind, such as `rubrics/`.
    """
    path = PurePosixPath(file.replace("\\", "/"))
    stem = path.stem
    inside = Version.parse(stem)
    if inside is not None and path.parent.name != f"{kind}s":
        return path.parent.name, inside
    id_, _, version = stem.partition("@")
    if Reference.parse(f"{kind}/{id_}") is None:
        return None, None
    return id_, Version.parse(version) if version else None


_T = TypeVar("_T")
#: In a group of more rubrics, cycles are reported for the first file only: the number of shortest
#: cycles grows with the square of the group, and they all have to be resolved together anyway.
MAX_GROUP = 100


class RubricCycles:
    """The cycles among rubrics.

    `references` are the rubrics that each rubric refers to, by the `id()` of both. A group is a set
    of rubrics of which each reaches all others; a rubric is in a cycle if it is in a group of two
    or more, or refers to itself.
    """

    def __init__(
        self, rubrics: Iterable[Artifact], references: Mapping[int, tuple[int, ...]]
    ) -> None:
        self._references = references
        self._groups: dict[int, frozenset[int]] = {}
        self._first: set[int] = set()
        files = {id(rubric): rubric.file for rubric in rubrics}
        for members in _groups(references):
            group = frozenset(members)
            if len(group) > 1 or members[0] in references[members[0]]:
                self._groups |= dict.fromkeys(group, group)
                self._first.add(min(members, key=lambda member: files[member]))

    def is_in_cycle(self, rubric: Artifact) -> bool:
        """Whether a rubric refers to itself, directly or indirectly."""
        return id(rubric) in self._groups

    def is_reported(self, rubric: Artifact) -> bool:
        """Whether the cycles through a rubric are searched for."""
        group = self._groups.get(id(rubric), ())
        return bool(group) and (len(group) <= MAX_GROUP or id(rubric) in self._first)

    def distances_to(self, rubric: Artifact) -> dict[int, int]:
        """Return the number of references to a rubric from each rubric of its group."""
        group = self._groups[id(rubric)]
        referring: dict[int, list[int]] = {member: [] for member in group}
        for member in group:
            for target in self._references[member]:
                if target in group:
                    referring[target].append(member)
        distances = {id(rubric): 0}
        queue = deque(distances)
        while queue:
            target = queue.popleft()
            for member in referring[target]:
                if member not in distances:
                    distances[member] = distances[target] + 1
                    queue.append(member)
        return distances


def _groups(references: Mapping[int, tuple[int, ...]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of a graph (Tarjan), each from its first node."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: dict[int, None] = {}
    for start in references:
        walk = [] if start in order else [(start, iter(references[start]))]
        while walk:
            node, targets = walk[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                open_nodes[node] = None
            for target in targets:
                if target not in order:
                    walk.append((target, iter(references[target])))
                    break
                if target in open_nodes:
                    lowest[node] = min(lowest[node], order[target])
            else:
                walk.pop()
                if walk:
                    parent = walk[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                if lowest[node] == order[node]:
                    group = list(_popped_through(open_nodes, node))
                    yield group[::-1]


def _popped_through(nodes: dict[int, None], last: int) -> Iterator[int]:
    """Remove and yield the last nodes, up to and including `last`."""
    node = None
    while node != last:
        node, _ = nodes.popitem()
        yield node


Hop = tuple[Artifact, ReferenceSite]


def rubric_steps(artifact: Artifact, library: Library) -> Iterator[tuple[ReferenceSite, Artifact]]:
    """Yield the references to rubrics, which are those of `composite` checks."""
    return (step for step in library.resolved_uses(artifact) if step[1].kind is Kind.RUBRIC)


def visit(start: Artifact, library: Library, is_new: Callable[[Artifact], bool]) -> None:
    """Call `is_new` with an artifact and all that it references transitively, once with each.

    Where it returns False, the references of that artifact are not followed.
    """
    seen: set[int] = set()
    stack = [start]
    while stack:
        artifact = stack.pop()
        if id(artifact) not in seen:
            seen.add(id(artifact))
            if is_new(artifact):
                stack.extend(target for _, target in library.resolved_uses(artifact))


def visit_inner_first(
    start: _T,
    inner: Callable[[_T], Iterator[_T]],
    is_new: Callable[[_T], bool],
    leave: Callable[[_T], None],
) -> None:
    """Call `leave` with all that `start` reaches and that is new, after what that reaches itself.

    Chains of references may be longer than Python recurses.
    """
    waiting = [(start, inner(start))] if is_new(start) else []
    while waiting:
        each, rest = waiting[-1]
        found = next(filter(is_new, rest), None)
        if found is None:
            leave(each)
            waiting.pop()
        else:
            waiting.append((found, inner(found)))


def find_cycles(start: Artifact, library: Library) -> list[list[Hop]]:
    """Return the cycles through a rubric: the shortest one for each of its references.

    Each is a list of hops (rubric, reference), the first of them from `start`. For a rubric of a
    large group that refer to each other there are none, unless it is the first of the group; see
    `RubricCycles`.
    """
    cycles = library.rubric_cycles
    if not cycles.is_reported(start):
        return []
    distances = cycles.distances_to(start)
    paths: dict[int, list[Hop]] = {}
    chains = []
    for use, target in rubric_steps(start, library):
        if id(target) in distances:
            if id(target) not in paths:
                paths[id(target)] = _shortest_path(target, start, library, distances=distances)
            chains.append([(start, use), *paths[id(target)]])
    return chains


def _shortest_path(
    start: Artifact, end: Artifact, library: Library, distances: Mapping[int, int]
) -> list[Hop]:
    """Return the shortest path between two rubrics; `distances` are those to the end."""
    path: list[Hop] = []
    rubric = start
    while rubric is not end:
        distance = distances[id(rubric)] - 1
        use, target = next(
            step for step in rubric_steps(rubric, library) if distances.get(id(step[1])) == distance
        )
        path.append((rubric, use))
        rubric = target
    return path


class Resolution(NamedTuple):
    """The result of a reference that resolves."""

    artifact: Artifact
    pinned: bool


class DanglingReference(NamedTuple):
    """A reference that cannot be resolved.

    `versions` has the existing versions of its id, oldest first.
    """

    reference: Reference
    versions: tuple[Version, ...]


class SharedLibraries(NamedTuple):
    """What a workspace has from its libraries, which are other workspaces.

    `fault_of` returns why one of their artifacts cannot be used, or None. `unreadable` has the
    files without an artifact that resolves. `settings` is the file with the settings of a library
    that is not there, so that nobody knows what it has; else None.
    """

    artifacts: tuple[Artifact, ...] = ()
    fault_of: Callable[[Artifact, Library], str | None] = lambda _artifact, _library: None
    unreadable: Mapping[str, list[tuple[Version | None, str]]] = {}
    settings: str | None = None


#: The workspace has no libraries.
NOTHING_SHARED = SharedLibraries()


class Library:
    """All rubrics and judges of a workspace. Immutable.

    `misnamed_folder` returns the folder that is probably meant as that of a kind, or None; it is
    called only for references that do not resolve. Where an artifact of `shared` has the name of
    one of the workspace, or of an earlier one, references resolve to that one.
    """

    def __init__(
        self,
        artifacts: Iterable[Artifact] = (),
        misnamed_folder: Callable[[Kind], MisnamedFolder | None] = lambda _: None,
        shared: SharedLibraries = NOTHING_SHARED,
    ) -> None:
        self._all = tuple(artifacts)
        self.misnamed_folder = misnamed_folder
        self.shared = shared
        self._known: dict[Kind, dict[str, dict[Version, list[Artifact]]]] = {
            Kind.RUBRIC: {},
            Kind.JUDGE: {},
        }
        self._pinned: dict[Kind, list[str]] = {}
        self._ids: dict[Kind, list[str]] = {}
        self._sorted: dict[tuple[Kind, str], tuple[Version, ...]] = {}
        self._newest_of: dict[tuple[Kind, str], Artifact] = {}
        self._by_numbers: dict[tuple[Kind, str], dict[tuple[int, ...], list[Version]]] = {}
        self._suggestions: dict[Kind, Suggestions] = {}
        self._files = {(artifact.kind, artifact.file): artifact for artifact in self._all}
        for artifact in self._all:
            if artifact.id is not None and artifact.version is not None:
                versions = self._known[artifact.kind].setdefault(artifact.id, {})
                versions.setdefault(artifact.version, []).append(artifact)
        self._shadowed: dict[int, Artifact] = {}
        for artifact in shared.artifacts:
            self._files[artifact.kind, artifact.file] = artifact
            if artifact.id is not None and artifact.version is not None:
                versions = self._known[artifact.kind].setdefault(artifact.id, {})
                first = versions.setdefault(artifact.version, [artifact])[0]
                self._shadowed.setdefault(id(first), artifact)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All artifacts of the workspace, including those without a valid id or version."""
        return self._all

    def shadowed_by(self, artifact: Artifact) -> Artifact | None:
        """Return the artifact of a library that has the name of one of the workspace, or None."""
        return self._shadowed.get(id(artifact)) if artifact.library is None else None

    def fault_of(self, artifact: Artifact) -> str | None:
        """Return why an artifact of a library cannot be used, or None."""
        return None if artifact.library is None else self.shared.fault_of(artifact, self)

    def in_file(self, kind: Kind, file: str) -> Artifact | None:
        """Return the artifact of a kind that was read from a file, or None."""
        return self._files.get((kind, file))

    def versions(self, kind: Kind, id_: str) -> Mapping[Version, list[Artifact]]:
        """Return the artifacts of an id by version. Several of one version are a fault."""
        return self._known[kind].get(id_, {})

    def ids(self, kind: Kind) -> Sequence[str]:
        """Return the ids of a kind, sorted."""
        if kind not in self._ids:
            self._ids[kind] = sorted(self._known[kind])
        return self._ids[kind]

    def resolve(self, reference: Reference) -> Resolution | DanglingReference:
        """Resolve a reference. Without a version it means the newest one.

        Of artifacts with the same id and version, the first by file name is used.
        """
        kind, id_, version = reference
        versions = self.versions(kind, id_)
        if version is None and versions:
            return Resolution(self._newest(kind, id_), pinned=False)
        if version is not None and version in versions:
            return Resolution(versions[version][0], pinned=True)
        return DanglingReference(reference, self.sorted_versions(kind, id_))

    def artifact_of(self, text: Any) -> Artifact | None:
        """Return the artifact that the text of a reference resolves to; None for anything else."""
        reference = Reference.parse(text) if isinstance(text, str) else None
        target = self.resolve(reference) if reference else None
        return target.artifact if isinstance(target, Resolution) else None

    def _newest(self, kind: Kind, id_: str) -> Artifact:
        """Return the artifact of the newest version of a known id."""
        if (kind, id_) not in self._newest_of:
            versions = self.versions(kind, id_)
            self._newest_of[kind, id_] = versions[newest(versions.keys())][0]
        return self._newest_of[kind, id_]

    def newest_like(self, kind: Kind, id_: str, numbers: Sequence[int]) -> Version:
        """Return the newest version of a known id that begins with as many of these numbers as any.

        `numbers` are the wanted major, minor and patch version, as far as they are known.
        """
        if (kind, id_) not in self._by_numbers:
            by_numbers = self._by_numbers[kind, id_] = {}
            for version in self.versions(kind, id_):
                parts = (version.major, version.minor, version.patch)
                for length in range(len(parts) + 1):
                    by_numbers.setdefault(parts[:length], []).append(version)
        by_numbers = self._by_numbers[kind, id_]
        prefixes = (tuple(numbers[:length]) for length in range(len(numbers), -1, -1))
        prefix = next(prefix for prefix in prefixes if prefix in by_numbers)
        if len(by_numbers[prefix]) > 1:
            by_numbers[prefix] = [newest(by_numbers[prefix])]
        return by_numbers[prefix][0]

    def sorted_versions(self, kind: Kind, id_: str) -> tuple[Version, ...]:
        """Return the versions of an id, oldest first."""
        if (kind, id_) not in self._sorted:
            versions = self.versions(kind, id_)
            if not versions:
                return ()
            self._sorted[kind, id_] = tuple(sorted(versions))
        return self._sorted[kind, id_]

    def resolved_uses(self, artifact: Artifact) -> Iterator[tuple[ReferenceSite, Artifact]]:
        """Yield each reference of an artifact that resolves, with its target."""
        for use in artifact.uses:
            target = self.resolve(use.reference)
            if isinstance(target, Resolution):
                yield use, target.artifact

    @cached_property
    def rubric_cycles(self) -> RubricCycles:
        """The cycles among the rubrics."""
        every = (*self._all, *self.shared.artifacts)
        rubrics = [artifact for artifact in every if artifact.kind is Kind.RUBRIC]
        references = {
            id(rubric): tuple(
                dict.fromkeys(
                    id(target)
                    for _, target in self.resolved_uses(rubric)
                    if target.kind is Kind.RUBRIC
                )
            )
            for rubric in rubrics
        }
        return RubricCycles(rubrics, references)

    def nearest_id(self, kind: Kind, id_: str) -> str | None:
        """Return the id that was probably meant by an unknown one, or None; see `Suggestions`."""
        if kind not in self._suggestions:
            self._suggestions[kind] = Suggestions(self.ids(kind))
        return self._suggestions[kind].nearest(id_)

    def suspects(self, kind: Kind, id_: str) -> list[Artifact]:
        """Return the artifacts that an id may mean, although it does not resolve to them.

        They have an invalid id or version, or the file name has the id.
        """
        return self._suspects.get(f"{kind}/{id_}", [])

    @cached_property
    def _suspects(self) -> dict[str, list[Artifact]]:
        suspects: dict[str, list[Artifact]] = {}
        for artifact in self._all:
            for id_ in dict.fromkeys(_other_ids(artifact)):
                suspects.setdefault(f"{artifact.kind}/{id_}", []).append(artifact)
        return suspects

    @cached_property
    def used(self) -> frozenset[int]:
        """The `id()` of every artifact that some rubric refers to."""
        steps = (step for artifact in self._all for step in self.resolved_uses(artifact))
        return frozenset(id(target) for _, target in steps)

    def at(self, file: str) -> Artifact | None:
        """Return the artifact of either kind that was read from a file, or None."""
        return self._by_file.get(file)

    @cached_property
    def _by_file(self) -> dict[str, Artifact]:
        return {artifact.file: artifact for artifact in (*self._all, *self.shared.artifacts)}

    def pinned_references(self, kind: Kind) -> list[str]:
        """Return all pinned references that resolve to what can be used, in every spelling.

        `1.2.0` may also be pinned as `1.2`. Spellings with build metadata are unlimited and not
        included; they have to be resolved one by one.
        """
        if kind not in self._pinned:
            references = self._pinned.setdefault(kind, [])
            for id_, versions in self._known[kind].items():
                for version, artifacts in versions.items():
                    if self.fault_of(artifacts[0]):
                        continue
                    references.append(f"{kind}/{id_}@{version}")
                    if version.short is not None:
                        references.append(f"{kind}/{id_}@{version.short}")
        return self._pinned[kind]


def _other_ids(artifact: Artifact) -> Iterator[str]:
    """Yield the ids that may mean an artifact, although they do not resolve to it."""
    identity, _ = identity_from_name(artifact.file, artifact.kind)
    if artifact.id is None:
        value = artifact.document.value
        written = value.get("id") if isinstance(value, dict) else None
        if isinstance(written, str):
            yield normalise(written)
    elif artifact.version is None:
        yield artifact.id
    if identity is not None and identity != artifact.id:
        yield identity
