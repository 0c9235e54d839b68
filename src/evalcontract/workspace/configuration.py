"""`evalcontract.toml`: what a workspace decides for itself."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest
from evalcontract.policy import Policy, parse_weights
from evalcontract.source import Unreadable, read_text

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "evalcontract.toml"


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a workspace.

    `datasets` are globs below the root; empty, datasets are found by what they hold.
    `exclude` are globs of files that are not looked at.
    """

    policy: Policy = field(default_factory=Policy)
    datasets: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def read_configuration(path: Path, name: str) -> Configuration:
    """Read a configuration file.

    Raises:
        ConfigurationError: it cannot be read, or says what makes no sense.

    """
    text = read_text(path, name)
    if isinstance(text, Unreadable):
        raise ConfigurationError(f"{name}: {text.faults[0].message}")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{name}: not TOML: {error}") from None
    return _configuration(table, name)


def _configuration(table: dict[str, Any], name: str) -> Configuration:
    for key in table:
        if key not in _READERS:
            meant = nearest(key, _READERS)
            advice = f"; did you mean `{meant}`?" if meant else f"; known are {', '.join(_READERS)}"
            raise ConfigurationError(f"{name}: unknown key `{key}`{advice}")
    read = {key: reader(table[key], key, name) for key, reader in _READERS.items() if key in table}
    default = Policy()
    return Configuration(
        Policy(
            strict=read.get("strict", default.strict),
            max_age_days=read.get("max_validation_age_days", default.max_age_days),
            changes=read.get("severity", {}),
        ),
        read.get("datasets", ()),
        read.get("exclude", ()),
    )


def _flag(value: Any, key: str, name: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f"{name}: `{key}` must be true or false")
    return value


def _days(value: Any, key: str, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigurationError(f"{name}: `{key}` must be a whole number of days, 1 or more")
    return value


def _globs(value: Any, key: str, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ConfigurationError(f"{name}: `{key}` must be a list of patterns")
    return tuple(value)


def _severity(value: Any, key: str, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{name}: `{key}` must be a table of codes")
    return dict(parse_weights(value, name))


_READERS: dict[str, Any] = {
    "strict": _flag,
    "max_validation_age_days": _days,
    "datasets": _globs,
    "exclude": _globs,
    "severity": _severity,
}
