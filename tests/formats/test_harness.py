"""Tasks of lm-evaluation-harness: unknown and duplicate keys, and no advice to be a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import Input, Kind, Options, check_workspaces, command_line, validate
from real_packages import ask_peer
from tables import every_case

from evalcontract.datasets.kinds import KEYS

SCRIPT = Path(__file__).with_name("harness_real.py")
TASK = 'task: capitals\ndataset_path: json\ndoc_to_text: "{{question}}"\n'
NOTE = "dataset/harness-task"
NEAR, UNKNOWN, TWICE = "dataset/near-miss-key", "dataset/unknown-key", "source/duplicate-key"


def found(text: str, folder: Path) -> list[tuple[str, int | None, str | None]]:
    """Return the code, the line and the help of each finding but the note."""
    (folder / "t.yaml").write_text(text, encoding="utf-8")
    of_task = validate(Kind.DATASET, [Input(folder / "t.yaml")], Options(strict=True)).diagnostics
    assert [each.code for each in of_task].count(NOTE) == 1
    spans = [(each, each.place.span) for each in of_task if each.code != NOTE]
    return [(each.code, span.line if span else None, each.help) for each, span in spans]


# (what a task has more, the codes, and whether the real loader refuses it)
CASES: list[tuple[str, list[str], bool]] = [
    ("", [], False),
    ("process_docs: !function utils.process\n", [], False),
    ("doc_to_targt: a\n", [NEAR], True),
    ("doc_to_target: !function utils.f\nnum_fewshots: 1\n", [NEAR], True),
    ("author: Ada\n", [UNKNOWN], True),
    ('"author": Ada\n', [UNKNOWN], True),
    ("metadata: {version: 1, author: Ada}\n", [], False),
    ("num_fewshot: 1\nnum_fewshot: 2\n", [TWICE], False),
    ("doc_to_target: !function a.b\nnum_fewshot: 1\nnum_fewshot: 2\n", [TWICE], False),
    ('description: "a\nauthor: b"\n', [], False),
    ('description: "a\nb"\nnum_fewshot: 1\nnum_fewshot: 2\n', [TWICE], False),
]


@every_case(("more", "codes"), [(more, codes) for more, codes, _ in CASES])
def test_unknown_and_duplicate_keys_are_all_that_is_said(
    more: str, codes: list[str], tmp_path: Path
) -> None:
    assert [code for code, _, _ in found(TASK + more, tmp_path)] == codes


def test_the_key_that_is_meant_is_named_at_its_place(tmp_path: Path) -> None:
    text = "task: a\ndataset_pth: b\ndoc_to_text: !function utils.f\n"
    assert found(text, tmp_path) == [(NEAR, 2, "did you mean `dataset_path`?")]


@every_case("more", ("include: a.yaml\n", "class: !function a.B\n", "group: b\n"))
def test_a_key_that_another_class_may_read_is_not_reported(more: str, tmp_path: Path) -> None:
    assert found(f"{TASK}{more}recipe: card\n", tmp_path) == []


@every_case(
    "text",
    (
        "questions:\n  - {id: a, input: b}\ntask: c\ndataset_path: d\n",
        "question:\n  - {id: a, input: b}\ntask: c\ndataset_path: d\n",
        "task: a\nsettings: {b: 1}\n",
        "- task: a\n  dataset_path: b\n",
    ),
)
def test_other_files_are_no_tasks(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    of_file = validate(Kind.DATASET, [Input(tmp_path / "t.yaml")], Options()).diagnostics
    assert NOTE not in [each.code for each in of_file]


def test_a_task_in_a_workspace_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/t.yaml").write_text(TASK, encoding="utf-8")
    diagnostics = check_workspaces(tmp_path, Options(strict=True)).diagnostics
    assert [(each.code, each.is_error) for each in diagnostics] == [(NOTE, False)]


def test_no_dataset_is_made_of_a_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TASK, encoding="utf-8")
    assert command_line("convert", "t.yaml", "out.yaml") == 1
    assert command_line("validate-dataset", "t.yaml") == 0
    assert command_line("fix", "--unsafe-fixes", "t.yaml") == 0
    printed = capsys.readouterr()
    assert "questions" not in printed.out
    assert "the source is no dataset" in printed.err
    assert not Path("out.yaml").exists()
    assert Path("t.yaml").read_text(encoding="utf-8") == TASK


def test_the_real_loader_has_these_keys_and_refuses_others() -> None:
    of_task, of_group, *read = ask_peer("plain", SCRIPT, "", [TASK + more for more, _, _ in CASES])
    assert {*of_task, *of_group} == {*KEYS}
    for (more, _, is_refused), answer in zip(CASES, read, strict=True):
        assert (isinstance(answer, str) and "unexpected keyword" in answer) == is_refused, more
        assert isinstance(answer, dict) or is_refused, answer
