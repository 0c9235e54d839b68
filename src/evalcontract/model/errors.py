"""Exceptions for usage errors and broken installations. Bad data is a `Diagnostic` instead.

EvalContractError
├── UsageError            invalid arguments
│   └── NothingToCheck    no file matches the arguments
├── ConfigurationError    evalcontract.toml is invalid
├── InstallationError     a file of the package is missing
├── PluginError           an entry point of another package does not load
├── EditError             a value cannot be written as YAML
└── ContractViolation     strict mode, or nothing to load: has all diagnostics of the run
"""

from __future__ import annotations

from collections.abc import Sequence

from evalcontract.model.diagnostic import Diagnostic

_MAX_SHOWN = 20


class EvalContractError(Exception):
    """The base class of all exceptions; never raised itself."""


class UsageError(EvalContractError):
    """The arguments of a call or a command are invalid."""


class NothingToCheck(UsageError):
    """A path, folder or pattern matches no file."""


class ConfigurationError(EvalContractError):
    """The configuration file is invalid; the message names the place."""


class InstallationError(EvalContractError):
    """A file of the package is missing or broken."""


class PluginError(EvalContractError):
    """An entry point cannot be loaded; the message names its distribution."""


class EditError(EvalContractError):
    """A value cannot be written as YAML such that parsing returns the same value."""


class ContractViolation(EvalContractError):
    """Strict mode found errors, or a file could not be loaded at all.

    `diagnostics` has all findings, including warnings and notes, sorted by place.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)

    def __str__(self) -> str:
        errors = [diagnostic for diagnostic in self.diagnostics if diagnostic.is_error]
        shown = "\n".join(f"  {error}" for error in errors[:_MAX_SHOWN])
        more = f"\n  … and {len(errors) - _MAX_SHOWN} more" if len(errors) > _MAX_SHOWN else ""
        return f"{len(errors)} error{'s' if len(errors) != 1 else ''}\n{shown}{more}"
