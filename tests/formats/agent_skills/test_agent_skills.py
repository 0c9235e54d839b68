"""Cases of Agent Skills: what is reported, who reads what, and that every file comes back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats import dialect_of
from evalcontract.formats.agent_skills import VARIANTS, AgentSkills
from evalcontract.formats.agent_skills.conversion import (
    is_said,
    rubric_of,
)
from evalcontract.model.reference import Kind
from evalcontract.model.values import json_equal
from evalcontract.source.external import ExternalFile
from evalcontract.source.faults import UnreadableFile
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = {"id": 1, "prompt": "When is low tide?"}
GRADED = {**PROMPT, "expected_output": "A time."}
CHECKED = {**PROMPT, "must_not_contain": ["noon"]}
#: What is reported of a file, by the dialect.
REPORTED: dict[str, tuple[str, Any, list[str]]] = {
    "the first cases of a skill": (
        "guide",
        {"skill_name": "a", "evals": [GRADED]},
        [],
    ),
    "ids as texts": ("guide", {"evals": [{**GRADED, "id": "low"}]}, []),
    "no ids": (
        "guide",
        {"evals": [{"prompt": each, "expected_output": "a"} for each in ("When?", "Where?")]},
        [],
    ),
    "a number and its text": (
        "guide",
        {"evals": [GRADED, {**GRADED, "id": "1"}]},
        ["duplicate-id"],
    ),
    "statements": ("guide", {"evals": [{**PROMPT, "assertions": ["a", {"text": "b"}]}]}, []),
    "statements by their other name": (
        "guide",
        {"evals": [{**PROMPT, "expectations": ["a"]}]},
        ["other-name"],
    ),
    "both names": (
        "guide",
        {"evals": [{**PROMPT, "assertions": ["a"], "expectations": ["a"]}]},
        ["ignored-key"],
    ),
    "expectations": ("skill_creator", {"evals": [{**PROMPT, "expectations": ["a"]}]}, []),
    "assertions": ("skill_creator", {"evals": [{**PROMPT, "assertions": ["a"]}]}, ["other-name"]),
    "a text for a list": ("guide", {"evals": [{**PROMPT, "assertions": "a"}]}, ["not-read"]),
    "a number for a file": ("guide", {"evals": [{**PROMPT, "files": ["a", 1]}]}, ["not-read"]),
    "an id that is none": ("guide", {"evals": [{**PROMPT, "id": [1]}]}, ["not-read"]),
    "a misspelled key": ("guide", {"evals": [{**PROMPT, "asertions": []}]}, ["near-miss-key"]),
    "a misspelled prompt": ("guide", {"evals": [{"promt": "When?"}]}, ["missing-key"]),
    "statements without a text": (
        "guide",
        {"evals": [{**PROMPT, "assertions": [{"name": "a", "description": "b"}, {"id": "c"}]}]},
        ["missing-key", "missing-key"],
    ),
    "checks": ("best_practices", {"evals": [{**CHECKED, "must_contain_any": []}]}, []),
    "older cases": ("best_practices", {"behavioral_cases": [CHECKED]}, []),
    "two lists": (
        "best_practices",
        {"evals": [CHECKED], "behavioral_cases": [PROMPT]},
        ["other-name"],
    ),
    "nothing to grade": (
        "guide",
        {"evals": [PROMPT, {"prompt": "When?", "assertions": [], "expected_output": ""}]},
        ["no-assertion", "no-assertion"],
    ),
    "nothing to grade for skill-creator": (
        "skill_creator",
        {"evals": [{**GRADED, "expectations": []}]},
        ["no-assertion"],
    ),
    "no checks": (
        "best_practices",
        {"evals": [{**GRADED, "expectations": ["a"]}]},
        ["no-assertion"],
    ),
    "calls of tools": (
        "guide",
        {"evals": [{**PROMPT, "tool_assertions": [{"type": "tool-called", "name": "a"}]}]},
        [],
    ),
    "blank statements": (
        "guide",
        {"evals": [{**PROMPT, "assertions": ["", " ", {"text": "\n"}, "a"]}]},
        ["empty-item"] * 3,
    ),
    "blank expectations": (
        "skill_creator",
        {"evals": [{**PROMPT, "expectations": ["", " "]}]},
        ["empty-item"] * 2,
    ),
    "blank texts of checks": (
        "best_practices",
        {"evals": [{**PROMPT, "must_contain_any": ["", "a"], "must_not_contain": [" "]}]},
        ["empty-item"] * 2,
    ),
    "older cases for others": ("guide", {"behavioral_cases": [PROMPT]}, ["rejected"]),
    "a misspelled list": ("guide", {"eval": [PROMPT]}, ["rejected"]),
    "no cases": ("guide", {"evals": []}, ["no-evals"]),
}


@every_case(
    ("variant", "case", "read_by"),
    [
        ("guide", {"assertions": ["a"]}, "skill-creator and ai_best_practices"),
        ("skill_creator", {"tool_assertions": []}, "agent-skills-eval"),
        ("skill_creator", {"must_not_contain": ["a"]}, "ai_best_practices"),
    ],
)
def test_a_key_of_another_reader(
    variant: str, case: dict[str, Any], read_by: str, tmp_path: Path
) -> None:
    path = tmp_path / "evals.json"
    row = {**PROMPT, "expectations": ["a"], **case}
    path.write_text(json.dumps({"evals": [row]}), encoding="utf-8")
    options = Options(root=tmp_path, dialect=f"agent_skills:{variant}")
    (found,) = validate(Kind.DATASET, [Input(path)], options).diagnostics
    key = "expectations" if variant == "guide" else next(iter(case))
    assert (found.code, found.fix) == ("agent_skills/ignored-key", None)
    assert found.message == f"`{key}` is read by {read_by} alone"
    assert "x_" not in (found.help or "")


@every_case("name", REPORTED)
def test_what_is_reported(name: str, tmp_path: Path) -> None:
    variant, value, expected = REPORTED[name]
    path = tmp_path / "evals.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    options = Options(root=tmp_path, dialect=f"agent_skills:{variant}")
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    assert [each.code for each in found] == [f"agent_skills/{code}" for code in expected]
    assert all(each.place.span for each in found)


def test_what_was_meant_by_a_statement_without_a_text(tmp_path: Path) -> None:
    path = tmp_path / "evals.json"
    statements = [{"name": "a", "description": "b"}, {"name": "a"}, {"id": "a", "text": 5}, 5, {}]
    path.write_text(json.dumps({"evals": [{**PROMPT, "assertions": statements}]}), "utf-8")
    options = Options(root=tmp_path, dialect="agent_skills")
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    assert [(each.pointer.partition("assertions")[2], each.help) for each in found] == [
        ("[0].description", "`description` is not read: rename it to `text`"),
        ("[1].name", "`name` is not read: rename it to `text`"),
        ("[2].text", "write a text"),
        ("[3]", found[3].help),
        ("[4]", "write `text`"),
    ]


COUNTS: list[tuple[dict[str, Any], bool]] = [
    ({"min": 3, "max": 1}, True),
    ({"max": -1}, True),
    ({"min": 1.2, "max": 1.8}, True),
    ({"min": "3", "max": 1}, False),
    ({"min": 1, "max": 1}, False),
    ({"min": -2, "max": 0}, False),
    ({"min": 3}, False),
]


@every_case(("bounds", "fails"), COUNTS)
def test_bounds_that_no_number_of_calls_meets(
    bounds: dict[str, Any], tmp_path: Path, *, fails: bool
) -> None:
    case = {**PROMPT, "tool_assertions": [{"type": "tool-call-count", **bounds}]}
    path = tmp_path / "evals.json"
    path.write_text(json.dumps({"evals": [case]}), "utf-8")
    found = validate(Kind.DATASET, [Input(path)], Options(root=tmp_path, dialect="agent_skills"))
    told = [(each.code, each.pointer) for each in found.diagnostics]
    where = "$.evals[0].tool_assertions[0].max"
    assert told == ([("agent_skills/always-fails", where)] if fails else [])


def test_a_file_is_looked_for_in_the_skill(tmp_path: Path) -> None:
    """What is outside of the skill is never looked for, be it there or not."""
    path = tmp_path / "tides" / "evals" / "evals.json"
    (path.parent / "files").mkdir(parents=True)
    (path.parent / "files" / "low.csv").touch()
    (tmp_path / "secret.csv").touch()
    names = ["evals/files/low.csv", "./evals/files", "low.csv", "../secret.csv", str(path), "a\0b"]
    path.write_text(json.dumps({"evals": [{**GRADED, "files": names}]}), "utf-8")

    def missing(path: Path) -> list[str]:
        options = Options(root=tmp_path, dialect="agent_skills", is_joined=False)
        found = validate(Kind.DATASET, [Input(path)], options).diagnostics
        assert {each.code for each in found} <= {"agent_skills/missing-file"}
        return [each.pointer for each in found]

    assert missing(path) == [f"$.evals[0].files[{index}]" for index in (2, 3, 5)]
    (path.parent.parent / "low.csv").touch()
    assert missing(path) == [f"$.evals[0].files[{index}]" for index in (3, 5)]
    path = path.rename(tmp_path / "evals.json")  # nobody knows where its skill is
    assert missing(path) == []


def states(case: dict[str, Any], variant: str) -> dict[str, str]:
    form = dialect_of(f"agent_skills:{variant}")
    return {each.name: each.state for each in form.predict(case)}


def test_a_case_without_assertions_passes_always() -> None:
    nothing = {"assertions": "vacuous", "tool_assertions": "skip"}
    assert states(PROMPT, "guide") == nothing
    assert states({**PROMPT, "assertions": "a"}, "guide") == nothing
    assert states({**PROMPT, "expectations": ["a"]}, "guide") == nothing
    assert states({**PROMPT, "assertions": ["a"]}, "guide")["assertions"] == "run"
    tools = {**PROMPT, "tool_assertions": [{"type": "tool-called", "name": "a"}]}
    assert states(tools, "guide") == {"assertions": "skip", "tool_assertions": "run"}
    assert states({**PROMPT, "expectations": ["a"]}, "skill_creator") == {"expectations": "run"}


TEXT = st.text(max_size=6)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
STATEMENTS = st.lists(TEXT | st.fixed_dictionaries({"text": TEXT}, optional={"n": ANY}), max_size=3)
RULES = st.fixed_dictionaries(
    {}, optional={"min_headings": st.integers(0, 2), "no_h1": st.booleans(), "own": ANY}
)
CASE = st.fixed_dictionaries(
    {"prompt": st.text(min_size=1, max_size=6)},
    optional={
        "id": ANY | st.sampled_from(["1", "01", "row_1", 1, 7]),
        "expected_output": ANY,
        "files": ANY | st.lists(TEXT, max_size=2),
        "assertions": ANY | STATEMENTS,
        "expectations": ANY | STATEMENTS,
        "must_contain_any": st.lists(TEXT, max_size=3),
        "must_not_contain": st.lists(TEXT, max_size=3),
        "check_php_lint": st.booleans(),
        "check_markdown_structure": RULES,
        "metadata": ANY,
        "x_own": ANY,
    },
)
ROW = st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=6), "input": st.text(min_size=1, max_size=6)},
    optional={
        "criteria": TEXT | st.sampled_from(["- a\n- b", "- a"]),
        "expected": st.dictionaries(st.sampled_from(["reference", "expected_output"]), TEXT),
        "context": ANY | st.fixed_dictionaries({"files": st.lists(TEXT, max_size=2)}),
        "must_contain_any": st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=2),
        "tags": st.lists(TEXT, max_size=2),
        "metadata": st.dictionaries(TEXT, ANY, max_size=2),
        "rubric_ref": st.just("rubric/a@1.0.0"),
        "own": ANY,
    },
)
OUR_ROW = SchemaValidator("dataset", definition("row", of="dataset"))
NO_FILE = ExternalFile("json", UnreadableFile("evals.json", ()))


@given(CASE, st.sampled_from(VARIANTS), st.integers(0, 2))
def test_a_case_comes_back(case: dict[str, Any], variant: str, index: int) -> None:
    ours = AgentSkills(variant).reader(NO_FILE).read(case, index)
    assert [each for each in OUR_ROW.check(ours.row) if "near-miss" not in each.code] == []
    row, rubric = ours.row, ours.rubric
    if rubric is not None:
        row = {**row, "rubric_ref": "rubric/evals_1@1.0.0"}
        rubric = {"id": "evals_1", "version": "1.0.0", **rubric}
    back = AgentSkills(variant).writer("json").write(row, rubric, index)
    assert json_equal(back.row, case)


@given(ROW, st.sampled_from(VARIANTS), st.integers(0, 2))
def test_a_row_comes_back(row: dict[str, Any], variant: str, index: int) -> None:
    theirs = AgentSkills(variant).writer("json").write(row, None, index)
    assert theirs.problems == ()
    assert json_equal(AgentSkills(variant).reader(NO_FILE).read(theirs.row, index).row, row)


def test_the_checks_of_a_case_are_a_rubric() -> None:
    case = {
        **PROMPT,
        "must_contain_any": ["noon"],
        "must_not_contain": [],
        "check_php_lint": True,
        "check_markdown_structure": {"min_headings": 1, "no_h1": False},
    }
    rubric = rubric_of(case)
    assert rubric is not None
    assert rubric["checks"] == [
        {"id": "must_contain_any", "kind": "must_contain_any"},
        {"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"},
        {"id": "markdown_structure", "kind": "markdown_structure", "min_headings": 1},
    ]
    assert is_said({"id": "a", "version": "1.0.0", **rubric}, case)
    assert rubric_of({**PROMPT, "must_contain_any": ["", "a"], "check_php_lint": False}) is None


FILES: dict[str, tuple[str, Any]] = {
    "a skill": ("guide", {"skill_name": "a", "evals": [PROMPT]}),
    "more beside": ("guide", {"skill_name": "a", "x_b": 1, "metadata": 5, "evals": [PROMPT]}),
    "no name": ("skill_creator", {"evals": [PROMPT], "skill_name": 7}),
    "older cases": (
        "best_practices",
        {
            "skill_file": "SKILL.md",
            "description": "b",
            "behavioral_cases": [{**PROMPT, "must_contain_any": ["a"], "expectations": ["b"]}],
        },
    ),
}


@every_case("name", FILES)
def test_a_file_comes_back(name: str, tmp_path: Path) -> None:
    variant, value = FILES[name]
    dialect = f"agent_skills:{variant}"
    (tmp_path / "evals.json").write_text(json.dumps(value), encoding="utf-8")
    steps = (
        ("evals.json", "ours.yaml", dialect, "evalcontract"),
        ("ours.yaml", "back.json", "evalcontract", dialect),
    )
    for source, target, from_, to in steps:
        done = convert(
            Input(tmp_path / source),
            tmp_path / target,
            ConvertOptions(from_, to),
            Options(root=tmp_path),
        )
        assert done.refusal is None, done.diagnostics
    assert json_equal(json.loads((tmp_path / "back.json").read_text(encoding="utf-8")), value)


def test_a_dataset_of_ours_comes_back(tmp_path: Path) -> None:
    value = {
        "id": "tides",
        "version": "1.0.0",
        "label": "Tides",
        "metadata": {"owner": "a"},
        "questions": [{"id": "a", "input": "When?", "expected": {"reference": "At noon."}}],
    }
    (tmp_path / "ours.json").write_text(json.dumps(value), encoding="utf-8")
    steps = (
        ("ours.json", "evals.json", "agent_skills"),
        ("evals.json", "back.json", "evalcontract"),
    )
    for source, target, to in steps:
        options = ConvertOptions(None, to, tmp_path / f"{target}.losses")
        done = convert(Input(tmp_path / source), tmp_path / target, options, Options(root=tmp_path))
        assert done.refusal is None
    assert json.loads((tmp_path / "back.json").read_text(encoding="utf-8")) == value
    told = json.loads((tmp_path / "evals.json.losses").read_text(encoding="utf-8"))["losses"]
    assert {each["path"] for each in told} == {
        "$.questions[0].expected.reference",
        "$.id",
        "$.version",
        "$.metadata",
    }
    assert all(each["kept"] for each in told)


def test_an_empty_input_is_no_prompt() -> None:
    done = AgentSkills("guide").writer("json").write({"id": "a", "input": ""}, None, 0)
    assert [each.code for each in done.problems] == ["agent_skills/empty-value"]
