"""The settings of a workspace: read from `evalcontract.toml` or `pyproject.toml`, and matched."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatch
from functools import lru_cache
from itertools import chain
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from evalcontract.model.diagnostic import SeveritySource
from evalcontract.model.errors import ConfigurationError, UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import IDENTIFIER
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, listed
from evalcontract.policy import Policy
from evalcontract.source import DISK, Files, UnreadableFile, read_text

#: The key of a target and of the configuration.
GRADED = "row_keys_graded"
#: What a null in a column of a table means: that the row lacks the key, or the value null.
ABSENT, KEPT = "absent", "kept"


def graded_keys(value: Any) -> frozenset[str]:
    """Return the keys that a list names; none if it is malformed."""
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        return frozenset()
    return frozenset(value)


def meant_row_key(key: str) -> str | None:
    """Return the known key of rows that a key misspells, or None: it may be one of a bundle."""
    from evalcontract.structure.keys.names import EVERYDAY_WORDS  # rarely needed, both
    from evalcontract.structure.schemas import definition, properties

    known = properties(definition("row", of="dataset"))
    if key in known or key in EVERYDAY_WORDS or key.startswith("x_"):
        return None
    return nearest(key, known)


def pattern_error(pattern: str) -> str | None:
    """Return why a pattern can match no file of a workspace, or None if it can."""
    parts = pattern.replace("\\", "/").split("/")
    if not pattern.strip():
        return "is empty"
    if PurePosixPath(pattern).is_absolute() or PureWindowsPath(pattern).drive:
        return "is absolute; patterns are relative to the folder of the configuration"
    if ".." in parts:
        return "contains `..`; patterns are relative to the folder of the configuration"
    return None


def excludes(patterns: tuple[str, ...], relative: str) -> bool:
    """Whether one of `patterns` matches a file or a folder above it; `*` also matches `/`."""
    names, end = [relative], len(relative)
    while (end := relative.rfind("/", 0, end)) > 0:
        names.append(relative[:end])
    for pattern in patterns:
        normalized = _normalized(pattern)
        for name in names:
            if fnmatch(name, normalized):
                return True
    return False


def selects(pattern: str, relative: str) -> bool:
    """Whether a pattern matches a file, starting at any folder of its path.

    `*` matches within one folder, `**` any number of folders.
    """
    names = relative.split("/")
    positions = set(range(len(names)))  # the parts of the path that the next part may match
    for part in _normalized(pattern).split("/"):
        if part == "**":
            positions = set(range(min(positions), len(names) + 1))
        else:
            positions = {at + 1 for at in positions if at < len(names) and fnmatch(names[at], part)}
        if not positions:
            return False
    return len(names) in positions


def _normalized(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")


PYPROJECT = "pyproject.toml"
_NAME = "evalcontract"
_PART = r"""(?:tool|"tool"|'tool')[ \t]*\.[ \t]*["']?evalcontract["']?[ \t]*"""
#: A line that begins the table, one of its tables, or a setting of it.
_TABLE = lazy_pattern(rf"^[ \t]*(?:\[[ \t]*{_PART}[].]|{_PART}[.=])", re.MULTILINE)
_HEADER = lazy_pattern(r"^[ \t]*\[")
#: All that can begin the table: its two keys side by side, or `tool` alone, or an escape in a key.
_MAY_BE_TABLE = lazy_pattern(
    r"""tool["']?[ \t]*\.[ \t]*["']?evalcontract|^[ \t]*\[?[ \t]*["']?tool["']?[ \t]*[]=]"""
    r"""|"[^"\n]*\\[uUx][^"\n]*"[ \t]*[].=]""",
    re.MULTILINE,
)


def has_settings(path: Path, name: str, files: Files) -> bool:
    """Whether a `pyproject.toml` has a table for us.

    One that is not TOML has one if a line of it looks like its beginning, so that reading it
    explains the error; otherwise this is no concern of ours.
    """
    text = read_text(path, name, files)
    return isinstance(text, str) and _has_settings(text, name)


@lru_cache(maxsize=8)  # one above several workspaces is asked for each
def _has_settings(text: str, name: str) -> bool:
    if not (_NAME in text or "\\" in text) or not _MAY_BE_TABLE.search(text):
        return False  # parsing takes longer than checking a small file
    from evalcontract.source.toml import parse_toml  # slow to import

    try:
        return settings_in(parse_toml(text, name)) is not None
    except ConfigurationError:
        return _TABLE.search(text) is not None


def settings_in(table: dict[str, Any]) -> Any:
    """Return the value of `tool.evalcontract`; None if there is none."""
    tool = table.get("tool")
    return tool.get(_NAME) if isinstance(tool, dict) else None


def only_settings(text: str) -> str:
    """Return a text with blank lines for all that is certainly in tables of other tools."""
    lines: list[str] = []
    is_ours = True
    for line in text.splitlines():
        if _HEADER.match(line):
            is_ours = _TABLE.match(line) is not None or line.split("#")[0].strip() == "[tool]"
        lines.append(line if is_ours else "")
    return "\n".join(lines)


def line_of_table(text: str) -> int:
    """Return the line where the table begins, from 1."""
    table = _TABLE.search(text)
    return text.count("\n", 0, table.start()) + 1 if table else 1


_HOST, _PORT = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?", r"(?::[0-9]{1,5})?"
_USER, _REST = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", r"[A-Za-z0-9._~%+@/-]+"
#: What git is given as the address of a repository: nothing of it is an option or a command.
_ADDRESS = lazy_pattern(
    rf"https://{_HOST}{_PORT}/{_REST}"
    rf"|ssh://(?:{_USER}@)?{_HOST}{_PORT}/{_REST}"
    rf"|{_USER}@{_HOST}:(?![-/]*-){_REST}"
    rf"|file:///{_REST}"
    r"|(?:\.{1,2}/|/|[A-Za-z]:[/\\])[^\s:*?\"<>|\x00-\x1f\x7f]+"
)
_CREDENTIALS = lazy_pattern(r"https?://[^/]*@.*")
_TAG = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._/+@-]*[A-Za-z0-9_+-])?")
_NO_TAG = lazy_pattern(r"\.\.|//|/\.|\./|@\{|/-|\.lock(?:/|$)")
_REV = lazy_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: A part of a name that means the same on every platform.
PORTABLE_PART = lazy_pattern(r"(?!\.)[^\\/:*?\"<>|\x00-\x1f\x7f]{1,200}(?<![. ])")
_LONGEST_ADDRESS = 1000
#: The keys of a library in the settings.
LIBRARY_KEYS = ("git", "tag", "rev", "path")


