"""
A file's name says another id or version than its content.

Why: What is inside counts. Somebody who looks for `tone` opens tone.yaml, and edits another.

Bad:
    # file: rubrics/polite.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}

Good:
    # file: rubrics/tone.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version
from evalcontract.rules._rule import Context, Rule, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def _check(subject: Subject, context: Context) -> Iterator[Problem]:
    artifact = subject.artifact
    file = PurePosixPath(artifact.file.replace("\\", "/"))
    folder = f"{artifact.kind}s"
    if artifact.id is None or folder not in file.parts:
        return  # a file outside of the library may be called anything
    id_, version = _promised(file, folder)
    code = f"{artifact.kind}/file-name"
    if id_ is not None and id_ != artifact.id:
        message = f"the file is named for `{id_}`, and holds `{artifact.id}`"
        yield Problem(code, message, ("id",), f"name it {artifact.id}{file.suffix}")
    elif version is not None and artifact.version is not None and version != artifact.version:
        message = f"the file is named for version {version}, and holds {artifact.version}"
        advice = f"name it {artifact.id}@{artifact.version}{file.suffix}"
        yield Problem(code, message, ("version",), advice)


def _promised(file: PurePosixPath, folder: str) -> tuple[str | None, Version | None]:
    """Return the id and the version that a name promises.

    The names are `{id}.yaml`, `{id}@{version}.yaml` and `{id}/{version}.yaml`.
    """
    stem = file.stem
    id_, _, version = stem.partition("@")
    inside = Version.parse(stem)
    if inside is not None and file.parent.name != folder:
        return file.parent.name, inside
    if Reference.parse(f"rubric/{id_}") is None:
        return None, None
    return id_, Version.parse(version) if version else None


RULES: tuple[Rule, ...] = (
    rule("rubric/file-name", Kind.RUBRIC, page=__doc__)(_check),
    rule(
        "judge/file-name",
        Kind.JUDGE,
        page="""
A file's name says another id or version than its content.

Why: What is inside counts. Somebody who looks for `tone` opens tone.yaml, and edits another.

Bad:
    # file: judges/tone.yaml
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"

Good:
    # file: judges/accuracy.yaml
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
""",
    )(_check),
)
