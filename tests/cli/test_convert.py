"""`convert`: everything that is asked for is written, or nothing is."""

from __future__ import annotations

import json
import re
import shlex
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from doors import ROOT, UsageError, command_line
from plain_dialects import PLAIN, ending, file_of, row_of
from tables import every_case

from evalcontract.cli.convert import convert_command
from evalcontract.cli.validate import check_command, validate_dataset_command
from evalcontract.formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

#: click 8.1 mixes what is printed with what is said of it, unless it is told not to.
_APART: dict[str, Any] = {"mix_stderr": False}
RUNNER = CliRunner(**(_APART if "mix_stderr" in signature(CliRunner).parameters else {}))
ROWS = """\
# about the harbour
# since 2026
- request: When is it dredged?  # in words
  request_id: dredging
  expected_facts: [March]
# the second
- request: {messages: [{role: user, content: Why?}]}
  # the answer
  expected_response: "yes"
  guidelines: {tone: [Be kind]}
  retrieved_context: [{doc_uri: port/7, content: "x: y", score: 0.5}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.yaml").write_text(ROWS, encoding="utf-8")
    graded = 'row_keys_graded = ["criteria", "expected"]\n'
    (tmp_path / "evalcontract.toml").write_text(graded, encoding="utf-8")
    return tmp_path


def convert(*arguments: str, given: str | None = None) -> Result:
    return RUNNER.invoke(convert_command, arguments, standalone_mode=False, input=given)


def code(result: Result) -> Any:
    if isinstance(result.exception, UsageError):
        return str(result.exception)
    assert result.exception is None, result.exception
    return result.return_value


def names(folder: Path) -> set[str]:
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}


def test_there_and_back(folder: Path) -> None:
    there = convert("rows.yaml", "ours.yaml", "--from", "databricks")
    assert code(there) == 0
    assert there.stdout == (
        "converted 2 rows of rows.yaml (databricks:application) to ours.yaml (evalcontract)\n"
        "also written: bundles/agent.schema.json\n"
        "also written: schema/editor/dataset.schema.json\n"
    )
    back = convert("ours.yaml", "back.yaml", "--to", "databricks")
    assert (code(back), back.stderr) == (0, "")
    from evalcontract.source import Document, read_file

    first, last = (read_file(folder / name, name) for name in ("rows.yaml", "back.yaml"))
    assert isinstance(first, Document)
    assert isinstance(last, Document)
    assert first.value == last.value


@pytest.mark.usefixtures("folder")
def test_what_comes_out_is_clean() -> None:
    assert code(convert("rows.yaml", "ours.yaml", "--from", "databricks")) == 0
    checked = RUNNER.invoke(
        validate_dataset_command, ["--strict", "ours.yaml"], standalone_mode=False
    )
    assert checked.stdout == "1 dataset (2 rows): no findings\n"


def test_comments_stay_with_their_rows(folder: Path) -> None:
    assert code(convert("rows.yaml", "ours.yaml", "--from", "databricks")) == 0
    text = (folder / "ours.yaml").read_text(encoding="utf-8")
    modeline = "# yaml-language-server: $schema=schema/editor/dataset.schema.json\n"
    head = "# about the harbour\n# since 2026\nquestions:\n  # in words\n  - id: "
    assert text.startswith(modeline + head)
    assert "  # the second\n  # the answer\n  - id: row_2\n" in text


@pytest.mark.usefixtures("folder")
def test_a_detected_dialect_is_told() -> None:
    done = convert("rows.yaml", "ours.yaml")
    assert code(done) == 0
    assert done.stderr.startswith("note[databricks/detected]: ")


def test_a_report_of_losses_has_no_characters_that_a_terminal_acts_on(folder: Path) -> None:
    text = (folder / "rows.yaml").read_text(encoding="utf-8")
    (folder / "a\u202e.yaml").write_text(text, encoding="utf-8")
    done = convert("a\u202e.yaml", "o.yaml", "--from", "databricks", "--loss-report", "losses")
    assert code(done) == 0
    report = (folder / "losses").read_text(encoding="utf-8")
    assert "\u202e" not in report
    assert json.loads(report)["losses"][0]["file"] == "a\u202e.yaml"


def test_losses_are_told_and_listed(folder: Path) -> None:
    done = convert("rows.yaml", "o.yaml", "--from", "databricks", "--loss-report", "losses.json")
    assert code(done) == 0
    assert done.stderr == (
        "preserved in metadata, restored when converting back:\n"
        "  1  `guidelines`  criteria have no names, as lists of guidelines may have\n"
        "                   first at rows.yaml:10:3\n"
    )
    report = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    assert report == {
        "version": "1.0",
        "from": "databricks:application",
        "to": "evalcontract",
        "source": "rows.yaml",
        "target": "o.yaml",
        "losses": [
            {
                "row_index": 1,
                "path": "$[1].guidelines",
                "file": "rows.yaml",
                "line": 10,
                "reason": "criteria have no names, as lists of guidelines may have",
                "kept": True,
            }
        ],
    }


def test_what_stands_beside_the_rows_is_lost_in_lines(folder: Path) -> None:
    (folder / "o.yaml").write_text(
        "label: Harbour\nquestions: [{id: a, input: b, criteria: c}]\n", encoding="utf-8"
    )
    done = convert("o.yaml", "o.jsonl", "--loss-report", "losses.json")
    assert code(done) == 0
    assert done.stderr.startswith("lost:\n  1  `label`  ")
    assert (folder / "o.jsonl").read_text(encoding="utf-8") == (
        '{"id": "a", "input": "b", "criteria": "c"}\n'
    )
    assert len(json.loads((folder / "losses.json").read_text(encoding="utf-8"))["losses"]) == 1


def test_strict_writes_nothing_that_loses(folder: Path) -> None:
    before = names(folder)
    done = convert("rows.yaml", "o.yaml", "--from", "databricks", "--strict", "--loss-report", "l")
    assert code(done) == 1
    assert done.stderr.endswith("nothing was written: the conversion would lose data (--strict)\n")
    assert names(folder) == before


@pytest.mark.parametrize(
    ("name", "text", "arguments", "found"),
    [
        ("bad.json", '[{"request": 7}]', ("--from", "databricks"), "databricks/wrong-type"),
        ("bad.jsonl", '{"request": "a"}\n{"request"\n', ("--from", "databricks"), "source/syntax"),
        ("bad.json", "[", ("--from", "databricks"), "source/syntax"),
        ("bad.csv", "request\na\n", ("--from", "databricks"), "databricks/unread-medium"),
        ("bad.yaml", "questions: [{id: a}]\n", (), "dataset/missing-key"),
        ("bad.yaml", "questions: 3\n", (), "dataset/no-questions"),
        ("bad.yaml", "questions: [{id: a, inputt: b}]\n", (), "dataset/near-miss-key"),
        (
            "bad.yaml",
            "questions: [{id: a, inputt: b, criteria: c}]\n",
            ("--to", "northstar"),
            "dataset/near-miss-key",
        ),
        (
            "bad.yaml",
            "questions: [{id: a, input: b}]\n",
            ("--to", "databricks:outputs"),
            "databricks/missing-key",
        ),
        (
            "bad.yaml",
            "metadata: 3\nquestions: [{id: a, input: b, criteria: c}]\n",
            ("--to", "databricks"),
            "dataset/wrong-type",
        ),
    ],
)
def test_bad_sources_write_nothing(
    folder: Path, name: str, text: str, arguments: tuple[str, ...], found: str
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    before = names(folder)
    done = convert(name, "out.json", *arguments)
    assert code(done) == 1
    assert f"error[{found}]" in done.stderr or f"warning[{found}]" in done.stderr
    what = "errors" if "error[" in done.stderr else "faults"
    told = {
        "nothing was written: the source cannot be read",
        f"nothing was written: the source has {what} that prevent a complete conversion: {found}",
    }
    if found == "dataset/near-miss-key":
        told = {"nothing was written: 1 row has faults that prevent the conversion"}
    assert done.stderr.splitlines()[-1] in told
    assert names(folder) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("rows.yaml", "o.yaml", "--to", "databrick"), "did you mean `databricks`?"),
        (("rows.yaml", "o.yaml", "--from", "databricks:3"), "there is no dialect `databricks:3`"),
        (("rows.yaml", "o.txt"), "a name that ends with `.yaml`, `.yml`, `.json`"),
        (("rows.yaml", "o.csv", "--to", "databricks"), "use a name that ends with"),
        (("rows.yaml", "rows.yaml", "--from", "databricks"), "rows.yaml already exists"),
        (("rows.yaml", "o.yaml", "--loss-report", "rows.yaml"), "rows.yaml already exists"),
        (("rows.yaml", "o.yaml", "--loss-report", "o.yaml"), "the file would be written twice"),
        (("rows.yaml", "rows.yaml/o.yaml"), "rows.yaml/o.yaml cannot be written: "),
        (("*.none", "o.yaml"), "matches no file"),
    ],
)
def test_wrong_usage(folder: Path, arguments: tuple[str, ...], expected: str) -> None:
    before = names(folder)
    assert expected in code(convert(*arguments))
    assert names(folder) == before


def test_force_replaces(folder: Path) -> None:
    (folder / "o.yaml").write_text("mine\n", encoding="utf-8")
    assert code(convert("rows.yaml", "o.yaml", "--from", "databricks", "--force")) == 0
    assert "mine" not in (folder / "o.yaml").read_text(encoding="utf-8")


def test_a_file_beside_it_that_is_another_is_kept(folder: Path) -> None:
    (folder / "bundles").mkdir()
    (folder / "bundles/agent.schema.json").write_text("{}", encoding="utf-8")
    done = convert("rows.yaml", "o.yaml", "--from", "databricks")
    assert code(done) == "bundles/agent.schema.json already exists; pass --force to replace it"
    assert not (folder / "o.yaml").exists()
    assert code(convert("rows.yaml", "o.yaml", "--from", "databricks", "--force")) == 0


def test_standard_input(folder: Path) -> None:
    done = convert("-", "o.jsonl", "--from", "databricks", given='[{"request": "a"}]')
    assert code(done) == 0
    assert (folder / "o.jsonl").read_text(encoding="utf-8") == '{"id": "row_1", "input": "a"}\n'


def test_bundles_stand_beside_the_folder_of_datasets(folder: Path) -> None:
    assert code(convert("rows.yaml", "datasets/o.yaml", "--from", "databricks")) == 0
    assert "bundles/agent.schema.json" in names(folder)
    checked = RUNNER.invoke(
        validate_dataset_command, ["--strict", "datasets/o.yaml"], standalone_mode=False
    )
    assert checked.stdout == "1 dataset (2 rows): no findings\n"


@pytest.mark.usefixtures("folder")
def test_a_check_of_the_folder_finds_the_bundle() -> None:
    done = convert("rows.yaml", "datasets/o.yaml", "--from", "databricks")
    assert code(done) == 0
    assert done.stdout.splitlines()[1:] == [
        "also written: bundles/agent.schema.json",
        "also written: schema/editor/dataset.schema.json",
    ]
    again = convert("rows.yaml", "datasets/p.yaml", "--from", "databricks")
    assert again.stdout.splitlines()[1:] == []  # what is there already is what is needed
    checked = RUNNER.invoke(check_command, ["--strict"], standalone_mode=False)
    assert checked.stdout.splitlines()[-1] == "2 datasets (4 rows), 1 bundle: no findings"


@every_case(
    ("out", "to", "modeline"),
    [
        ("ours.yaml", "evalcontract", "schema/editor/dataset.schema.json"),
        ("datasets/deep/ours.yml", "evalcontract", "../../schema/editor/dataset.schema.json"),
        ("ours.yml", "evalcontract", "schema/editor/dataset.schema.json"),
    ],
)
def test_a_modeline_leads_to_a_schema_beside_it(
    out: str, to: str, modeline: str, folder: Path
) -> None:
    """The editor needs neither a network nor this package."""
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / out).parent.mkdir(parents=True, exist_ok=True)
    assert code(convert("rows.yaml", out, "--from", "databricks", "--to", to)) == 0
    first, *_ = (folder / out).read_text(encoding="utf-8").splitlines()
    assert first == f"# yaml-language-server: $schema={modeline}"
    _, _, name = modeline.partition("schema/")
    assert (folder / "schema" / name).read_bytes() == (ROOT / "schema" / name).read_bytes()


def test_what_is_written_for_others_has_no_modeline(folder: Path) -> None:
    """And a schema that is there already is left alone."""
    assert code(convert("rows.yaml", "ours.yaml", "--from", "databricks")) == 0
    schema = folder / "schema/editor/dataset.schema.json"
    schema.write_text("{}", encoding="utf-8")
    there = convert("ours.yaml", "theirs.yaml", "--to", "mlflow:oss")
    assert code(there) == 0
    assert "also written" not in there.stdout
    text = (folder / "theirs.yaml").read_text(encoding="utf-8")
    assert text.startswith("# about the harbour\n# since 2026\n# in words\n- inputs:")
    assert code(convert("theirs.yaml", "back.yaml", "--from", "mlflow:oss")) == 0
    assert (folder / "back.yaml").read_text(encoding="utf-8").count("yaml-language-server") == 1
    assert schema.read_text(encoding="utf-8") == "{}"


def test_comments_above_the_rows_stay_with_their_key(folder: Path) -> None:
    text = "# about\nlabel: Harbour\nquestions:\n  # first\n  - {id: a, input: b, criteria: c}\n"
    (folder / "o.yaml").write_text(text, encoding="utf-8")
    assert code(convert("o.yaml", "again.yaml")) == 0
    written = (folder / "again.yaml").read_text(encoding="utf-8")
    assert "# about\nlabel: Harbour\nquestions:\n  # first\n  - id: a\n" in written


@every_case("out", ["o.json", "o.jsonl"])
def test_comments_are_lost_where_there_are_none(out: str, folder: Path) -> None:
    text = (
        "# yaml-language-server: $schema=dataset.schema.json\n# about\nquestions:\n"
        "  # first\n  - id: a  # b\n    input: |\n      # no comment\n    criteria: c\n"
        "  # second\n  - {id: d, input: '# none', criteria: c}\n"
    )
    (folder / "o.yaml").write_text(text, encoding="utf-8")
    (folder / "dataset.schema.json").write_text("{}", encoding="utf-8")
    done = convert("o.yaml", out, "--loss-report", "losses.json", "--force")
    assert done.stderr == (
        "lost:\n  4  `#`  the medium of the target has no comments\n          first at o.yaml:4:3\n"
    )
    losses = json.loads((folder / "losses.json").read_text(encoding="utf-8"))["losses"]
    assert [(each["row_index"], each["path"], each["line"], each["kept"]) for each in losses] == [
        (0, "$.questions[0]", 4, False),
        (0, "$.questions[0]", 5, False),
        (1, "$.questions[1]", 9, False),
        (None, "$", 2, False),
    ]
    assert code(convert("o.yaml", "other.json", "--strict")) == 1
    assert not (folder / "other.json").exists()


def test_a_table_that_the_target_rejects_is_not_written(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    rows: list[dict[str, object]] = [
        {"id": "a", "input": "b", "expected_facts": ["c"]},
        {"id": "d", "input": "e", "criteria": "Is kind."},
    ]
    (folder / "rows.json").write_text(json.dumps({"questions": rows}), encoding="utf-8")
    done = convert("rows.json", "o.parquet", "--to", "mlflow:evaluate")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception).startswith("o.parquet cannot be written: a table has null where")
    assert not (folder / "o.parquet").exists()
    (folder / "rows.json").write_text(json.dumps({"questions": rows[:1]}), encoding="utf-8")
    assert code(convert("rows.json", "o.parquet", "--to", "mlflow:evaluate")) == 0


def test_comments_without_rows(folder: Path) -> None:
    (folder / "o.yaml").write_text("# about\nquestions: []\n", encoding="utf-8")
    assert code(convert("o.yaml", "again.yaml")) == 0
    assert "# about\n" in (folder / "again.yaml").read_text(encoding="utf-8")
    assert "lost:\n  1  `#`" in convert("o.yaml", "o.json").stderr


def test_one_case_that_is_the_whole_document(folder: Path) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    case = {"id": "a", "messages": messages, "expected": {"contains": ["hello"]}}
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")
    there = convert("case.json", "ours.yaml", "--from", "northstar")
    assert code(there) == 0
    assert there.stdout.startswith("converted 1 row of case.json (northstar) to ours.yaml")
    assert code(convert("ours.yaml", "back.json", "--to", "northstar")) == 0
    assert json.loads((folder / "back.json").read_text(encoding="utf-8")) == [case]


@every_case(
    ("to", "note"),
    [
        (
            "evalcontract",
            """\
