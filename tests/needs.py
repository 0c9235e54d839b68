"""What tests need besides the packages of `.[dev]`; without it they are skipped, and under CI fail.

Each need is one constant, so that the summary of a run has one line for it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Never

import pytest

#: Where the files stand that are no part of the repository: real files, and cases with the verdicts
#: of real loaders. Nothing beside a checkout is looked at unless this variable names it.
SHARED_VARIABLE = "EVALCONTRACT_SHARED"

NODE = "Node.js and its packages: `npm ci --ignore-scripts` in tests/node"
TYPESCRIPT = "Node.js and the port: `npm ci --ignore-scripts` in ports/typescript"
PROMPTFOO = "promptfoo: `npm install --omit=optional --ignore-scripts` in tests/promptfoo"
PROMPTFOO_COMMAND = (
    "the command of promptfoo, installed as `.ci/run` does: Node.js 22.22 and libsql"
)
CHROMIUM = "Chromium"
WORKBENCH = "code-server: `make workbench`, and EVALCONTRACT_WORKBENCH=tests/workbench/.server"
PEERS = "the real loaders: `make peers`, and EVALCONTRACT_PEERS=tests/peers/.venv/bin/python"
SUITES = "the official test suites and schemas: `make suites`"
SHARED = f"files that are no part of the repository: {SHARED_VARIABLE}"
SAIL = "Apache Sail: `pip install --requirement tests/spark/sail.txt`"
SPARK = "Apache Spark: Java 17, `make peers clusters` and EVALCONTRACT_PEERS"
ENGINES = "Ray, Dask, Polars and DuckDB: `make peers clusters` and EVALCONTRACT_PEERS"
INDEX = "a package index that pip reaches"
YAML_RS = "yaml-rs, which has wheels for most platforms"
#: What hides yaml-rs in `make without-yaml-rs`.
WITHOUT_YAML_RS = Path(__file__).parent / "without_yaml_rs"
MAN = "man, the reader of manual pages"
GROFF = "groff, which `man` renders with"
DOCS = "what builds the documentation: `make site`"


def missing(need: str) -> Never:
    """Skip the test for want of something; under CI, fail."""
    reason = f"needs {need}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)


def shared(*parts: str) -> Path:
    """Return the path of a file or folder that is no part of the repository; else skip the test."""
    found = find_shared(*parts)
    if found is None or not found.exists():
        missing(SHARED)
    return found


def find_shared(*parts: str) -> Path | None:
    """Return where such a file or folder would be; None if the variable is not set."""
    folder = os.environ.get(SHARED_VARIABLE)
    return Path(folder, *parts) if folder else None


def yaml_rs() -> None:
    """Skip the test where yaml-rs is missing; under CI, only where it is hidden on purpose."""
    try:
        import yaml_rs  # noqa: F401 - only whether it is there
    except ImportError:
        if str(WITHOUT_YAML_RS) in sys.path:
            pytest.skip(f"needs {YAML_RS}", allow_module_level=True)
        missing(YAML_RS)
