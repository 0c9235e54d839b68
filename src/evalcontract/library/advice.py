"""Messages and advice for dangling references: the file to fix, or the name to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.names import promised
from evalcontract.model.diagnostic import Cause
from evalcontract.model.reference import Reference
from evalcontract.model.values import SHOWN, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Dangling, Library
    from evalcontract.library.names import MisnamedFolder, UnreadableNames
    from evalcontract.model.reference import Version

_VERB = "refer to it"


def says(dangling: Dangling, library: Library) -> str:
    """Return the message for a dangling reference."""
    reference = dangling.reference
    name = f"{reference.kind}/{reference.id}"
    if dangling.versions:
        return f"`{name}` has no version {reference.version}"
    suspects = library.suspects(reference.kind, reference.id)
    if any(artifact.id == reference.id for artifact in suspects):
        return f"no version of `{name}` can be read"
    return f"there is no {reference.kind} `{reference.id}`"


def cause_of(dangling: Dangling, library: Library, unreadable: UnreadableNames) -> Cause:
    """Return the cause that references dangle for: a broken file, a folder, or the name itself."""
    broken = _broken_file(dangling, library, unreadable)
    if broken:
        return Cause(broken[0], _VERB, broken[0])
    folder = _misnamed(dangling, library)
    return Cause(folder.name if folder else str(dangling.reference), _VERB)


def has_versions(versions: Sequence[Version]) -> str:
    """Say which versions there are, the newest first; `versions` are in ascending order."""
    return f"it has {listed(versions[: -SHOWN - 2 : -1], total=len(versions))}"


def advise(dangling: Dangling, library: Library, unreadable: UnreadableNames) -> str:
    """Return the advice for a dangling reference. `unreadable` has files that it may mean."""
    reference = dangling.reference
    kind, id_ = reference.kind, reference.id
    if broken := _broken_file(dangling, library, unreadable):
        file, fault = broken
        return f"fix {file} first: {fault}"
    if folder := _misnamed(dangling, library):
        return f"{kind}s are read from `{kind}s/`: rename the folder `{folder.name}`"
    if dangling.versions:
        return has_versions(dangling.versions)
    if near := meant_by(dangling, library, unreadable):
        return f"did you mean `{near}`?"
    suspects = library.suspects(kind, id_)
    if suspects:
        return f"{suspects[0].file} has that name, but its id is `{suspects[0].id}`"
    ids = library.ids(kind)
    known = f"; the {kind}s are {listed(ids)}" if ids else ""
    return f"add {kind}s/{id_}.yaml, or correct the name{known}"


def meant_by(dangling: Dangling, library: Library, unreadable: UnreadableNames) -> Reference | None:
    """Return the reference that was probably meant, with the version as written, or None."""
    kind, id_, version = dangling.reference
    if dangling.versions or _broken_file(dangling, library, unreadable):
        return None
    near = library.nearest_id(kind, id_)
    return None if near is None else Reference(kind, near, version)


def _broken_file(
    dangling: Dangling, library: Library, unreadable: UnreadableNames
) -> tuple[str, str] | None:
    """Return a broken file that the reference may mean, and its fault; or None."""
    kind, id_, wanted = dangling.reference
    for version, file in unreadable.get(f"{kind}/{id_}", ()):
        if version in (None, wanted) or wanted is None:
            return file, "it cannot be parsed"
    for suspect in library.suspects(kind, id_):
        _, version = promised(suspect.file, kind)
        fault = _identity_fault(suspect)
        if fault and (not dangling.versions or version in (None, wanted)):
            return suspect.file, fault
    return None


def _misnamed(dangling: Dangling, library: Library) -> MisnamedFolder | None:
    """Return the folder with a misspelled name that the artifact is probably in, or None."""
    kind, id_, _ = dangling.reference
    if dangling.versions:
        return None
    folder = library.misnamed_folder(kind)
    return folder if folder and (not library.ids(kind) or id_ in folder.ids) else None


def _identity_fault(artifact: Artifact) -> str | None:
    """Return what is wrong with an artifact's id or version, or None."""
    value = artifact.document.value
    written = value if isinstance(value, dict) else {}
    for key, parsed in (("id", artifact.id), ("version", artifact.version)):
        if parsed is None:
            return f"its {key} is {'invalid' if key in written else 'missing'}"
    return None
