"""The extension for VS Code, packed from its sources."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from doors import ROOT
from needs import missing

if TYPE_CHECKING:
    from pathlib import Path

CODE = ROOT / "editors/vscode"
_BUILT = shutil.ignore_patterns("node_modules", "out", "*.vsix")


def packed(folder: Path, time_zone: str = "UTC", mode: int = 0o644) -> Path:
    """Pack the extension in a copy of its folder, as `make vsix` does."""
    npm, copy = shutil.which("npm"), folder / "vscode"
    shutil.copytree(CODE, copy, ignore=_BUILT, copy_function=shutil.copyfile)
    for path in copy.rglob("*.*"):
        path.chmod(mode)
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "TZ": time_zone}

    def run(*command: str) -> bool:
        done = subprocess.run(
            [npm or "npm", *command], cwd=copy, env=environment, capture_output=True, check=False,
            text=True, timeout=500,
        )  # fmt: skip
        return not done.returncode

    if not npm or not run("ci", "--ignore-scripts", "--prefer-offline"):
        missing("npm and a registry that it reaches")
    assert run("run", "package")
    return copy / "evalcontract.vsix"
