"""A cause is told before and instead of its consequences, and different causes stay apart."""

from __future__ import annotations

import json
import logging
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, check_workspaces, command_line, validate
from tables import every_case
from writing import write

from evalcontract import DatasetLoader
from evalcontract.checking.findings import MAX_SITES
from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import RunOutcome

RUBRIC = """\
id: answers
version: "1.0.0"
checks:
  - {id: right, kind: llm_judge, judge_prompt_ref: judge/right@1.0.0}
  - {id: polite, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
JUDGE = """\
id: right
version: "1.0.0"
template: |
  {{ output }}
  {{ expected.facts }}
validation: {tpr: 0.9, tnr: 0.9, sample_size: 200, validated_at: 2026-05-01}
"""
OTHER_ID = RUBRIC.replace("id: answers", "id: others")
ALONE = re.sub(r"  - \{id: right.*\n", "", RUBRIC)
WITH_FACTS = "expected: {facts: [Paris]}"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a workspace whose rubric and judge are good, and make it the current folder."""
    write(tmp_path, {"rubrics/answers.yaml": RUBRIC, "judges/right.yaml": JUDGE})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(count: int, *keys: str, rubric: str = "rubric/answers@1.0.0", first: int = 0) -> str:
    """Return a dataset whose rows take a line each."""
    more = ", ".join(["", *keys])
    numbers = range(first, first + count)
    lines = [f"  - {{id: r{n}, input: q{n}, rubric_ref: {rubric}{more}}}\n" for n in numbers]
    return "".join(["questions:\n", *lines])


def check(**options: Any) -> RunOutcome:
    return check_workspaces(Path(), Options(today=date(2026, 6, 1), **options))


def found(outcome: RunOutcome) -> list[tuple[str, str, int]]:
    """Return each finding as file, code, and number of its places."""
    return [
        (each.place.file, each.code, each.sites.total if each.sites else 0)
        for each in outcome.diagnostics
    ]


@every_case(
    ("line", "code"),
    [
        ("rubric_ref: rubric/answers@1.0.0", "dataset/misplaced-key"),
        ("default_rubric: rubric/answers@1.0.0", "dataset/misplaced-key"),
        ("must_not_include: [stupid]", "dataset/misplaced-key"),
        ("judge: judge/right@1.0.0", "dataset/foreign-key"),
        ("assert: [{type: equals, value: a}]", "dataset/foreign-key"),
        ("checks: []", "dataset/misplaced-key"),
    ],
)
def test_what_should_grade_the_rows_is_at_the_root(place: Path, line: str, code: str) -> None:
    questions = "questions:\n  - {id: a, input: x, criteria: short}\n  - {id: b, input: y}\n"
    write(place, {"data.yaml": f"{line}\n{questions}"})
    assert found(check(strict=True)) == [("data.yaml", code, 0)]


@every_case("line", ["owner: kim", "strict: true", "tests: [{input: x}]", "description: d"])
def test_other_keys_of_the_root_grade_no_rows(place: Path, line: str) -> None:
    write(place, {"data.yaml": f"{line}\nquestions:\n  - {{id: b, input: y}}\n"})
    assert "dataset/nothing-to-grade" in [code for _, code, _ in found(check())]


def test_a_key_that_no_loader_reads_is_one_finding(place: Path) -> None:
    sample = {"input": "q", "target": "a", "owner": "kim", "taget": "b"}
    table = "input,target,level\n" + "q,a,easy\n" * 120
    write(place, {"some.json": json.dumps([sample] * 120), "some.csv": table})
    files = [Input(place / name) for name in ("some.json", "some.csv")]
    outcome = validate(Kind.DATASET, files, Options(dialect="inspect"))
    assert [(each.code, each.sites and each.sites.message) for each in outcome.diagnostics] == [
        ("inspect/ignored-key", "120 rows contain it"),
        ("inspect/ignored-key", "120 rows contain it"),
        ("inspect/near-miss-key", "120 rows contain it"),
    ]


def test_rows_of_a_table_that_ask_for_nothing_are_one_finding(place: Path) -> None:
    table = "user_input,reference_contexts,response\n" + "q,c,a\n" * 100
    write(place, {"testset.csv": table})
    told = validate(Kind.DATASET, [Input(place / "testset.csv")], Options()).diagnostics
    assert [(each.code, each.sites and each.sites.message) for each in told] == [
        ("dataset/mapped-column", None),
        ("dataset/nothing-to-grade", "100 rows have neither a rubric nor an expectation"),
    ]


