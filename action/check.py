"""The check of `action.yml`: annotations, the summary of the job, a comment, reports and outputs.

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
from hashlib import sha256
from http.client import HTTPException
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Mapping

_WRONG_USAGE = 2
#: The files whose paths are outputs.
_FILES = ("json", "sarif", "diff")
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
    done = _run(command, environment["CHECK_PATH"])
    is_checked = done.returncode < _WRONG_USAGE  # else, a file that is there is of an earlier run
    written = {name: path for name, path in files.items() if is_checked and path.is_file()}
    status = done.returncode
    if environment["AGAINST"] and is_checked:
        files["diff"] = folder / "diff.md"
        status = max(status, _diff(environment, files["diff"]))
        written |= {"diff": files["diff"]} if files["diff"].is_file() else {}
    parts = [written[name].read_bytes() + b"\n" for name in ("markdown", "diff") if name in written]
    if environment["SUMMARY"] == "true":
        with open(environment["GITHUB_STEP_SUMMARY"], "ab") as summary:  # noqa: PTH123
            summary.writelines(parts)
    if environment["COMMENT"] == "true":
        comment(environment, b"".join(parts).decode() or _UNCHECKED)
    _put_outputs(environment["GITHUB_OUTPUT"], status, written)
    return status


def _run(
    command: list[str], path: str, output: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run evalcontract on a path, and annotate what it says on standard error."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "evalcontract", *command, "--", path],
        stdout=output,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={name: value for name, value in os.environ.items() if name != "TOKEN"},
        check=False,
    )
    if done.stderr.strip():
        is_failure = done.returncode >= _WRONG_USAGE
        _annotate("error" if is_failure else "notice", done.stderr.strip())
    return done


def _diff(environment: Mapping[str, str], file: Path) -> int:
    """Write what changed since a revision as Markdown to a file; return the exit code for it."""
    command = ["diff", f"--against={environment['AGAINST']}", "--output-format=markdown"]
    done = _run(command, environment["CHECK_PATH"], subprocess.PIPE)
    if done.returncode >= _WRONG_USAGE:
        return done.returncode
    file.write_text(done.stdout, encoding="utf-8")
    title = done.stdout.partition("\n")[0].removeprefix("### ")
    if not done.returncode:
        return 0
    is_failure = environment["FAIL_ON"] != "never"
    _annotate("error" if is_failure else "warning", f"{title}: the summary of the job has all")
    return done.returncode if is_failure else 0


def _options(environment: Mapping[str, str]) -> list[str]:
    """Return the options that the inputs mean.

    Raises:
        ValueError: an input has a value that it cannot have.

    """
    flags = ("true", "false")
    allowed_of = {"STRICT": _MODES, "FAIL_ON": _FAILS, "SUMMARY": flags, "COMMENT": flags}
    for name, values in allowed_of.items():
        if environment[name] not in values:
            allowed = ", ".join(f"`{value}`" for value in values if value)
            raise ValueError(f"`{name.lower().replace('_', '-')}` must be one of {allowed}")
    try:
        further = shlex.split(environment["ARGS"])
    except ValueError as error:
        raise ValueError(f"`args` cannot be read as in a shell: {error}") from None
    return [*_MODES[environment["STRICT"]], *_FAILS[environment["FAIL_ON"]], *further]


_UNCHECKED = "evalcontract could not check this: the log of the step says why.\n"
#: The characters that GitHub takes in a comment, but for those that are added.
_MOST = 65_000
_PAGE = 100


def comment(environment: Mapping[str, str], text: str) -> None:
    """Write a report as a comment of the pull request: once, and then anew in the same one."""
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())
    number = event.get("pull_request", {}).get("number")
    if not isinstance(number, int):
        return  # of a push
    where = f"{environment['WORKING_DIRECTORY']}\n{environment['CHECK_PATH']}"
    mark = f"<!-- evalcontract {sha256(where.encode()).hexdigest()[:16]} -->"
    if len(text) > _MOST:
        text = text[:_MOST].rpartition("\n")[0] + "\n\n… the summary of the job has all\n"
    issues = f"repos/{environment['GITHUB_REPOSITORY']}/issues"
    body = {"body": f"{mark}\n{text}"}
    try:
        own = _own_comment(environment, f"{issues}/{number}/comments", mark)
        if own is None:
            _ask(environment, f"{issues}/{number}/comments", body)
        else:
            _ask(environment, f"{issues}/comments/{own}", body, "PATCH")
    except (OSError, HTTPException, ValueError) as error:
        advice = "the job needs `pull-requests: write`, and a fork has no such token"
        _annotate("notice", f"no comment could be written: {error}; {advice}")


def _own_comment(environment: Mapping[str, str], path: str, mark: str) -> int | None:
    """Return the number of the comment of an earlier run, which only its own author can write."""
    try:
        login = _ask(environment, "user")["login"]
    except HTTPError:  # the token is that of an app, as `github.token` is
        login = None
    for page in count(1):
        comments = _ask(environment, f"{path}?per_page={_PAGE}&page={page}")
        for each in comments:
            user = each["user"] or {}
            is_own = user.get("login") == login if login else user.get("type") == "Bot"
            if is_own and (each["body"] or "").startswith(mark):
                number: int = each["id"]
                return number
        if len(comments) < _PAGE:
            break
    return None


def _ask(
    environment: Mapping[str, str], path: str, body: object = None, method: str | None = None
) -> Any:
    """Return the answer of GitHub; a request with a body writes."""
    request = Request(  # noqa: S310 - the address is that of the runner
        f"{environment['GITHUB_API_URL']}/{path}",
        None if body is None else json.dumps(body).encode(),
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {environment['TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        method=method,
    )
    with urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


def _put_outputs(file: str, status: int, written: Mapping[str, Path]) -> None:
    """Add the outputs of the step to a file; a value with line breaks is only a value."""
    outputs: dict[str, object] = {"exit-code": status}
    if "json" in written:
        summary = json.loads(written["json"].read_bytes())["summary"]
        outputs |= {name: summary[name] for name in ("errors", "warnings", "notes")}
    outputs |= {f"{name}-file": written[name] for name in _FILES if name in written}
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
