"""Rules of other packages: found by their entry points, run like ours, and loud when broken."""

from __future__ import annotations

import json
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from doors import Input, Kind, Options, validate

from evalcontract import DatasetLoader
from evalcontract.model.errors import PluginError
from evalcontract.workspace.catalogue import KnownCodes, rules_in_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RULE = """
    \'\'\'
    A row shouts.

    Why: Nobody likes it.

    Bad:
        questions:
          - {id: a, input: HELLO, expected_facts: [c]}

    Good:
        questions:
          - {id: a, input: Hello, expected_facts: [c]}
    \'\'\'
    from evalcontract.model.codes import Code
    from evalcontract.model.diagnostic import Problem, Severity
    from evalcontract.rules._rule import row_rule

    def shouts(subject):
        ASKED.append(subject.row["id"])
        if subject.row["input"].isupper():
            yield Problem(NAME, "this row shouts", (*subject.path, "input"))

    def broken(group):
        raise LookupError("nowhere")

    ASKED = []
    NAME = "CODE"
    DECLARED = Code(NAME, soft=Severity.NOTE, guess=True, page=__doc__)
    QUIET = {"properties": {"input": {"pattern": "[a-z]"}}}
    RULE = row_rule(DECLARED)(shouts)
    SILENT = row_rule(DECLARED, silent=lambda group: QUIET)(shouts)
    NEVER_SILENT = row_rule(DECLARED, silent=lambda group: False)(shouts)
    NO_SCHEMA = row_rule(DECLARED, silent=lambda group: {"type": 7})(shouts)
    RAISES = row_rule(DECLARED, silent=broken)(shouts)
    SUSPECTS = row_rule(
        DECLARED, silent=lambda group: True, suspects=lambda row, group: "HELLO" in row["input"]
    )(shouts)
    FAILS = row_rule(
        DECLARED, silent=lambda group: True, suspects=lambda row, group: row["nothing"]
    )(shouts)
    PLAIN_TEXT = row_rule(NAME)(shouts)
    NO_PAGE = row_rule(Code(NAME))(shouts)
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
    path.write_text(
        "questions:\n  - {id: a, input: HELLO, expected_facts: [c]}\n", encoding="utf-8"
    )

    found = DatasetLoader().load(path).diagnostics

    assert [(each.code, str(each.severity)) for each in found] == [("dataset/shouting", "note")]
    code = KnownCodes()["dataset/shouting"]
    assert code.page.what == "A row shouts."
    assert code.is_guess
    assert "dataset/shouting" in [*KnownCodes()]


def test_a_row_with_the_first_key_of_its_kind_is_shown_to_it(
    install: Callable[[str, str], None], tmp_path: Path
) -> None:
    """Its key is learned late, and then it passes the gate; the rule has none."""
    install("shouting:RULE", "dataset/shouting")
    rows = [{"id": f"r{n}", "input": "Hello", "expected_facts": ["c"]} for n in range(300)]
    rows[250] |= {"input": "HELLO", "owner_team": "search"}
    path = tmp_path / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found = validate(Kind.DATASET, [Input(path)], Options()).diagnostics
    assert [(each.code, each.row) for each in found] == [("dataset/shouting", "r250")]


def test_what_a_rule_suspects_is_shown_to_it(
    install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install("shouting:SUSPECTS", "dataset/shouting")
    codes, asked = checked(tmp_path)
    assert codes == ["dataset/shouting"]
    assert set(asked) == {"r7"}


def test_a_rule_that_cannot_say_what_it_suspects_is_shown_every_row(
    install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install("shouting:FAILS", "dataset/shouting")
    codes, asked = checked(tmp_path)
    assert codes == ["dataset/shouting"]
    assert set(asked) == {f"r{n}" for n in range(20)}


ROWS = "".join(f"  - {{id: r{n}, input: {'HELLO' if n == 7 else 'hello'}, expected_facts: [c]}}\n"
               for n in range(20))  # fmt: skip


def checked(folder: Path) -> tuple[list[str], list[str]]:
    """Check rows of which one shouts; return the codes found, and the ids that were asked about."""
    path = folder / "data.yaml"
    path.write_text(f"questions:\n{ROWS}", encoding="utf-8")
    found = validate(Kind.DATASET, [Input(path)], Options()).diagnostics
    return [each.code for each in found], sys.modules["shouting"].ASKED


@pytest.mark.parametrize("name", ["RULE", "NEVER_SILENT"])
def test_a_rule_that_is_never_silent_is_asked_about_every_row(
    name: str, install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install(f"shouting:{name}", "dataset/shouting")
    codes, asked = checked(tmp_path)
    assert codes == ["dataset/shouting"]
    assert set(asked) == {f"r{n}" for n in range(20)}


def test_a_rule_is_asked_only_about_rows_of_which_it_may_speak(
    install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install("shouting:SILENT", "dataset/shouting")
    assert checked(tmp_path) == (["dataset/shouting"], ["r7"])


@pytest.mark.parametrize("name", ["NO_SCHEMA", "RAISES"])
def test_a_broken_silence_is_loud_and_hides_nothing(
    name: str, install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install(f"shouting:{name}", "dataset/shouting")
    codes, asked = checked(tmp_path)
    assert codes == ["internal/rule-crashed", "dataset/shouting"]
    assert set(asked) == {f"r{n}" for n in range(20)}


@pytest.mark.parametrize(
    ("point", "code", "words"),
    [
        ("shouting:RULE", "dataset/duplicate-id", "the code dataset/duplicate-id, which is"),
        ("shouting:NO_RULE", "dataset/shouting", "is not a rule"),
        ("shouting:PLAIN_TEXT", "dataset/shouting", "a plain string"),
        ("shouting:NO_PAGE", "dataset/shouting", "without a page"),
        (
            "shouting:NOWHERE",
            "dataset/shouting",
            "shouting: `shout` of evalcontract.rules",
        ),
        ("nowhere_at_all:RULE", "dataset/shouting", "cannot be loaded"),
    ],
)
def test_a_broken_one_is_loud(
    point: str, code: str, words: str, install: Callable[[str, str], None]
) -> None:
    install(point, code)
    with pytest.raises(PluginError, match=words):
        rules_in_use()
