"""`evalcontract.toml`: what a workspace decides for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest
from evalcontract.policy import Policy
from evalcontract.source import DISK, UnreadableFile, read_text
from evalcontract.workspace.patterns import fault_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcontract.source import Files

    #: Says where a key of the file stands.
    Where = Callable[[str], str]

FILE_NAME = "evalcontract.toml"
# A thousand times what one holds; a reader of TOML takes its time for more.
_MOST_CHARACTERS = 1 << 18


class Configuration(NamedTuple):
    """The settings of a workspace.

    `datasets` are globs below `folder`; empty, datasets are found by what they hold.
    `exclude` are globs of files that are not looked at. `folder` holds the file; it is None where
    there is none. `datasets_at` is the place of the key `datasets` in it.
    """

    policy: Policy = Policy()
    datasets: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    folder: Path | None = None
    datasets_at: str = FILE_NAME


def read_configuration(path: Path, name: str, files: Files = DISK) -> Configuration:
    """Read a configuration file.

    Raises:
        ConfigurationError: it cannot be read, or says what makes no sense.

    """
    text = read_text(path, name, files)
    if isinstance(text, UnreadableFile):
        raise ConfigurationError(f"{name}: {text.faults[0].message}")
    if len(text) > _MOST_CHARACTERS:
        raise ConfigurationError(f"{name}: has more than {_MOST_CHARACTERS:,} characters")
    import tomllib  # slow to import, both

    from evalcontract.workspace.toml_text import explain, place_of

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(explain(text, name, str(error))) from None
    except RecursionError:
        raise ConfigurationError(f"{name}: is nested too deeply") from None
    except ValueError:  # Python's limit for the digits of a number, which is no TOMLDecodeError
        raise ConfigurationError(f"{name}: holds a number of too many digits") from None
    return _configuration(table, path, lambda key: place_of(text, name, key))


def _configuration(table: dict[str, Any], path: Path, where: Where) -> Configuration:
    for key in table:
        if key not in _READERS:
            meant = nearest(key, _READERS)
            advice = f"; did you mean `{meant}`?" if meant else f"; known are {', '.join(_READERS)}"
            advice = "; codes stand below `[severity]`" if "/" in key else advice
            raise ConfigurationError(f"{where(key)}: unknown key `{key}`{advice}")
    read = {key: reader(table[key], key, where) for key, reader in _READERS.items() if key in table}
    default = Policy()
    return Configuration(
        Policy(
            strict=read.get("strict", default.strict),
            max_age_days=read.get("max_validation_age_days", default.max_age_days),
            overrides=read.get("severity", {}),
        ),
        read.get("datasets", ()),
        read.get("exclude", ()),
        path.parent,
        where("datasets"),
    )


def _flag(value: Any, key: str, where: Where) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f"{where(key)}: `{key}` must be true or false")
    return value


def _days(value: Any, key: str, where: Where) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigurationError(f"{where(key)}: `{key}` must be a whole number of days, 1 or more")
    return value


def _globs(value: Any, key: str, where: Where) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ConfigurationError(f"{where(key)}: `{key}` must be a list of patterns")
    for pattern in value:
        if fault := fault_of(pattern):
            raise ConfigurationError(f"{where(key)}: `{key}`: the pattern `{pattern}` {fault}")
    return tuple(value)


def _severity(value: Any, key: str, where: Where) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where(key)}: `{key}` must be a table of codes")
    for setting in value:
        if setting in _READERS:
            advice = "it belongs above the line `[severity]`"
            raise ConfigurationError(f"{where(setting)}: `{setting}` is no code; {advice}")
    from evalcontract.policy.severities import parse_severities  # rarely needed, both
    from evalcontract.workspace.known_codes import KnownCodes

    return parse_severities(value, where, KnownCodes())


_READERS: dict[str, Any] = {
    "strict": _flag,
    "max_validation_age_days": _days,
    "datasets": _globs,
    "exclude": _globs,
    "severity": _severity,
}
