"""Open a file that the user names for writing, and say what is wrong if that fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from evalcontract.model.errors import UsageError
from evalcontract.workspace import display_name, write_bound
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.pyproject import PYPROJECT

if TYPE_CHECKING:
    from evalcontract.source.writing import Staged


def open_staged(
    staged: Staged, path: Path, bound: Path | None = None, *, replace: bool
) -> BinaryIO:
    """Open a file that is put in its place with all others, below `bound` or in its workspace.

    Raises:
        UsageError: it exists and `replace` is false, it has settings, or it cannot be written.

    """
    refuse_settings(path)
    try:
        return staged.open(path, bound=bound or write_bound(path), replace=replace)
    except (OSError, RuntimeError, ValueError) as error:
        raise write_error(path, error) from None


def write_staged(
    staged: Staged, path: Path, data: bytes, bound: Path | None = None, *, replace: bool
) -> None:
    """Write a whole file that is put in its place with all others; see `open_staged`.

    Raises:
        UsageError: it exists and `replace` is false, it has settings, or it cannot be opened.
        OSError: it cannot be written.

    """
    with open_staged(staged, path, bound, replace=replace) as stream:
        stream.write(data)


def refuse_settings(path: Path) -> None:
    """Refuse to replace a file with settings, even if that is asked for.

    Raises:
        UsageError: it is one.

    """
    if path.name.casefold() in (FILE_NAME, PYPROJECT) and path.exists():
        raise UsageError(f"{display_name(path)} has settings: choose another name")


def write_error(path: Path, error: Exception) -> UsageError:
    """Return the error for a file that exists already, or cannot be written.

    It is `path`, unless the error names another.
    """
    named = getattr(error, "filename", None)
    name = display_name(Path(named) if named else path)
    if isinstance(error, FileExistsError):
        return UsageError(f"{name} already exists; pass --force to replace it")
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(f"{name} cannot be written: {reason.lower()}")
