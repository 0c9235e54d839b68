"""The real yaml-language-server, for the tests of what an author sees.

Needs Node.js and `npm ci --ignore-scripts` in `tests/node`. Without them the tests are skipped,
but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

import pytest
from client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "tests/node/node_modules"
#: The version of today, and those that editors ship which are not kept up.
NEWEST, *OLDER = SERVERS = (
    "yaml-language-server",
    "yaml-language-server-1.20",
    "yaml-language-server-1.18",
)


@contextmanager
def started(
    package: str, root: Path = ROOT, settings: dict[str, Any] | None = None
) -> Iterator[Client]:
    """Start a language server, by the name of its package in `tests/node`.

    `settings` are those of an editor for YAML, besides ours.
    """
    node = shutil.which("node")
    if node is None:
        absent("Node.js is not installed")
    script = PACKAGES / package / "bin/yaml-language-server"
    if not script.is_file():
        absent(f"{package} is not installed: `npm ci --ignore-scripts` in tests/node")
    with Client([str(node), str(script), "--stdio"], root, settings) as client:
        yield client


def absent(reason: str) -> Never:
    """Skip a test that lacks what it needs; fail where `CI` is set."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
