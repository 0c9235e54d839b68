"""The mutants that no test can tell from the original, each with the reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "equivalent.toml"


class Known(NamedTuple):
    """The lines that a mutant replaces, those that it puts there, and why nothing changes."""

    module: str
    was: str
    becomes: str
    reason: str


def read_known(source: Path, file: Path = FILE) -> dict[tuple[str, str, str], str]:
    """Return the reasons by mutant; a mutant of lines that `source` no longer has is an error."""
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]
    known = [Known(**{key: value.strip() for key, value in entry.items()}) for entry in entries]
    for mutant in known:
        text = (source / mutant.module).read_text(encoding="utf-8")
        if mutant.was not in "\n".join(line.strip() for line in text.splitlines()):
            raise SystemExit(f"{file.name}: {mutant.module} has no lines {mutant.was!r}")
    return {(mutant.module, mutant.was, mutant.becomes): mutant.reason for mutant in known}
