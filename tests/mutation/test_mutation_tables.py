"""The tables that mutants and lower bounds are read from are sound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import coverage
import pytest
from covering import IMPORT, read, store, stored
from known import read_known
from lowest import lowest
from tables import every_case

import evalcontract

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(evalcontract.__file__).parent


def test_equivalent_mutants_have_their_lines_and_a_reason() -> None:
    known = read_known(PACKAGE)
    assert known
    assert all(reason for reason in known.values())


@pytest.fixture
def entry(tmp_path: Path) -> Callable[[str], Path]:
    (tmp_path / "m.py").write_text("def f():\n    a = 1\n    return a\n", encoding="utf-8")

    def write(was: str) -> Path:
        file = tmp_path / "known.toml"
        lines = (f"was = '''{was}'''", "becomes = 'x'", "module = 'm.py'", "reason = 'r'")
        file.write_text("\n".join(("[[mutant]]", *lines)), encoding="utf-8")
        return file

    return write


def test_a_mutant_of_lines_that_are_gone(entry: Callable[[str], Path], tmp_path: Path) -> None:
    assert read_known(tmp_path, entry("a = 1\nreturn a")) == {("m.py", "a = 1\nreturn a", "x"): "r"}
    with pytest.raises(SystemExit, match="has no lines 'a = 2'"):
        read_known(tmp_path, entry("a = 2"))


def test_what_was_measured_is_used_again(tmp_path: Path) -> None:
    file, covering = tmp_path / "kept" / "covering.json", {"m.py": {3: ["tests/a.py::test_a"]}}
    assert stored(file, "digest") is None
    store(file, "digest", covering)
    assert stored(file, "digest") == covering
    assert stored(file, "of other sources") is None
    assert stored(file, None) == covering, "whatever it was measured of"


def test_a_test_that_fails_without_a_mutant_covers_nothing(tmp_path: Path) -> None:
    data = coverage.CoverageData(str(tmp_path / "data"))
    module = tmp_path / "package" / "m.py"
    for context in ("", "tests/a.py::test_good|run", "tests/a.py::test_bad[a b]|run"):
        data.set_context(context)
        data.add_lines({str(module): [1] if not context else [2]})
    data.write()
    covering = read(tmp_path / "data", module.parent, ["FAILED tests/a.py::test_bad[a b] - why"])
    assert covering == {"m.py": {1: [IMPORT], 2: ["tests/a.py::test_good"]}}


@every_case(
    ("requirement", "expected"),
    [
        ("click>=8.1", "click==8.1"),
        ("yaml-rs>=0.1.6,<0.2", "yaml-rs==0.1.6"),
        ("ruamel.yaml>=0.18", "ruamel.yaml==0.18"),
    ],
)
def test_lower_bounds(requirement: str, expected: str) -> None:
    assert lowest(requirement) == expected


@every_case("requirement", ["click", "click<9", "click~=8.1"])
def test_a_requirement_without_a_lower_bound(requirement: str) -> None:
    with pytest.raises(SystemExit, match="no lower bound"):
        lowest(requirement)