class LibrarySource(NamedTuple):
    """Where a library is: a git repository at a `tag` or at a commit, `rev`; or a folder, `path`.

    Of a repository, `path` is the folder to use. `at` is the place of the setting.
    """

    name: str
    git: str | None
    tag: str | None
    rev: str | None
    path: str | None
    at: str

    @property
    def settings(self) -> dict[str, str]:
        """What the settings say of it, as the lock repeats it."""
        pairs = zip(LIBRARY_KEYS, self[1:5], strict=True)
        return {key: value for key, value in pairs if value is not None}

    @property
    def place(self) -> tuple[str, int | None]:
        """The file of the setting, and the line if it is known."""
        file, _, line = self.at.rpartition(":")
        return (file, int(line)) if file and line.isdigit() else (self.at, None)

    @property
    def version(self) -> str:
        """What of it is used, for people."""
        return self.tag or (self.rev or "")[:12] or str(self.path)


def read_library(name: str, value: Any, at: str) -> LibrarySource:
    """Return what the settings say of a library.

    Raises:
        ConfigurationError: it has a fault.

    """
    fault = library_fault(name, value)
    if fault:
        raise ConfigurationError(f"{at}: `libraries`: {fault}")
    git, tag, rev, path = (value.get(key) for key in LIBRARY_KEYS)
    return LibrarySource(name, git, tag, rev, path, at)


def library_fault(name: str, value: Any) -> str | None:
    """Return what is wrong with a library in the settings, or None."""
    if not IDENTIFIER.fullmatch(name):
        return f"`{clipped(name)}` is not a name: use lower-case letters, digits and underscores"
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        return f'`{name}` must be a table of texts, such as {{git = "…", tag = "v1.0.0"}}'
    faults = (_fault_of_key(name, key, value) for key in value)
    return next(filter(None, faults), None) or _fault_of_keys(name, value)


def _fault_of_key(name: str, key: str, value: Mapping[str, str]) -> str | None:
    if key not in LIBRARY_KEYS:
        near = nearest(key, LIBRARY_KEYS)
        advice = f"did you mean `{near}`?" if near else f"its keys are {listed(LIBRARY_KEYS)}"
        return f"`{name}` has an unknown key `{clipped(key)}`; {advice}"
    check = _LIBRARY_FAULTS["folder" if key == "path" and "git" not in value else key]
    fault = check(value[key])
    return fault and f"`{name}`: `{key}` {fault}"


def _fault_of_keys(name: str, value: Mapping[str, str]) -> str | None:
    if "git" not in value:
        return None if [*value] == ["path"] else f"`{name}` needs `git`, or `path` alone"
    if ("tag" in value) == ("rev" in value):
        return f"`{name}` needs either `tag` or `rev` beside `git`"
    return None


