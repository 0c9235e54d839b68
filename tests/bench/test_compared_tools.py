"""The page that compares tools says what they answer today."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from needs import PROMPTFOO_COMMAND, missing

sys.path.append(str(Path(__file__).parents[2] / "bench" / "comparison"))

import compare
from compare import Absent, Mistake, ask, mistakes

PLANTED = [*mistakes()]


@pytest.mark.parametrize(
    "tool",
    [
        pytest.param("evalcontract", marks=pytest.mark.slow),
        pytest.param("pydantic", marks=pytest.mark.thorough),
        pytest.param("check-jsonschema", marks=pytest.mark.thorough),
        pytest.param("promptfoo validate", marks=pytest.mark.thorough),
    ],
)
def test_the_page_says_what_a_tool_answers(tool: str) -> None:
    """`python bench/comparison/compare.py` writes it anew."""
    try:
        measured = ask(tool, PLANTED)
    except Absent:
        if tool != "promptfoo validate":
            raise
        missing(PROMPTFOO_COMMAND)
    text = compare.PAGE.read_text(encoding="utf-8")
    assert _written(text, tool) == [compare.cell(answer) for answer in measured]
    found = [answer for answer in measured if answer not in {"no", compare.NOT_ASKED}]
    asked = [answer for answer in measured if answer != compare.NOT_ASKED]
    assert f"| `{tool}` | **{len(found)}** of {len(asked)} |" in text


def _written(text: str, tool: str) -> list[str]:
    """Return the answers of a tool on the page; where it has no column, it was not asked."""
    answers = []
    for section in text.split("\n## ")[1:]:
        rows = [line.strip("| ").split(" | ") for line in section.splitlines() if "|" in line[:1]]
        if rows and rows[0][0] == "mistake":
            column = rows[0].index(tool) if tool in rows[0] else None
            answers += [compare.NOT_ASKED if column is None else row[column] for row in rows[2:]]
    return answers


def test_the_opening_page_has_the_figures_of_the_page() -> None:
    """They are those of `test_the_page_says_what_a_tool_answers`."""
    totals = re.findall(r"\*\*(\d+)\*\* of (\d+)", compare.PAGE.read_text(encoding="utf-8"))
    (ours, every), (model, asked), (schema, _), _ = totals
    home = " ".join(compare.PAGE.with_name("index.md").read_text(encoding="utf-8").split())
    assert f"Of {every} mistakes that people make in such files, evalcontract finds {ours};" in home
    assert f"a pydantic model finds {model} of the {asked} it applies to" in home
    assert f"a JSON Schema {schema} of {every}]" in home


def test_35_mistakes_are_planted_one_at_a_time() -> None:
    assert len(PLANTED) == len({mistake.what for mistake in PLANTED}) == 35


def test_a_mistake_that_fits_nowhere_is_refused(tmp_path: Path) -> None:
    astray = Mistake("rows", "nothing", "datasets/support.yaml", "no such text", "")
    with pytest.raises(ValueError, match="no such text"):
        astray.plant(tmp_path / "planted")


def test_a_tool_that_does_not_start_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(Absent):
        ask("pydantic", PLANTED[:1])
