"""`migrate`: every field of the old files has a place or a loss; all is written, or nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, command_line
from tables import every_case

from evalcontract.starting.systems import _SHOWN_FACTS

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

CASES = """\
{"skill_name": "tide-tables", "skill_file": "skills/tides.md", "description": "About tides.",
 "evals": [
  {"id": 1, "prompt": "When is high water?", "expected_output": "Names an hour.",
   "expectations": ["Is short"], "must_contain_any": ["hour", "Hour", "o'clock"],
   "must_not_contain": ["guess"], "source": {"date": "2026-02-01", "prompt_index": 3}},
  {"id": "lint", "prompt": "Write a plugin.", "must_contain_any": ["function"],
   "must_not_contain": [], "check_php_lint": true, "mode": "recipe"},
  {"prompt": "Explain springs.", "must_contain_any": [], "must_not_contain": [],
   "check_php_lint": false,
   "check_markdown_structure": {"min_headings": 2, "no_h1": true, "max_heading_level": 6,
                                "required_sections": [], "tables": 1}},
  {"id": 1, "prompt": "Explain neaps.", "must_not_contain": ["guess"], "must_contain_any": ["sun"]}
 ]}
"""
OLDER = """\
{"skill_name": "locks", "behavioral_cases": [
  {"id": 12, "prompt": "Open it.", "must_contain_any": ["gate"], "must_not_contain": ["no"]},
  {"id": 13, "prompt": "Close it.", "expected_output": "Asks which.", "expectations": ["Polite"],
   "must_contain_any": []}]}
"""
TARGET = """\
id: pilot_bot
label: Pilot
strict_validation: false
threshold: 0.6
uuid: 4f
graders:
  accuracy_grader: {weight: 2, threshold: 0.7}
  fact_match_grader: {threshold: 0.8, model: large}
  format_grader:
  tool_usage_grader: {order: sequence, match: most}
  structured_match_grader:
  relevance: {enabled: false}
  droost_state:
  rubric_checks:
