"""The installation that the README describes: its snippets, cut out of it and run as written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from needs import INDEX, missing

import evalcontract
from evalcontract.judging.client import INSTALL

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("\n## Install\n")[2].partition("\n## ")[0]
SNIPPETS = re.findall(r"^```\n(.*?)\n^```$", SECTION, re.DOTALL | re.MULTILINE)
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
#: What an extra installs.
MODULES = {"parquet": "pyarrow", "judges": "openai", "pandas": "pandas", "lsp": "pygls"}
INSTALLERS = ("uv", "pipx")


class Tools(NamedTuple):
    """A folder with the wheel of this tree, and an environment with uv and pipx."""

    wheels: Path
    folder: Path


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """Build the wheel, and install what the snippets call."""
    if find_spec("build") is None:
        missing("the package `build`")
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("tools")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(wheels), str(ROOT)]
    _reach(build)
    venv.create(folder)
    own = folder / "bin" / "python"
    _reach([sys.executable, "-m", "pip", "--python", str(own), "install", "--quiet", *INSTALLERS])
    return Tools(wheels, folder / "bin")


def _reach(command: list[str]) -> None:
    """Run a command that needs the package index; leave where it cannot be reached."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(f"{INDEX}: {command[2]} failed: {(done.stdout + done.stderr).strip()[-300:]}")


def environment(tools: Tools, home: Path, *first: Path) -> dict[str, str]:
    """Return variables with which all goes below a folder."""
    paths = [*map(str, first), str(tools.folder), os.environ["PATH"]]
    names = ("PYTHONPATH", "VIRTUAL_ENV", "PIP_REQUIRE_VIRTUALENV")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    return {
        **clean,
        "PATH": os.pathsep.join(paths),
        "HOME": str(home),
        "PIP_FIND_LINKS": str(tools.wheels),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "UV_FIND_LINKS": str(tools.wheels),
        "UV_CACHE_DIR": str(home / "uv"),
        "UV_TOOL_DIR": str(home / "uv-tools"),
        "UV_TOOL_BIN_DIR": str(home / "bin"),
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
        "PIPX_HOME": str(home / "pipx"),
        "PIPX_BIN_DIR": str(home / "bin"),
        "PIPX_DEFAULT_PYTHON": sys.executable,
    }


def run(snippet: str, variables: Mapping[str, str], folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euc", snippet],
        cwd=folder,
        env=dict(variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def the_snippet(word: str) -> str:
    found: str
    (found,) = [each for each in SNIPPETS if word in each]
    return found


#: What tells each snippet from the others.
WORDS = ("uvx", "pipx", "uv tool", "pip install ./evalcontract", "[")


def test_every_snippet_is_tried() -> None:
    assert sorted(map(the_snippet, WORDS)) == sorted(SNIPPETS)


#: Each installs all from an index, most of it into an environment of its own.
thorough = pytest.mark.thorough


@pytest.fixture(name="beside")
def beside_a_clone(tmp_path: Path) -> Path:
    """Return a folder with what a clone has that an installation needs, and nothing else."""
    clone = tmp_path / "work" / "evalcontract"
    clone.mkdir(parents=True)
    for name in ("src", "schema"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    return clone.parent


@thorough
def test_uvx(tools: Tools, beside: Path, tmp_path: Path) -> None:
    printed = run(the_snippet("uvx"), environment(tools, tmp_path), beside)
    assert printed == f"evalcontract, version {evalcontract.__version__}\n"


@thorough
@pytest.mark.parametrize("word", ["pipx", "uv tool"])
def test_commands(word: str, tools: Tools, beside: Path, tmp_path: Path) -> None:
    """All commands are there afterwards."""
    run(the_snippet(word), environment(tools, tmp_path), beside)
    assert {path.name for path in (tmp_path / "bin").iterdir()} == set(SCRIPTS)
    version = [str(tmp_path / "bin" / "evalcontract"), "--version"]
    printed = subprocess.run(version, check=True, capture_output=True, text=True)
    assert evalcontract.__version__ in printed.stdout


@thorough
@pytest.mark.parametrize("word", ["pip install ./evalcontract", "["])
def test_pip(word: str, tools: Tools, beside: Path, tmp_path: Path) -> None:
    """The extras that the snippet names, and no others, can be imported."""
    venv.create(tmp_path / "own", with_pip=True)
    variables = environment(tools, tmp_path, tmp_path / "own" / "bin")
    run(the_snippet(word), variables, beside)
    assert "dataset" in run("evalcontract schema list", variables, tmp_path)
    named = re.findall(r"\[(.*)\]", the_snippet(word))
    wanted = {MODULES[extra] for names in named for extra in names.split(",")}
    code = f"from importlib.util import find_spec; print(*filter(find_spec, {[*MODULES.values()]}))"
    assert set(run(f'python -c "{code}"', variables, tmp_path).split()) == wanted


@thorough
def test_what_a_message_says_to_install(tools: Tools, tmp_path: Path) -> None:
    """Of what is installed already, pip asks no index: only the packages of the extra are new."""
    venv.create(tmp_path / "own", with_pip=True)
    variables = environment(tools, tmp_path, tmp_path / "own" / "bin")
    (wheel,) = tools.wheels.glob("*.whl")
    run(f"python -m pip install '{wheel}'", variables, tmp_path)
    del variables["PIP_FIND_LINKS"]
    printed = run(f"{INSTALL} --dry-run", variables, tmp_path)
    assert re.search(r"^Would install .*openai-", printed, re.MULTILINE)
    assert "evalcontract-" not in printed.partition("Would install")[2]


@thorough
def test_the_first_finding(tools: Tools, tmp_path: Path) -> None:
    """The script says how long each step takes; here it is what it finds that counts."""
    (wheel,) = tools.wheels.glob("*.whl")
    script = Path(__file__).with_name("first_finding.py")
    variables = environment(tools, tmp_path)
    printed = run(f"'{sys.executable}' '{script}' '{wheel}'", variables, tmp_path)
    assert "error[dataset/near-miss-key]" in printed
    assert "did you mean `expected_facts`?" in printed
    assert re.search(r"^ *[\d.]+ s  in all$", printed, re.MULTILINE)
