"""The Python API: loaders, what they load, prompts, and the check of whole workspaces.

Names are imported at first use, since a command needs only some of them. `validate` is in
`evalcontract.checking.pipeline`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checking.pipeline import check_workspaces
from evalcontract.model.diagnostic import RunOutcome

if TYPE_CHECKING:
    from evalcontract.api.artifacts import JudgePromptLoader, RubricLoader, render
    from evalcontract.api.calibrating import Calibration, calibrate_judge
    from evalcontract.api.converting import Converted, Loss, convert
    from evalcontract.api.datasets import DatasetLoader
    from evalcontract.api.findings import Findings, Workspace
    from evalcontract.api.grader import GradedFiles, Grader
    from evalcontract.api.loaded import (
        LoadedArtifact,
        LoadedCheck,
        LoadedDataset,
        LoadedJudge,
        LoadedRow,
        LoadedRubric,
    )

_HOMES = {
    "Calibration": "evalcontract.api.calibrating",
    "Converted": "evalcontract.api.converting",
    "DatasetLoader": "evalcontract.api.datasets",
    "Findings": "evalcontract.api.findings",
    "GradedFiles": "evalcontract.api.grader",
    "Grader": "evalcontract.api.grader",
    "JudgePromptLoader": "evalcontract.api.artifacts",
    "LoadedArtifact": "evalcontract.api.loaded",
    "LoadedCheck": "evalcontract.api.loaded",
    "LoadedDataset": "evalcontract.api.loaded",
    "LoadedJudge": "evalcontract.api.loaded",
    "LoadedRow": "evalcontract.api.loaded",
    "LoadedRubric": "evalcontract.api.loaded",
    "Loss": "evalcontract.api.converting",
    "RunOutcome": "evalcontract.model.diagnostic",
    "RubricLoader": "evalcontract.api.artifacts",
    "Workspace": "evalcontract.api.findings",
    "calibrate_judge": "evalcontract.api.calibrating",
    "check_workspaces": "evalcontract.checking.pipeline",
    "convert": "evalcontract.api.converting",
    "render": "evalcontract.api.artifacts",
}

__all__ = [
    "Calibration",
    "Converted",
    "DatasetLoader",
    "Findings",
    "GradedFiles",
    "Grader",
    "JudgePromptLoader",
    "LoadedArtifact",
    "LoadedCheck",
    "LoadedDataset",
    "LoadedJudge",
    "LoadedRow",
    "LoadedRubric",
    "Loss",
    "RubricLoader",
    "RunOutcome",
    "Workspace",
    "calibrate_judge",
    "check_workspaces",
    "convert",
    "render",
]


def __getattr__(name: str) -> Any:
    """Import a name at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
