"""What a configuration of promptfoo has beside its tests comes back, or is a loss."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats.promptfoo import Promptfoo
from evalcontract.formats.promptfoo.assertions import assertion_of
from evalcontract.formats.promptfoo.configuration import with_default
from evalcontract.formats.promptfoo.conversion import without_default
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from pathlib import Path

NOON = {"type": "icontains", "value": "noon"}
SHORT = {"type": "javascript", "value": "output.length < 9"}
TIDE: dict[str, Any] = {"vars": {"question": "When is high tide?"}, "assert": [NOON]}
BUOY: dict[str, Any] = {"vars": {"question": "Which buoy is red?", "port": "Wick"}}
WHOLE: dict[str, Any] = {
    "description": "harbour",
    "prompts": ["Answer briefly: {{question}}", "file://long.txt"],
    "providers": [{"id": "echo", "config": {"temperature": 0}}],
    "env": {"PORT": "Wick"},
    "evaluateOptions": {"maxConcurrency": 2},
    "outputPath": "out.json",
    "tests": [TIDE, BUOY],
    "somebody": {"of": [1]},
}
COMMON: dict[str, Any] = {
    "vars": {"port": "Lybster", "year": 2026},
    "assert": [SHORT, NOON],
    "options": {"prefix": "Be brief. "},
    "threshold": 0.5,
    "metadata": {"by": "Ada"},
}


def converted(value: Any, folder: Path, *names: str, edit: Any = None) -> tuple[Any, list[Any]]:
    """Return a document after conversions to dialects one after the other, and its last losses."""
    source, report = folder / "in.json", folder / "losses.json"
    source.write_text(json.dumps(value), encoding="utf-8")
    for number, (from_, to) in enumerate(pairwise(names)):
        out = folder / f"{number}.yaml"
        done = convert(
            Input(source),
            out,
            ConvertOptions(from_, to, report, force=True),
            Options(root=folder),
        )
        assert done.refusal is None, [each.message for each in done.diagnostics]
        if edit is not None and to == "evalcontract":
            ours = yaml.safe_load(out.read_text(encoding="utf-8"))
            edit(ours)
            out.write_text(yaml.safe_dump(ours), encoding="utf-8")
        source = out
    losses = json.loads(report.read_text(encoding="utf-8"))["losses"]
    return yaml.safe_load(source.read_text(encoding="utf-8")), losses


@pytest.mark.costly
@every_case(
    "value",
    [
        WHOLE,
        {**WHOLE, "defaultTest": COMMON},
        {**WHOLE, "defaultTest": {"$ref": "#/somebody"}, "somebody": COMMON},
        {**WHOLE, "defaultTest": "file://default.yaml"},
        {**WHOLE, "defaultTest": {**COMMON, "vars": {}}},
        {**WHOLE, "defaultTest": COMMON, "tests": [{**TIDE, "options": {
            "disableDefaultAsserts": True}}]},
        {**WHOLE, "description": " "},
        {**WHOLE, "tests": ["file://a.csv", TIDE, {"path": "file://b.py"}, BUOY, "file://c.csv"]},
        {**WHOLE, "scenarios": [{"config": [{"vars": {"a": 1}}], "tests": [TIDE]}]},
        [TIDE, "file://a.csv", BUOY],
        {"providers": ["echo"], "tests": "file://a.csv"},
        {"providers": ["echo"], "redteam": {"purpose": "harbour", "plugins": ["pii"]}},
    ],
    ids=lambda value: json.dumps(value)[:60],
)  # fmt: skip
def test_a_document_comes_back(value: Any, tmp_path: Path) -> None:
    back, losses = converted(value, tmp_path, "promptfoo", "evalcontract", "promptfoo")
    assert back == value
    assert losses == [], losses
    again, losses = converted(value, tmp_path, "promptfoo", "promptfoo")
    assert again == value
    assert losses == []


VALUES = st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2)
TEST = st.fixed_dictionaries(
    {},
    optional={
        "vars": VALUES | st.none(),
        "metadata": VALUES,
        "options": VALUES | st.just({"disableDefaultAsserts": True}),
        "assert": st.lists(st.sampled_from([NOON, SHORT]), max_size=2),
        "threshold": st.sampled_from([0, 1, 0.5]),
        "provider": st.sampled_from(["echo", None]),
    },
)


@given(TEST, TEST)
def test_what_a_default_test_adds_can_be_taken_away(test: Any, default: Any) -> None:
    whole = with_default(test, default)
    bare = without_default(whole, default)
    assert bare is not None
    assert json_equal(with_default(bare, default), whole)


def ours_of(test: Any) -> Any:
    return Promptfoo().lens("csv").read(test, 0).row


def in_a_table(rows: list[dict[str, str]], folder: Path) -> tuple[list[dict[str, str]], list[Any]]:
    """Return the rows of a table of promptfoo after they were ours, and what is lost."""
    given, ours, back = folder / "in.csv", folder / "ours.yaml", folder / "back.csv"
    with given.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    report, options = folder / "losses.json", Options(root=folder)
    for source, out, from_, to in (
        (given, ours, "promptfoo", "evalcontract"),
        (ours, back, "evalcontract", "promptfoo"),
    ):
        done = convert(Input(source), out, ConvertOptions(from_, to, report, force=True), options)
        assert done.refusal is None
    with back.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)], json.loads(report.read_text(encoding="utf-8"))["losses"]


def test_the_assertions_of_a_table_come_back(tmp_path: Path) -> None:
    cells = (
        *("llm-rubric: Is kind.", "llm-rubric:Is kind.", "grade: Is kind.", "not-llm-rubric: a"),
        *("contains: noon", "noon", "javascript: x", "python:x", "is-json", "similar: noon"),
        *('contains-any: "a, b", c', "llm-rubric: Names it, and more."),
    )
    rows = [{"question": f"{number}?", "__expected": cell} for number, cell in enumerate(cells)]
    back, losses = in_a_table(rows, tmp_path)
    assert losses == []
    written = [row["__expected1"] for row in back]
    assert [assertion_of(cell) for cell in written] == [assertion_of(cell) for cell in cells]


def test_the_columns_of_a_table_come_back(tmp_path: Path) -> None:
    rows = [
        {
            "question": f"{number}?",
            "__expected1": "contains: noon",
            "__expected2": "llm-rubric: Is kind.",
            "__metric": "tides",
            "__config:__expected2:threshold": f"0.{number}",
            "__metadata:tags[]": "a\\,b,c",
            "__prefix": "Be brief. ",
            "__threshold": "0.5",
        }
        for number in (1, 2)
    ]
    assert in_a_table(rows, tmp_path) == (rows, [])
    # A column with thresholds has one in each row.
    test = {"vars": {"question": "a?"}, "assert": [{**NOON, "threshold": 0.5, "metric": "b"}, NOON]}
    writer = Promptfoo().lens("csv")
    written = [writer.write(row, None, n) for n, row in enumerate(map(ours_of, (test, TIDE)))]
    (header, cells), losses = writer.wrap([each.row for each in written], {})
    assert [row["__expected1"] for row in cells] == ["icontains: noon", "icontains: noon"]
    assert not any(name.startswith("__config") for name in header)
    assert [each.path for each in losses] == [("__config:__expected1:threshold",)]
    assert ("assert", 0, "metric") in [each.path for each in written[0].losses]


def test_each_key_beside_the_tests_is_listed(tmp_path: Path) -> None:
    default = {"vars": {"a": "b"}, "by": "Ada"}
    value = {**WHOLE, "tests": [TIDE, "file://a.csv"], "defaultTest": default}
    for to, is_kept in (("evalcontract", True), ("databricks", False)):
        losses = converted(value, tmp_path, "promptfoo", to)[1]
        beside = {each["path"]: each["kept"] for each in losses if each["row_index"] is None}
        # Each test has the variables of the default test.
        keys = [f"$.{key}" for key in value if key not in ("tests", "description", "defaultTest")]
        keys += ["$.defaultTest.by"]
        kept = {**dict.fromkeys(keys, is_kept), "$.tests[1]": is_kept}
        assert beside == (kept if is_kept else {**kept, "$.description": False})


def test_an_edit_counts_more_than_the_configuration(tmp_path: Path) -> None:
    def edit(ours: Any) -> None:
        ours["label"] = "port"
        del ours["questions"][0]
        ours["questions"][0]["input"] = "Which buoy is green?"

    names = ("promptfoo", "evalcontract", "promptfoo")
    back, losses = converted({**WHOLE, "defaultTest": COMMON}, tmp_path, *names, edit=edit)
    buoy = {"description": "row_2", "vars": {**BUOY["vars"], "question": "Which buoy is green?"}}
    assert back == {**WHOLE, "description": "port", "tests": [buoy], "defaultTest": COMMON}
    assert losses == []


def test_a_default_test_that_would_undo_an_edit_is_a_loss(tmp_path: Path) -> None:
    def edit(ours: Any) -> None:
        del ours["questions"][0]["context"]["year"]

    value = {**WHOLE, "defaultTest": {"vars": COMMON["vars"]}}
    names = ("promptfoo", "evalcontract", "promptfoo")
    back, losses = converted(value, tmp_path, *names, edit=edit)
    assert "defaultTest" not in back
    assert [each["vars"] for each in back["tests"]] == [
        {**TIDE["vars"], "port": "Lybster"},
        {**COMMON["vars"], **BUOY["vars"]},
    ]
    assert ["defaultTest" in each["path"] for each in losses] == [True]


def test_what_somebody_else_wrote_there_is_no_configuration(tmp_path: Path) -> None:
    foreigners: list[Any] = [{"configuration": 5}, {"elsewhere": {"x": 1}}, {"other": {}}, 7]
    for foreign in foreigners:
        ours = {
            "metadata": {"promptfoo": foreign},
            "questions": [{"id": "a", "input": "b?", "must_contain_any": ["c"]}],
        }
        back, losses = converted(ours, tmp_path, "evalcontract", "promptfoo")
        assert isinstance(back, list)
        assert [each["path"] for each in losses] == ["$.metadata"]


PROMPTS: list[tuple[Any, Any, str]] = [
    ("Say hello.", {}, "Say hello."),
    ([{"raw": "Say hello.", "label": "a"}], {}, "Say hello."),
    (["Add {{a}} and {{ b }}: {{c}}\n"], {"a": 5, "b": -6, "c": True}, "Add 5 and -6: true\n"),
    (
        '[{"role": "user", "content": "Add {{a}}"}]',
        {"a": 5},
        '[{"role": "user", "content": "Add 5"}]',
    ),
    # What is not simple, or one of several prompts, is told by the variables.
    (["Add {{a}} and {{b}}", "Sum {{a}}, {{b}}"], {"a": 5, "b": 6}, '{"a": 5, "b": 6}'),
    ("Add {{a | int}}", {"a": 5}, '{"a": 5}'),
    ("{% for each in a %}{{each}}{% endfor %}", {"a": [1, 2]}, '{"a": [1, 2]}'),
    ("Add {{a}}", {"a": 0.5}, '{"a": 0.5}'),
    ("Add {{a}}", {"a": {"b": 1}}, '{"a": {"b": 1}}'),
    ("Add {{b}}", {"a": 5}, '{"a": 5}'),
    ([{"raw": "Add {{a}}"}], {"a": 5}, '{"a": 5}'),
    ("file://prompt.txt", {"a": 5}, '{"a": 5}'),
    (["Say {{q}}."], {"q": " "}, '{"q": " "}'),
]


@pytest.mark.costly
@every_case(("prompts", "variables", "asked"), PROMPTS)
def test_a_test_without_a_question_asks_its_prompt(
    prompts: Any, variables: Any, asked: str, tmp_path: Path
) -> None:
    test = {"vars": variables, "assert": [{"type": "contains", "value": "b"}]}
    value = {"prompts": prompts, "providers": ["echo"], "tests": [test, test]}
    ours, _ = converted(value, tmp_path, "promptfoo", "evalcontract")
    assert [row["input"] for row in ours["questions"]] == [asked, asked]
    assert converted(value, tmp_path, "promptfoo", "evalcontract", "promptfoo")[0] == value


def test_an_edited_prompt_is_a_variable(tmp_path: Path) -> None:
    def edit(ours: Any) -> None:
        ours["questions"][0]["input"] = "Add 7"

    tests = [{"vars": {"a": 5}, "assert": [{"type": "contains", "value": "b"}]}]
    value = {"prompts": "Add {{a}}", "providers": ["echo"], "tests": tests}
    back, _ = converted(value, tmp_path, "promptfoo", "evalcontract", "promptfoo", edit=edit)
    assert back["tests"][0]["vars"] == {"input": "Add 7", "a": 5}
