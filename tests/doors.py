"""The doors that tests come in by: the command line in this process, and the same calls in Python.

Where they stand inside the package is known here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.cli.main import group, run
from evalcontract.engine.coverage import coverage
from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import check_workspaces, validate
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Input",
    "Kind",
    "NothingToCheck",
    "Options",
    "UsageError",
    "check_workspaces",
    "command_line",
    "coverage",
    "validate",
]


def command_line(*arguments: str | Path) -> int:
    """Run `evalcontract` in this process, as `sys.argv` would; return its exit code."""
    return run(group, [str(argument) for argument in arguments])
