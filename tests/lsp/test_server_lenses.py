"""What the server shows beside a text: links, versions, uses and scores; folds and names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from live import Live

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: thanks
version: "1.0.0"
checks:
  - id: said
    kind: must_contain_any
    values: [thank you]
scoring: {combine: all_pass}
"""
OUTER = """\
id: outer
version: "1.0.0"
checks:
  - {id: inner, kind: composite, rubric_ref: rubric/thanks@1.0.0}
scoring: {combine: all_pass}
"""
DATASET = """\
# about
# thanks
questions:
  - id: one
    input: |
      What is
      rubric_ref: rubric/thanks
    rubric_ref: rubric/thanks
  - {id: two, input: b, rubric_ref: "rubric/thanks@1.0.0"}
  - id: three
    input: c
    rubric_ref: rubric/nowhere
  - id: four
    input: d
    rubric_ref: rubric/thanks@1.0.0
"""
FILES = {
    "rubrics/thanks.yaml": RUBRIC,
    "rubrics/thanks@0.9.0.yaml": RUBRIC.replace("1.0.0", "0.9.0"),
    "rubrics/outer.yaml": OUTER,
    "datasets/a.yaml": DATASET,
    "targets/bot.yaml": "id: bot\ndataset: datasets/a.yaml\n",
}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


def titles(lenses: list[dict[str, Any]]) -> list[str]:
    assert all(lens["range"]["start"] == {"line": 0, "character": 4} for lens in lenses)
    return [lens["command"]["title"] for lens in lenses]


def test_references_lead_to_their_files(server: Live) -> None:
    """Those that lead somewhere: not what a text says, and none that dangles."""
    dataset = server.start(server.folder / "datasets/a.yaml")
    links = dataset.ask("documentLink")
    assert {link["target"].rpartition("/")[2] for link in links} == {"thanks.yaml"}
    assert [link["range"]["start"]["line"] for link in links] == [7, 8, 14]
    target = server.start(server.folder / "targets/bot.yaml")
    (link,) = target.ask("documentLink")
    assert link["target"] == dataset.uri
    assert link["range"] == {"start": {"line": 1, "character": 9},
                             "end": {"line": 1, "character": 24}}  # fmt: skip


def test_a_link_needs_no_text_that_can_be_parsed(server: Live) -> None:
    broken = server.start(server.folder / "datasets/b.yaml", DATASET + '  - "\n')
    assert len(broken.ask("documentLink")) == 3
    broken.close()


def test_an_unpinned_reference_shows_its_version(server: Live) -> None:
    dataset = server.start(server.folder / "datasets/a.yaml")
    (hint,) = dataset.ask("inlayHint", range=WHOLE)
    assert (hint["label"], hint["position"]) == ("@1.0.0", {"line": 7, "character": 29})
    (edit,) = hint["textEdits"]
    assert edit["newText"] == "@1.0.0"
    elsewhere = {"start": {"line": 8, "character": 0}, "end": {"line": 99, "character": 0}}
    assert dataset.ask("inlayHint", range=elsewhere) == []


def test_a_rubric_says_who_uses_it(server: Live) -> None:
    rubric = server.start(server.folder / "rubrics/thanks.yaml")
    assert titles(rubric.ask("codeLens")) == ["3 rows and 1 check use this rubric"]
    older = server.start(server.folder / "rubrics/thanks@0.9.0.yaml")
    assert titles(older.ask("codeLens")) == ["no row or check uses this rubric"]
    changed = DATASET.replace("rubric/thanks@1.0.0", "rubric/thanks@0.9.0")
    dataset = server.start(server.folder / "datasets/a.yaml", changed)
    assert titles(older.ask("codeLens")) == ["2 rows use this rubric"]
    dataset.close()
    assert dataset.ask("codeLens") == []


def test_a_rubric_has_the_scores_of_its_last_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what `grade` wrote last, and of the rows that this very version graded."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"rubrics/thanks.yaml": RUBRIC, "rubrics/outer.yaml": OUTER}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    rows = [f'{{"id": "{n}", "input": "x", "rubric_ref": "rubric/thanks@1.0.0"}}\n' for n in "abcd"]
    (tmp_path / "data.jsonl").write_text("".join(rows), encoding="utf-8")
    outputs = [
        f'{{"id": "{row}", "output": "{text}"}}\n'
        for row, text in zip("abcd", ["thank you"] * 3 + ["no"], strict=True)
    ]
    (tmp_path / "outputs.jsonl").write_text("".join(outputs), encoding="utf-8")
    graded = ["grade", "data.jsonl", "--outputs", "outputs.jsonl", "--results", "results.jsonl"]
    with Live(tmp_path) as server:
        rubric = server.start(tmp_path / "rubrics/thanks.yaml")
        assert titles(rubric.ask("codeLens")) == ["4 rows and 1 check use this rubric"]
        command_line(*graded)
        assert titles(rubric.ask("codeLens"))[1:] == ["last run: 0.75 (0.30 to 0.95) of 4 rows"]
        rubric.replace((1, 10), (1, 11), "2")
        assert titles(rubric.ask("codeLens")) == ["no row or check uses this rubric"]
        (tmp_path / "results.jsonl").write_text('{"manifest": 1}\n', encoding="utf-8")
        rubric.replace((1, 10), (1, 11), "1")
        assert len(rubric.ask("codeLens")) == 1


@pytest.mark.parametrize(
    ("name", "text", "folded"),
    [
        ("datasets/f.yaml", DATASET, {(0, 1), (2, 14), (3, 7), (4, 6), (9, 11), (12, 14)}),
        ("x.yaml", "a:\n- b:\n    c\n\n- d\ne: f\n", {(0, 4), (1, 2)}),
        ("x.json", '{\n  "a": [\n    1\n  ],\n  "b": {"c": 2}\n}\n', {(0, 4), (1, 2)}),
        ("x.jsonl", "{}\n{}\n", set()),
        ("empty.yaml", "", set()),
    ],
)
def test_folds(server: Live, name: str, text: str, folded: set[tuple[int, int]]) -> None:
    document = server.start(server.folder / name, text)
    found = document.ask("foldingRange")
    document.close()
    assert {(each["startLine"], each["endLine"]) for each in found} == folded
    assert {each["startLine"] for each in found if each.get("kind") == "comment"} <= {0}


def test_names_of_the_workspace(server: Live) -> None:
    """By a part of the name; rows, too."""
    wanted = {"THANKS": {"rubric/thanks@1.0.0", "rubric/thanks@0.9.0"}, "inn": {"inner"},
              "thre": {"three"}, "bot": {"bot"}, "\u0000": set()}  # fmt: skip
    for query, names in wanted.items():
        found = server.request("workspace/symbol", {"query": query})
        assert {each["name"] for each in found} == names
    (row,) = server.request("workspace/symbol", {"query": "three"})
    assert row["location"]["uri"].endswith("/datasets/a.yaml")
    assert row["location"]["range"]["start"] == {"line": 9, "character": 8}
