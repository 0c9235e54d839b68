"""Runs a script of `tests/node`: what other readers of YAML make of texts.

Needs Node.js and `npm ci --ignore-scripts` in `tests/node`. Without them the tests are skipped,
but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from needs import NODE, missing

_FOLDER = Path(__file__).parents[1] / "node"


def run_script(script: str, package: str, given: Any = None) -> Any:
    """Return what a script prints, which uses a package; `given` is its standard input."""
    node = shutil.which("node")
    if node is None:
        missing(NODE)
    if not (_FOLDER / "node_modules" / package).is_dir():
        missing(NODE)
    done = subprocess.run(
        [str(node), script],
        cwd=_FOLDER,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)
