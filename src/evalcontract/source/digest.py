"""The digest of a file that is too large to be read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def sha256_of(path: Path) -> str | None:
    """Return the SHA-256 digest of a regular file, in hexadecimal; None if it cannot be read."""
    from hashlib import file_digest  # slow to import

    try:
        if not path.is_file():  # a pipe would wait, or be empty when it is read again
            return None
        with path.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
