"""`evalcontract.toml`: the settings of a workspace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.diagnostic import SeveritySource
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import IDENTIFIER
from evalcontract.policy import Policy
from evalcontract.source import DISK, UnreadableFile, read_text
from evalcontract.workspace.graded_keys import GRADED, meant_row_key
from evalcontract.workspace.patterns import pattern_error

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcontract.source import Files

    #: Returns the place of a key in the file, as `name:line`.
    Locate = Callable[[str], str]

FILE_NAME = "evalcontract.toml"
# A thousand times the usual size; `tomllib` is slow on larger files.
_MAX_CHARACTERS = 1 << 18
# Parts of a dotted key; `tomllib` needs memory for the square of their number.
_MAX_KEY_PARTS = 50
_STRINGS = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
_KEY_ENDS = re.compile(r"[][{}=,#\n]")


class Configuration(NamedTuple):
    """The settings of a workspace.

    `datasets` are globs relative to `folder`; if empty, datasets are detected by their content.
    `exclude` are globs of files to ignore. `folder` is the folder of the configuration file, or
    None without one. `datasets_at` and `exclude_at` are the places of these keys in that file.
    `row_keys_graded` are the keys of rows that the graders of the runner read. `declared_kinds` are
    kinds of checks that nothing here runs.
    """

    policy: Policy = Policy()
    datasets: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    folder: Path | None = None
    datasets_at: str = FILE_NAME
    row_keys_graded: frozenset[str] = frozenset()
    exclude_at: str = FILE_NAME
    declared_kinds: frozenset[str] = frozenset()


def read_configuration(path: Path, name: str, files: Files = DISK) -> Configuration:
    """Read a configuration file.

    Raises:
        ConfigurationError: the file cannot be read, or a setting is invalid.

    """
    text = read_text(path, name, files)
    if isinstance(text, UnreadableFile):
        raise ConfigurationError(f"{name}: {text.faults[0].message}")
    if len(text) > _MAX_CHARACTERS:
        raise ConfigurationError(f"{name}: has more than {_MAX_CHARACTERS:,} characters")
    if any(part.count(".") >= _MAX_KEY_PARTS for part in _KEY_ENDS.split(_STRINGS.sub("", text))):
        raise ConfigurationError(f"{name}: a key has more than {_MAX_KEY_PARTS} parts")
    import tomllib  # both are slow to import

    from evalcontract.workspace.toml_text import explain_error, place_of_key

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(explain_error(text, name, str(error))) from None
    except RecursionError:
        raise ConfigurationError(f"{name}: is nested too deeply") from None
    except ValueError:  # Python limits the digits of an integer, and raises no TOMLDecodeError
        raise ConfigurationError(f"{name}: contains a number with too many digits") from None
    return _configuration(table, path, name, lambda key: place_of_key(text, name, key))


def _configuration(table: dict[str, Any], path: Path, name: str, locate: Locate) -> Configuration:
    for key in table:
        if key not in _READERS:
            meant = nearest(key, _READERS)
            advice = (
                f"; did you mean `{meant}`?" if meant else f"; known keys: {', '.join(_READERS)}"
            )
            advice = "; codes belong under `[severity]`" if "/" in key else advice
            raise ConfigurationError(f"{locate(key)}: unknown key `{key}`{advice}")
    read = {
        key: reader(table[key], key, locate) for key, reader in _READERS.items() if key in table
    }
    default = Policy()
    strict = read.get("strict", default.strict)
    return Configuration(
        Policy(
            strict=strict,
            max_age_days=read.get("max_validation_age_days", default.max_age_days),
            overrides=read.get("severity", {}),
            age_from=name if "max_validation_age_days" in read else None,
            strict_from=SeveritySource("strict", name) if strict else None,
            overrides_from=name,
        ),
        read.get("datasets", ()),
        read.get("exclude", ()),
        path.parent,
        locate("datasets"),
        read.get(GRADED, frozenset()),
        locate("exclude"),
        read.get("declared_kinds", frozenset()),
    )


def _flag(value: Any, key: str, locate: Locate) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be true or false")
    return value


def _days(value: Any, key: str, locate: Locate) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigurationError(
            f"{locate(key)}: `{key}` must be a whole number of days, 1 or more"
        )
    return value


def _globs(value: Any, key: str, locate: Locate) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a list of patterns")
    for pattern in value:
        if error := pattern_error(pattern):
            raise ConfigurationError(f"{locate(key)}: `{key}`: the pattern `{pattern}` {error}")
    return tuple(value)


def _row_keys(value: Any, key: str, locate: Locate) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a list of keys of rows")
    for name in value:
        near = meant_row_key(name)
        if near:
            advice = f"rows have no key `{name}`; did you mean `{near}`?"
            raise ConfigurationError(f"{locate(key)}: `{key}`: {advice}")
    return frozenset(value)


def _kinds(value: Any, key: str, locate: Locate) -> frozenset[str]:
    if not isinstance(value, list) or not all(
        isinstance(name, str) and IDENTIFIER.fullmatch(name) for name in value
    ):
        message = "must be a list of kinds of checks, each a name in snake_case"
        raise ConfigurationError(f"{locate(key)}: `{key}` {message}")
    return frozenset(value)


def _severity(value: Any, key: str, locate: Locate) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a table of codes")
    for setting in value:
        if setting in _READERS:
            advice = "move it above the line `[severity]`"
            raise ConfigurationError(f"{locate(setting)}: `{setting}` is not a code; {advice}")
    from evalcontract.policy.severities import parse_severities  # both are rarely needed
    from evalcontract.workspace.known_codes import KnownCodes

    return parse_severities(value, locate, KnownCodes())


_READERS: dict[str, Any] = {
    "strict": _flag,
    "max_validation_age_days": _days,
    "datasets": _globs,
    "exclude": _globs,
    GRADED: _row_keys,
    "declared_kinds": _kinds,
    "severity": _severity,
}
#: The names of all settings.
SETTINGS = frozenset(_READERS)
