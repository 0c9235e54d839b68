"""Run the tests that are not slow with every Python of the classifiers; say which are not found.

`python release/pythons.py` looks for `python3.X` on the PATH and among the versions of pyenv. Each
gets an environment of its own in `build/pythons/`. The Python that runs this is left out: `make
check` and `make test` use it. For one that is not found, it asks whether all dependencies can be
installed there, which is less than a test.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
_FOLDER = ROOT / "build" / "pythons"
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
_TESTS = ("-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "-p", "no:cacheprovider")
# The words that argparse and click print differ between versions, and are snapshots of one.
_CHOSEN = ("-m", "not slow and not messages", "--hypothesis-profile=brief")


def versions() -> list[str]:
    """Return the versions that the classifiers name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = (_CLASSIFIER.fullmatch(each) for each in project["classifiers"])
    return [match[1] for match in found if match]


def find(version: str) -> Path | None:
    """Return an interpreter of a version that runs, such as 3.12; None if there is none."""
    folders = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(pyenv.glob(f"versions/{version}.*/bin"), reverse=True)
    for folder in folders:
        path = folder / f"python{version}"
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        # A shim of pyenv is there and does not run where its version is not chosen.
        if path.exists() and _output(path, "-c", code) == version:
            return path
    return None


def test(version: str, python: Path) -> bool:
    """Run the tests that are not slow with an interpreter; return whether they pass."""
    folder = _FOLDER / version
    own = folder / "bin" / "python"
    install: list[str | Path] = [
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    install += ["--constraint", ROOT / "constraints.txt", "--editable", f"{ROOT}[dev]"]
    commands: tuple[list[str | Path], ...] = (
        [python, "-m", "venv", folder],
        install,
        [own, *_TESTS, *_CHOSEN],
    )
    return all(subprocess.run(each, cwd=ROOT, check=False).returncode == 0 for each in commands)


def is_installable(version: str) -> bool:
    """Whether a version that is not here could install the package with binary wheels."""
    with TemporaryDirectory() as folder:
        command = ["-m", "pip", "install", "--dry-run", "--quiet", "--only-binary=:all:"]
        command += ["--python-version", version, "--target", folder]
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return _output(Path(sys.executable), *command, *project["dependencies"]) is not None


def main() -> int:
    """Test every version; return 1 if a test fails."""
    lines, failed = [], False
    for version in versions():
        python = find(version)
        if version == "{}.{}".format(*sys.version_info):
            lines.append(f"Python {version}: this one, tested by `make test`")
        elif python is None:
            can = "can" if is_installable(version) else "cannot"
            lines.append(
                f"Python {version}: NOT TESTED, no interpreter is found here; "
                f"its dependencies {can} be installed"
            )
        else:
            passed = test(version, python)
            failed = failed or not passed
            lines.append(f"Python {version}: {'passed' if passed else 'FAILED'} ({python})")
    print(*lines, sep="\n")
    return int(failed)


def _output(python: Path, *arguments: str) -> str | None:
    """Return what an interpreter prints; None if it fails."""
    command = [str(python), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
