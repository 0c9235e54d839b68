"""What a comparison finds: artifacts that are the same ones, what differs, and versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalcontract.comparing.effects import AffectedRows, StaleValidation
from evalcontract.comparing.revisions import FileRevision
from evalcontract.comparing.rows import RowTable, TableDifference, compare_tables
from evalcontract.datasets.passes import NATIVE
from evalcontract.library.library import Artifact
from evalcontract.meaning.changes import (
    Act,
    Change,
    VersionFault,
    matched,
    next_version,
    rank_of,
    version_fault,
)
from evalcontract.meaning.view import ChangeClass
from evalcontract.model.diagnostic import Diagnostic, Place
from evalcontract.model.diagnostic import Path as ValuePath
from evalcontract.model.reference import Kind, Version
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped


class VersionChange(NamedTuple):
    """The version before and now, what is wrong with it, and the lowest that would be right.

    `is_unknown` is whether a version was promised, and cannot be read on one side.
    """

    old: Version | None
    new: Version | None
    fault: VersionFault | None = None
    needed: Version | None = None
    is_unknown: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether it fails a comparison."""
        return self.fault is not None or self.is_unknown


@dataclass
class ArtifactDifference:
    """What became of an artifact or a dataset.

    `name` is what it is called: `rubric/tone`, or the file of a dataset. `file` is shown in
    findings: the new one, or the old one of what was removed; `old_file` is the old one if it has
    another place. `old_name` is another if its id was renamed. `stays` is whether the old version
    is still there, beside this one. `table` has the rows of a dataset.
    """

    kind: Kind
    act: Act
    name: str
    file: str
    old_name: str | None = None
    old_file: str | None = None
    changes: list[Change] = field(default_factory=list)
    versions: VersionChange = field(default_factory=lambda: VersionChange(None, None))
    stays: bool = False
    table: TableDifference | None = None
    remarks: list[str] = field(default_factory=list)
    source: Any = None
    old_source: Any = None

    @property
    def rank(self) -> ChangeClass | None:
        """The gravest class of its changes; None if there are none."""
        return rank_of(self.changes)

    def place(self, change: Change) -> Place:
        """Return where a change is: in the new file, or in the old one where that has nothing."""
        is_gone = change.act is Act.REMOVED and self.old_source is not None
        source = self.old_source if is_gone or self.source is None else self.source
        path: ValuePath = change.old_path if source is self.old_source else change.path
        if source is None:
            return Place(self.file)
        place: Place = source.place(path)
        return place


class FileDifference(NamedTuple):
    """A file beside the artifacts that is another one now; `used_by` says what reads it.

    `kind` is `bundle`, `schema`, `target` or `configuration`.
    """

    kind: str
    file: str
    act: Act
    used_by: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass
