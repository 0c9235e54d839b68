"""The configuration of a workspace: the nearest one, the one that the caller chooses, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Span
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.startup import NamedTuple
from evalcontract.source import DISK, SourceProblem, UnreadableFile, read_text
from evalcontract.workspace.configuration import Configuration, read_configuration
from evalcontract.workspace.discovery import display_name
from evalcontract.workspace.pyproject import PYPROJECT, line_of_table
from evalcontract.workspace.roots import find_configuration, pyproject_in

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.source import Files


class ChosenConfiguration(NamedTuple):
    """The configuration that the caller wants: a file, or with `is_isolated` none at all."""

    file: Path | None = None
    is_isolated: bool = False


#: The nearest configuration upward.
NEAREST = ChosenConfiguration()


def configuration_of(
    root: Path, files: Files = DISK, chosen: ChosenConfiguration = NEAREST
) -> Configuration:
    """Return the configuration of a workspace.

    Patterns of a chosen file are relative to its folder, or to the workspace if that is not below.

    Raises:
        ConfigurationError: the configuration cannot be used.

    """
    if chosen.is_isolated:
        return Configuration()
    path = files.real(chosen.file) if chosen.file else find_configuration(root, files)
    if path is None:
        return Configuration()
    if chosen.file and not files.is_file(path):
        raise ConfigurationError(f"there is no configuration {display_name(chosen.file)}")
    configuration = read_configuration(path, display_name(path), files)
    if chosen.file:
        is_above = path.parent in (root, *root.parents)
        return configuration if is_above else configuration._replace(folder=root)
    return configuration._replace(shadowed=_shadowed_by(path, files))


def _shadowed_by(path: Path, files: Files) -> UnreadableFile | None:
    """Return the settings beside a configuration that are not read because of it."""
    other = pyproject_in(path.parent, files) if path.name != PYPROJECT else None
    text = read_text(other, display_name(other), files) if other else None
    if other is None or not isinstance(text, str):
        return None
    message = f"`[tool.evalcontract]` is not read: `{path.name}` beside it takes precedence"
    advice = f"move the settings to `{path.name}`, or delete that file"
    span = Span.point(line_of_table(text))
    fault = SourceProblem("workspace/shadowed-configuration", message, span, advice)
    return UnreadableFile(display_name(other), (fault,), tuple(text.splitlines()))
