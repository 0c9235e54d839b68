"""Rules of other packages: found by their entry points, run like ours, and loud when broken."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from evalcontract import DatasetLoader
from evalcontract.api.manual import manual
from evalcontract.api.rules_in_use import rules_in_use
from evalcontract.model.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RULE = """
    \'\'\'
    A row shouts.

    Why: Nobody likes it.

    Bad:
        questions:
          - {id: a, input: HELLO, criteria: c}

    Good:
        questions:
          - {id: a, input: Hello, criteria: c}
    \'\'\'
    from evalcontract.model.diagnostic import Problem
    from evalcontract.rules._row_rule import row_rule

    @row_rule("CODE", page=__doc__)
    def RULE(subject):
        if subject.row["input"].isupper():
            yield Problem("CODE", "this row shouts", (*subject.path, "input"))

    NO_RULE = 7
"""


@pytest.fixture
def install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str], None]]:
    """Install a package with one entry point, for one test."""

    def install(point: str, code: str) -> None:
        text = dedent(RULE).replace("\\'", "'").replace("CODE", code)
        (tmp_path / "shouting.py").write_text(text, encoding="utf-8")
        info = tmp_path / "shouting-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[evalcontract.rules]\nshout = {point}\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    rules_in_use.cache_clear()
    yield install
    rules_in_use.cache_clear()
    sys.modules.pop("shouting", None)


def test_a_rule_of_others_sees_every_row(
    install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install("shouting:RULE", "dataset/shouting")
    path = tmp_path / "data.yaml"
    path.write_text("questions:\n  - {id: a, input: HELLO, criteria: c}\n", encoding="utf-8")

    found = DatasetLoader().load(path).diagnostics

    assert [(each.code, str(each.severity)) for each in found] == [("dataset/shouting", "warning")]
    assert "A row shouts." in manual()["dataset/shouting"].what


@pytest.mark.parametrize(
    ("point", "code", "words"),
    [
        ("shouting:RULE", "dataset/duplicate-id", "dataset/duplicate-id is taken"),
        ("shouting:NO_RULE", "dataset/shouting", "is no rule"),
        (
            "shouting:NOWHERE",
            "dataset/shouting",
            "shouting: `shout` of evalcontract.rules",
        ),
        ("nowhere_at_all:RULE", "dataset/shouting", "does not load"),
    ],
)
def test_a_broken_one_is_loud(
    point: str, code: str, words: str, install: Callable[[str, str], None]
) -> None:
    install(point, code)
    with pytest.raises(PluginError, match=words):
        rules_in_use()
