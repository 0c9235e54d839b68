"""Messages and help stay readable where there is much to name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from texts import facts

from evalcontract.model.values import chained, listed

if TYPE_CHECKING:
    from pathlib import Path


def test_listed() -> None:
    words = [f"w{n}" for n in range(2000)]
    assert listed([]) == ""
    assert listed(words[:6]) == "w0, w1, w2, w3, w4, w5"
    assert listed(words[:7]) == "w0, w1, w2, w3, w4 … and 2 more"
    assert listed(words) == "w0, w1, w2, w3, w4 … and 1,995 more"


def test_chained() -> None:
    words = [f"w{n}" for n in range(50)]
    assert chained(words[:3]) == "w0 -> w1 -> w2"
    assert chained(words) == "w0 -> w1 -> w2 -> … 45 more … -> w48 -> w49"


def rubric(id_: str, version: str = "1.0.0", check: str | None = None) -> str:
    check = check or "{id: a, kind: must_contain_any, values: [x]}"
    return (
        f'id: {id_}\nversion: "{version}"\nchecks:\n  - {check}\nscoring: {{combine: all_pass}}\n'
    )


def findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[Any], str]:
    command_line("check", str(folder), "--output-format", "json")
    found: list[Any] = json.loads(capsys.readouterr().out)["findings"]
    command_line("check", str(folder))
    return found, capsys.readouterr().out


def test_versions_of_a_rubric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The newest come first."""
    (tmp_path / "rubrics").mkdir()
    for minor in range(17):
        path = tmp_path / "rubrics" / f"many@1.{minor}.0.yaml"
        path.write_text(rubric("many", f"1.{minor}.0"), encoding="utf-8")
    (tmp_path / "rows.yaml").write_text(
        "questions: [{id: a, input: b, rubric_ref: rubric/many@2.0.0}]\n", encoding="utf-8"
    )
    (found,), _ = findings(tmp_path, capsys)
    assert facts(found["help"]) == ["1.16.0", "1.15.0", "1.14.0", "1.13.0", "1.12.0", "12"]


@pytest.mark.costly
def test_cycle_of_fifty_hops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program gets every hop; a person the first ones."""
    (tmp_path / "rubrics").mkdir()
    for n in range(50):
        check = f"{{id: a, kind: composite, rubric_ref: rubric/r{(n + 1) % 50:02}@1.0.0}}"
        path = tmp_path / "rubrics" / f"r{n:02}.yaml"
        path.write_text(rubric(f"r{n:02}", check=check), encoding="utf-8")
    found, text = findings(tmp_path, capsys)
    (cycle,) = (each for each in found if each["code"] == "rubric/cycle")
    assert cycle["message"].endswith("-> rubric/r49@1.0.0 -> rubric/r00@1.0.0")
    assert "46" in facts(cycle["message"])
    assert len(cycle["related"]) == 49
    assert len(re.findall(r"rubrics/r\d\d\.yaml:\d+", text)) == 1 + 5
    assert "44 more" in text


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (
            "{id: a, kind: markdown_structure, no_h1: true, zzzz: 1}",
            "metadata min_paragraphs min_code_blocks forbidden_patterns required_sections 4",
        ),
        # A vocabulary is told whole.
        (
            "{id: a, kind: zzzz}",
            (
                "must_contain_any must_not_contain regex json_schema php_lint markdown_structure "
                "tool_usage format fact_match llm_judge composite"
            ),
        ),
    ],
)
def test_known_words(
    check: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "r.yaml").write_text(rubric("r", check=check), encoding="utf-8")
    (found,), _ = findings(tmp_path, capsys)
    assert facts(found["help"]) == words.split()
