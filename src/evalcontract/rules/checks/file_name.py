"""
A file's name does not match the id or version inside it.

Why: Files are identified by their `id` and `version`. Someone who looks for `tone` opens tone.yaml
and edits a different artifact.

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

from pathlib import PurePosixPath

from evalcontract.library.library import Artifact, identity_from_name
from evalcontract.model.reference import Kind, Version
from evalcontract.rules._rule import Code, Context, Problem, Problems, Rule, Severity, Subject, rule

_CODES = {
    Kind.RUBRIC: Code("rubric/file-name", strict=Severity.WARNING, page=__doc__),
    Kind.JUDGE: Code("judge/file-name", strict=Severity.WARNING),  # its page is a file of `pages/`
}


def _check(subject: Subject, context: Context) -> Problems:
    artifact = subject.artifact
    file = PurePosixPath(artifact.file.replace("\\", "/"))
    if artifact.id is None or f"{artifact.kind}s" not in file.parts:
        return  # files outside the library may have any name
    id_, version = identity_from_name(artifact.file, artifact.kind)
    nested = Version.parse(file.stem) is not None
    code, named = _CODES[artifact.kind], "folder" if nested else "file"
    if id_ is not None and id_ != artifact.id:
        message = f"the {named} name says `{id_}`, but the id is `{artifact.id}`"
        yield Problem(code, message, ("id",), _advice(artifact, context, nested=nested))
    elif version is not None and artifact.version is not None and version != artifact.version:
        message = f"the file name says version {version}, but the version is {artifact.version}"
        yield Problem(code, message, ("version",), _advice(artifact, context, nested=nested))


def _advice(artifact: Artifact, context: Context, *, nested: bool) -> str:
    """Suggest an unused conventional name: the id, or else one with the version in it."""
    file = PurePosixPath(artifact.file.replace("\\", "/"))
    folder = file.parent.parent if nested else file.parent
    _, identity = identity_from_name(artifact.file, artifact.kind)
    plain = f"{artifact.id}{file.suffix}"
    names = [plain]
    if artifact.version is not None:
        marked = f"{artifact.id}@{artifact.version}{file.suffix}"
        inside = f"{artifact.id}/{artifact.version}{file.suffix}"
        # Prefer the file's current naming scheme.
        names = [plain, marked, inside] if identity is None else [marked, inside, plain]
        names.sort(key=lambda name: nested and name != inside)
    free = next((name for name in names if context.library.at(str(folder / name)) is None), None)
    return f"rename it to {free}" if free else "give it a different id or version"


RULES: tuple[Rule, ...] = tuple(rule(code)(_check) for code in _CODES.values())
