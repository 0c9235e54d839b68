"""The published schemas and their conformance suite, as parameters and fixtures of these tests.

A test that takes `schema_name` runs once for each schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from conformance_suite import ROOT, SUITE, read, suite_files

from evalcontract.structure.exact import validator_for
from evalcontract.structure.native import native_for

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("dataset", "rubric", "judge", "target")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test its parameters."""
    if "schema_name" in metafunc.fixturenames:
        metafunc.parametrize("schema_name", NAMES)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def schemas(root: Path) -> dict[str, Any]:
    """Return the four published schemas by name, as they stand in the repository."""
    return {name: read(root / "schema" / f"{name}.schema.json") for name in NAMES}


@pytest.fixture(scope="session")
def suite_schema() -> Any:
    """Return the schema of the suite's own files."""
    return read(SUITE / "suite.schema.json")


@pytest.fixture(scope="session")
def cases() -> list[dict[str, Any]]:
    """List all cases of the suite, each with the name of its schema."""
    return [
        {"schema": group["schema"], **test}
        for file in suite_files()
        for group in read(file)
        for test in group["tests"]
    ]


@pytest.fixture(scope="session")
def exact(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the exact engine for each schema."""
    return {name: validator_for(schema) for name, schema in schemas.items()}


@pytest.fixture(scope="session")
def native(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the fast engine for each schema."""
    return {name: native_for(schema) for name, schema in schemas.items()}
