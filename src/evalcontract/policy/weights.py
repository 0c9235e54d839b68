"""The `[severity]` table of a configuration: what it may say, and what it may not."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest
from evalcontract.policy.table import DEFAULT, TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evalcontract.policy.weight import Weight

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
FIXED = ("source/*", "*/wrong-kind", "dataset/no-questions", "internal/*")


def parse_weights(
    table: Mapping[str, Any],
    where: Callable[[str], str],
    of_others: Callable[[], Iterable[str]],
) -> dict[str, Weight]:
    """Read the `[severity]` table of a configuration.

    Each code has one severity, or one for each mode: `"rubric/cycle" = "error"`,
    `"rubric/cycle" = { soft = "note", strict = "error" }`. `ignore` reports nothing.
    `where(code)` says where a code stands; `of_others()` are the codes of other packages.

    Raises:
        ConfigurationError: an unknown code, severity or mode, or a code that stays an error.

    """
    weights = {}
    for code, entry in table.items():
        if code not in TABLE:
            _known(code, list(of_others()), where)
        modes = entry if isinstance(entry, dict) else {"soft": entry, "strict": entry}
        for mode in modes:
            if mode not in ("soft", "strict"):
                raise ConfigurationError(f"{where(code)}: {code}: modes are `soft` and `strict`")
        soft, hard = TABLE.get(code, DEFAULT)
        weight = (
            _severity(modes["soft"], code, where) if "soft" in modes else soft,
            _severity(modes["strict"], code, where) if "strict" in modes else hard,
        )
        if weight != (Severity.ERROR, Severity.ERROR) and is_fixed(code):
            raise ConfigurationError(
                f"{where(code)}: `{code}` stays an error: where it is found, nothing was checked"
            )
        weights[code] = weight
    return weights


def is_fixed(code: str) -> bool:
    """Whether a code is an error whatever a configuration says."""
    return any(fnmatchcase(code, each) for each in FIXED)


def _known(code: str, others: list[str], where: Callable[[str], str]) -> None:
    """Refuse a code that nobody has.

    One of a kind of its own, that is like no other, may be of a package that is installed
    elsewhere.
    """
    if code in others:
        return
    known = [*TABLE, *others]
    kind, _, fault = code.partition("/")
    kinds = dict.fromkeys(each.partition("/")[0] for each in known)
    meant = nearest(code, known)
    if not fault or not meant:
        faults = {each.partition("/")[2]: each for each in reversed(known)}
        near = nearest(fault or kind, faults)
        meant = faults[near] if near and (not fault or nearest(kind, kinds)) else meant
    if meant or not fault or nearest(kind, kinds):
        advice = f"; did you mean `{meant}`?" if meant else "; `evalcontract explain` lists them"
        raise ConfigurationError(f"{where(code)}: there is no code `{code}`{advice}")


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
