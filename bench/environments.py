"""What is measured, installed as users install it: each in an environment of its own.

pip compiles what it installs, as it does for everybody.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).parent
ROOT = HERE.parent
#: What an installed version depends on.
CODE = ("src/**/*.py", "schema/**/*.json", "pyproject.toml")
CHECK_JSONSCHEMA = "check-jsonschema==0.39.0"
SOURCEMETA = "sourcemeta-jsonschema==17.3.0"
#: Without them there is no plain script, so they are the versions that ours has.
SHARED = ("orjson", "jsonschema-rs")
_PROBE = "from one_rule import RULE"
_VERSIONS = """
import json
from importlib.metadata import distributions
names = {each.metadata["Name"].lower().replace("_", "-"): each.version for each in distributions()}
print(json.dumps(names))
"""


class MissingError(Exception):
    """Something cannot be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment; `missing` says why it is not there."""

    folder: Path = Path()
    missing: str = ""

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        return str(self.folder / "bin" / name)

    def sourcemeta(self) -> str:
        """Return sourcemeta's program itself, without the Python that starts it; or nothing."""
        machine = {"amd64": "x86_64", "aarch64": "arm64"}
        kind = platform.machine().lower()
        name = f"jsonschema-{platform.system().lower()}-{machine.get(kind, kind)}"
        folders = self.folder.glob("lib/*/site-packages/sourcemeta_jsonschema")
        found = next((each / name for each in folders if (each / name).exists()), None)
        if found is None:
            return ""
        found.chmod(0o755)
        return str(found)

    def versions(self) -> dict[str, str]:
        """Return the versions of its packages."""
        found: dict[str, str] = json.loads(_run((self.program("python"), "-c", _VERSIONS)))
        return found


def install_ours(work: Path, given: Path | None) -> Installed:
    """Install this checkout, as a wheel; or take the wheel or the environment that is given."""
    if given is not None and given.is_dir():
        return Installed(given.absolute())
    if given is not None:
        return _environment(work, "given", state_of([given.name], given.parent), str(given))
    return _environment(work, "ours", state_of(CODE), str(build_wheel(work)))


def build_wheel(work: Path) -> Path:
    """Build the wheel of this checkout, where that is not done."""
    folder = work / "wheels" / state_of(CODE)
    if not folder.exists():
        _run(
            (
                sys.executable,
                "-m",
                "pip",
                "wheel",
                *_QUIET,
                "--no-deps",
                "-w",
                str(folder),
                str(ROOT),
            )
        )
    return next(folder.glob("*.whl"))


def install_with_a_rule(work: Path) -> Installed:
    """Install this checkout and a package that brings one more rule on rows, with its schema.

    Raises:
        MissingError: the rule does not load.

    """
    package = HERE / "one_rule"
    state = state_of([*CODE, "bench/one_rule/*"])
    found = _environment(work, "rule", state, str(build_wheel(work)), str(package))
    _run((found.program("python"), "-c", _PROBE))
    return found


def install_with_arrow(work: Path) -> Installed:
    """Install this checkout with what reads Parquet."""
    return _environment(work, "arrow", state_of(CODE), f"{build_wheel(work)}[arrow]")


def install_peers(work: Path, ours: Installed) -> Installed:
    """Install what others would take, and what the plain script needs."""
    versions = ours.versions()
    shared = [f"{name}=={versions[name]}" for name in SHARED]
    wanted = (CHECK_JSONSCHEMA, SOURCEMETA, *shared)
    try:
        return _environment(work, "peers", " ".join(wanted), *wanted)
    except MissingError as error:
        return Installed(missing=f"peers cannot be had: {error}")


def state_of(patterns: Iterable[str], root: Path = ROOT) -> str:
    """Return a name of the state of some files: another where anything in them is changed."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(each for each in root.glob(pattern) if each.is_file()):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


_QUIET = ("--quiet", "--disable-pip-version-check")


def _environment(work: Path, name: str, state: str, *packages: str) -> Installed:
    """Make an environment with some packages, where it is not there in that state."""
    found = Installed(work / f"venv-{name}")
    done = found.folder / ".done"
    if not done.exists() or done.read_text() != state:
        venv.create(found.folder, with_pip=True, clear=True)
        _run((found.program("python"), "-m", "pip", "install", *_QUIET, *packages))
        done.write_text(state)
    return found


def _run(command: tuple[str, ...]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it did not say why"]
        raise MissingError(lines[-1])
    return done.stdout
