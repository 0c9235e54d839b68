"""A rubric or judge on disk: its identity, its references, and what a misnamed folder promised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from evalcontract.model.diagnostic import Path
from evalcontract.model.reference import Kind, Reference, Version
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
