"""What cannot be loaded at all raises in soft mode too: an empty result would pass for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from doors import UsageError
from tables import every_case
from writing import write

from evalcontract import (
    ContractViolation,
    DatasetLoader,
    JudgePromptLoader,
    RubricLoader,
)

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
JUDGE = 'id: polite\nversion: "1.0.0"\ntemplate: "Is it right? {{ output }}"\n'


@every_case(
    ("name", "text", "code"),
    [
        ("nowhere.yaml", None, "source/unreadable"),
        ("folder.yaml/in/it", "", "source/unreadable"),
        ("set.jsonl", "", "source/empty"),
        ("set.jsonl", "{\n{\n", "source/syntax"),
        ("set.json", "[", "source/syntax"),
        ("set.yaml", "queries: []\n", "dataset/no-questions"),
        ("set.yaml", RUBRIC, "dataset/wrong-kind"),
        ("set.yaml", "- {id: a, input: b}\n", "dataset/no-questions"),
    ],
)
def test_a_dataset(name: str, text: str | None, code: str, tmp_path: Path) -> None:
    if text is not None:
        write(tmp_path, {name: text})
    with pytest.raises(ContractViolation) as caught:
        DatasetLoader(strict=False).load(tmp_path / name.split("/", maxsplit=1)[0])
    assert {found.code for found in caught.value.diagnostics} == {code}


def test_what_is_left_is_loaded(tmp_path: Path) -> None:
    """No rows by intention, and some lines of many, are something."""
    write(
        tmp_path, {"none.yaml": "questions: []\n", "some.jsonl": '{"id": "a", "input": "b"}\n{\n'}
    )
    loader = DatasetLoader(strict=False)
    none = loader.load(tmp_path / "none.yaml")
    assert (none.rows, [found.code for found in none.diagnostics]) == ((), ["dataset/no-rows"])
    assert [row.value["id"] for row in loader.load(tmp_path / "some.jsonl")] == ["a"]


def test_a_rubric_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"rubrics/polite@2.0.0.yaml": "id: [\n", "rubrics/polite.yaml": RUBRIC})
    loader = RubricLoader(tmp_path)
    with pytest.raises(ContractViolation, match="source/syntax"):
        loader.load("polite", "2.0.0")
    assert loader.load("polite", "1.0.0").diagnostics == ()
    with pytest.raises(UsageError, match=r"no version 3\.0\.0"):
        loader.load("polite", "3.0.0")


def test_the_newest_may_be_what_cannot_be_read(tmp_path: Path) -> None:
    """It is told, and strict mode does not take the older one for it."""
    write(tmp_path, {"rubrics/polite@2.0.0.yaml": "id: [\n", "rubrics/polite.yaml": RUBRIC})
    loaded = RubricLoader(tmp_path, strict=False).load("polite")
    assert loaded.version == "1.0.0"
    assert [found.code for found in loaded.diagnostics] == ["source/syntax"]
    with pytest.raises(ContractViolation):
        RubricLoader(tmp_path, strict=True).load("polite")


def test_an_artifact_of_another_kind(tmp_path: Path) -> None:
    write(tmp_path, {"rubrics/polite.yaml": JUDGE, "judges/polite.yaml": RUBRIC})
    with pytest.raises(ContractViolation, match="rubric/wrong-kind"):
        RubricLoader(tmp_path, strict=False).load("polite")
    with pytest.raises(ContractViolation, match="judge/wrong-kind"):
        JudgePromptLoader(tmp_path, strict=False).load("polite")


def test_a_root_that_is_no_folder(tmp_path: Path) -> None:
    write(tmp_path, {"set.yaml": "questions: []\n"})
    with pytest.raises(UsageError, match="is not a folder"):
        RubricLoader(tmp_path / "nowhere").load("polite")
    with pytest.raises(UsageError, match="is not a folder"):
        DatasetLoader(tmp_path / "set.yaml").load(tmp_path / "set.yaml")


def test_what_stands_beside_the_rows_is_told_once(tmp_path: Path) -> None:
    """However often it is looked at: by the check, and by the coverage."""
    write(
        tmp_path, {"set.yaml": "bundel: x\nquestions: [{id: a, input: b, expected_facts: [c]}]\n"}
    )
    loaded = DatasetLoader(strict=False).load(tmp_path / "set.yaml")
    assert len(loaded.coverage) == 1
    assert [found.code for found in loaded.diagnostics] == ["dataset/near-miss-key"]