def test_a_row_with_a_key_in_several_places_counts_once(place: Path) -> None:
    messages = [{"role": role, "content": "x", "mood": "calm"} for role in ("system", "user")]
    write(place, {"some.json": json.dumps([{"input": messages, "target": "a"}] * 3)})
    options = Options(dialect="inspect")
    (found,) = validate(Kind.DATASET, [Input(place / "some.json")], options).diagnostics
    assert found.sites is not None
    assert (found.sites.message, found.sites.total) == ("3 rows contain it", 6)


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_one_finding(place: Path) -> None:
    write(place, {"rubrics/answers.yaml": RUBRIC.replace("  -", "\t-"), "data.yaml": rows(500)})
    (one,) = check().diagnostics
    assert (one.code, one.place.file) == ("source/syntax", "rubrics/answers.yaml")
    assert one.sites is not None
    assert one.sites.message == "500 rows refer to it"
    assert [site.row_index for site in one.sites.first] == list(range(500))
    assert (one.sites.first[0].place.file, one.sites.first[0].row) == ("data.yaml", "r0")


def test_so_it_is_where_only_the_dataset_is_named(place: Path) -> None:
    write(place, {"rubrics/answers.yaml": RUBRIC.replace("  -", "\t-"), "data.yaml": rows(3)})
    outcome = validate(Kind.DATASET, [Input(Path("data.yaml"))], Options())
    assert found(outcome) == [("rubrics/answers.yaml", "source/syntax", 3)]


def test_a_rubric_without_an_id_is_one_finding(place: Path) -> None:
    write(place, {"rubrics/answers.yaml": RUBRIC.replace("id: answers\n", "")})
    write(place, {"data.yaml": rows(3)})
    assert found(check()) == [("rubrics/answers.yaml", "rubric/missing-key", 3)]


def test_an_error_never_hides_behind_a_warning(place: Path) -> None:
    """The rubric is checked as softly as ever: only the rows are those of the strict target."""
    write(place, {"rubrics/answers.yaml": RUBRIC.replace("id: answers\n", "")})
    write(place, {"data.yaml": rows(3)})
    write(place, {"targets/t.yaml": "dataset: data.yaml\nstrict_validation: true\n"})
    outcome = check()
    assert found(outcome) == [
        ("rubrics/answers.yaml", "rubric/missing-key", 0),
        ("data.yaml", "reference/dangling", 3),
    ]
    assert [str(each.severity) for each in outcome.diagnostics] == ["warning", "error"]


def test_a_reference_that_does_not_resolve_is_one_finding(place: Path) -> None:
    """However many rows of however many files have it; another reference is another finding."""
    write(place, {"a.yaml": rows(3, rubric="rubric/zebra@1.0"), "c.yaml": rows(1, WITH_FACTS)})
    write(place, {"b.yaml": rows(2, rubric="rubric/zebra@1.0.0") + "\n"})
    write(place, {"d.yaml": rows(2, rubric="rubric/zebra@2.0.0")})
    outcome = check()
    assert found(outcome) == [
        ("a.yaml", "reference/dangling", 5),
        ("d.yaml", "reference/dangling", 2),
    ]
    first = outcome.diagnostics[0]
    assert first.sites is not None
    assert first.sites.message == "5 rows in 2 files refer to it"
    assert (first.row, first.place.span and first.place.span.line) == ("r0", 2)


def test_one_row_is_told_as_ever(place: Path) -> None:
    write(place, {"a.yaml": rows(1, rubric="rubric/zebra@1.0")})
    (one,) = check().diagnostics
    assert (one.sites, one.cause, one.row) == (None, None, "r0")


def test_checks_are_counted_beside_rows(place: Path) -> None:
    composite = "  - {id: c, kind: composite, rubric_ref: rubric/zebra@1.0.0}\n"
    more = RUBRIC.replace("id: answers", "id: more").replace("scoring", f"{composite}scoring")
    write(place, {"rubrics/more.yaml": more.replace("  - {id: right", "  - {id: wrong")})
    write(place, {"a.yaml": rows(2, rubric="rubric/zebra@1.0.0")})
    (one,) = check().diagnostics
    assert one.sites is not None
    assert one.sites.message == "1 check and 2 rows in 2 files refer to it"


