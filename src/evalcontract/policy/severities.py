"""The `[severity]` table of a configuration: what it may say, and what it may not."""

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
# What other linters call them.
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
#: Codes that stay errors: they say that a file, or what is in it, was not checked at all.
LOCKED = ("source/*", "*/wrong-kind", "dataset/no-questions", "internal/*")


def parse_severities(
    table: Mapping[str, Any], where: Callable[[str], str], codes: Mapping[str, Code]
) -> dict[str, ModeSeverities]:
    """Read the `[severity]` table of a configuration.

    Each code has one severity, or one for each mode: `"rubric/cycle" = "error"`,
    `"rubric/cycle" = { soft = "note", strict = "error" }`. `ignore` reports nothing.
    `where(code)` says where a code stands; `codes` are those that can be reported.

    Raises:
        ConfigurationError: an unknown code, severity or mode, or a code that stays an error.

    """
    return {name: _severities(name, entry, where, codes) for name, entry in table.items()}


def is_locked(code: str) -> bool:
    """Whether a code is an error whatever a configuration says."""
    return any(fnmatchcase(code, pattern) for pattern in LOCKED)


def _severities(
    name: str, entry: Any, where: Callable[[str], str], codes: Mapping[str, Code]
) -> ModeSeverities:
    code = codes.get(name) or _code_of_others(name, where, codes)
    modes = entry if isinstance(entry, dict) else {"soft": entry, "strict": entry}
    for mode in modes:
        if mode not in ("soft", "strict"):
            raise ConfigurationError(f"{where(name)}: {name}: modes are `soft` and `strict`")
    given = {mode: _severity(value, name, where) for mode, value in modes.items()}
    severities = code.severities._replace(**given)
    if severities != (Severity.ERROR, Severity.ERROR) and is_locked(name):
        raise ConfigurationError(
            f"{where(name)}: `{name}` stays an error: where it is found, nothing was checked"
        )
    return severities


def _code_of_others(name: str, where: Callable[[str], str], codes: Mapping[str, Code]) -> Code:
    """Return a code that nobody has here; refuse one that is misspelled.

    One of a kind of its own, that is like no other, may be of a package that is installed
    elsewhere.
    """
    kind, _, fault = name.partition("/")
    kinds = dict.fromkeys(code.partition("/")[0] for code in codes)
    meant = nearest(name, codes)
    if not fault or not meant:
        faults = {code.partition("/")[2]: code for code in reversed([*codes])}
        near = nearest(fault or kind, faults)
        meant = faults[near] if near and (not fault or nearest(kind, kinds)) else meant
    if meant or not fault or nearest(kind, kinds):
        advice = f"; did you mean `{meant}`?" if meant else "; `evalcontract explain` lists them"
        raise ConfigurationError(f"{where(name)}: there is no code `{name}`{advice}")
    return Code(name)


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
        f"{where(code)}: {code}: {shown} is none of {', '.join(_NAMES)}{advice}"
    )
