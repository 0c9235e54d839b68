"""The check of `action.yml`: annotations, the summary of the job, reports and outputs.

It runs in a step of GitHub Actions, with the inputs as environment variables, and needs nothing but
the standard library: `evalcontract` is run as a command.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Mapping

_WRONG_USAGE = 2
_MODES = {"": (), "true": ("--strict",), "false": ("--soft",)}
_FAILS = {
    "error": (),
    "warning": ("--fail-on", "warning"),
    "note": ("--fail-on", "note"),
    "never": ("--exit-zero",),
}
# The runner acts on such marks wherever they are in a line.
_MARK = re.compile(r"##(?=\[|vso\[)", re.IGNORECASE)


def main(environment: Mapping[str, str]) -> int:
    """Run the check that the inputs describe; return its exit code."""
    folder = Path(mkdtemp(prefix="evalcontract-", dir=environment["RUNNER_TEMP"]))
    files = {"json": folder / "report.json", "markdown": folder / "summary.md"}
    sarif = environment["SARIF_FILE"]
    if sarif:
        files["sarif"] = Path.cwd() / sarif
    try:
        options = _options(environment)
    except ValueError as error:
        _annotate("error", str(error))
        return _WRONG_USAGE
    outputs = [f"--output={name}:{path}" for name, path in files.items()]
    command = ["check", "--output-format=github", *outputs, *options]
    done = subprocess.run(
        [sys.executable, "-I", "-m", "evalcontract", *command, "--", environment["CHECK_PATH"]],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.stderr.strip():
        is_failure = done.returncode >= _WRONG_USAGE
        _annotate("error" if is_failure else "notice", done.stderr.strip())
    is_checked = done.returncode < _WRONG_USAGE  # else, a file that is there is of an earlier run
    written = {name: path for name, path in files.items() if is_checked and path.is_file()}
    if "markdown" in written and environment["SUMMARY"] == "true":
        with open(environment["GITHUB_STEP_SUMMARY"], "ab") as summary:  # noqa: PTH123
            summary.write(written["markdown"].read_bytes() + b"\n")
    _put_outputs(environment["GITHUB_OUTPUT"], done.returncode, written)
    return done.returncode


def _options(environment: Mapping[str, str]) -> list[str]:
    """Return the options that the inputs mean.

    Raises:
        ValueError: an input has a value that it cannot have.

    """
    for name, values in (("STRICT", _MODES), ("FAIL_ON", _FAILS), ("SUMMARY", ("true", "false"))):
        if environment[name] not in values:
            allowed = ", ".join(f"`{value}`" for value in values if value)
            raise ValueError(f"`{name.lower().replace('_', '-')}` must be one of {allowed}")
    try:
        further = shlex.split(environment["ARGS"])
    except ValueError as error:
        raise ValueError(f"`args` cannot be read as in a shell: {error}") from None
    return [*_MODES[environment["STRICT"]], *_FAILS[environment["FAIL_ON"]], *further]


def _put_outputs(file: str, status: int, written: Mapping[str, Path]) -> None:
    """Add the outputs of the step to a file; a value with line breaks is only a value."""
    outputs: dict[str, object] = {"exit-code": status}
    if "json" in written:
        summary = json.loads(written["json"].read_bytes())["summary"]
        outputs |= {name: summary[name] for name in ("errors", "warnings", "notes")}
    outputs |= {f"{name}-file": written[name] for name in ("json", "sarif") if name in written}
    end = uuid4().hex
    with open(file, "a", encoding="utf-8") as stream:  # noqa: PTH123
        stream.writelines(f"{name}<<{end}\n{value}\n{end}\n" for name, value in outputs.items())


def _annotate(level: str, message: str) -> None:
    """Print a workflow command with a message."""
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.replace(sign, code)
    print(f"::{level} title=evalcontract::{_MARK.sub('# #', message)}", flush=True)


if __name__ == "__main__":
    sys.exit(main(os.environ))