"""
ROWS = """\
questions:
  - id: S01
    input: Which buoy is red?
    expected_facts: [port]
    expected: {format: json, route: harbour}
    also_valid: [harbor]
  - id: S02
    input: Look it up.
    expected_tools: [chart]
    must_not_contain: [starboard]
    expected: {format: text}
  - id: S03
    input: Grade it as before.
    rubric_ref: rubric/before@1.0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, **texts: str) -> None:
    """Write files; `a__b` is `b` in the folder `a`, and the rest of the name is its extension."""
    for name, text in texts.items():
        *parents, stem = name.split("__")
        path = folder.joinpath(*parents, stem.replace("_json", ".json").replace("_yaml", ".yaml"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def value_of(path: Path) -> Any:
    from evalcontract.source import Document, read_file

    document = read_file(path, path.name)
    assert isinstance(document, Document), document
    return document.value


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml"))


def rows_of(path: Path) -> dict[str, Any]:
    return {row["id"]: row for row in value_of(path)["questions"]}


def test_every_field_of_a_case_has_its_place(folder: Path) -> None:
    put(folder, evals_json=CASES)
    assert command_line("migrate", "evals.json", "-o", "out") == 0
    assert files_of(folder / "out") == [
        "datasets/tide_tables.yaml",
        "rubrics/contains_excludes.yaml",
        "rubrics/contains_php.yaml",
        "rubrics/markdown.yaml",
    ]
    whole = value_of(folder / "out/datasets/tide_tables.yaml")
    assert whole == {
        "id": "tide_tables",
        "label": "tide-tables",
        "description": "About tides.",
        "metadata": {"skill_file": "skills/tides.md"},
        "questions": [
            {
                "id": "B01",
                "input": "When is high water?",
                "must_contain_any": ["hour", "o'clock"],
                "must_not_contain": ["guess"],
                "rubric_ref": "rubric/contains_excludes@1.0.0",
                "metadata": {
                    "expected_output": "Names an hour.",
                    "expectations": ["Is short"],
                    "source": {"date": "2026-02-01", "prompt_index": 3},
                },
            },
            {
                "id": "lint",
                "input": "Write a plugin.",
                "must_contain_any": ["function"],
                "rubric_ref": "rubric/contains_php@1.0.0",
            },
            {
                "id": "B03",
                "input": "Explain springs.",
                "rubric_ref": "rubric/markdown@1.0.0",
            },
            {
                "id": "B01_2",
                "input": "Explain neaps.",
                "must_contain_any": ["sun"],
                "must_not_contain": ["guess"],
                "rubric_ref": "rubric/contains_excludes@1.0.0",
            },
        ],
    }
    assert value_of(folder / "out/rubrics/markdown.yaml")["checks"] == [
        {
            "id": "markdown_structure",
            "kind": "markdown_structure",
            "min_headings": 2,
            "no_h1": True,
        }
    ]
    assert value_of(folder / "out/rubrics/contains_php.yaml")["checks"] == [
        {"id": "must_contain_any", "kind": "must_contain_any"},
        {"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"},
    ]


def test_files_share_rubrics_and_cases_without_checks_keep_their_prose(folder: Path) -> None:
    put(folder, a__evals_json=CASES, b__evals_json=OLDER)
    assert command_line("migrate", "a/evals.json", "b/evals.json", "-o", "out") == 0
    rows = rows_of(folder / "out/datasets/locks.yaml")
    assert rows["B12"]["rubric_ref"] == "rubric/contains_excludes@1.0.0"
    assert rows["B13"] == {"id": "B13", "input": "Close it.", "criteria": "Asks which.\nPolite"}


def test_what_comes_out_is_clean_in_strict_mode(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, a__evals_json=CASES, b__evals_json=OLDER)
    assert command_line("migrate", "a/evals.json", "b/evals.json", "-o", "out") == 0
    capsys.readouterr()
    assert command_line("check", "--strict", "out", "--no-cache") == 1
    told = capsys.readouterr().out
    found = re.findall(r"^(?:error|warning)\[(.*?)\]", told, re.MULTILINE)
    assert found == ["dataset/nothing-to-grade"], "what nobody asserted, nothing grades"


def test_losses_are_named_with_their_places(folder: Path) -> None:
    put(folder, evals_json=CASES)
    call = ("migrate", "evals.json", "-o", "out", "--loss-report", "losses.json")
    assert command_line(*call) == 0
    losses = json.loads((folder / "losses.json").read_text(encoding="utf-8"))["losses"]
    assert {(loss["path"], loss["line"], loss["kept"]) for loss in losses} == {
        ("$.evals[0].expected_output", 3, True),
        ("$.evals[0].expectations", 4, True),
        ("$.evals[1].mode", 7, False),
        ("$.evals[2].check_markdown_structure.tables", 11, False),
        ("$.evals[3].id", 12, False),
    }


def test_graders_become_checks_of_the_rows_that_they_can_grade(folder: Path) -> None:
    put(folder, target_yaml=TARGET, rows_yaml=ROWS)
    assert command_line("migrate", "target.yaml", "rows.yaml", "-o", "out") == 0
    rows = rows_of(folder / "out/datasets/rows.yaml")
    assert rows["S01"]["metadata"] == {"expected": {"route": "harbour"}, "also_valid": ["harbor"]}
    assert rows["S01"]["expected"] == {"format": "json", "facts": ["port"]}
    assert "expected" not in rows["S02"]
    rubrics = {
        name: value_of(folder / f"out/rubrics/{row['rubric_ref'][7:].partition('@')[0]}.yaml")
        for name, row in rows.items()
    }
    accuracy = {
        "id": "accuracy",
        "kind": "llm_judge",
        "judge_prompt_ref": "judge/accuracy@1.0.0",
        "threshold": 0.7,
    }
    assert {name: rubric["checks"] for name, rubric in rubrics.items()} == {
        "S01": [
            accuracy,
            {"id": "fact_match", "kind": "fact_match", "min_recall": 0.8},
            {"id": "format", "kind": "format"},
        ],
        "S02": [
            accuracy,
            {"id": "tool_usage", "kind": "tool_usage", "order": "sequence"},
            {"id": "must_not_contain", "kind": "must_not_contain"},
        ],
        "S03": [
            accuracy,
            {"id": "rubric_checks", "kind": "composite", "rubric_ref": "rubric/before@1.0"},
        ],
    }
    assert rubrics["S02"]["scoring"] == {
        "combine": "weighted_avg",
        "weights": {"accuracy": 2, "tool_usage": 1, "must_not_contain": 1},
        "threshold": 0.6,
    }
    assert value_of(folder / "out/targets/pilot_bot.yaml") == {
        "id": "pilot_bot",
        "label": "Pilot",
        "strict_validation": False,
        "dataset": "datasets/rows.yaml",
    }


def test_rubrics_that_are_elsewhere_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, rows_yaml=ROWS, target_yaml=TARGET)
    for number, call in enumerate((["rows.yaml"], ["rows.yaml", "target.yaml"])):
        assert command_line("migrate", *call, "-o", f"out{number}") == 0
        told = capsys.readouterr().err
        assert "copy the files of `rubric/before@1.0` to `rubrics/`" in told


@pytest.mark.slow
def test_many_cases_with_one_id_have_names_of_their_own(folder: Path) -> None:
    cases = [{"id": name, "prompt": "p"} for name in ["a"] * 5_000 + ["a_2", "a_2"]]
    put(folder, evals_json=json.dumps({"evals": cases}))
    assert command_line("migrate", "evals.json", "-o", "out") == 0
    (made,) = (folder / "out/datasets").iterdir()
    assert len(rows_of(made)) == len(cases)


@pytest.mark.slow
@every_case(
    "graders, kinds",
    [
        ("[accuracy_grader]", ["llm_judge"]),
        ("[relevance, completeness, actionability]", ["llm_judge"] * 3),
        ("[groundedness]", ["llm_judge"]),
        ("[fact_match_grader]", ["fact_match"]),
        ("[format_grader]", ["format"]),
        ("[tool_usage_grader, tool_usage]", ["tool_usage"]),
        ("{structured_match_grader: {schema: {type: object}}}", ["json_schema"]),
        ("{structured_match_grader: {schema_ref: s.json}}", ["json_schema"]),
    ],
)
def test_the_kind_of_each_grader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graders: str, kinds: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, target_yaml=f"id: t\ngraders: {graders}\n")
    assert command_line("migrate", "target.yaml", "-o", "out") == 0
    checks = value_of(tmp_path / "out/rubrics/t.yaml")["checks"]
    assert [check["kind"] for check in checks] == kinds
    judges = {check["judge_prompt_ref"] for check in checks if "judge_prompt_ref" in check}
    made = {path.stem for path in (tmp_path / "out").glob("judges/*.yaml")}
    assert {f"judge/{name}@1.0.0" for name in made} == judges


