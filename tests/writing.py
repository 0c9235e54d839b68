"""Write the files of a test, of a workspace for example."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write(folder: Path, files: Mapping[str, object]) -> None:
    """Write files below a folder, by their names: a text as it is, and any other value as JSON."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8", newline="")


def write_dedented(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts below a folder, by their names, without their common indentation."""
    write(folder, {name: dedent(text).lstrip("\n") for name, text in files.items()})
