"""A table hides no failure, and its cases share nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.cache import FOLDER_VARIABLE

if TYPE_CHECKING:
    from pathlib import Path


@every_case("number", [1, 2, pytest.param(3, id="three"), 4])
def _odd(number: int) -> None:
    assert number % 2


@every_case(("number", "text"), [(1, "1"), (2, "3"), (3, "x")], ids=["good", "bad", "worse"])
def _written(number: int, text: str) -> None:
    if text == "x":
        pytest.fail("no number")
    assert str(number) == text


def _told(group: ExceptionGroup[Any]) -> list[tuple[str, list[str]]]:
    return [(str(each).partition("\n")[0], each.__notes__) for each in group.exceptions]


def test_every_failure_is_told_with_its_case() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 4 cases fail") as odd:
        _odd()
    assert [notes for _, notes in _told(odd.value)] == [["in the case 2"], ["in the case 4"]]
    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail") as written:
        _written()
    assert _told(written.value) == [
        ("assert '2' == '3'", ["in the case bad"]),
        ("no number", ["in the case worse"]),
    ]


@every_case("first", "ab")
@every_case("second", [1, 2])
def _never(first: str, second: int) -> None:
    raise ValueError(f"{first}{second}")


def test_tables_multiply() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 2") as found:
        _never()
    inner = [[str(each) for each in group.exceptions] for group in found.value.exceptions]
    assert inner == [["a1", "a2"], ["b1", "b2"]]


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(AssertionError, match="without a case"):
        every_case("number", [])


@every_case("number", [1, 2, 3])
def test_cases_share_nothing(
    number: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "mine").touch()
    assert capsys.readouterr().out == ""
    print(number)  # noqa: T201
    assert "OF_A_CASE" not in os.environ
    monkeypatch.setenv("OF_A_CASE", "1")
    caches = os.environ[FOLDER_VARIABLE].split("-")
    assert caches[-1] == str(number - 1)
