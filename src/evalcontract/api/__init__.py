"""The way in for Python: three loaders, and the checks that the command line runs."""

from __future__ import annotations

from evalcontract.api.loaded import LoadedArtifact, LoadedDataset, LoadedRow
from evalcontract.api.loaders import DatasetLoader, JudgePromptLoader, RubricLoader
from evalcontract.api.manual import manual
from evalcontract.api.validate import Outcome, check_workspaces, validate

__all__ = [
    "DatasetLoader",
    "JudgePromptLoader",
    "LoadedArtifact",
    "LoadedDataset",
    "LoadedRow",
    "Outcome",
    "RubricLoader",
    "check_workspaces",
    "manual",
    "validate",
]