note: 2 rows expect documents: no check of evalcontract grades what was
      retrieved
note: 0 % of the checks of 2 of 3 rows will run, since neither a check nor the
      judge of `init` reads what they have: add what is expected, such as
      `expected_facts`, or a rubric:
      `evalcontract explain dataset/nothing-to-grade`
""",
        ),
        ("databricks", ""),
    ],
)
def test_what_no_check_grades_is_told(to: str, note: str, folder: Path) -> None:
    queries = [
        {"query_id": "a", "query_text": "b", "expected_doc_ids": ["c"]},
        {"query_id": "b", "query_text": "b", "expected_doc_ids": ["c", "d"]},
        {"query_id": "c", "query_text": "b", "expected_answers": ["c"]},
    ]
    (folder / "queries.json").write_text(json.dumps({"queries": queries}), encoding="utf-8")
    done = convert("queries.json", "o.json", "--from", "evret", "--to", to, "--force", "--strict")
    assert (code(done), done.stderr) == (0, note)


@every_case(
    ("to", "note"),
    [
        ("evret", "note: 2 rows ask for nothing that Evret grades\n"),
        ("mlflow:evaluate", ""),
        ("northstar", "note: 1 row asks for nothing that NorthStar grades\n"),
    ],
)
def test_rows_that_the_target_does_not_grade_are_told(to: str, note: str, folder: Path) -> None:
    rows = [
        {"id": "a", "input": "b", "expected_facts": ["c"]},
        {"id": "b", "input": "c", "criteria": "Is kind."},
        {"id": "c", "input": "d", "tags": ["e"]},
    ]
    (folder / "rows.json").write_text(json.dumps({"questions": rows}), encoding="utf-8")
    done = convert("rows.json", "o.json", "--to", to, "--force")
    assert code(done) == 0
    assert [line for line in done.stderr.splitlines(keepends=True) if "note:" in line] == (
        [note] if note else []
    )


def test_of_many_findings_a_few_are_shown(folder: Path) -> None:
    cases = [{"id": f"{n}", "messages": [], "expected": {"contains": "It"}} for n in range(52)]
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    done = convert("cases.json", "ours.yaml", "--from", "northstar")
    assert code(done) == 0
    assert done.stderr.count("warning[northstar/missing-answer]") == 50
    assert done.stderr.endswith("\n\n… 2 more findings: `validate-dataset` shows all\n\n")


def test_the_rubric_stands_above_what_was_recorded(folder: Path) -> None:
    case = {"id": "a", "messages": [], "expected": {"required_tools": ["b"]}}
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")
    assert code(convert("case.json", "ours.jsonl", "--from", "northstar")) == 0
    row = json.loads((folder / "ours.jsonl").read_text(encoding="utf-8"))
    assert [*row] == ["id", "input", "expected_tools", "rubric_ref", "bundle", "messages"]


def test_a_pipe_has_the_dataset_alone(folder: Path) -> None:
    text = (folder / "rows.yaml").read_text(encoding="utf-8")
    before = names(folder)
    arguments = ("--stdin-filename", "rows.yaml", "--to", "mlflow:oss")
    done = convert("-", "-", *arguments, given=text)
    assert code(done) == 0
    assert json.loads(done.stdout)[0]["inputs"] == {"question": "When is it dredged?"}
    assert done.stderr.endswith(
        "converted 2 rows of rows.yaml (databricks:application) to <stdout> (mlflow:oss)\n"
    )
    assert names(folder) == before
    lines = convert("rows.yaml", "-", "--to", "mlflow:oss", "--stdout-filename", "any.jsonl")
    assert [*map(json.loads, lines.stdout.splitlines())] == json.loads(done.stdout)


def test_a_pipe_of_what_is_refused_is_empty(folder: Path) -> None:
    (folder / "bad.json").write_text('[{"inputs": 3}]', encoding="utf-8")
    done = convert("bad.json", "-", "--from", "mlflow")
    assert (code(done), done.stdout) == (1, "")


def test_what_a_pipe_cannot_hold_needs_a_root(folder: Path) -> None:
    case = {"id": "a", "messages": [], "expected": {"forbidden_tools": ["b"]}}
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")
    before = names(folder)
    refused = convert("case.json", "-")
    assert "the rows need rubrics/case_forbidden_tools.yaml" in code(refused)
    assert (refused.stdout, names(folder)) == ("", before)
    (folder / "evals").mkdir()
    done = convert("case.json", "-", "--root", "evals")
    assert code(done) == 0
    assert (
        json.loads(done.stdout)["questions"][0]["rubric_ref"] == "rubric/case_forbidden_tools@1.0.0"
    )
    assert "evals/rubrics/case_forbidden_tools.yaml" in names(folder) - before


def test_yaml_in_a_pipe_names_no_schema(folder: Path) -> None:
    done = convert("rows.yaml", "-", "--stdout-filename", "x.yaml", "--to", "databricks")
    assert code(done) == 0
    assert done.stdout.startswith("# about the harbour\n")
    assert "schema" not in names(folder)


def test_the_name_of_standard_output_is_for_a_pipe(folder: Path) -> None:
    assert "write `-` for OUT" in code(convert("rows.yaml", "x.json", "--stdout-filename", "y"))
    assert "use a name that ends" in code(convert("rows.yaml", "-", "--stdout-filename", "y"))
    assert names(folder) == {"rows.yaml", "evalcontract.toml"}


def test_rows_that_only_a_judge_can_grade_are_told(folder: Path) -> None:
    given = [{"input": text, "target": "Ghent"} for text in ("Where?", "Where else?")]
    (folder / "it's.json").write_text(json.dumps(given), encoding="utf-8")
    arguments = ("--from", "inspect")
    assert "will run" not in convert("it's.json", "a.yaml", *arguments).stderr, "the runner does"
    (folder / "evalcontract.toml").unlink()
    told = convert("it's.json", "b.yaml", *arguments).stderr
    assert told.startswith("note: 0 % of the checks of 2 of 2 rows will run")
    assert "`evalcontract init judged --from 'it'\"'\"'s.json' --dialect inspect`" in told
    assert max(map(len, told.splitlines())) <= 80


#: Rows of each system that nothing grades as they are, and whether a judge could.
UNGRADED = [
    ("evalcontract", ".csv", "question,answer\nWhere?,Ghent\n", True),
    ("evalcontract", ".csv", "question,topic\nWhere?,towns\n", False),
    ("evalcontract", ".tsv", "question\tcriteria\nWhere?\tGhent\n", True),
    ("evalcontract", ".yaml", "questions:\n  - {id: a, input: Where?, criteria: Ghent}\n", True),
    ("evalcontract", ".json", [{"id": "a", "input": "Where?", "criteria": "Ghent"}], True),
    ("evalcontract", ".jsonl", {"id": "a", "input": "b", "expected": {"reference": "c"}}, True),
    ("evalcontract", ".jsonl", {"id": "a", "input": "b", "expected": {"note": "c"}}, False),
    ("evalcontract", ".jsonl", {"id": "a", "input": "Where?"}, False),
    ("agent_skills:guide", ".json",
     {"skill_name": "s", "evals": [{"id": 1, "prompt": "a", "expected_output": "b"}]}, False),
    ("databricks", ".json", [{"request": "Where?", "expected_response": "Ghent"}], True),
    ("deepeval", ".json", [{"input": "Where?", "expected_output": "Ghent"}], True),
    ("evret", ".json", {"queries": [{"query_id": "q", "query_text": "x",
                                     "expected_doc_ids": ["d"]}]}, False),
    ("inspect", ".json", [{"input": "Where?", "target": "Ghent"}], True),
    ("mlflow:oss", ".json",
     [{"inputs": {"question": "a"}, "expectations": {"expected_response": "b"}}], True),
    ("northstar", ".json",
     [{"id": "a", "messages": [{"role": "user", "content": "Hello!"}],
       "expected": {"goal": "greet"}, "metrics": {"latency_ms": 320.5}}], True),
    ("openai:samples", ".jsonl",
     {"input": [{"role": "user", "content": "Where?"}], "ideal": "Ghent"}, True),
    ("openai:hosted", ".json",
     {"name": "x", "data_source_config": {"type": "custom", "item_schema": {"type": "object"}},
      "data_source": {"type": "jsonl", "source": {"type": "file_content",
                                                  "content": [{"item": {"q": "Where?"}}]}},
      "testing_criteria": [{"type": "python", "name": "p",
                            "source": "def grade(sample, item):\n    return 1.0"}]}, False),
    ("promptfoo", ".json",
     {"prompts": ["{{q}}"],
      "tests": [{"vars": {"q": "hi"},
                 "assert": [{"type": "javascript", "value": "output.length > 3"}]}]}, False),
    *((str(d), ending(d), file_of(d) if "json" in d.media else row_of(d), True) for d in PLAIN),
]  # fmt: skip


@pytest.mark.slow
@every_case(("dialect", "suffix", "content", "is_for_judge"), UNGRADED)
def test_rows_that_nothing_grades_are_told_whatever_they_come_from(
    dialect: str,
    suffix: str,
    content: Any,
    is_for_judge: bool,  # noqa: FBT001 - a value of the table
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The note names a command, and after that command all of the checks will run."""
    monkeypatch.chdir(tmp_path)
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / f"a{suffix}").write_text(text, encoding="utf-8")
    done = convert(f"a{suffix}", "out/b.json", "--from", dialect)
    assert code(done) == 0
    notes = " ".join(done.stderr.partition("note: 0 % of")[2].split())
    assert notes.startswith("the checks of 1 of 1 rows will run, since ")
    (command,) = re.findall("`(evalcontract [^`]*)`", notes)
    _, *words = shlex.split(command)
    assert words[0] == ("init" if is_for_judge else "explain")
    words += ["--bare"] if is_for_judge else []
    assert command_line(*words) == 0
    told = capsys.readouterr().out
    assert ("checks will run: 100.0 %" in told) is is_for_judge
    assert ("expected_facts" in told) is not is_for_judge