def _fault_of_git(text: str) -> str | None:
    if _CREDENTIALS.fullmatch(text):
        return "must not have a user or a password: git asks its credential helper for them"
    if len(text) > _LONGEST_ADDRESS or not _ADDRESS.fullmatch(text) or not text.isprintable():
        return "must be an https or ssh address, `git@host:path`, `file:///…` or a path"
    return None


def _fault_of_tag(text: str) -> str | None:
    is_tag = len(text) <= 200 and _TAG.fullmatch(text) and not _NO_TAG.search(text)  # noqa: PLR2004
    return None if is_tag else "is not the name of a tag"


def _fault_of_rev(text: str) -> str | None:
    if _REV.fullmatch(text):
        return None
    return "must be a commit with all of its 40 or 64 digits in lower case; a tag is `tag`"


def _fault_of_path(text: str) -> str | None:
    if all(map(PORTABLE_PART.fullmatch, text.split("/"))) and len(text) <= _LONGEST_ADDRESS:
        return None
    return "must be a folder inside of the repository, relative to its root"


def _fault_of_folder(text: str) -> str | None:
    parts = text.split("/")
    is_relative = not (PurePosixPath(text).is_absolute() or PureWindowsPath(text).drive)
    named = [part for part in parts if part not in ("..", ".")]
    if is_relative and all(map(PORTABLE_PART.fullmatch, named)) and len(text) <= _LONGEST_ADDRESS:
        return None
    return "must be a folder, relative to that of the configuration"


_LIBRARY_FAULTS = {
    "git": _fault_of_git,
    "tag": _fault_of_tag,
    "rev": _fault_of_rev,
    "path": _fault_of_path,
    "folder": _fault_of_folder,
}


#: Returns the place of a key in the file, as `name:line`.
Locate = Callable[[str], str]

FILE_NAME = "evalcontract.toml"
_PREFIX = "tool.evalcontract."
#: The patterns of one setting.
MAX_PATTERNS = 500
MAX_LIBRARIES = 50
_PER_FILE, _PER_FILE_TOO = "per_file_ignores", "per-file-ignores"


class Configuration(NamedTuple):
    """The settings of a workspace.

    `datasets` are globs relative to `folder`; if empty, datasets are detected by their content.
    `exclude` are globs of files to ignore. `folder` is the folder of the configuration file, or
    None without one. `datasets_at` and `exclude_at` are the places of these keys in that file.
    `row_keys_graded` are the keys of rows that the graders of the runner read. `declared_kinds` are
    kinds of checks that nothing here runs.

    `per_file_ignores` are globs with the codes, or kinds of codes, to ignore in the files that they
    match. With `require_ignore_reason`, ignores in files need a reason. `shadowed` is a file with
    settings that are not read because of this one, or None. `libraries` are other workspaces, whose
    rubrics, judges and bundles this one uses. With `keeps_nulls`, a null in a column of a table is
    a value, and not an absent key.
    """

    policy: Policy = Policy()
    datasets: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    folder: Path | None = None
    datasets_at: str = FILE_NAME
    row_keys_graded: frozenset[str] = frozenset()
    exclude_at: str = FILE_NAME
    declared_kinds: frozenset[str] = frozenset()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    per_file_ignores_at: str = FILE_NAME
    require_ignore_reason: bool = False
    shadowed: UnreadableFile | None = None
    libraries: tuple[LibrarySource, ...] = ()
    keeps_nulls: bool = False

    def codes_ignored_in(self, file: Path) -> frozenset[str]:
        """Return the codes and kinds to ignore in a file with an absolute path."""
        folder = self.folder
        if folder is None or folder not in file.parents:
            return frozenset()
        relative = file.relative_to(folder).as_posix()
        matching = (codes for glob, codes in self.per_file_ignores if excludes((glob,), relative))
        return frozenset(chain(*matching))


def read_configuration(path: Path, name: str, files: Files = DISK) -> Configuration:
    """Read a configuration file.

    Raises:
        ConfigurationError: the file cannot be read, or a setting is invalid.

    """
    text = read_text(path, name, files)
    if isinstance(text, UnreadableFile):
        raise ConfigurationError(f"{name}: {text.faults[0].message}")
    from evalcontract.source.toml import parse_toml, place_of_key  # slow to import

    table, lines = parse_toml(text, name), text
    if path.name == PYPROJECT:
        table, lines = settings_in(table), only_settings(text)
        if table is None:
            raise ConfigurationError(f"{name}: has no table `[tool.evalcontract]`")
        if not isinstance(table, dict):
            at = f"{name}:{line_of_table(text)}"
            raise ConfigurationError(f"{at}: `tool.evalcontract` must be a table")
    return _configuration(table, path, name, locate=lambda key: place_of_key(lines, name, key))


