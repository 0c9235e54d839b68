"""What the tests of the language server have in common: they are slow, need pygls, and share it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from forked import Forked
from live import Live
from writing import write

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    is_missing = find_spec("pygls") is None and not os.environ.get("CI")
    for item in items:
        if item.path.parent == _HERE and item.path.name.startswith("test_server_"):
            item.add_marker(pytest.mark.slow)
            if is_missing:
                item.add_marker(pytest.mark.skip(reason="the extra `lsp` is not installed"))


@pytest.fixture(scope="session", autouse=True)
def _forks() -> Iterator[None]:
    """End the process that servers are forks of."""
    yield
    Forked.end_all()


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Live]:
    """A server in a workspace with the `FILES` of the module, if it has some."""
    folder = tmp_path_factory.mktemp("server") / "work space"
    for name in ("rubrics", "datasets"):
        (folder / name).mkdir(parents=True)
    write(folder, getattr(request.module, "FILES", {}))
    with Live(folder) as live:
        yield live