def test_every_system_has_rows_that_nothing_grades() -> None:
    tried = {dialect.partition(":")[0] for dialect, *_ in UNGRADED}
    assert tried >= {form.name for form in FORMATS}


def test_rubrics_of_the_source_are_kept_by_what_the_note_says(folder: Path) -> None:
    rows = [{"id": "a", "input": "b", "criteria": "c"}, {"id": "b", "input": "b"}]
    rows[1]["rubric_ref"] = "rubric/mine@1.0.0"
    (folder / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "evalcontract.toml").unlink()
    told = " ".join(convert("a.json", "b.json").stderr.split())
    assert "of 1 of 2 rows will run" in told
    assert "add the `rubric_ref` of a rubric with a check `llm_judge`" in told
    assert "evalcontract init" not in told


@every_case("name", ["it is.json", "-"])
def test_the_command_of_the_note_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged").mkdir()
    text = json.dumps([{"id": "a", "input": "b", "criteria": "c"}])
    (tmp_path / "it is.json").write_text(text, encoding="utf-8")
    named = ("--stdin-filename", "x.json") if name == "-" else ()
    told = convert(name, "b.json", *named, given=text).stderr
    source = "FILE" if name == "-" else "'it is.json'"
    assert f"`evalcontract init judged_2 --from {source}`" in told
