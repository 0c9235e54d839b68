"""The published schemas and their conformance suite, as parameters and fixtures of these tests.

A test that takes `group` runs once for each group of cases of the suite, one that takes
`schema_name` once for each schema, one that takes `suite_file` once for each file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalcontract.structure.exact import validator_for
from evalcontract.structure.native import native_for

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "fixtures" / "schema"
NAMES = ("dataset", "rubric", "judge", "target")


def read(path: Path) -> Any:
    """Return the value of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def suite_files() -> list[Path]:
    """List the files of the suite; an empty suite is a failure, not a pass."""
    found = sorted(SUITE.glob("*/*.json"))
    assert found, f"no case under {SUITE.relative_to(ROOT)}"
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test its parameters, each with a readable id."""
    if "schema_name" in metafunc.fixturenames:
        metafunc.parametrize("schema_name", NAMES)
    if "suite_file" in metafunc.fixturenames:
        files = suite_files()
        metafunc.parametrize("suite_file", files, ids=[_topic(file) for file in files])
    if "group" in metafunc.fixturenames:
        groups = {
            f"{_topic(file)}: {group['description']}": group
            for file in suite_files()
            for group in read(file)
        }
        metafunc.parametrize("group", groups.values(), ids=groups)


def _topic(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


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
