"""Datasets and rubrics that people wrote before these schemas are valid as they stand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    """Return the folder of the real files, which stands beside the repository."""
    found = root.parent / "shared" / "real" / "ai_eval"
    if not found.is_dir():
        reason = "the real files do not stand beside the repository"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.mark.parametrize(
    ("schema", "pattern"), [("dataset", "*.yaml"), ("rubric", "rubrics/*.yaml")]
)
def test_real_files_are_valid(folder: Path, exact: Any, schema: str, pattern: str) -> None:
    """Every real file is accepted."""
    files = sorted(folder.glob(pattern))
    assert files
    for file in files:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert list(exact[schema].iter_errors(value)) == [], file.name
