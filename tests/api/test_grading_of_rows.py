"""What a runner asks: the rubric of a row, its checks with their defaults, and their judges."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from doors import UsageError
from tables import every_case
from writing import write

from evalcontract import (
    ContractViolation,
    DatasetLoader,
    JudgePromptLoader,
    LoadedRubric,
    RubricLoader,
    Workspace,
)
from evalcontract.structure.schemas import load

WORKSPACES = Path(__file__).parents[2] / "fixtures" / "workspaces"
JUDGE = 'id: {}\nversion: "1.0.0"\ntemplate: "{{{{ output }}}}?"\n'
RUBRIC = """\
id: answers
version: "1.0.0"
checks:
{}
scoring: {{combine: weighted_avg, weights: {{first: 2, second: 0}}, threshold: 0.8}}
"""


JURY = (
    "{kind: llm_judge, jury: {judges: [{judge_prompt_ref: judge/a@1.0.0, weight: 2},"
    " {judge_prompt_ref: judge/b@1.0.0}]}}"
)


def rubric_of(folder: Path, *checks: str, **others: str) -> LoadedRubric:
    listed = "\n".join(f"  - {check}" for check in checks)
    judges = {f"judges/{name}.yaml": JUDGE.format(name) for name in ("a", "b")}
    write(folder, {"rubrics/answers.yaml": RUBRIC.format(listed), **judges, **others})
    return RubricLoader(folder, strict=False).load("rubric/answers@1.0.0")


# Checks


@every_case(
    ("check", "parameters"),
    [
        ("{kind: must_contain_any, values: [a]}", {"values": ["a"], "case_sensitive": False}),
        (
            "{kind: must_not_contain, values: [a], case_sensitive: true}",
            {"values": ["a"], "case_sensitive": True},
        ),
        (
            "{kind: regex, pattern: a, match: full}",
            {"pattern": "a", "flags": [], "match": "full", "negate": False},
        ),
        ("{kind: fact_match, min_recall: 0.5}", {"min_recall": 0.5}),
        ("{kind: tool_usage, max_calls: 3}", {"match": "all", "order": "any", "max_calls": 3}),
        (
            # A schema of the author has no defaults of ours.
            "{kind: json_schema, schema: {type: object, properties: {kind: {const: regex}}}}",
            {
                "schema": {"type": "object", "properties": {"kind": {"const": "regex"}}},
                "extract": "whole",
            },
        ),
        (
            JURY,
            {
                "jury": {
                    "judges": [
                        {"judge_prompt_ref": "judge/a@1.0.0", "weight": 2},
                        {"judge_prompt_ref": "judge/b@1.0.0", "weight": 1},
                    ],
                    "aggregation": "majority_vote",
                    "tie_break": "fail",
                }
            },
        ),
    ],
)
def test_parameters(check: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    rubric = rubric_of(tmp_path, check)
    (loaded,) = rubric.checks
    assert loaded.parameters == parameters
    assert rubric.value["checks"][0].keys() >= {"kind"}
    assert loaded.id == f"{loaded.kind}[0]"


def test_every_default_of_the_schema_is_filled_in(tmp_path: Path) -> None:
    """Each kind that has defaults at its top has them in a check that says nothing."""
    given = {
        "must_contain_any": "values: [a]",
        "must_not_contain": "values: [a]",
        "regex": "pattern: a",
        "json_schema": "schema: {}",
        "markdown_structure": "min_headings: 1",
    }
    seen = 0
    for name, branch in load("rubric")["$defs"].items():
        kind = name.removeprefix("check_")
        properties = branch.get("properties", {})
        defaults = {key: part["default"] for key, part in properties.items() if "default" in part}
        if name.startswith("check_") and defaults:
            more = f", {given[kind]}" if kind in given else ""
            (check,) = rubric_of(tmp_path, f"{{kind: {kind}{more}}}").checks
            assert {key: check.parameters[key] for key in defaults} == defaults
            seen += 1
    assert seen >= 6


def test_a_default_is_not_shared(tmp_path: Path) -> None:
    first, second = rubric_of(tmp_path, *["{kind: regex, pattern: a}"] * 2).checks
    first.parameters["flags"].append("i")
    assert second.parameters["flags"] == []
    assert load("rubric")["$defs"]["check_regex"]["properties"]["flags"]["default"] == []


def test_ids_weights_and_thresholds(tmp_path: Path) -> None:
    rubric = rubric_of(
        tmp_path,
        "{id: first, kind: regex, pattern: a, label: A, description: B, metadata: {c: d}}",
        "{id: second, kind: llm_judge, judge_prompt_ref: judge/a@1.0.0, threshold: 0.7}",
        "{kind: regex, pattern: b}",
    )
    assert [(check.id, check.kind, check.weight, check.threshold) for check in rubric.checks] == [
        ("first", "regex", 2.0, None),
        ("second", "llm_judge", 0.0, 0.7),
        ("regex[2]", "regex", 1.0, None),
    ]
    assert set(rubric.checks[0].parameters) == {"pattern", "flags", "match", "negate"}
    assert (rubric.combine, rubric.threshold) == ("weighted_avg", 0.8)


def test_weights_and_thresholds_without_a_meaning(tmp_path: Path) -> None:
    text = RUBRIC.format("  - {id: first, kind: regex, pattern: a}")
    write(tmp_path, {"rubrics/answers.yaml": text.replace("weighted_avg", "all_pass")})
    rubric = RubricLoader(tmp_path, strict=False).load("answers")
    assert (rubric.combine, rubric.threshold) == ("all_pass", None)
    assert [check.weight for check in rubric.checks] == [1.0]


@every_case(
    ("check", "code"),
    [
        ("{id: first, kind: regex}", "rubric/missing-key"),
        ("{id: first, kind: regexp, pattern: a}", "rubric/unknown-value"),
        ("{id: first, kind: regex, pattern: a, negate: 1}", "rubric/wrong-type"),
        ("first", "rubric/wrong-type"),
    ],
)
def test_a_malformed_check_hides_no_other(check: str, code: str, tmp_path: Path) -> None:
    """The others alone would give another score."""
    rubric = rubric_of(tmp_path, "{kind: regex, pattern: a}", check)
    for ask in (lambda: rubric.checks, lambda: rubric.combine, lambda: rubric.threshold):
        with pytest.raises(ContractViolation, match=r"answers\.yaml:5:") as caught:
            ask()
        assert [found.code for found in caught.value.diagnostics] == [code]


@every_case("scoring", ["{}", "{combine: mean}", "all_pass", None])
def test_malformed_scoring(scoring: str | None, tmp_path: Path) -> None:
    text = RUBRIC.format("  - {id: first, kind: regex, pattern: a}").partition("scoring")[0]
    text += "" if scoring is None else f"scoring: {scoring}\n"
    write(tmp_path, {"rubrics/answers.yaml": text})
    rubric = RubricLoader(tmp_path, strict=False).load("answers")
    with pytest.raises(ContractViolation, match="rubric/"):
        rubric.checks  # noqa: B018


def test_other_faults_do_not_matter(tmp_path: Path) -> None:
    """A version without quotes, or a misspelled key beside the checks, changes no check."""
    text = RUBRIC.format("  - {id: first, kind: regex, pattern: a}").replace('"1.0.0"', "1.0")
    write(tmp_path, {"rubrics/answers.yaml": f"{text}lable: x\n"})
    rubric = RubricLoader(tmp_path, strict=False).load("answers")
    assert rubric.diagnostics
    assert [check.id for check in rubric.checks] == ["first"]


# Judges and composites


def test_judges(tmp_path: Path) -> None:
    rubric = rubric_of(
        tmp_path,
        "{kind: llm_judge, judge_prompt_ref: judge/a@1.0}",
        "{kind: llm_judge, jury: {judges: [{judge_prompt_ref: judge/b@1.0.0},"
        " {judge_prompt_ref: judge/a@1.0.0}]}}",
        "{kind: fact_match, judge_prompt_ref: judge/b@1.0.0}",
        "{kind: regex, pattern: a}",
    )
    assert [[judge.id for judge in check.judges] for check in rubric.checks] == [
        ["a"],
        ["b", "a"],
        ["b"],
        [],
    ]
    judge = rubric.checks[0].judges[0]
    assert judge == JudgePromptLoader(tmp_path, strict=False).load("judge/a@1.0.0")
    assert (judge.template, judge.version) == ("{{ output }}?", "1.0.0")
    assert judge is rubric.checks[1].judges[1]
    assert [check.rubric for check in rubric.checks] == [None] * 4


def test_composites(tmp_path: Path) -> None:
    inner = RUBRIC.format("  - {id: x, kind: llm_judge, judge_prompt_ref: judge/a@1.0.0}")
    rubric = rubric_of(
        tmp_path,
        "{kind: composite, rubric_ref: rubric/inner@1.0.0, threshold: 0.5}",
        **{"rubrics/inner.yaml": inner.replace("answers", "inner")},
    )
    (check,) = rubric.checks
    assert check.judges == ()
    assert check.threshold == 0.5
    assert check.rubric is not None
    assert [judge.id for inside in check.rubric.checks for judge in inside.judges] == ["a"]


@every_case(
    ("check", "part"),
    [
        ("{kind: llm_judge, judge_prompt_ref: judge/c@1.0.0}", "there is no judge `c`"),
        ("{kind: llm_judge, judge_prompt_ref: judge/a@2.0.0}", "`judge/a` has no version 2.0.0"),
        ("{kind: composite, rubric_ref: rubric/other@1.0.0}", "there is no rubric `other`"),
    ],
)
def test_what_does_not_resolve(check: str, part: str, tmp_path: Path) -> None:
    """It raises where it is asked for, at its place, and nowhere else."""
    (loaded,) = rubric_of(tmp_path, check).checks
    with pytest.raises(ContractViolation, match=r"answers\.yaml:4:") as caught:
        _ = (loaded.judges, loaded.rubric)
    assert [found.code for found in caught.value.diagnostics] == ["reference/dangling"]
    assert part in str(caught.value)


# Rows


def test_the_rubric_of_a_row(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rubric_of(tmp_path, "{kind: regex, pattern: a}", "{kind: regex, pattern: b, negat: true}")
    rows = [
        {"id": "a", "input": "x", "criteria": "c"},
        {"id": "b", "input": "x", "rubric_ref": "rubric/answers@1.0"},
        {"id": "c", "input": "x", "rubric_ref": "rubric/answers"},
        {"id": "d", "input": "x", "rubric_ref": "rubric/answers@1.0.0"},
    ]
    loaded = DatasetLoader(tmp_path, strict=False).load_rows(rows)
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        rubrics = [row.rubric for row in loaded]
    assert caplog.records == []  # told when the dataset was loaded
    none, pinned, unpinned, again = rubrics
    assert none is None
    assert pinned is again
    assert isinstance(pinned, LoadedRubric)
    assert pinned == RubricLoader(tmp_path, strict=False).load("answers", "1.0.0")
    assert isinstance(unpinned, LoadedRubric)
    assert [each.pinned for each in unpinned.provenance.rubrics] == [False]
    of_rubric = [found for found in loaded.diagnostics if found.place.file == pinned.file]
    assert list(pinned.diagnostics) == of_rubric != []


@every_case(
    ("reference", "code", "part"),
    [
        ("rubric/answer@1.0.0", "reference/dangling", "there is no rubric `answer`"),
        ("rubric/answers@2.0.0", "reference/dangling", "no version 2.0.0"),
        ("rubric/../../answers", "dataset/malformed-value", "not a reference to a rubric"),
        ("judge/a@1.0.0", "dataset/malformed-value", "not a reference to a rubric"),
        (["rubric/answers@1.0.0"], "dataset/malformed-value", "not a reference to a rubric"),
        (None, "dataset/malformed-value", "not a reference to a rubric"),
    ],
)
def test_a_row_whose_rubric_is_not_there(
    reference: Any, code: str, part: str, tmp_path: Path
) -> None:
    """It is not taken for a row without a rubric."""
    rubric_of(tmp_path, "{kind: regex, pattern: a}")
    rows = [{"id": "a", "input": "x", "rubric_ref": reference}, 7]
    row, other = DatasetLoader(tmp_path, strict=False).load_rows(rows)  # type: ignore[arg-type]
    with pytest.raises(ContractViolation, match=r"rows\[0\]") as caught:
        row.rubric  # noqa: B018
    assert [found.code for found in caught.value.diagnostics] == [code]
    assert part in str(caught.value)
    assert other.rubric is None


# References


@every_case(
    ("given", "version"),
    [
        (("rubric/polite@1.0.0",), "1.0.0"),
        (("rubric/polite@1.0",), "1.0.0"),
        (("rubric/polite",), "3.0.0"),
        (("rubric/polite", "2.0"), "2.0.0"),
        (("polite", "2.0.0"), "2.0.0"),
    ],
)
def test_rubrics_by_reference(given: tuple[str, ...], version: str) -> None:
    rubric = RubricLoader(WORKSPACES / "several_versions").load(*given)
    assert (rubric.id, rubric.version) == ("polite", version)


@every_case(
    ("given", "parts"),
    [
        (("rubric/polit@1.0.0",), ["no rubric `polit`", "did you mean `rubric/polite@1.0.0`?"]),
        (("rubric/polite@9.0",), ["`rubric/polite` has no version 9.0.0", "3.0.0, 2.0.0, 1.0.0"]),
        (("rubric/polite@1.0.0", "1.0.0"), ["has a version"]),
        (("judge/accuracy@1.0.0",), ["refers to a judge", "JudgePromptLoader"]),
        (("rubric/polite@1.x",), ["`rubric/{id}@{version}`"]),
        (("rubric/../../x",), ["`rubric/../../x`", "neither an id nor a reference"]),
        (("../rubrics/polite",), ["neither an id nor a reference"]),
        (("/etc/passwd",), ["neither an id nor a reference"]),
        (("polite@1.0.0",), ["`rubric/{id}@{version}`"]),
        (("Polite",), ["neither an id nor a reference"]),
        (("",), ["neither an id nor a reference"]),
        (("x" * 1000,), ["there is no rubric"]),
        (("polite", "newest"), ["`newest` is not a version"]),
    ],
)
def test_references_that_cannot_be_loaded(given: tuple[str, ...], parts: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        RubricLoader(WORKSPACES / "several_versions").load(*given)
    for part in parts:
        assert part in str(caught.value)


def test_a_judge_by_reference_of_another_kind() -> None:
    loader = JudgePromptLoader(WORKSPACES / "several_versions")
    assert loader.load("judge/accuracy@0.9").version == "0.9.0"
    with pytest.raises(UsageError, match="load it with `RubricLoader`"):
        loader.load("rubric/polite@1.0.0")


# One workspace for many loads


@pytest.mark.slow
def test_a_workspace_is_read_once(tmp_path: Path) -> None:
    """What changes on the disk is for the next workspace; datasets are read each time."""
    rubric_of(tmp_path, "{kind: regex, pattern: a}")
    text = "questions:\n  - {id: ID, input: x, rubric_ref: rubric/answers@1.0.0}\n"
    write(tmp_path, {"set.yaml": text.replace("ID", "a")})
    workspace = Workspace(tmp_path)
    datasets = DatasetLoader(workspace=workspace, strict=False)
    rubrics = RubricLoader(workspace=workspace, strict=False)
    judges = JudgePromptLoader(workspace=workspace, strict=False)
    before = datasets.load(tmp_path / "set.yaml"), rubrics.load("answers"), judges.load("a")
    write(tmp_path, {"rubrics/answers.yaml": "[", "judges/a.yaml": "["})
    for _ in range(100):
        after = datasets.load(tmp_path / "set.yaml"), rubrics.load("answers"), judges.load("a")
        assert after == before
    write(tmp_path, {"set.yaml": text.replace("ID", "b")})
    (row,) = datasets.load(tmp_path / "set.yaml")
    assert row.value["id"] == "b"
    with pytest.raises(ContractViolation, match="source/syntax"):
        RubricLoader(workspace=Workspace(tmp_path)).load("answers")


def test_a_workspace_is_found_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rubric_of(tmp_path, "{kind: regex, pattern: a}")
    (tmp_path / "datasets").mkdir()
    monkeypatch.chdir(tmp_path / "datasets")
    workspace = Workspace()
    assert workspace.root == tmp_path.resolve()
    assert repr(workspace) == f"Workspace({str(tmp_path.resolve())!r})"
    assert RubricLoader(workspace=workspace).load("answers").version == "1.0.0"


def test_a_workspace_that_is_no_folder(tmp_path: Path) -> None:
    write(tmp_path, {"file": ""})
    for name in ("nowhere", "file"):
        with pytest.raises(UsageError, match="is not a folder"):
            Workspace(tmp_path / name)
    for loader in (DatasetLoader, RubricLoader, JudgePromptLoader):
        with pytest.raises(UsageError, match="`root` or `workspace`, not both"):
            loader(tmp_path, workspace=Workspace(tmp_path))
