"""Writing files: the whole text or nothing."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Short, whatever the file's own name is: that one may be as long as the file system allows.
_TEMPORARY = ".evalcontract."


def write_text(path: Path, text: str) -> str | None:
    """Write a text file in one step, its folder made if need be; nothing is ever half written.

    A link is written through: it stays a link, and the file that it leads to is replaced.
    Returns what went wrong, None if nothing did.
    """
    try:
        _replace(path.resolve(), text.encode("utf-8"))
    except UnicodeEncodeError as error:
        return f"character {error.start} of the text is half of a pair, and has no UTF-8"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except (RuntimeError, ValueError) as error:  # links in a circle; a name that cannot be
        return str(error).lower()
    return None


def _replace(path: Path, data: bytes) -> None:
    """Put bytes in the place of a file that may not be there yet; its mode stays."""
    if path.is_symlink():
        raise OSError("the link leads back to itself")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_TEMPORARY)
    temporary = path.parent / name
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        temporary.chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
