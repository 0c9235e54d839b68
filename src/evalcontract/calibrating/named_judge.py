"""Find and read the judge that a command names, by its path or by a reference."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.library.advice import advise, says
from evalcontract.library.artifact import read_artifact
from evalcontract.library.library import Dangling
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.source import read_stream
from evalcontract.source.overlays import read_bytes
from evalcontract.workspace import (
    NEAREST,
    ChosenConfiguration,
    display_name,
    find_root,
    open_workspace,
)

if TYPE_CHECKING:
    from evalcontract.library.artifact import Artifact
    from evalcontract.workspace import Workspace

_REQUIRED = ("id", "version", "template")
#: Findings after which a scale cannot be read, beside those of an ill-formed judge.
_SCALE = frozenset({"judge/incomplete-scale", "judge/level-values", "judge/score-range"})


class NamedJudge(NamedTuple):
    """A judge whose keys can be relied on, except its `validation`, with the bytes of its file.

    `name` is the pinned reference to it.
    """

    path: Path
    data: bytes
    name: str
    value: dict[str, Any]
    workspace: Workspace
    artifact: Artifact


def find_judge(
    text: str, root: Path | None, chosen: ChosenConfiguration = NEAREST
) -> NamedJudge | list[Diagnostic]:
    """Return the judge that a path or a reference names, or why it cannot be used.

    A reference is resolved in the workspace `root`, or else in that of the current folder; what
    is there under the name is a file. The configuration is the nearest one, unless one is `chosen`.

    Raises:
        UsageError: the reference does not resolve, or what is named is not a file.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    reference = None if os.path.lexists(text) else Reference.parse(text)
    if reference is None:
        path = _file(text)
        workspace = open_workspace(root or find_root(path), chosen=chosen)
    else:
        workspace = open_workspace(root or find_root(Path.cwd()), chosen=chosen)
        path = _resolved(reference, workspace)
    name = display_name(path)
    found = validate(Kind.JUDGE, [Input(path)], Options(workspace.root, configuration=chosen))
    findings = [each for each in found.diagnostics if each.place.file == name]
    if unreadable := [each for each in findings if each.code.startswith("source/")]:
        return unreadable
    data = read_bytes(path)
    document = read_stream(io.BytesIO(data), name).document
    value = document.value if document else None
    is_whole = isinstance(value, dict) and all(key in value for key in _REQUIRED)
    # What the judge is decides what is measured, so each of its faults is an error here.
    faults = [
        each._replace(severity=Severity.ERROR)
        for each in findings
        if not is_whole or _is_in_the_way(each)
    ]
    if faults or document is None:
        return faults
    artifact = read_artifact(Kind.JUDGE, document)
    return NamedJudge(path, data, artifact.name, document.value, workspace, artifact)


def _is_in_the_way(found: Diagnostic) -> bool:
    """Whether a judge cannot be measured because of a finding; its validation is written anew."""
    is_of_validation = found.path[:1] == ("validation",)
    return not is_of_validation and (found.code in _SCALE or found.code in ILL_FORMED)


def _file(text: str) -> Path:
    if not text or "\0" in text:
        raise NothingToCheck("a file name cannot be empty, or contain a NUL")
    path = Path(text)
    if os.path.isdir(path):
        raise UsageError(f"{text} is a folder; name one judge")
    if not os.path.lexists(path):
        raise NothingToCheck(f"there is no file {text}, and it is no reference such as judge/tone")
    return path


def _resolved(reference: Reference, workspace: Workspace) -> Path:
    if reference.kind is not Kind.JUDGE:
        raise UsageError(f"`{reference}` is not a judge")
    library = workspace.library
    found = library.resolve(reference)
    if isinstance(found, Dangling):
        advice = advise(found, library, workspace.unreadable_names)
        raise UsageError(f"{says(found, library)}; {advice}")
    path = Path(found.artifact.file)
    if not workspace.contains(path):
        raise UsageError(f"{found.artifact.file} leads out of the workspace")
    return path
