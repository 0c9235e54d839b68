"""What the name of a file promises of the artifact in it."""

from __future__ import annotations

from pathlib import PurePosixPath

from evalcontract.model.reference import Reference
from evalcontract.model.version import Version

#: Files that could not be read, by `{kind}/{id}`: the version each promises, and its name.
UnreadableNames = dict[str, list[tuple[Version | None, str]]]


def promised(file: str, kind: str) -> tuple[str | None, Version | None]:
    """Return the id and the version that a file's name promises; None for what it does not.

    The names are `{id}.yaml`, `{id}@{version}.yaml` and `{id}/{version}.yaml`, below the folder
    of the kind, such as `rubrics/`.
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
