"""What the language server offers to begin with, and what that is worth once it is filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from examples import some
from live import Live, applied

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - id: tone
    kind: llm_judge
    judge_prompt_ref: judge/tone@1.2.0
scoring: {combine: all_pass}
"""
JUDGE = 'id: tone\nversion: "1.2.0"\ntemplate: Is it polite? {{ output }}\n'
KINDS = 12  # the eleven kinds; `json_schema` in two ways
ROW, CHECK = "  - id: a\n    input: b\n    expected_facts: [c]\n", "checks:\n"
#: Where something can begin: a file with `|` at the position, and the snippets that are offered.
PLACES: dict[str, tuple[str, str, int]] = {
    "an empty rubric": ("rubrics/new.yaml", "|", 1),
    "an empty judge": ("judges/new.yaml", "|", 1),
    "an empty target": ("targets/new.yaml", "|", 1),
    "an empty dataset": ("datasets/new.yaml", "|", 1),
    "a row after a dash": ("datasets/row.yaml", f"questions:\n{ROW}  - |\n", 1),
    "a row without a dash": ("datasets/dash.yaml", f"questions:\n{ROW}  |\n", 1),
    "a row in a line": (
        "datasets/line.jsonl",
        '{"id": "a", "input": "b", "expected_facts": ["c"]}\n|',
        1,
    ),
    "a row in braces": (
        "datasets/in.jsonl",
        '{"id": "a", "input": "b", "expected_facts": ["c"]}\n{|}',
        1,
    ),
    "a row in JSON": ("datasets/rows.json", '{"questions": [\n  |\n]}', 1),
    "a list of rows": ("datasets/list.json", "[|]", 1),
    "a rubric in JSON": ("rubrics/new.json", "{|}", 1),
    "a judge in empty JSON": ("judges/new.json", "|", 1),
    "a check": (
        "rubrics/c.yaml",
        'id: c\nversion: "1.0.0"\nchecks:\n  - |\nscoring: {combine: all_pass}\n',
        KINDS,
    ),
    "a check in brackets": (
        "rubrics/f.yaml",
        'id: f\nversion: "1.0.0"\nchecks: [|]\nscoring: {combine: all_pass}\n',
        KINDS,
    ),
    "a check in JSON": (
        "rubrics/j.json",
        '{"id": "j", "version": "1.0.0", "checks": [|], "scoring": {"combine": "all_pass"}}',
        KINDS,
    ),
}
#: What a new file cannot know, or what is left to fill in.
_LEFT = {
    "judge/unvalidated",
    "reference/dangling",
    "target/missing-dataset",
    "dataset/unread-expectation",
}


FILES = {"rubrics/polite.yaml": RUBRIC, "judges/tone.yaml": JUDGE}


def filled(snippet: str) -> str:
    """Return what an editor writes of a snippet whose first choices are taken."""
    text = re.sub(r"\$\{\d+\|([^,|]*)[^|]*\|\}", r"\1", snippet)
    text = re.sub(r"\$\{\d+:((?:\\.|[^}\\])*)\}", r"\1", text)
    return re.sub(r"\\([$}\\])", r"\1", re.sub(r"\$\d+", "left.json", text))


def inserted(text: str, item: dict[str, Any]) -> str:
    """Return a text with a snippet in it, indented as its line is."""
    edit = item["textEdit"]
    line = text.split("\n")[edit["range"]["start"]["line"]]
    indent = line[: len(line) - len(line.lstrip())]
    new = filled(edit["newText"]).replace("\n", f"\n{indent}")
    return applied(text, [{**edit, "newText": new}])


def test_snippets_are_valid_once_they_are_filled_in(server: Live) -> None:
    for place, (name, marked, count) in some(PLACES.items(), times=5):
        before, _, after = marked.partition("|")
        text = before + after
        document = server.start(server.folder / name, text)
        document.codes_at_all()
        at = (before.count("\n"), len(before.rpartition("\n")[2]))
        offered = [
            item for item in document.completions(*at).values() if item.get("insertTextFormat") == 2
        ]
        assert len(offered) == count, f"{place}: {[item['label'] for item in offered]}"
        for item in offered:
            new = inserted(text, item)
            version = document.replace_all(new)
            found = server.until(document.uri, lambda _: True, version)
            codes = {finding.get("code") for finding in found}
            if "schema_ref" in new:  # the file of it is left to the author
                codes -= {"rubric/invalid-json-schema"}
            assert codes <= _LEFT, f"{place}, {item['label']}: {codes}\n{new}"
            assert item["documentation"]["value"]
            document.replace_all(text)
        document.replace_all("")
        document.close()


def test_references_of_snippets_are_those_that_there_are(server: Live) -> None:
    document = server.start(server.folder / "datasets/refs.yaml", "")
    document.codes_at_all()
    (new,) = [
        item for item in document.completions(0, 0).values() if item["label"] == "new dataset"
    ]
    assert "rubric/polite@1.0.0" in new["textEdit"]["newText"]
    document.close()


@pytest.mark.parametrize(
    "text",
    ["questions:\n  - id: a\n    |\n", "questions:\n  - input: |\n", "# |\n", "x_own:\n  - |\n"],
)
def test_nothing_new_is_offered_in_what_has_begun(server: Live, text: str) -> None:
    before, _, after = text.partition("|")
    document = server.start(server.folder / "datasets/begun.yaml", before + after)
    document.codes_at_all()
    at = (before.count("\n"), len(before.rpartition("\n")[2]))
    labels = document.completions(*at)
    assert not {label for label in labels if label.startswith("new ")}
    document.close()


def test_an_editor_without_snippets_gets_none(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    with Live(tmp_path, capabilities={"textDocument": {"completion": {}}}) as live:
        document = live.start(tmp_path / "rubrics/new.yaml", "")
        document.codes_at_all()
        found = document.completions(0, 0)
        assert "id" in found
        assert not any(item.get("insertTextFormat") == 2 for item in found.values())
