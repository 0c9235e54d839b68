"""check-jsonschema, what most would take instead, in an environment of its own."""

from __future__ import annotations

import subprocess
import venv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from timing import Command

VERSION = "0.39.0"


def install(folder: Path) -> Command:
    """Install it below a folder, as `pip install` gives it; return the start of its command.

    Raises:
        RuntimeError: it cannot be installed.

    """
    top = folder / f"check-jsonschema-{VERSION}"
    python = top / "bin" / "python"
    done = top / ".done"
    if not done.exists():
        venv.create(top, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", f"check-jsonschema=={VERSION}"]
        installed = subprocess.run(command, capture_output=True, text=True, check=False)
        if installed.returncode:
            raise RuntimeError(f"check-jsonschema cannot be installed:\n{installed.stderr}")
        done.touch()
    return str(python), "-m", "check_jsonschema"