def test_workspaces_share_no_cause(place: Path) -> None:
    files = {"a.yaml": rows(2, rubric="rubric/zebra@1.0.0"), "rubrics/answers.yaml": RUBRIC}
    write(place / "inner", {**files, "judges/right.yaml": JUDGE})
    write(place, {"a.yaml": rows(3, rubric="rubric/zebra@1.0.0")})
    assert found(check()) == [
        ("a.yaml", "reference/dangling", 3),
        ("inner/a.yaml", "reference/dangling", 2),
    ]


@pytest.mark.parametrize("name", ["rubric", "Rubrics", "RUBRICS", "rubics"])
def test_a_misspelled_folder_is_the_cause(name: str, place: Path) -> None:
    (place / "rubrics").rename(place / "elsewhere")
    (place / "elsewhere").rename(place / name)
    write(place, {"data.yaml": rows(3)})
    (one,) = [each for each in check().diagnostics if each.code == "reference/dangling"]
    assert one.help == f"rubrics are read from `rubrics/`: rename the folder `{name}/`"
    assert one.sites is not None
    assert one.sites.total == 3


def test_a_folder_of_judges_is_misspelled_too(place: Path) -> None:
    (place / "judges").rename(place / "judge")
    (one,) = [each for each in check().diagnostics if each.code == "reference/dangling"]
    assert one.help == "judges are read from `judges/`: rename the folder `judge/`"


def test_another_folder_is_not_the_cause(place: Path) -> None:
    """The id is not there, and the right folder is."""
    write(place, {"rubric/others.yaml": OTHER_ID, "rubrical/answers.yaml": RUBRIC})
    write(place, {"data.yaml": rows(3, rubric="rubric/zebra@1.0.0")})
    (one,) = [each for each in check().diagnostics if each.code == "reference/dangling"]
    assert one.help is not None
    assert "rename" not in one.help


def test_rows_without_what_a_judge_shows_are_told_at_its_tag(place: Path) -> None:
    write(place, {"data.yaml": rows(4, "expected: {fact: Paris}")})
    (one,) = check().diagnostics
    assert (one.code, one.place.file) == ("dataset/check-never-runs", "judges/right.yaml")
    assert one.place.span is not None
    assert one.place.span[:2] == (5, 3)
    assert one.help == "the rows have `expected.fact`: use the same name in both places"
    assert one.sites is not None
    assert one.sites.message == "4 rows lack `expected.facts`"


def test_so_it_is_where_nothing_else_runs(place: Path) -> None:
    alone = re.sub(r"  - \{id: polite.*\n", "", RUBRIC)
    write(place, {"rubrics/answers.yaml": alone, "data.yaml": rows(2, "expected: {fact: Paris}")})
    assert found(check()) == [("judges/right.yaml", "dataset/nothing-runs", 2)]


def test_one_row_that_lacks_it_is_told_at_the_row(place: Path) -> None:
    lines = rows(1) + rows(3, WITH_FACTS, first=1).removeprefix("questions:\n")
    write(place, {"data.yaml": lines})
    assert found(check()) == [("data.yaml", "dataset/check-never-runs", 0)]


def test_files_that_others_depend_on_come_first(place: Path) -> None:
    write(place, {"a.yaml": "questions: [{id: a, input: b, criteria: c, expecteed_facts: [d]}]\n"})
    write(place, {"judges/right.yaml": JUDGE.replace("expected.facts", "expectd")})
    write(place, {"rubrics/answers.yaml": RUBRIC.replace("all_pass", "all")})
    write(place, {"targets/t.yaml": "dataset: nowhere.yaml\n", "bundles/b.schema.json": "{"})
    files = [each.place.file for each in check().diagnostics]
    assert list(dict.fromkeys(files)) == [
        "bundles/b.schema.json",
        "judges/right.yaml",
        "rubrics/answers.yaml",
        "a.yaml",
        "targets/t.yaml",
    ]


@pytest.mark.costly
def test_places_are_bounded_and_counted(place: Path) -> None:
    text = "".join(
        json.dumps({"id": f"r{n}", "input": "q", "rubric_ref": "rubric/zebra@1.0.0"}) + "\n"
        for n in range(MAX_SITES + 7)
    )
    write(place, {"data.jsonl": text})
    (one,) = check().diagnostics
    assert one.sites is not None
    assert (one.sites.total, len(one.sites.first)) == (MAX_SITES + 7, MAX_SITES)
    assert one.sites.first[-1].row == f"r{MAX_SITES - 1}"


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, MAX_SITES + 7])
def test_verbose_lists_every_place(
    count: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"data.yaml": rows(count, rubric="rubric/zebra@1.0.0")})
    assert command_line("check", "--no-cache") == 0
    assert f"= {count:,} rows refer to it; `--verbose` lists them\n" in capsys.readouterr().out
    command_line("check", "--no-cache", "--verbose")
    out = capsys.readouterr().out
    assert out.count("(row `r") == min(count, MAX_SITES) + 1
    assert ("… and 7 more places, which are not kept" in out) is (count > MAX_SITES)


