"""The real yaml-language-server, for the tests of what an author sees.

Needs Node.js and `npm ci --ignore-scripts` in `tests/node`. Without them the tests are skipped,
but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Never

import pytest
from author import Author
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
def started(package: str) -> Iterator[Client]:
    """Start a language server, by the name of its package in `tests/node`."""
    node = shutil.which("node")
    if node is None:
        absent("Node.js is not installed")
    script = PACKAGES / package / "bin/yaml-language-server"
    if not script.is_file():
        absent(f"{package} is not installed: `npm ci --ignore-scripts` in tests/node")
    with Client([str(node), str(script), "--stdio"], ROOT) as client:
        yield client


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    """Start the newest server once; each document in it is opened once."""
    with started(NEWEST) as server:
        yield server


@pytest.fixture(scope="module", params=SERVERS)
def any_client(request: pytest.FixtureRequest) -> Iterator[Client]:
    """Start each of the servers."""
    with started(request.param) as server:
        yield server


@pytest.fixture
def typing_author(client: Client, tmp_path: Path) -> Author:
    """Return an author whose files name the schemas for editors of this repository."""
    return Author(client, tmp_path, ROOT / "schema" / "editor", count())


def absent(reason: str) -> Never:
    """Skip a test that lacks what it needs; fail where `CI` is set."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
