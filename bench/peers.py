"""What others would take instead, each in an environment of its own below the bench's folder."""

from __future__ import annotations

import platform
import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Installer = Callable[[Path], tuple[str, ...]]

CHECK_JSONSCHEMA = "0.39.0"
SOURCEMETA = "17.3.0"
AJV = "8.20.0"

AJV_SCRIPT = Path(__file__).parent / "ajv.cjs"


class NotHadError(Exception):
    """A peer cannot be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: its name with the version, and the start of its command, or why it is not there."""

    name: str
    command: tuple[str, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Peers:
    """All of them."""

    check_jsonschema: Peer
    sourcemeta: Peer
    ajv: Peer

    def all(self) -> tuple[Peer, ...]:
        """Return them in order."""
        return self.check_jsonschema, self.sourcemeta, self.ajv


def none_of_them(reason: str) -> Peers:
    """Return peers of whom none is there."""
    return Peers(
        Peer("check-jsonschema", missing=reason),
        Peer("sourcemeta", missing=reason),
        Peer("ajv", missing=reason),
    )


def install(folder: Path) -> Peers:
    """Install them below a folder, where they are not there already."""
    return Peers(
        _peer(f"check-jsonschema {CHECK_JSONSCHEMA}", _check_jsonschema, folder),
        _peer(f"sourcemeta {SOURCEMETA}", _sourcemeta, folder),
        _peer(f"ajv {AJV}", _ajv, folder),
    )


def _peer(name: str, had: Installer, folder: Path) -> Peer:
    try:
        return Peer(name, had(folder))
    except NotHadError as error:
        return Peer(name, missing=f"{name} cannot be had: {error}")


def _check_jsonschema(folder: Path) -> tuple[str, ...]:
    python = _pip(folder, "check-jsonschema", CHECK_JSONSCHEMA)
    return str(python), "-m", "check_jsonschema"


def _sourcemeta(folder: Path) -> tuple[str, ...]:
    """Return the program itself, without the Python that the package starts it from."""
    python = _pip(folder, "sourcemeta-jsonschema", SOURCEMETA)
    machine = {"amd64": "x86_64", "aarch64": "arm64"}
    kind = platform.machine().lower()
    name = f"jsonschema-{platform.system().lower()}-{machine.get(kind, kind)}"
    found = next(python.parents[1].glob(f"lib/*/site-packages/sourcemeta_jsonschema/{name}"), None)
    if found is None:
        raise NotHadError("it has no program for this machine")
    found.chmod(0o755)
    return (str(found),)


def _ajv(folder: Path) -> tuple[str, ...]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise NotHadError("there is no node, or no npm")
    top = folder / f"ajv-{AJV}"
    if not (top / ".done").exists():
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        command = (npm, "install", "--no-fund", "--no-audit", "--no-save", f"ajv@{AJV}")
        _quietly((*command, "--prefix", str(top)))
        (top / ".done").touch()
    shutil.copy(AJV_SCRIPT, top)  # modules are looked for beside the script
    return node, str(top / AJV_SCRIPT.name)


def _pip(folder: Path, package: str, version: str) -> Path:
    top = folder / f"{package}-{version}"
    python = top / "bin" / "python"
    if not (top / ".done").exists():
        try:
            venv.create(top, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotHadError(f"no environment can be made: {error}") from error
        quiet = ("--quiet", "--disable-pip-version-check")
        _quietly((str(python), "-m", "pip", "install", *quiet, f"{package}=={version}"))
        (top / ".done").touch()
    return python


def _quietly(command: tuple[str, ...]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it did not say why"]
        raise NotHadError(lines[-1])