@every_case(
    "graders, meant",
    [
        ("[relevence]", ["relevance"]),
        ("{acuracy_grader: {weight: 2}, factmatch: , tools: }", ["accuracy_grader", "fact_match"]),
        ("[relevance_grader, droost_state, tone]", []),
    ],
)
def test_a_misspelled_grader_is_a_near_miss(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    graders: str,
    meant: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, target_yaml=f"id: t\ngraders: {graders}\nx_owner: us\n")
    assert command_line("migrate", "target.yaml", "-o", "out", "--force") == 0
    printed = capsys.readouterr().err
    assert re.findall("did you mean `(.*)`", printed) == meant
    assert printed.count("warning[dataset/near-miss-key]") == len(meant)


def test_comments_stay_with_their_rows(folder: Path) -> None:
    modeline = "# yaml-language-server: $schema=https://example.org/dataset.schema.json\n"
    first, second, last = ROWS.partition("  - id: S02")
    rows = f"{modeline}# of the harbour\n{first}  # the second\n{second}{last}"
    put(folder, rows_yaml=rows, target_yaml=TARGET)
    assert command_line("migrate", "target.yaml", "rows.yaml", "-o", "out") == 0
    text = (folder / "out/datasets/rows.yaml").read_text(encoding="utf-8")
    ours = "# yaml-language-server: $schema=../schema/editor/dataset.schema.json\n"
    assert text.startswith(f"{ours}# of the harbour\nid: rows\nquestions:\n")
    assert "  # the second\n  - id: S02\n" in text


LAID_OUT = """\
# of the harbour

questions:

    # the first
    - id: S01
      input: >-
          Which buoy
          is red?   # no comment
      expected_facts: [ port,red ]

    - {id: S02, input: "0x1F"}  # short
    - id: S03
      input: |+
          Look it up.

      expected:
          format: json
          depth: 0x1F   # of the chart


# the end
"""
LAID_OUT_AFTER = """\
# yaml-language-server: $schema=../schema/editor/dataset.schema.json
# of the harbour

id: rows
questions:

    # the first
    - id: S01
      input: >-
          Which buoy
          is red?   # no comment
      expected_facts: [ port,red ]
      rubric_ref: rubric/pilot_without_format@1.0.0

    - {id: S02, input: "0x1F", rubric_ref: rubric/pilot_without_fact_match_format@1.0.0}  # short
    - id: S03
      input: |+
          Look it up.

      expected:
          format: json
          depth: 0x1F   # of the chart
      rubric_ref: rubric/pilot_without_fact_match@1.0.0


# the end
"""


