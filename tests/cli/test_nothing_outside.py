"""Nothing outside of a workspace is read because a file in it says so, and nobody else decides."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from doors import Options, check_workspaces, command_line
from writing import write

from evalcontract.source import Files

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
GOOD = "questions:\n  - {id: a, input: b, criteria: c}\n"
FAULTY = "questions:\n  - {id: a, input: b, criterai: c}\n"

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and owners are those of POSIX")


class NotedFiles(Files):
    """The files of this machine; `opened` are the paths that were read."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def read(self, path: str | Path, limit: int = 1 << 30) -> bytes:
        """Read a file, and note its path."""
        self.opened.append(str(path))
        return super().read(path, limit)


@posix
@pytest.mark.parametrize("name", ["rubrics", "judges", "bundles", "targets", "datasets"])
def test_a_folder_that_leads_out(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one file behind it is opened."""
    away, place = tmp_path_factory.mktemp("away"), tmp_path_factory.mktemp("place")
    write(away, {"a.yaml": "secret: [\n", "b.yaml": RUBRIC, "c.schema.json": "{secret"})
    write(place, {"evalcontract.toml": "", "a.yaml": GOOD})
    (place / name).symlink_to(away)
    monkeypatch.chdir(place)
    noted = NotedFiles()
    outcome = check_workspaces(place, Options(strict=False, files=noted))
    assert "secret" not in "".join(map(str, outcome.diagnostics))
    behind = (str(away), str(place / name))
    assert noted.opened
    assert [path for path in noted.opened if path.startswith(behind)] == []
    expected = [] if name == "datasets" else [(name, "source/unreadable")]
    codes = [(finding.place.file, finding.code) for finding in outcome.diagnostics]
    assert [pair for pair in codes if pair[0] == name] == expected


@posix
@pytest.mark.parametrize(
    "dataset", ["/etc/passwd", "../away/secret.yaml", "link.yaml", "a\\0b", "link", ".", ""]
)
def test_a_target_opens_nothing_outside(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"away/secret.yaml": "secret: [\n", "ws/rubrics/polite.yaml": RUBRIC})
    write(tmp_path, {"ws/targets/a.yaml": f'dataset: "{dataset}"\n', "ws/a.yaml": GOOD})
    (tmp_path / "ws" / "link.yaml").symlink_to("../away/secret.yaml")
    (tmp_path / "ws" / "link").symlink_to("../away")
    monkeypatch.chdir(tmp_path / "ws")
    outcome = check_workspaces(tmp_path / "ws", Options(strict=False))
    assert any(finding.place.file == "targets/a.yaml" for finding in outcome.diagnostics)
    assert "secret" not in "".join(map(str, outcome.diagnostics)).replace(dataset, "")


@posix
def test_settings_behind_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"away/secret": "secret = = 1\n", "ws/a.yaml": GOOD})
    (tmp_path / "ws" / "evalcontract.toml").symlink_to("../away/secret")
    assert command_line("check", str(tmp_path / "ws")) == 2
    error = capsys.readouterr().err
    assert "leads out of its folder" in error
    assert "secret" not in error


# Settings above the workspace


@pytest.fixture
def owners(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The owners of files by the end of their names; the owner of all others is 1000."""
    known: dict[str, int] = {}

    def owner(_: Files, path: Any) -> int:
        return next((id_ for end, id_ in known.items() if str(path).endswith(end)), 1000)

    monkeypatch.setattr(Files, "owner", owner)
    return known


OFF = "[severity]\n'dataset/near-miss-key' = 'ignore'\n"


@pytest.mark.parametrize(
    ("repository", "owner", "counts"),
    [
        (None, 1000, True),
        (None, 1001, False),
        ("top/repository/.git/HEAD", 1000, False),  # the settings are outside of the repository
        ("top/.git/HEAD", 1001, True),
        ("top/repository/ws/.git/HEAD", 1000, False),
    ],
)
def test_settings_above(
    repository: str | None, owner: int, *, counts: bool, tmp_path: Path, owners: dict[str, int]
) -> None:
    write(tmp_path, {"top/evalcontract.toml": OFF, "top/repository/ws/a.yaml": FAULTY})
    write(tmp_path, {"top/repository/ws/rubrics/polite.yaml": RUBRIC})
    if repository:
        write(tmp_path, {repository: ""})
    owners["evalcontract.toml"] = owner
    outcome = check_workspaces(tmp_path / "top/repository/ws", Options(strict=False))
    assert bool(outcome.diagnostics) is not counts


@pytest.mark.parametrize(("owner", "is_found"), [(1000, True), (1001, False)])
def test_a_workspace_of_somebody_else_above(
    owner: int, *, is_found: bool, tmp_path: Path, owners: dict[str, int]
) -> None:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC.replace("polite", "p"), "mine/sub/a.yaml": GOOD})
    owners["/rubrics"] = owner
    outcome = check_workspaces(tmp_path / "mine/sub", Options(strict=False))
    assert ("rubric" in outcome.files) is is_found
    assert outcome.files["dataset"] == 1


# Code from the folder


@pytest.mark.slow
def test_no_code_of_the_folder_is_run(tmp_path: Path) -> None:
    for module in ("click", "orjson", "ruamel", "jsonschema", "tomllib", "hostile"):
        write(tmp_path, {f"{module}.py": f"open('ran-{module}', 'w')\n"})
    write(tmp_path, {"datasets/a.yaml": FAULTY})
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "evalcontract.toml": OFF})
    entry = "[evalcontract.rules]\nhostile = hostile:RULE\n[evalcontract.formats]\nh = hostile:F\n"
    write(tmp_path, {"hostile-1.dist-info/entry_points.txt": entry})
    write(tmp_path, {"hostile-1.dist-info/METADATA": "Name: hostile\nVersion: 1\n"})
    for command in (["check", "."], ["coverage", "datasets/a.yaml"], ["explain"]):
        done = subprocess.run(
            [sys.executable, "-m", "evalcontract", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("ran-*")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["evalcontract.py", "evalcontract/__init__.py"])
def test_a_module_of_our_name_in_the_folder_is_not_run(name: str, tmp_path: Path) -> None:
    """By the command, or where Python is told not to look there; `python -m` alone would run it."""
    write(tmp_path, {name: "open('ran', 'w')\n", "datasets/a.yaml": GOOD})
    command = shutil.which("evalcontract", path=str(Path(sys.executable).parent))
    assert command is not None
    python = [[sys.executable, flag, "-m", "evalcontract"] for flag in ("-P", "-I")]
    for start in ([command], *python):
        done = subprocess.run([*start, "--version"], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
