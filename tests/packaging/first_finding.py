"""From nothing to the first useful finding: install, `init`, a typo, `check`; and the seconds.

`python tests/packaging/first_finding.py [WHAT]` installs WHAT, a wheel or the name of the package,
with pip into an environment with nothing else; without it, the checkout. Exits with 1 if the typo
is not found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
_RIGHT, _WRONG = "expected_facts", "expecteed_facts"


def first_finding(what: str, folder: Path) -> list[dict[str, str]]:
    """Return the findings on a new workspace in which one key was misspelled; print the times."""
    began = time.monotonic()
    venv.create(folder / "environment", with_pip=True)
    scripts = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    _tell("an environment with nothing in it", began)
    began = time.monotonic()
    _run(scripts / "python", "-m", "pip", "install", "--quiet", what, cwd=folder)
    _tell("pip install", began)
    began = time.monotonic()
    _run(scripts / "evalcontract", "init", "evals", cwd=folder)
    _tell("evalcontract init", began)
    clean = _run(scripts / "evalcontract", "check", "evals", "--strict", cwd=folder)
    if "no findings" not in clean:
        sys.exit(f"the new workspace is not clean:\n{clean}")
    dataset = folder / "evals" / "datasets" / "example.yaml"
    text = dataset.read_text(encoding="utf-8")
    dataset.write_text(text.replace(f" {_RIGHT}:", f" {_WRONG}:", 1), encoding="utf-8")
    began = time.monotonic()
    # The target of the example is strict, so that the typo is an error.
    print(_run(scripts / "evalcontract", "check", "evals", cwd=folder, status=1), end="")
    _tell("evalcontract check", began)
    json_check = (scripts / "evalcontract", "check", "evals", "--output-format", "json")
    report = _run(*json_check, cwd=folder, status=1)
    findings: list[dict[str, str]] = json.loads(report)["findings"]
    return findings


def _tell(what: str, began: float) -> None:
    print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)


def _run(command: Path, *arguments: str, cwd: Path, status: int = 0) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [command, *arguments], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode != status:
        sys.exit(f"{command.name} {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(what: str) -> int:
    """Return 0 if the misspelled key is found, with what to type instead; else 1."""
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        findings = first_finding(what, Path(folder))
    _tell("in all", began)
    codes = [finding["code"] for finding in findings]
    typos = [each for each in findings if each["code"] == "dataset/near-miss-key"]
    if len(typos) != 1 or _WRONG not in typos[0]["message"] or _RIGHT not in typos[0]["help"]:
        print(f"the typo was not found: {codes}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else str(ROOT)))