@every_case("end", ["\n", "\r\n"])
def test_yaml_of_the_author_is_added_to(folder: Path, end: str) -> None:
    (folder / "rows.yaml").write_bytes(LAID_OUT.replace("\n", end).encode())
    graders = "{accuracy: {}, fact_match: {}, format: {}}"
    put(folder, target_yaml=f"id: pilot\ngraders: {graders}\n")
    assert command_line("migrate", "target.yaml", "rows.yaml", "-o", "out", "--force") == 0
    after = (folder / "out/datasets/rows.yaml").read_bytes().decode()
    assert after.replace("      expected: {facts: [port, red]}\n".replace("\n", end), "") == (
        LAID_OUT_AFTER.replace("\n", end)
    )


def test_a_comment_that_would_be_lost_is_kept_otherwise(folder: Path) -> None:
    rows = "questions:\n- id: a\n  input: b\n  also_valid: # of the harbour\n  - c\n"
    put(folder, rows_yaml=rows)
    assert command_line("migrate", "rows.yaml", "-o", "out") == 0
    text = (folder / "out/datasets/rows.yaml").read_text(encoding="utf-8")
    assert "# of the harbour\n" in text
    assert rows_of(folder / "out/datasets/rows.yaml")["a"]["metadata"] == {"also_valid": ["c"]}


def test_starter_judges_are_valid_and_lack_only_their_validation(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graders = "[accuracy, relevance, completeness, actionability, groundedness]"
    put(folder, target_yaml=f"id: t\ngraders: {graders}\n")
    rows = "questions:\n- {id: a, input: b, context: c, criteria: d, expected: {reference: e}}\n"
    put(folder, rows_yaml=rows)
    assert command_line("migrate", "target.yaml", "rows.yaml", "-o", "out") == 0
    capsys.readouterr()
    assert command_line("check", "--strict", "out", "--no-cache", "--output-format", "json") == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [each["code"] for each in found] == ["judge/unvalidated"] * 5


@every_case(
    "text, code, printed",
    [
        ('{"evals": [{"prompt": 3}]}', 1, "error[dataset/wrong-type]"),
        ('{"evals": [{"promt": "a"}]}', 1, "error[dataset/near-miss-key]"),
        ('{"evals": [{"prompt": "a", "id": true}]}', 1, "error[dataset/wrong-type]"),
        ('{"evals": [{"prompt": "a", "must_contain_any": "b"}]}', 1, "error[dataset/wrong-type]"),
        ('{"evals": [{"prompt": "a"}], "evals": []}', 1, "error[source/duplicate-key]"),
        ('{"evals": ', 1, "error[source/syntax]"),
        ('{"graders": {"accuracy": 3}}', 1, "error[dataset/wrong-type]"),
        ('{"graders": {"accuracy": {"weight": -1}}}', 1, "error[dataset/out-of-range]"),
        ('{"questions": [{"id": "a", "inptu": "b"}]}', 1, "error[dataset/near-miss-key]"),
        ('{"cases": [], "name": "x"}', 2, "a mapping with `cases`, `name`"),
        ("[]", 2, "but it is a list"),
        ("{}", 2, "an empty mapping"),
        ("3", 2, "a single value"),
    ],
)
def test_what_cannot_be_migrated_is_refused_and_nothing_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    code: int,
    printed: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, good__evals_json=CASES, bad_json=text)
    assert command_line("migrate", "good/evals.json", "bad.json", "-o", "out") == code
    assert printed in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@every_case(
    "arguments, printed",
    [
        (("evals.json", "--from", "ai_eval"), "expected a mapping with `graders` or `questions`"),
        (("rows.yaml", "--from", "ai_best_practices"), "expected a mapping with `evals`"),
        (("rows.jsonl",), "it is a file of rows"),
        (("target.yaml", "target2.yaml"), "migrate one target at a time"),
        (("static-checks.json",), "there is nothing to migrate"),
        (("missing.json",), "no such file"),
    ],
)
def test_wrong_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    printed: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, evals_json=CASES, target_yaml=TARGET, target2_yaml=TARGET, rows_yaml=ROWS)
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "input": "b"}\n', encoding="utf-8")
    (tmp_path / "static-checks.json").write_text('{"assertions": []}', encoding="utf-8")
    assert command_line("migrate", *arguments, "-o", "out") in (1, 2)
    assert printed in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_nothing_is_replaced_without_force(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, evals_json=CASES)
    call = ("migrate", "evals.json", "-o", "out")
    assert command_line(*call) == 0
    before = (folder / "out/datasets/tide_tables.yaml").read_text(encoding="utf-8")
    assert command_line(*call) == 0, "files that are the same already are no obstacle"
    put(folder, out__rubrics__markdown_yaml="id: mine\n", evals_json=CASES.replace("neaps", "ebb"))
    capsys.readouterr()
    assert command_line(*call) == 2
    assert "already exists; pass --force" in capsys.readouterr().err
    assert (folder / "out/datasets/tide_tables.yaml").read_text(encoding="utf-8") == before
    assert command_line(*call, "--force") == 0
    assert value_of(folder / "out/rubrics/markdown.yaml")["id"] == "markdown"


