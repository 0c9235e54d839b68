"""`render`: the prompt of a judge for a row and an output."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from doors import UsageError
from tables import every_case

from evalcontract import ContractViolation, DatasetLoader, JudgePromptLoader, LoadedJudge, render
from evalcontract.analysis.template_tags import ROOTS
from evalcontract.api.grader import FROM_ROW

if TYPE_CHECKING:
    from pathlib import Path

ROW = {
    "id": "a",
    "input": "Is <b> bold?",
    "expected": {"format": "text", "facts": ["yes", "in HTML"]},
    "context": ["page 1"],
}


def judge_of(folder: Path, template: str) -> LoadedJudge:
    (folder / "judges").mkdir(exist_ok=True)
    indented = "".join(f"  {line}\n" for line in template.splitlines())
    text = f'id: right\nversion: "1.0.0"\ntemplate: |\n{indented}'
    (folder / "judges" / "right.yaml").write_text(text, encoding="utf-8")
    return JudgePromptLoader(folder, strict=False).load("judge/right@1.0.0")


def test_a_prompt(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        "Question: {{ input }}\n"
        "Context: {{ context }}\n"
        "{{#expected}}\n"
        "{{#facts}}\n"
        "- {{ . }}\n"
        "{{/facts}}\n"
        "{{/expected}}\n"
        "{{^expected.tone}}\n"
        "Any tone is fine.\n"
        "{{/expected.tone}}\n"
        "{{! the answer }}\n"
        "Answer: {{ output }}\n",
    )
    prompt = (
        "Question: Is <b> bold?\n"
        'Context: ["page 1"]\n'
        "- yes\n"
        "- in HTML\n"
        "Any tone is fine.\n"
        "Answer: Yes & <no>, {{ input }}\n"
    )
    output = "Yes & <no>, {{ input }}"
    assert render(judge, ROW, output) == prompt
    row = DatasetLoader(tmp_path, strict=False).load_rows([ROW]).rows[0]
    assert render(judge, row, output) == prompt


def test_every_variable_is_given() -> None:
    assert {*FROM_ROW, "output"} == {*ROOTS, "criteria"}


def test_the_output_is_not_that_of_the_row(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "{{ input }}: {{ output }}")
    assert render(judge, {**ROW, "output": "recorded"}, "new") == "Is <b> bold?: new\n"
    assert render(judge, {}, "new") == ": new\n"


def test_a_mapping_may_have_python_values(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "{{ context }} {{ output }}")
    context = {"day": date(2026, 1, 2), "pair": (1, None)}
    assert render(judge, {"context": context}, "") == '{"day": "2026-01-02", "pair": [1, null]} \n'
    cyclic: dict[str, Any] = {}
    cyclic["again"] = cyclic
    for value in (object(), cyclic, {1: 2}):
        with pytest.raises(UsageError, match=r"the row cannot be rendered: `\$\.context"):
            render(judge, {"context": value}, "")


@every_case(
    ("template", "code", "part"),
    [
        ("{{ inptu }} {{ output }}", "judge/template-tag", "`{{ inptu }}`"),
        ("{{#context}} {{ output }}", "judge/template-tag", "never closed"),
        ("{{> partial }} {{ output }}", "judge/template-tag", "partial"),
        ('{{"score": 1}} {{ output }}', "judge/template-json", "JSON"),
    ],
)
def test_a_template_with_a_fault(template: str, code: str, part: str, tmp_path: Path) -> None:
    judge = judge_of(tmp_path, f"Hello\n{template}")
    with pytest.raises(ContractViolation, match=r"right\.yaml:5:") as caught:
        render(judge, ROW, "x")
    assert [found.code for found in caught.value.diagnostics] == [code]
    assert part in str(caught.value)


def test_a_judge_without_a_template(tmp_path: Path) -> None:
    (tmp_path / "judges").mkdir()
    for template in ("", "template: [a]\n"):
        text = f'id: right\nversion: "1.0.0"\nscore_type: binary\n{template}'
        (tmp_path / "judges" / "right.yaml").write_text(text, encoding="utf-8")
        judge = JudgePromptLoader(tmp_path, strict=False).load("right")
        with pytest.raises(ContractViolation, match="template"):
            render(judge, ROW, "x")


def test_wrong_arguments(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "{{ output }}")
    rows: list[Any] = ["row", None, *DatasetLoader(tmp_path, strict=False).load_rows([7])]  # type: ignore[list-item]
    for row in rows:
        with pytest.raises(UsageError, match="a row must be a mapping"):
            render(judge, row, "x")
    with pytest.raises(UsageError, match="must be a string, not `NoneType`"):
        render(judge, ROW, None)  # type: ignore[arg-type]
