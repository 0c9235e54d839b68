"""The short way into a check: files and no options, for which click need not be imported.

It takes as long to import as a small file takes to check, and an editor or a hook checks a file
at every change.
"""

from __future__ import annotations

import os

from evalcontract.cli.failures import guarded

#: The commands that have a short way, and what they check.
KINDS = {
    "validate-dataset": "dataset",
    "validate-rubric": "rubric",
    "validate-judge": "judge",
}


def is_plain(name: str, arguments: list[str]) -> bool:
    """Whether a command has no arguments but files; on Windows click expands their patterns."""
    files = bool(arguments) and all(each[:1] not in ("", "-") for each in arguments)
    return name in KINDS and files and os.name != "nt"


def run_plainly(name: str, files: list[str]) -> int:
    """Run a command with files as click would; return its exit code."""
    return guarded(lambda: _validate(name, files))


def _validate(name: str, files: list[str]) -> int:
    from evalcontract.cli.outcome import Asked, validate_files
    from evalcontract.model.reference import Kind

    return validate_files(Kind(KINDS[name]), tuple(files), Asked())
