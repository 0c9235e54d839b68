"""The id and version in the file name of an artifact."""

from __future__ import annotations

from pathlib import PurePosixPath

from evalcontract.model.reference import Reference, Version
from evalcontract.model.startup import NamedTuple

#: Unreadable files by `{kind}/{id}`: the version in the file name, and the file name.
UnreadableNames = dict[str, list[tuple[Version | None, str]]]


class MisnamedFolder(NamedTuple):
    """A folder that is probably meant as `rubrics/` or `judges/`, and the ids in its file names."""

    name: str
    ids: frozenset[str]


def promised(file: str, kind: str) -> tuple[str | None, Version | None]:
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
