"""Parse the `[severity]` table of a configuration."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from evalcontract.model.code import Code, ModeSeverities
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NAMES: dict[str, Severity | None] = {
    "ignore": None,
    "note": Severity.NOTE,
    "warning": Severity.WARNING,
    "error": Severity.ERROR,
}
# Names of severities in other linters.
_OTHER_NAMES = {
    "off": "ignore",
    "none": "ignore",
    "never": "ignore",
    "skip": "ignore",
    "disable": "ignore",
    "disabled": "ignore",
    "info": "note",
    "hint": "note",
    "warn": "warning",
    "err": "error",
    "fatal": "error",
    "critical": "error",
}
#: Codes that stay errors, because they mean that a file or its content was not checked at all.
LOCKED = ("source/*", "*/wrong-kind", "dataset/no-questions", "internal/*")


def parse_severities(
    table: Mapping[str, Any], where: Callable[[str], str], codes: Mapping[str, Code]
) -> dict[str, ModeSeverities]:
    """Parse the `[severity]` table of a configuration.

    Each code has one severity, or one for each mode: `"rubric/cycle" = "error"`,
    `"rubric/cycle" = { soft = "note", strict = "error" }`. `ignore` disables the code.
    `where(code)` returns the place of a code in the file; `codes` has all known codes.

    Raises:
        ConfigurationError: an unknown code, severity or mode, or a code that stays an error.

    """
    return {name: _severities(name, entry, where, codes) for name, entry in table.items()}


def is_locked(code: str) -> bool:
    """Whether a configuration cannot change the severity of a code."""
    return any(fnmatchcase(code, pattern) for pattern in LOCKED)


def _severities(
    name: str, entry: Any, where: Callable[[str], str], codes: Mapping[str, Code]
) -> ModeSeverities:
    code = codes.get(name) or _external_code(name, where, codes)
    modes = entry if isinstance(entry, dict) else {"soft": entry, "strict": entry}
    for mode in modes:
        if mode not in ("soft", "strict"):
            raise ConfigurationError(f"{where(name)}: {name}: modes are `soft` and `strict`")
    given = {mode: _severity(value, name, where) for mode, value in modes.items()}
    severities = code.severities._replace(**given)
    if severities != (Severity.ERROR, Severity.ERROR) and is_locked(name):
        raise ConfigurationError(
            f"{where(name)}: `{name}` must stay an error: it means that nothing was checked"
        )
    return severities


def _external_code(name: str, where: Callable[[str], str], codes: Mapping[str, Code]) -> Code:
    """Return a code for an unknown name; raise an error if it looks misspelled.

    A name that resembles no known code may belong to a package that is not installed here.
    """
    kind, _, fault = name.partition("/")
    kinds = dict.fromkeys(code.partition("/")[0] for code in codes)
    meant = meant_code(name, codes)
    if meant or not fault or nearest(kind, kinds):
        advice = f"; did you mean `{meant}`?" if meant else "; `evalcontract explain` lists them"
        raise ConfigurationError(f"{where(name)}: there is no code `{name}`{advice}")
    return Code(name)


def meant_code(name: str, codes: Mapping[str, object]) -> str | None:
    """Return the code that a misspelled name resembles most; the kind may be missing or wrong."""
    kind, _, fault = name.partition("/")
    meant = nearest(name, codes)
    if not fault or not meant:
        kinds = dict.fromkeys(code.partition("/")[0] for code in codes)
        faults = {code.partition("/")[2]: code for code in reversed([*codes])}
        near = nearest(fault or kind, faults)
        meant = faults[near] if near and (not fault or nearest(kind, kinds)) else meant
    return meant


def _severity(name: Any, code: str, where: Callable[[str], str]) -> Severity | None:
    if isinstance(name, str) and name in _NAMES:
        return _NAMES[name]
    meant = None
    if isinstance(name, str):
        folded = name.strip().lower()
        meant = _OTHER_NAMES.get(folded) or nearest(folded, _NAMES)
    elif name is False:
        meant = "ignore"
    shown = f"`{name}`" if isinstance(name, str) else repr(name)
    advice = f"; did you mean `{meant}`?" if meant else ""
    raise ConfigurationError(
        f"{where(code)}: {code}: {shown} is not one of {', '.join(_NAMES)}{advice}"
    )
