"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def require_shared() -> Path:
    """The folder of reference material beside the checkout: mandatory in CI, else a skip."""
    shared = ROOT.parent / "shared"
    if not shared.is_dir():
        reason = f"no reference material at {os.path.relpath(shared)}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return shared