def _configuration(table: dict[str, Any], path: Path, name: str, locate: Locate) -> Configuration:
    table = _renamed(table, locate)
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
            overrides_table=f"[{_PREFIX if path.name == PYPROJECT else ''}severity]",
        ),
        read.get("datasets", ()),
        read.get("exclude", ()),
        path.parent,
        locate("datasets"),
        read.get(GRADED, frozenset()),
        locate("exclude"),
        read.get("declared_kinds", frozenset()),
        read.get(_PER_FILE, ()),
        locate(_PER_FILE),
        read.get("require_ignore_reason", False),
        libraries=read.get("libraries", ()),
        keeps_nulls=read.get("nulls") == KEPT,
    )


def _renamed(table: dict[str, Any], locate: Locate) -> dict[str, Any]:
    """Return the settings with the key that may be spelled as other linters do."""
    if _PER_FILE_TOO not in table:
        return table
    if _PER_FILE in table:
        message = f"`{_PER_FILE_TOO}` and `{_PER_FILE}` are the same setting: use one of them"
        raise ConfigurationError(f"{locate(_PER_FILE_TOO)}: {message}")
    return {_PER_FILE if key == _PER_FILE_TOO else key: value for key, value in table.items()}


def _flag(value: Any, key: str, locate: Locate) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be true or false")
    return value


def _nulls(value: Any, key: str, locate: Locate) -> str:
    if value not in (ABSENT, KEPT):
        raise ConfigurationError(f'{locate(key)}: `{key}` must be "{ABSENT}" or "{KEPT}"')
    return str(value)


def _days(value: Any, key: str, locate: Locate) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigurationError(
            f"{locate(key)}: `{key}` must be a whole number of days, 1 or more"
        )
    return value


def _globs(value: Any, key: str, locate: Locate) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a list of patterns")
    _require_few(value, key, locate)
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


def _per_file_ignores(
    value: Any, key: str, locate: Locate
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a table of patterns")
    from evalcontract.policy import parse_codes  # both are rarely needed
    from evalcontract.workspace.catalogue import KnownCodes

    known = KnownCodes()
    ignores = []
    _require_few(value, key, locate)
    for glob, names in value.items():
        if error := pattern_error(glob):
            raise ConfigurationError(f"{locate(glob)}: `{key}`: the pattern `{glob}` {error}")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ConfigurationError(f"{locate(glob)}: `{key}`: `{glob}` must have a list of codes")
        try:
            codes = (code for name in names for code in parse_codes(name, known, to_ignore=True))
            ignores.append((glob, tuple(codes)))
        except UsageError as unknown:
            raise ConfigurationError(f"{locate(glob)}: `{key}`: {unknown}") from None
    return tuple(ignores)


def _libraries(value: Any, key: str, locate: Locate) -> tuple[LibrarySource, ...]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a table of libraries")
    if len(value) > MAX_LIBRARIES:
        raise ConfigurationError(
            f"{locate(key)}: `{key}` names more than {MAX_LIBRARIES} libraries"
        )
    return tuple(
        read_library(name, each, _place_in_table(name, key, locate)) for name, each in value.items()
    )


def _place_in_table(name: str, table: str, locate: Locate) -> str:
    """Return the place of a key of a table, which may be a table itself; else that of the table."""
    keys = (f"{table}.{name}", f"{_PREFIX}{table}.{name}", name, table, f"{_PREFIX}{table}")
    places = [locate(each) for each in keys]
    file = min(places, key=len)
    return next((place for place in places if place != file), file)


def _require_few(patterns: Collection[str], key: str, locate: Locate) -> None:
    """Bound the work, since every file of a workspace is compared with every pattern."""
    if len(patterns) > MAX_PATTERNS:
        message = f"has more than {MAX_PATTERNS:,} patterns; `*` and `**` match many files"
        raise ConfigurationError(f"{locate(key)}: `{key}` {message}")


def _severity(value: Any, key: str, locate: Locate) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{locate(key)}: `{key}` must be a table of codes")
    for setting in value:
        if setting in _READERS:
            advice = "move it above the line `[severity]`"
            raise ConfigurationError(f"{locate(setting)}: `{setting}` is not a code; {advice}")
    from evalcontract.policy import parse_severities  # both are rarely needed
    from evalcontract.workspace.catalogue import KnownCodes

    return parse_severities(value, locate, KnownCodes())


_READERS: dict[str, Any] = {
    "strict": _flag,
    "max_validation_age_days": _days,
    "datasets": _globs,
    "exclude": _globs,
    GRADED: _row_keys,
    "declared_kinds": _kinds,
    _PER_FILE: _per_file_ignores,
    "require_ignore_reason": _flag,
    "nulls": _nulls,
    "libraries": _libraries,
    "severity": _severity,
}
#: The names of all settings.
SETTINGS = frozenset(_READERS)
