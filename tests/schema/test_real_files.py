"""Datasets and rubrics that people wrote before these schemas are valid as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from needs import shared

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder() -> Path:
    """Return the folder of the real files."""
    return shared("real", "ai_eval")


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
