"""evalcontract: the contract of evaluation datasets, rubrics and judges, and its checks.

The Python API stands in `evalcontract.api`; its names are here, loaded at first use.
"""

from __future__ import annotations

from evalcontract._version import __version__

TYPE_CHECKING = False  # `typing` is slow to import; type checkers know this name, too
if TYPE_CHECKING:
    from typing import Any

    from evalcontract.api.artifacts import (
        JudgePromptLoader,
        LoadedArtifact,
        LoadedCheck,
        LoadedJudge,
        LoadedRubric,
        RubricLoader,
    )
    from evalcontract.api.batches import BatchCheck, BatchSettings
    from evalcontract.api.calibrating import Calibration, calibrate_judge
    from evalcontract.api.datasets import DatasetLoader, LoadedDataset, LoadedRow
    from evalcontract.api.findings import Findings, Workspace
    from evalcontract.api.grader import GradedFiles, Grader, RunResults, render
    from evalcontract.api.in_memory import (
        Converted,
        Covered,
        Loss,
        Validated,
        convert,
        coverage,
        grade,
        validate,
    )
    from evalcontract.datasets.provenance import Provenance
    from evalcontract.grading.results import CheckResult, RowResult
    from evalcontract.grading.summary import Summary
    from evalcontract.model.diagnostic import Diagnostic, Severity
    from evalcontract.model.errors import (
        ConfigurationError,
        ContractViolation,
        EvalContractError,
        UsageError,
    )

_HOMES = {
    "BatchCheck": "evalcontract.api.batches",
    "BatchSettings": "evalcontract.api.batches",
    "Calibration": "evalcontract.api.calibrating",
    "CheckResult": "evalcontract.grading.results",
    "ConfigurationError": "evalcontract.model.errors",
    "ContractViolation": "evalcontract.model.errors",
    "Converted": "evalcontract.api.in_memory",
    "Covered": "evalcontract.api.in_memory",
    "DatasetLoader": "evalcontract.api.datasets",
    "Diagnostic": "evalcontract.model.diagnostic",
    "EvalContractError": "evalcontract.model.errors",
    "Findings": "evalcontract.api.findings",
    "GradedFiles": "evalcontract.api.grader",
    "Grader": "evalcontract.api.grader",
    "JudgePromptLoader": "evalcontract.api.artifacts",
    "LoadedArtifact": "evalcontract.api.artifacts",
    "LoadedCheck": "evalcontract.api.artifacts",
    "LoadedDataset": "evalcontract.api.datasets",
    "LoadedJudge": "evalcontract.api.artifacts",
    "LoadedRow": "evalcontract.api.datasets",
    "LoadedRubric": "evalcontract.api.artifacts",
    "Loss": "evalcontract.api.in_memory",
    "Provenance": "evalcontract.datasets.provenance",
    "RowResult": "evalcontract.grading.results",
    "RubricLoader": "evalcontract.api.artifacts",
    "RunResults": "evalcontract.api.grader",
    "Severity": "evalcontract.model.diagnostic",
    "Summary": "evalcontract.grading.summary",
    "UsageError": "evalcontract.model.errors",
    "Validated": "evalcontract.api.in_memory",
    "Workspace": "evalcontract.api.findings",
    "calibrate_judge": "evalcontract.api.calibrating",
    "convert": "evalcontract.api.in_memory",
    "coverage": "evalcontract.api.in_memory",
    "grade": "evalcontract.api.in_memory",
    "render": "evalcontract.api.grader",
    "validate": "evalcontract.api.in_memory",
}

__all__ = [
    "BatchCheck", "BatchSettings", "Calibration", "CheckResult", "ConfigurationError",
    "ContractViolation", "Converted", "Covered", "DatasetLoader", "Diagnostic", "EvalContractError",
    "Findings", "GradedFiles", "Grader", "JudgePromptLoader", "LoadedArtifact", "LoadedCheck",
    "LoadedDataset", "LoadedJudge", "LoadedRow", "LoadedRubric", "Loss", "Provenance", "RowResult",
    "RubricLoader", "RunResults", "Severity", "Summary", "UsageError", "Validated", "Workspace",
    "__version__", "calibrate_judge", "convert", "coverage", "grade", "render", "validate",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a name of the API when it is first asked for: `--version` needs none of it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
