"""The addresses of documents in editors, and the paths of files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from evalcontract.model.startup import lazy_pattern

_DRIVE = lazy_pattern(r"/(?=[A-Za-z]:(?:/|$))")
_UNSAFE = lazy_pattern(r"[^\w.-]+", re.ASCII)
#: The extension of a document without a file, by the language that the editor takes it for.
_SUFFIXES = {"json": ".json", "jsonc": ".json", "jsonl": ".jsonl", "ndjson": ".jsonl"}
_MAX_NAME = 80


def path_of_uri(uri: str) -> Path | None:
    """Return the path of a `file:` address; None for others, and for those without a usable path.

    Percent-encoding, drive letters of Windows and the names of computers are understood.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:  # a malformed computer name
        return None
    if parts.scheme != "file":
        return None
    rest = uri.partition(":")[2]  # `#` and `?` that an editor did not encode are parts of the name
    name = rest[2 + len(parts.netloc) :] if rest.startswith("//") else rest
    path = os.fsdecode(unquote_to_bytes(name))
    if "\0" in path or not path:
        return None
    if parts.netloc not in ("", "localhost"):
        return Path(f"//{parts.netloc}{path}") if os.name == "nt" else None
    if os.name == "nt":
        path = _DRIVE.sub("", path, count=1)
    return Path(os.path.abspath(path))  # noqa: PTH100 - links are not followed


def uri_of_path(path: Path) -> str:
    """Return the address of a file."""
    return Path(os.path.abspath(path)).as_uri()  # noqa: PTH100 - links are not followed


def unsaved_name(uri: str, language: str) -> str:
    """Return a name for a document that has no file, such as `untitled:Untitled-1`.

    Only letters, digits, dots, dashes and underscores of ASCII are kept of the address.
    """
    stem = _UNSAFE.sub("_", os.fsdecode(unquote_to_bytes(uri.partition(":")[2])))
    stem = stem.strip("._")[-_MAX_NAME:] or "untitled"
    known = Path(stem).suffix.lower() in {".yaml", ".yml", ".json", ".jsonl", ".ndjson"}
    return stem if known else f"{stem}{_SUFFIXES.get(language, '.yaml')}"
