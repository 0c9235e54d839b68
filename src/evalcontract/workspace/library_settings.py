"""The libraries that settings name: nothing of them is used that has not passed its grammar."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import IDENTIFIER
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, listed

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
PART = lazy_pattern(r"(?!\.)[^\\/:*?\"<>|\x00-\x1f\x7f]{1,200}(?<![. ])")
_LONGEST = 1000
#: The keys of a library in the settings.
KEYS = ("git", "tag", "rev", "path")


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
        pairs = zip(KEYS, self[1:5], strict=True)
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


def read_source(name: str, value: Any, at: str) -> LibrarySource:
    """Return what the settings say of a library.

    Raises:
        ConfigurationError: it has a fault.

    """
    fault = fault_of(name, value)
    if fault:
        raise ConfigurationError(f"{at}: `libraries`: {fault}")
    git, tag, rev, path = (value.get(key) for key in KEYS)
    return LibrarySource(name, git, tag, rev, path, at)


def fault_of(name: str, value: Any) -> str | None:
    """Return what is wrong with a library in the settings, or None."""
    if not IDENTIFIER.fullmatch(name):
        return f"`{clipped(name)}` is not a name: use lower-case letters, digits and underscores"
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        return f'`{name}` must be a table of texts, such as {{git = "…", tag = "v1.0.0"}}'
    faults = (_fault_of_key(name, key, value) for key in value)
    return next(filter(None, faults), None) or _fault_of_keys(name, value)


def _fault_of_key(name: str, key: str, value: Mapping[str, str]) -> str | None:
    if key not in KEYS:
        near = nearest(key, KEYS)
        advice = f"did you mean `{near}`?" if near else f"its keys are {listed(KEYS)}"
        return f"`{name}` has an unknown key `{clipped(key)}`; {advice}"
    check = _FAULTS["folder" if key == "path" and "git" not in value else key]
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
    if len(text) > _LONGEST or not _ADDRESS.fullmatch(text) or not text.isprintable():
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
    if all(map(PART.fullmatch, text.split("/"))) and len(text) <= _LONGEST:
        return None
    return "must be a folder inside of the repository, relative to its root"


def _fault_of_folder(text: str) -> str | None:
    parts = text.split("/")
    is_relative = not (PurePosixPath(text).is_absolute() or PureWindowsPath(text).drive)
    named = [part for part in parts if part not in ("..", ".")]
    if is_relative and all(map(PART.fullmatch, named)) and len(text) <= _LONGEST:
        return None
    return "must be a folder, relative to that of the configuration"


_FAULTS = {
    "git": _fault_of_git,
    "tag": _fault_of_tag,
    "rev": _fault_of_rev,
    "path": _fault_of_path,
    "folder": _fault_of_folder,
}
