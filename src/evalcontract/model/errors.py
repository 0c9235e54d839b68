"""Failures: a wrong call or a broken installation. Bad data is a `Diagnostic` instead.

EvalContractError
├── UsageError            the caller asked for something that makes no sense
│   └── NothingToCheck    no file matches what was asked for
├── ConfigurationError    evalcontract.toml cannot be used
├── InstallationError     a file of the package itself is missing
├── PluginError           an entry point of somebody else does not load
├── EditError             a value that has no YAML
└── ContractViolation     strict mode, or nothing to load: carries every diagnostic of the run
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.model.diagnostic import Diagnostic


_SHOWN = 20


class EvalContractError(Exception):
    """The root of the family; never raised itself."""


class UsageError(EvalContractError):
    """The caller asked for something that makes no sense."""


class NothingToCheck(UsageError):
    """A path, a folder or a pattern that leads to no file at all."""


class ConfigurationError(EvalContractError):
    """The configuration file cannot be used; the message names its place."""


class InstallationError(EvalContractError):
    """A file that ships with the package is missing or broken."""


class PluginError(EvalContractError):
    """An entry point cannot be loaded; the message names its distribution."""


class EditError(EvalContractError):
    """A value cannot be written as YAML so that it is read again as what it was."""


class ContractViolation(EvalContractError):
    """Strict mode found errors, or a file could not be loaded at all.

    `diagnostics` holds every finding of the load, warnings and notes included, sorted by place.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        errors = [found for found in self.diagnostics if found.is_error]
        shown = "\n".join(f"  {found}" for found in errors[:_SHOWN])
        more = f"\n  … and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
        return f"{len(errors)} error{'s' if len(errors) != 1 else ''}\n{shown}{more}"
