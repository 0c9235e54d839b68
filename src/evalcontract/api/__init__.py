"""The Python API: three loaders, and the check of whole workspaces.

Names are imported at first use, since a command needs only some of them. `validate` is in
`evalcontract.engine.pipeline`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcontract.api.loaded import LoadedArtifact, LoadedDataset, LoadedRow
    from evalcontract.api.loaders import DatasetLoader, JudgePromptLoader, RubricLoader
    from evalcontract.engine.pipeline import check_workspaces
    from evalcontract.model.diagnostic import Outcome

_HOMES = {
    "DatasetLoader": "evalcontract.api.loaders",
    "JudgePromptLoader": "evalcontract.api.loaders",
    "LoadedArtifact": "evalcontract.api.loaded",
    "LoadedDataset": "evalcontract.api.loaded",
    "LoadedRow": "evalcontract.api.loaded",
    "Outcome": "evalcontract.model.diagnostic",
    "RubricLoader": "evalcontract.api.loaders",
    "check_workspaces": "evalcontract.engine.pipeline",
}

__all__ = [
    "DatasetLoader",
    "JudgePromptLoader",
    "LoadedArtifact",
    "LoadedDataset",
    "LoadedRow",
    "Outcome",
    "RubricLoader",
    "check_workspaces",
]


def __getattr__(name: str) -> Any:
    """Import a name at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
