"""Writing: whole files or nothing, and changes to YAML that keep its comments."""

from __future__ import annotations

import io
import itertools
import os
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evalcontract.model.path import Path as ValuePath


def write_text(path: Path, text: str) -> str | None:
    """Write a text file in one step, its folder made if need be; nothing is ever half written.

    Returns what went wrong, None if nothing did.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = path.parent / name
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            temporary.chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink()
            raise
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def edit_yaml(text: str, changes: Iterable[tuple[ValuePath, Any]]) -> str:
    """Return a YAML text with values set at paths; comments, quotes and order are kept.

    The last step of a path may be a new key. Line ends stay what they are.

    Raises:
        LookupError: a path leads nowhere.

    """
    from ruamel.yaml import YAML  # slow to import, and only writing needs it

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 16
    yaml.indent(**_indentation(text))
    value = yaml.load(text)
    for path, new in changes:
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = new
    stream = io.StringIO()
    yaml.dump(value, stream)
    written = stream.getvalue()
    return written.replace("\n", "\r\n") if "\r\n" in text else written


def _indentation(text: str) -> dict[str, int]:
    """Return how the lists of a text stand: below their key, or two columns to the right."""
    lines = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    for key, item in itertools.pairwise(lines):
        if key.rstrip().endswith(":") and item.lstrip().startswith("- "):
            offset = len(item) - len(item.lstrip()) - (len(key) - len(key.lstrip(" -")))
            if offset > 0:
                return {"mapping": 2, "sequence": offset + 2, "offset": offset}
    return {"mapping": 2, "sequence": 2, "offset": 0}