class Difference:
    """All that changed between two revisions, which have a title each.

    `compared` is the number of artifacts and datasets in either of them. `remarks` say what was not
    compared; `diagnostics` are the files that could not be.
    """

    old: str
    new: str
    artifacts: list[ArtifactDifference] = field(default_factory=list)
    files: list[FileDifference] = field(default_factory=list)
    affected: list[AffectedRows] = field(default_factory=list)
    stale: list[StaleValidation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    compared: int = 0

    @property
    def rank(self) -> ChangeClass | None:
        """The gravest class of all changes; None if nothing changed."""
        return max((each.rank for each in self.artifacts if each.rank is not None), default=None)

    @property
    def wrong_versions(self) -> list[ArtifactDifference]:
        """The artifacts whose version does not say what changed."""
        return [each for each in self.artifacts if each.versions.is_wrong]


def named_in(revision: FileRevision, file: str) -> str:
    """Return the name of a file of a commit as git writes it: `HEAD:evals/tone.yaml`."""
    commit = getattr(revision.files, "commit", None)
    return file if commit is None else f"{commit[:7]}:{file}"


def version_change(
    old: Version | None,
    new: Version | None,
    rank: ChangeClass | None,
    taken: Iterable[Version] = (),
) -> VersionChange:
    """Return whether the version of an artifact says what changed, and which one would.

    Of those that are `taken`, the next one that is not.
    """
    if old is None or new is None:
        is_unknown = rank is not None and rank > ChangeClass.WORDING
        return VersionChange(old, new, is_unknown=is_unknown)
    fault = version_fault(old, new, rank)
    if fault is None:
        return VersionChange(old, new)
    needed = old if rank is None else next_version(old, rank)
    others = {*taken} - {new}
    while needed in others and rank is not None:
        needed = next_version(needed, rank)
    return VersionChange(old, new, fault, needed)


def compare_into(found: ArtifactDifference, old: RowTable, new: RowTable) -> tuple[object, object]:
    """Compare the rows of a dataset for its difference; return the versions that it has."""
    found.table = compare_tables(old, new)
    found.changes = found.table.changes
    found.old_source, found.source = old, new
    found.remarks += _remarks_on_tables(old, new)
    before, now = (table.root.get("id") for table in (old, new))
    if before != now:
        found.old_name = None if before is None else f"dataset/{before}"
        ids = [clipped(str(id_), NAME_LENGTH) if id_ else "none" for id_ in (before, now)]
        found.remarks.append(f"its id was `{ids[0]}`, and is `{ids[1]}` now")
    return old.root.get("version"), new.root.get("version")


def version_change_of_dataset(
    versions: tuple[object, object], rank: ChangeClass | None
) -> VersionChange:
    """Return the versions of a dataset; one without a version promises nothing."""
    if versions == (None, None):
        return VersionChange(None, None)
    old, new = (Version.parse(each) if isinstance(each, str) else None for each in versions)
    return version_change(old, new, rank)


def name_of(artifact: Artifact) -> str:
    """Return what an artifact is called without its version: by its file if it has no id."""
    return f"{artifact.kind}/{artifact.id}" if artifact.id else artifact.file


def _remarks_on_tables(old: RowTable, new: RowTable) -> Iterator[str]:
    """Yield how rows of other systems were compared."""
    if old.dialect != new.dialect:
        yield f"it was a dataset of {old.dialect}, and is one of {new.dialect} now"
    elif new.dialect != NATIVE:
        yield f"a dataset of {new.dialect}: its rows are compared as they convert to evalcontract"
    for table, when in ((old, "before"), (new, "now")):
        if table.unread:
            yield f"{table.unread:,} rows {when} do not convert, and are compared by their values"


def with_counts(found: ArtifactDifference, old: int, new: int) -> ArtifactDifference:
    """Give the difference of a whole dataset its numbers of rows; return it."""
    found.table = TableDifference([], [], old, new)
    return found


#: Returns the place of an artifact in its workspace, and what its meaning is told apart by.
PlaceOf = Callable[[Artifact], str]


class ArtifactPair(NamedTuple):
    """An artifact, and what it was before; either may be None.

    `stays` is whether the old one is still there, beside the new one.
    """

    old: Artifact | None
    new: Artifact | None
    stays: bool = False


def paired(
    old: Sequence[Artifact],
    new: Sequence[Artifact],
    old_place: PlaceOf,
    new_place: PlaceOf,
    meaning: Callable[[Artifact], str],
) -> list[ArtifactPair]:
    """Return the artifacts of a kind, each new one with the old one that it is compared with.

    That is the one with its id and version; else the one in its file with its id, or the nearest
    lower version of its id; else the one in its file, or the only one that means the same, whose id
    was another.
    """
    pairs, old, new = _by_version([*old], [*new], old_place, new_place)
    everything = [pair.old for pair in pairs if pair.old] + old
    kept = {id(pair.old) for pair in pairs}
    taken: set[int] = set()
    rest: list[Artifact] = []
    for each in sorted(new, key=lambda artifact: artifact.version or Version(0, 0)):
        left = [one for one in old if id(one) not in taken and _are_of_one_id(one, each)]
        before = next((one for one in left if old_place(one) == new_place(each)), None)
        before = before or _nearest_lower(each, everything) or max(left, key=_version, default=None)
        if before is None:
            rest.append(each)
            continue
        taken.add(id(before))
        pairs.append(ArtifactPair(before, each, stays=id(before) in kept))
    old = [one for one in old if id(one) not in taken]
    for key_of_old, key_of_new in ((old_place, new_place), (meaning, meaning)):
        more, old, rest = matched(old, rest, key_of_old, key_of_new)
        pairs += (ArtifactPair(*pair) for pair in more)
    pairs += [ArtifactPair(None, each) for each in rest]
    return [*pairs, *(ArtifactPair(one, None) for one in old)]


def _by_version(
    old: list[Artifact], new: list[Artifact], old_place: PlaceOf, new_place: PlaceOf
) -> tuple[list[ArtifactPair], list[Artifact], list[Artifact]]:
    """Pair those with the same id and version, of several first those in the same file."""

    def identity(artifact: Artifact) -> str | None:
        return artifact.name if artifact.id and artifact.version else None

    def placed(place: PlaceOf) -> Callable[[Artifact], str | None]:
        return lambda each: (name := identity(each)) and f"{name}\0{place(each)}"

    same, old, new = matched(old, new, placed(old_place), placed(new_place))
    moved, old, new = matched(old, new, identity, identity)
    return [ArtifactPair(*pair) for pair in (*same, *moved)], old, new


def _nearest_lower(new: Artifact, old: Iterable[Artifact]) -> Artifact | None:
    """Return the highest version of an id that is not above that of an artifact."""
    version = new.version
    if version is None:
        return None
    below = (one for one in old if _are_of_one_id(one, new) and one.version)
    lower = [one for one in below if one.version and one.version <= version]
    return max(lower, key=_version, default=None)


def _are_of_one_id(one: Artifact, two: Artifact) -> bool:
    return one.id is not None and one.id == two.id


def _version(artifact: Artifact) -> tuple[object, ...]:
    return (artifact.version or Version(0, 0)).precedence()