@pytest.mark.slow
def test_statistics(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"data.yaml": rows(3, rubric="rubric/answer@1.0.0")})
    write(place, {"b.yaml": "questions: [{id: a, input: b, criteria: c, expecteed_facts: [d]}]\n"})
    # The validation of the judge is stale some day.
    write(place, {"judges/right.yaml": "id: [\n", "rubrics/answers.yaml": ALONE})
    command_line("check", "--no-cache", "--statistics", "--limit", "1")
    assert capsys.readouterr().out.endswith(
        "… 2 more findings: `--limit 0` shows all\n"
        "\n"
        "1  error    source/syntax\n"
        "1  warning  dataset/near-miss-key  1 fixable\n"
        "1  warning  reference/dangling     1 fixable with --unsafe-fixes, 3 places\n"
        "\n"
        "2 datasets (4 rows), 1 rubric, 1 unreadable file: 1 error, 2 warnings\n"
        "1 fixable with `evalcontract fix`, 1 more with `evalcontract fix --unsafe-fixes`\n"
    )


@pytest.mark.slow
@every_case("name", FORMATS)
def test_statistics_of_other_formats(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What programs read stays as it is."""
    write(place, {"b.yaml": "questions: [{id: a, input: b, criteria: c, expecteed_facts: [d]}]\n"})
    call = ("validate-dataset", "b.yaml", "--quiet", "--output-format", name)
    command_line(*call)
    plain = capsys.readouterr()
    command_line(*call, "--statistics")
    counted = capsys.readouterr()
    table = "1  warning  dataset/near-miss-key  1 fixable\n"
    if name == "text":
        assert counted.out.endswith(f"\n{table}\n")
    else:
        assert (counted.out, counted.err) == (plain.out, table)
    command_line(*call, "--statistics", "--ignore", "dataset/near-miss-key")
    assert capsys.readouterr().err == ("" if name == "text" else "no findings\n")


def test_every_place_has_its_fix(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"data.yaml": rows(3, rubric="rubric/answer@1.0.0")})
    (one,) = check().diagnostics
    assert one.sites is not None
    assert [site.fix.path[1] for site in one.sites.first if site.fix] == [0, 1, 2]
    assert command_line("fix", "--unsafe-fixes", "data.yaml") == 0
    assert (place / "data.yaml").read_text() == rows(3)
    capsys.readouterr()


def logged(records: Iterable[logging.LogRecord]) -> list[str]:
    return [record.getMessage() for record in records]


def test_a_loader_knows_the_finding_of_each_row(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(place, {"data.yaml": rows(3, rubric="rubric/zebra@1.0.0")})
    with caplog.at_level(logging.WARNING, "evalcontract"):
        dataset = DatasetLoader().load("data.yaml")
    assert [[each.code for each in row.diagnostics] for row in dataset] == [
        ["reference/dangling"]
    ] * 3
    assert [text.split(": ")[0] for text in logged(caplog.records)] == [
        f"data.yaml:{line}:{column}" for line, column in ((2, 37), (3, 37), (4, 37))
    ]


def test_names_from_files_cannot_act_on_a_terminal(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name of a file, the id of a row, and the name in a tag."""
    judge = JUDGE.replace("  {{ output }}\n  {{ expected.facts }}\n", "  {{ output }}\n")
    tag = '"{{ output }} {{ expected.a\\e[2J }}"\n'
    write(place, {"judges/right.yaml": judge.replace("|\n  {{ output }}\n", tag)})
    for name in ("a\x1b[2J.yaml", "b.yaml"):
        write(place, {name: rows(2, "expected: {fact: Paris}").replace("id: r0", 'id: "r\\e[2J"')})
        write(place, {f"z{name}": rows(2, rubric="rubric/zebra@1.0.0")})
    for arguments in (["--verbose"], ["--statistics"], []):
        command_line("check", "--no-cache", *arguments)
        out = capsys.readouterr().out
        assert "4 rows in 2 files" in out
        assert "\x1b" not in out
