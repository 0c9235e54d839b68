"""What is shipped: the wheel in an empty environment, the sdist, and a checkout that runs as is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from needs import INDEX, MAN, missing
from tables import every_case

from evalcontract.model.codes import SITE

if TYPE_CHECKING:
    from email.message import Message

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DATASET = """\
questions:
  - {id: hello, input: Hello!}
  - {id: hello, input: Hello again!}
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the tree by what this environment has."""
    return _built(tmp_path_factory.mktemp("dist"), "--no-isolation", "--wheel")


@dataclass(frozen=True)
class Released:
    """The sdist and the wheel that a user's own build would go by."""

    sdist: Path
    wheel: Path


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Released:
    """Build the sdist of the tree, and of it the wheel, with what they name as needed to build."""
    folder = tmp_path_factory.mktemp("release")
    _need_packages(folder)
    wheel = _built(folder / "dist")
    (sdist,) = wheel.parent.glob("*.tar.gz")
    return Released(sdist, wheel)


def _built(folder: Path, *options: str) -> Path:
    if find_spec("build") is None:
        missing("the package `build`")
    _run(sys.executable, "-m", "build", *options, "--outdir", str(folder), cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel and what it depends on into an environment with nothing else."""
    _need_packages(tmp_path_factory.mktemp("probe"))
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    executable = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    _pip(executable, "install", "--quiet", "--no-compile", str(wheel), cwd=folder)
    return executable


def _pip(python: Path, *arguments: str, cwd: Path | None = None) -> str:
    """Run our own pip for the environment of a Python, which has none."""
    return _run(sys.executable, "-m", "pip", "--python", str(python), *arguments, cwd=cwd)


def schema_files() -> list[Path]:
    """List what stands in the folder of the schemas, at any depth."""
    return [path for path in (ROOT / "schema").rglob("*") if path.is_file()]


def test_wheel_holds_the_package_and_its_schemas(wheel: Path) -> None:
    """Every module, every schema, the mark of typing and the manual pages; nothing else."""
    expected = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "evalcontract").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    } | {f"evalcontract/{path.relative_to(ROOT).as_posix()}" for path in schema_files()}
    manual = f"evalcontract-{_metadata(wheel)['Version']}.data/data/share/man/man1"
    expected |= {f"{manual}/{path.name}" for path in (ROOT / "release" / "man").iterdir()}
    assert "evalcontract/py.typed" in expected
    assert f"{manual}/evalcontract-check.1" in expected
    assert len([name for name in expected if name.endswith(".schema.json")]) >= 4
    assert {name for name in _contents(wheel) if ".dist-info/" not in name} == expected


def test_metadata(wheel: Path) -> None:
    """The license as SPDX and as text, the readme, the commands."""
    metadata = _metadata(wheel)
    assert metadata["Name"] == "evalcontract"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    text = str(metadata.get_payload())
    assert "# evalcontract" in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert f"{SITE}/source/v{metadata['Version']}/schema/dataset.schema.json" in links
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert metadata["Author"] == "The evalcontract developers"
    assert all(SITE in url for url in metadata.get_all("Project-URL", []))
    names = [name.partition(".dist-info/")[2] for name in _contents(wheel)]
    assert "licenses/LICENSE" in names


@pytest.mark.thorough
def test_sdist_builds_the_same_wheel(released: Released, wheel: Path) -> None:
    """What is built from the sdist is what is built from the tree, byte for byte."""
    assert _contents(released.wheel) == _contents(wheel)


@pytest.mark.thorough
def test_sdist_leaves_tests_out(released: Released) -> None:
    """It holds what is needed to build, and no more."""
    with tarfile.open(released.sdist) as archive:
        tops = {Path(name).parts[1] for name in archive.getnames()}
    wanted = {"src", "schema", "release", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"}
    assert wanted <= tops <= wanted | {"CHANGELOG.md", ".gitignore"}


@pytest.mark.thorough
def test_installed_wheel_works(python: Path, tmp_path: Path) -> None:
    """Commands and import, away from the checkout."""
    top = ROOT / "schema"
    schemas = [
        path.relative_to(top).as_posix().removesuffix(".schema.json")
        for below in ("", "bundles", "formats", "editor", "editor/formats")
        for path in sorted((top / below).glob("*.schema.json"))
    ]
    listed = _run(str(python.with_name("evalcontract")), "schema", "list", cwd=tmp_path)
    assert [line.split()[0] for line in listed.splitlines()] == schemas
    explain = (str(python.with_name("evalcontract")), "explain")
    assert "A mapping has a duplicate key" in _run(*explain, "source/duplicate-key", cwd=tmp_path)
    assert "mlflow/no-rows\n" in _run(*explain, cwd=tmp_path)
    (tmp_path / "greetings.yaml").write_text(DATASET, encoding="utf-8")
    command = (str(python.with_name("validate-dataset")), "greetings.yaml")
    assert "warning[dataset/duplicate-id]" in _run(*command, cwd=tmp_path)
    assert "error[dataset/duplicate-id]" in _run(*command, "--strict", cwd=tmp_path, status=1)
    where = _run(str(python), "-c", "import evalcontract; print(evalcontract.__file__)")
    assert Path(where.strip()).is_relative_to(python.parents[1])
    every = "from evalcontract import *; from evalcontract.api import *"
    _run(str(python), "-W", "error", "-c", every, cwd=tmp_path)


@pytest.mark.thorough
@every_case("page", ["evalcontract", "evalcontract-check", "validate-dataset"])
def test_man_finds_the_pages_of_the_environment(page: str, python: Path) -> None:
    """By the folder of its commands alone, as in a terminal where it is activated."""
    if shutil.which("man") is None:
        missing(MAN)
    environment = {name: value for name, value in os.environ.items() if name != "MANPATH"}
    environment |= {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "MANWIDTH": "80"}
    shown = _run("man", "--warnings", page, environment=environment)
    assert "--color [auto|always|never]" in shown
    assert "Show this message and exit." in shown


@pytest.mark.thorough
def test_installed_wheel_is_complete(python: Path) -> None:
    """Its dependencies are there, and agree with one another."""
    assert "No broken requirements found" in _pip(python, "check")


@pytest.mark.thorough
def test_checkout_runs_from_its_source(python: Path, tmp_path: Path) -> None:
    """With `PYTHONPATH=src`, the checkout is used rather than what is installed."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    code = "import evalcontract; print(evalcontract.__file__)"
    where = _run(str(python), "-c", code, cwd=tmp_path, environment=environment)
    assert Path(where.strip()).is_relative_to(ROOT / "src")
    call = (str(python), "-m", "evalcontract", "schema", "show", "dataset")
    shown = _run(*call, cwd=tmp_path, environment=environment)
    assert shown == (ROOT / "schema" / "dataset.schema.json").read_text(encoding="utf-8")


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _metadata(wheel: Path) -> Message:
    (text,) = (
        value for name, value in _contents(wheel).items() if name.endswith(".dist-info/METADATA")
    )
    return message_from_bytes(text)


def _run(
    *command: str,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    status: int = 0,
) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=environment or clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def _need_packages(folder: Path) -> None:
    """Leave where pip reaches no index: a build fetches its backend from there."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries=1"]
    command = [*pip, "--dest", str(folder / "probe"), "hatchling"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(INDEX)