def test_names_of_files_stay_in_the_folder(folder: Path) -> None:
    hostile = '{"skill_name": "../../etc/passwd", "evals": [{"prompt": "a", "id": "../b"}]}'
    put(folder, evals_json=hostile)
    assert command_line("migrate", "evals.json", "-o", "deep/out") == 0
    assert files_of(folder) == ["deep/out/datasets/etc_passwd.yaml"]


def test_a_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    put(folder, evals_json=CASES)
    (folder / "out").mkdir()
    (folder / "elsewhere").mkdir()
    (folder / "out/rubrics").symlink_to(folder / "elsewhere")
    assert command_line("migrate", "evals.json", "-o", "out") == 2
    assert [*(folder / "elsewhere").iterdir()] == []


@every_case(
    "case, row",
    [
        ('"must_contain_any": [""]', {}),
        ('"must_contain_any": ["", "a"]', {}),
        ('"must_not_contain": ["", "a"]', {"must_not_contain": ["a"]}),
        ('"must_not_contain": ["a", "A"]', {"must_not_contain": ["a"]}),
        ('"check_markdown_structure": {}', {}),
        ('"check_markdown_structure": {"max_heading_level": 9, "min_headings": 0}', {}),
    ],
)
def test_a_check_that_every_output_passes_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, row: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, evals_json=f'{{"evals": [{{"prompt": "q", {case}}}]}}')
    assert command_line("migrate", "evals.json", "-o", "out") == 0
    (made,) = (tmp_path / "out/datasets").iterdir()
    found = rows_of(made)["B01"]
    assert ("rubric_ref" in found) is bool(row)
    assert {key: found[key] for key in found if key.startswith("must")} == row


@pytest.mark.messages
def test_what_people_read(
    folder: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    from texts import plain

    put(folder, evals_json=CASES, target_yaml=TARGET, rows_yaml=ROWS)
    (folder / "static-checks.json").write_text("{}", encoding="utf-8")
    told: list[str] = []
    for call in (("evals.json",), ("target.yaml", "rows.yaml")):
        assert command_line("migrate", *call, "-o", f"out{len(told)}") == 0
        told.append("\n".join(capsys.readouterr()))
    assert "\n".join(told) == plain(snapshot)


@pytest.mark.costly
@every_case(
    ("graders", "is_kept"),
    [
        ("accuracy_grader", False),
        ("completeness", False),
        ("accuracy_grader, fact_match_grader", True),
    ],
)
def test_judges_that_show_facts_see_them(
    graders: str, *, is_kept: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = "{id: a, input: b, expected_facts: [port], expected: {reference: c}}"
    put(folder, bot_yaml=f"id: bot\ngraders: [{graders}]\n", set_yaml=f"questions:\n  - {row}\n")
    assert command_line("migrate", "bot.yaml", "set.yaml", "-o", "out", "--force") == 0
    moved = rows_of(folder / "out/datasets/set.yaml")["a"]
    assert moved["expected"] == {"reference": "c", "facts": ["port"]}
    assert ("expected_facts" in moved) is is_kept
    capsys.readouterr()
    command_line("check", "--strict", "out", "--no-cache")
    assert "unread-expectation" not in capsys.readouterr().out


def test_the_judges_that_show_facts_are_known() -> None:
    shown = {
        path.stem
        for path in (ROOT / "schema" / "judges").glob("*.yaml")
        if "expected.facts" in path.read_text(encoding="utf-8")
    }
    assert shown == _SHOWN_FACTS
