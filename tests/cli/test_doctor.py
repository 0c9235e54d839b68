"""`doctor`: what is installed, where settings come from, and why a file is not checked."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, command_line
from tables import every_case
from writing import write

import evalcontract
from evalcontract.cli import installation

if TYPE_CHECKING:
    from pathlib import Path

EXTRA = re.compile(r"evalcontract\[(\w+)\]")

ROW = "questions:\n  - {id: a, input: b, criteria: c}\n"
RUBRIC = "id: x\nversion: '1.0.0'\nchecks: [{id: a, kind: regex, pattern: a}]\n"
RUBRIC += "scoring: {combine: all_pass}\n"
FILES = {
    "evalcontract.toml": 'exclude = ["old/*"]\n',
    "rubrics/x.yaml": RUBRIC,
    "datasets/a.yaml": ROW,
    "more/a.json": '[{"id": "a", "input": "b", "criteria": "c"}]',
    "targets/t.yaml": "dataset: datasets/a.yaml\n",
    "bundles/b.schema.json": "{}",
    "bundles/c.json": "{}",
    "old/a.yaml": ROW,
    ".hidden/a.yaml": ROW,
    "venv/pyvenv.cfg": "",
    "venv/a.yaml": ROW,
    "datasets/a.yamll": ROW,
    "datasets/readme.md": "",
    "other.yaml": "services: {}\n",
    "broken.yaml": "}",
    "outputs.jsonl": '{"id": "a", "output": "b"}\n',
    "x.schema.json": "{}",
    "evalcontract.json": "{}",
    "data.csv": "id\n1\n",
}
#: The files that are not checked, and a part of the reason.
REASONS = {
    "bundles/c.json": "{name}.schema.json",
    "old/a.yaml": "`old/*` under `exclude` matches it (evalcontract.toml:1)",
    ".hidden/a.yaml": "it is below `.hidden/`",
    "venv/a.yaml": "it is below `venv/`",
    "datasets/a.yamll": "did you mean `.yaml`",
    "datasets/readme.md": "no evaluation data",
    "other.yaml": "nothing in it is known from rows",
    "broken.yaml": "cannot be read",
    "outputs.jsonl": "recorded outputs",
    "x.schema.json": "JSON Schema",
    "evalcontract.json": "name of settings",
    "data.csv": "are not read",
    "nowhere.yaml": "there is no such file",
    "datasets": "it is a folder",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Begin in an empty folder, without the variables of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in (
        "EVALCONTRACT_BASE_URL",
        "EVALCONTRACT_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "EVALCONTRACT_ENDPOINTS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nowhere"))
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    """Return what `doctor` says, by section and name."""
    command_line("doctor", "--output-format", "json", *arguments)
    sections = json.loads(capsys.readouterr().out)
    for key in ("version", "tool", "command"):
        del sections[key]
    return {title: {line["name"]: line for line in lines} for title, lines in sections.items()}


@pytest.mark.costly
def test_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of a workspace: what is not checked has its reason, and `check` reads all others."""
    write(folder, FILES)
    found = told(capsys, *FILES, *(REASONS.keys() - FILES.keys()))["files"]
    wrong = {name: found[name]["text"] for name, part in REASONS.items()
             if found[name]["ok"] or part not in found[name]["text"]}  # fmt: skip
    assert wrong == {}
    checked = {name: line["text"] for name, line in found.items() if name not in REASONS}
    checked.pop("venv/pyvenv.cfg")
    assert checked.pop("evalcontract.toml") == "checked as a configuration"
    assert command_line("check", "--output-format", "json", "--exit-zero") == 0
    counts = json.loads(capsys.readouterr().out)["summary"]["files"]
    assert counts.pop("output") == 1  # recognised, and left to `grade`
    kinds = [text.rpartition(" ")[2] for text in checked.values()]
    assert {kind: kinds.count(kind) for kind in kinds} == counts


