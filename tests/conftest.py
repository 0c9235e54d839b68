"""No test reads or writes the cache of whoever runs it, nor that of another test."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from evalcontract.source.cache import FOLDER_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give what is run between the tests a cache of its own, too."""
    folder = tmp_path_factory.mktemp("caches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(folder / "between"))
        yield folder


_numbers = count()


@pytest.fixture(autouse=True)
def own_cache(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a test a cache of its own; the folder is not made yet."""
    folder = caches / str(next(_numbers))
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder
