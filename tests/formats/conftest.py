"""The cases that were put to the loaders of other systems; they stand beside the repository."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parents[3] / "shared" / "cases"


@pytest.fixture(scope="session")
def cases_of() -> Callable[[str], list[dict[str, Any]]]:
    """Return the cases of a system by its name; without them, the test is skipped."""

    def read(system: str) -> list[dict[str, Any]]:
        file = FOLDER / f"{system}.json"
        if not file.is_file():
            reason = "the cases do not stand beside the repository"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        cases: list[dict[str, Any]] = json.loads(file.read_bytes())
        return cases

    return read