def test_patterns_of_datasets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, {"evalcontract.toml": 'datasets = ["a/*"]\n', "a/x.yaml": ROW, "b/x.yaml": ROW})
    found = told(capsys, "a/x.yaml", "b/x.yaml")["files"]
    assert found["a/x.yaml"]["ok"]
    assert (
        "no pattern under `datasets` matches it (evalcontract.toml:1)" in found["b/x.yaml"]["text"]
    )


@pytest.mark.costly
def test_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys)["settings"]["configuration"]["ok"] is None
    write(
        folder, {"pyproject.toml": "[tool.evalcontract]\nstrict = true\n", "rubrics/x.yaml": RUBRIC}
    )
    assert told(capsys)["settings"]["configuration"]["text"] == "pyproject.toml"
    write(folder, {"evalcontract.toml": "strict = true\n"})
    settings = told(capsys)["settings"]
    assert settings["configuration"]["text"] == "evalcontract.toml"
    assert "is not read" in settings["shadowed"]["text"]
    write(folder, {"evalcontract.toml": "stric = true\n"})
    assert command_line("doctor") == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "no configuration evalcontract.toml:1: unknown key `stric`" in out


def test_installation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is optional and absent is no fault, and says how to get it."""
    assert command_line("doctor") == 0
    assert evalcontract.__version__ in capsys.readouterr().out
    monkeypatch.setenv("PATH", str(tmp_path))
    packages = {"no-such-package": ("nothing", "pip install nothing")}
    monkeypatch.setattr(installation, "PACKAGES", packages)
    found = told(capsys)["optional"]
    assert {line["ok"] for line in found.values()} == {None}
    texts = [line["text"].partition(":")[0] for line in found.values()]
    assert texts == ["not installed", "not on the PATH", "not on the PATH", "none"]
    assert command_line("doctor") == 0


@pytest.mark.costly
@every_case(
    ("variables", "is_well", "said"),
    [
        (
            {"OPENAI_API_KEY": "secret"},
            True,
            "api.openai.com, with a key; model: the one that a judge names, by OPENAI_…",
        ),
        ({"EVALCONTRACT_BASE_URL": "http://h:1/secret"}, True, "h:1, without a key"),
        ({"EVALCONTRACT_BASE_URL": "secret"}, False, "EVALCONTRACT_BASE_URL"),
    ],
)
def test_the_endpoint(
    variables: dict[str, str],
    is_well: bool,  # noqa: FBT001 - a case
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is named without what is secret, and not asked."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    line = told(capsys)["optional"]["endpoint"]
    for name in variables:
        monkeypatch.delenv(name)
    assert (line["ok"], said in line["text"], "secret" in line["text"]) == (is_well, True, False)


def test_endpoints_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is named with the file that has it, and says which variable it lacks."""
    file = tmp_path / "endpoints.toml"
    file.write_text(
        '[providers.mine]\nbase_url = "http://h:1/v1"\napi_key_env = "NO_SUCH_KEY"\n'
        '[providers.free]\nbase_url = "http://h:2/v1"\n',
        encoding="utf-8",
    )
    file.chmod(0o600)
    monkeypatch.setenv("EVALCONTRACT_ENDPOINTS", str(file))
    found = told(capsys)["optional"]
    assert "endpoint" not in found
    assert (found["endpoint mine"]["ok"], found["endpoint mine"]["advice"]) == (
        None,
        "set NO_SUCH_KEY",
    )
    assert found["endpoint free"]["ok"]
    assert "h:2, without a key" in found["endpoint free"]["text"]
    assert str(file) in found["endpoint free"]["text"]


def test_a_hostile_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, {"a\x1b[31m.yaml": ROW})
    assert command_line("doctor", "a\x1b[31m.yaml") == 0
    assert "\x1b" not in capsys.readouterr().out


def test_what_installs_a_package_is_an_extra() -> None:
    named = {name for _, how in installation.PACKAGES.values() for name in EXTRA.findall(how)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert named
    assert named <= project["optional-dependencies"].keys()
