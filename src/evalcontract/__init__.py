"""evalcontract: the contract of evaluation datasets, rubrics and judges, and its checks.

The Python API stands in `evalcontract.api`; its names are here too, loaded at first use.
"""

from __future__ import annotations

from evalcontract._version import __version__

TYPE_CHECKING = False  # `typing` is slow to import; type checkers know this name, too
if TYPE_CHECKING:
    from typing import Any

    from evalcontract.api import (
        Calibration,
        Converted,
        DatasetLoader,
        Findings,
        GradedFiles,
        Grader,
        JudgePromptLoader,
        LoadedArtifact,
        LoadedCheck,
        LoadedDataset,
        LoadedJudge,
        LoadedRow,
        LoadedRubric,
        Loss,
        RubricLoader,
        Workspace,
        calibrate_judge,
        convert,
        render,
    )
    from evalcontract.grading.results import CheckResult, RowResult
    from evalcontract.grading.summary import Summary
    from evalcontract.library.references import Provenance
    from evalcontract.model.diagnostic import Diagnostic, Severity
    from evalcontract.model.errors import (
        ConfigurationError,
        ContractViolation,
        EvalContractError,
        UsageError,
    )

_HOMES = {
    "Calibration": "evalcontract.api",
    "CheckResult": "evalcontract.grading.results",
    "ConfigurationError": "evalcontract.model.errors",
    "ContractViolation": "evalcontract.model.errors",
    "Converted": "evalcontract.api",
    "DatasetLoader": "evalcontract.api",
    "Diagnostic": "evalcontract.model.diagnostic",
    "EvalContractError": "evalcontract.model.errors",
    "Findings": "evalcontract.api",
    "GradedFiles": "evalcontract.api",
    "Grader": "evalcontract.api",
    "JudgePromptLoader": "evalcontract.api",
    "LoadedArtifact": "evalcontract.api",
    "LoadedCheck": "evalcontract.api",
    "LoadedDataset": "evalcontract.api",
    "LoadedJudge": "evalcontract.api",
    "LoadedRow": "evalcontract.api",
    "LoadedRubric": "evalcontract.api",
    "Loss": "evalcontract.api",
    "Provenance": "evalcontract.library.references",
    "RowResult": "evalcontract.grading.results",
    "RubricLoader": "evalcontract.api",
    "Severity": "evalcontract.model.diagnostic",
    "Summary": "evalcontract.grading.summary",
    "UsageError": "evalcontract.model.errors",
    "Workspace": "evalcontract.api",
    "calibrate_judge": "evalcontract.api",
    "convert": "evalcontract.api",
    "render": "evalcontract.api",
}

__all__ = [
    "Calibration",
    "CheckResult",
    "ConfigurationError",
    "ContractViolation",
    "Converted",
    "DatasetLoader",
    "Diagnostic",
    "EvalContractError",
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
    "Provenance",
    "RowResult",
    "RubricLoader",
    "Severity",
    "Summary",
    "UsageError",
    "Workspace",
    "__version__",
    "calibrate_judge",
    "convert",
    "render",
]


def __getattr__(name: str) -> Any:
    """Load a name of the API when it is first asked for: `--version` needs none of it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
