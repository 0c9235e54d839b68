"""What to do about a reference that leads nowhere: the file to mend, or the name to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.names import promised
from evalcontract.model.listing import listed
from evalcontract.model.reference import Reference

if TYPE_CHECKING:
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Dangling, Library
    from evalcontract.library.names import UnreadableNames

_FEW = 5


def says(found: Dangling, library: Library) -> str:
    """Say what is not there."""
    reference = found.reference
    name = f"{reference.kind}/{reference.id}"
    if found.versions:
        return f"`{name}` has no version {reference.version}"
    suspects = library.suspects(reference.kind, reference.id)
    if any(each.id == reference.id for each in suspects):
        return f"no version of `{name}` can be read"
    return f"there is no {reference.kind} `{reference.id}`"


def advise(found: Dangling, library: Library, unreadable: UnreadableNames) -> str:
    """Say what to do about it. `unreadable` are files that may be what it means."""
    reference = found.reference
    kind, id_ = reference.kind, reference.id
    if mend := _to_mend(found, library, unreadable):
        return mend
    if found.versions:
        return f"it has {listed(reversed(found.versions))}"
    if near := meant_by(found, library, unreadable):
        return f"did you mean `{near}`?"
    suspects = library.suspects(kind, id_)
    if suspects:
        return f"{suspects[0].file} is named for it, and holds `{suspects[0].id}`"
    ids = library.ids(kind)
    known = f"; there are {listed(ids)}" if ids else ""
    return f"add {kind}s/{id_}.yaml, or correct the name{known}"


def meant_by(found: Dangling, library: Library, unreadable: UnreadableNames) -> Reference | None:
    """Return the reference that was probably meant, with the version as it was written."""
    kind, id_, version = found.reference
    if found.versions or _to_mend(found, library, unreadable):
        return None
    near = library.nearest_id(kind, id_)
    return None if near is None else Reference(kind, near, version)


def _to_mend(found: Dangling, library: Library, unreadable: UnreadableNames) -> str | None:
    """Say which file to mend first, that may be what a reference means."""
    kind, id_, wanted = found.reference
    for version, file in unreadable.get(f"{kind}/{id_}", ()):
        if version in (None, wanted) or wanted is None:
            return f"fix {file} first: it cannot be parsed"
    for suspect in library.suspects(kind, id_):
        _, version = promised(suspect.file, kind)
        broken = _broken(suspect)
        if broken and (not found.versions or version in (None, wanted)):
            return f"{broken}: mend that first"
    return None


def _broken(suspect: Artifact) -> str | None:
    """Say what of a file's identity cannot be read; None where all can."""
    value = suspect.document.value
    written = value if isinstance(value, dict) else {}
    for key, read in (("id", suspect.id), ("version", suspect.version)):
        if read is None:
            there = "cannot be read" if key in written else "is missing"
            return f"the {key} in {suspect.file} {there}"
    return None
