"""The template for GitLab, and what `init` writes for it: their shell is run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from needs import missing
from published import ROOT, tool
from tables import every_case
from writing import write

from evalcontract.starting.init import InstallSource, project_files

pytestmark = pytest.mark.slow

TEMPLATE = ROOT / "templates" / "evalcontract.yml"
PAGE = ROOT / "docs" / "ci.md"
DATASET = "questions:\n  - {id: hello, input: Hello!, criteria: Greets, must_not_contain: [bye]}\n"
TYPO = DATASET.replace("criteria:", "criteriaa:")
REPORTS = ("gl-code-quality-report.json", "evalcontract-junit.xml")
ENVIRONMENT = "/tmp/evalcontract"  # noqa: S108 - of the container of the job


def job(**inputs: str) -> dict[str, Any]:
    """Return the job of the template with inputs, as GitLab makes it."""
    header, body = yaml.safe_load_all(TEMPLATE.read_text(encoding="utf-8"))
    specs = header["spec"]["inputs"]
    must = {name for name, spec in specs.items() if "default" not in spec}
    assert must == {"package"}
    values = {name: spec.get("default", "./evalcontract.whl") for name, spec in specs.items()}
    values |= inputs
    for name, spec in specs.items():
        assert values[name] in spec.get("options", [values[name]])

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda each: values[each[1]], value)
        if isinstance(value, list):
            return [filled(each) for each in value]
        if isinstance(value, dict):
            return {filled(key): filled(each) for key, each in value.items()}
        return value

    (made,) = filled(body).values()
    return dict(made)


def run(made: dict[str, Any], folder: Path, shell: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a job in a folder, with this tree as what pip installs."""
    if sys.platform == "win32":
        missing("a POSIX shell")
    home = folder.parent / f"{folder.name}-image"
    # The environment of the job: it is made by the command, and then has this tree.
    python = (
        f'#!/bin/sh\ncase "$*" in *pip*) exit 0 ;; esac\nexec {shlex.quote(sys.executable)} "$@"\n'
    )
    command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m evalcontract "$@"\n'
    write(home / "bin", {"python": python, "evalcontract": command})
    write(home, {"path/python3": "#!/bin/sh\nexit 0\n", "path/python": python,
                 "path/evalcontract": command})  # fmt: skip
    for file in (*(home / "bin").iterdir(), *(home / "path").iterdir()):
        file.chmod(0o755)
    variables = {
        name: value["value"] if isinstance(value, dict) else value
        for name, value in made.get("variables", {}).items()
    }
    script = "\n".join(made["script"]).replace(ENVIRONMENT, str(home))
    paths = {"PATH": f"{home / 'path'}{os.pathsep}{os.environ['PATH']}",
             "PYTHONPATH": str(ROOT / "src")}  # fmt: skip
    return subprocess.run(
        [shell, "-e", "-c", script], cwd=folder, env={**os.environ, **paths, **variables},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@every_case("shell", ["bash", "sh"])
@every_case(
    ("inputs", "status", "severity"),
    [
        ({}, 0, "minor"),
        ({"strict": "true"}, 1, "major"),
        ({"strict": "false", "fail_on": "warning"}, 1, "minor"),
        ({"strict": "true", "fail_on": "never"}, 0, "major"),
        ({"args": "--select dataset/near-miss-key --fail-on note"}, 1, "minor"),
        ({"path": "my evals", "strict": "true"}, 1, "major"),
    ],
    ids=str,
)
def test_faults_are_reported(
    tmp_path: Path, shell: str, inputs: dict[str, str], status: int, severity: str
) -> None:
    write(tmp_path, {"my evals/a.yaml": TYPO})
    made = job(**inputs)
    done = run(made, tmp_path, shell)
    assert done.returncode == status, done.stdout + done.stderr
    assert "did you mean `criteria`?" in done.stdout
    quality, junit = (tmp_path / name for name in REPORTS)
    findings = json.loads(quality.read_text(encoding="utf-8"))
    assert severity in {finding["severity"] for finding in findings}
    assert findings[0]["location"]["path"] == "my evals/a.yaml"
    assert ET.parse(junit).getroot().get("failures") == str(int(severity == "major" or status))
    reports = made["artifacts"]["reports"]
    assert (reports["codequality"], reports["junit"]) == REPORTS
    assert made["artifacts"]["when"] == "always"


@every_case(
    "hostile", ['"; touch pwned; "', "$(touch pwned)", "`touch pwned`", "; touch pwned", "*"]
)
def test_no_input_is_a_command(tmp_path: Path, hostile: str) -> None:
    write(tmp_path, {"a.yaml": DATASET})
    for name in ("path", "args", "package"):
        run(job(**{name: hostile}), tmp_path, "bash")
    assert list(tmp_path.rglob("pwned")) == []


def test_inputs_are_variables() -> None:
    """GitLab would put them into a script before the shell reads it; no variable is expanded."""
    _, body = yaml.safe_load_all(TEMPLATE.read_text(encoding="utf-8"))
    (made,) = body.values()
    assert "$[[" not in str(made["script"])
    free = [each for each in made["variables"].values() if isinstance(each, dict)]
    assert len(free) == 3
    assert all(each["expand"] is False for each in free)


def pipelines() -> dict[str, str]:
    """Return the configurations for GitLab: of the template, of the page and of `init`."""
    header, body = TEMPLATE.read_text(encoding="utf-8").split("---\n")
    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^```yaml\n(include:\n.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert shown
    written = {
        file.path: file.text
        for file in project_files("my evals", "gitlab", InstallSource("./it's.whl"))
    }
    pages = {f"page{number}.yml": text for number, text in enumerate(shown)}
    files = {"spec.yml": header, "job.yml": body, "init.yml": written[".gitlab-ci.yml"]}
    return pages | files | {"filled.yml": json.dumps({"evalcontract": job()})}


def test_schemas(tmp_path: Path) -> None:
    check = tool("check-jsonschema")
    write(tmp_path, pipelines())
    command = [check, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]
    files = map(str, sorted(tmp_path.iterdir()))
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_includes_what_is_there() -> None:
    header, _ = yaml.safe_load_all(TEMPLATE.read_text(encoding="utf-8"))
    for name, text in pipelines().items():
        for include in yaml.safe_load(text).get("include", ()) if "page" in name else ():
            inputs = header["spec"]["inputs"]
            assert include["inputs"].keys() <= inputs.keys()
            assert include["inputs"].keys() >= {
                key for key, spec in inputs.items() if "default" not in spec
            }
            assert Path(include["local"]).name == TEMPLATE.name


def test_what_init_writes(tmp_path: Path) -> None:
    """Its job checks, and leaves the reports that it names, whether it fails or not."""
    made = yaml.safe_load(pipelines()["init.yml"])["evalcontract"]
    for dataset, status in ((DATASET, 0), (TYPO, 1)):
        write(tmp_path, {"my evals/a.yaml": dataset})
        done = run(made, tmp_path, "bash")
        assert done.returncode == status, done.stdout + done.stderr
        reports = made["artifacts"]["reports"]
        assert all((tmp_path / reports[name]).is_file() for name in ("codequality", "junit"))
