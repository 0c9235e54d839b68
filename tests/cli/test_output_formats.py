"""The output formats of the commands that answer something else than findings."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import click
import pytest
from doors import ROOT, command_line, printed_by
from jsonschema import Draft202012Validator
from tables import every_case
from writing import write

from evalcontract.cli.command import group
from evalcontract.cli.options import CASES, TABLES

if TYPE_CHECKING:
    from pathlib import Path

EVIL = '::error::x|<b>"&'
RUBRIC = """\
id: tone
version: "{}"
checks: [{{id: polite, kind: must_not_contain, values: [{}]}}{}]
scoring: {{combine: all_pass}}
"""
JUDGE = """\
id: kind
version: "1.0"
template: "Is it kind? {{ output }}"
model: {provider: acme, name: large}
"""
ROWS: list[dict[str, Any]] = [
    {"id": "good", "input": "?", "rubric_ref": "rubric/tone@1.0"},
    {"id": EVIL, "input": "!", "rubric_ref": "rubric/tone@1.0"},
    {"id": "facts", "input": ".", "expected_facts": ["x"]},
    {"id": "any", "input": ":", "must_contain_any": ["yes"]},
    {"id": "more", "input": ";", "must_contain_any": ["yes"]},
    {"id": "most", "input": ",", "must_contain_any": ["yes"]},
    {"id": "idle", "input": "?!"},
    {"id": "part", "input": "!?", "rubric_ref": "rubric/tone@2.0"},
]
OUTPUTS: dict[str, list[str | None]] = {
    "old": ["hello", "hello", "x", "yes", "no", "yes", "", ""],
    "new": ["hello", "fool", None, "yes", "yes", "yes", "", ""],
}
FILES: dict[str, Any] = {
    "evalcontract.toml": '[libraries.shared]\npath = "shared"\n',
    "shared/evalcontract.toml": "",
    "shared/rubrics/x.yaml": RUBRIC.format("1.0", "x", "").replace("tone", "x"),
    "rubrics/tone.yaml": RUBRIC.format("1.0", "fool", ""),
    "rubrics/tone@1.1.yaml": RUBRIC.format("1.1", "fool, idiot", ""),
    "rubrics/tone@2.0.yaml": RUBRIC.format("2.0", "fool", ", {id: f, kind: fact_match}"),
    "judges/kind.yaml": JUDGE,
    "datasets/a.json": json.dumps({"questions": ROWS}, indent=1),
    "own/evalcontract.toml": "",
    "own/rubrics/x.yaml": RUBRIC.format("1.0", "x", "").replace("tone", "x"),
    "more/a.yaml": "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [x]}\n",
    "labels.csv": "id,human,judge\na,pass,pass\nb,fail,fail\nc,pass,fail\n",
}
FILES |= {
    f"{name}.jsonl": "".join(
        json.dumps({"id": row["id"], "output": text}) + "\n"
        for row, text in zip(ROWS, texts, strict=True)
    )
    for name, texts in OUTPUTS.items()
}
GRADE = ("grade", "datasets/a.json", "--soft", "--outputs")
#: A call of each command, the schema of its JSON, and which formats it has.
CALLS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "grade": ((*GRADE, "new.jsonl"), "results", CASES),
    "coverage": (("coverage", "datasets/a.json", "rubrics/tone.yaml"), "coverage", CASES),
    "calibrate-judge": (
        ("calibrate-judge", "judges/kind.yaml", "--labels", "labels.csv", "--min-tpr", "0.9"),
        "calibration",
        CASES,
    ),
    "compare": (
        ("compare", "old.results.jsonl", "new.results.jsonl"),
        "answer",
        (*TABLES, "junit", "github"),
    ),
    "power": (("power", "new.results.jsonl", "--detect", "0.1"), "answer", TABLES),
    "diff": (("diff", "rubrics/tone.yaml", "rubrics/tone@1.1.yaml"), "diff", CASES),
    "fix": (("fix", "more"), "answer", TABLES),
    "bump": (("bump", "own/rubrics/x.yaml", "--to", "2.0.0"), "answer", TABLES),
    "lock": (("lock", "--check"), "answer", CASES),
    "sync": (("sync", "--check"), "answer", CASES),
    "graph": (("graph",), "answer", CASES),
    "outdated": (("outdated",), "answer", CASES),
    "doctor": (("doctor", "datasets/a.json"), "answer", TABLES),
    "convert": (
        ("convert", "datasets/a.json", "out.json", "--to", "mlflow:oss", "--force"),
        "answer",
        TABLES,
    ),
    "manifest": (("manifest", "datasets/a.json"), "manifest", TABLES),
    "explain": (("explain", "dataset/duplicate-id"), "explanation", TABLES),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    folder = tmp_path_factory.mktemp("answers")
    write(folder, FILES)
    printed_by("sync", cwd=folder)
    for name in OUTPUTS:
        call = (*GRADE, f"{name}.jsonl", "--results", f"{name}.results.jsonl")
        assert printed_by(*call, cwd=folder).code == 0
    return Answers(folder)


class Answers:
    """What commands print in each format; each is asked once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[str, str], str] = {}

    def of(self, command: str, output_format: str) -> str:
        """Return standard output."""
        key = command, output_format
        if key not in self._known:
            call = (*CALLS[command][0], "--output-format", output_format)
            # Some change files.
            place = self._folder.with_name("-".join(key))
            shutil.copytree(self._folder, place)
            printed = printed_by(*call, cwd=place)
            assert printed.code in (0, 1), printed.err
            self._known[key] = printed.out
        return self._known[key]


def _closed(part: Any) -> Any:
    """Return a schema in which every mapping has no other keys than the schema names."""
    if isinstance(part, list):
        return [*map(_closed, part)]
    if not isinstance(part, dict):
        return part
    closed = {key: _closed(value) for key, value in part.items()}
    is_mapping = isinstance(part.get("properties"), dict) and part.get("type") == "object"
    if is_mapping and "anyOf" not in part:
        closed["additionalProperties"] = False
    return closed


@pytest.mark.costly
@every_case("command", [*CALLS])
def test_json_is_as_its_schema_says(command: str, answers: Answers) -> None:
    name = CALLS[command][1]
    schema = json.loads((ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    document = json.loads(answers.of(command, "json"))
    Draft202012Validator(_closed(schema) if name == "answer" else schema).validate(document)
    if name == "answer":
        assert document["command"] == command
        without = {key: value for key, value in document.items() if key != "command"}
        assert not Draft202012Validator(schema).is_valid(without)


def test_the_example_of_the_schema_fits() -> None:
    schema = json.loads((ROOT / "schema" / "answer.schema.json").read_text(encoding="utf-8"))
    for example in schema["examples"]:
        Draft202012Validator(schema).validate(example)


@pytest.mark.costly
@every_case("command", [*CALLS])
def test_a_table_has_the_records_of_the_lines(command: str, answers: Answers) -> None:
    lines = answers.of(command, "jsonl").splitlines()
    records = [json.loads(line) for line in lines]
    rows = [*csv.DictReader(io.StringIO(answers.of(command, "csv")))]
    assert len(rows) == len(records) > 0
    for record, row in zip(records, rows, strict=True):
        texts = {key: value for key, value in record.items() if isinstance(value, str)}
        assert {key: row[key] for key in texts} == texts


@every_case(
    ("command", "call"),
    [
        ("outdated", ("outdated", "own")),
        ("fix", ("fix", "own")),
        ("diff", ("diff", "rubrics/tone.yaml", "rubrics/tone.yaml")),
        ("graph", ("graph", "own")),
    ],
)
def test_a_table_without_records_has_its_columns(
    command: str, call: tuple[str, ...], answers: Answers, place: Path
) -> None:
    printed = printed_by(*call, "--output-format", "csv", cwd=place).out
    assert printed.count("\n") == 1
    columns = printed.strip().split(",")
    full = answers.of(command, "csv").partition("\n")[0].strip().split(",")
    fewer, more = (full, columns) if command != "diff" else (columns, full)
    assert fewer == [key for key in more if key in fewer]


@pytest.mark.costly
@every_case("command", [*CALLS])
def test_markdown_has_tables_that_hold(command: str, answers: Answers) -> None:
    text = answers.of(command, "markdown")
    assert text.startswith(("### evalcontract", "# dataset/duplicate-id"))
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    for table in tables:
        bars = {line.replace("\\|", "").count("|") for line in table}
        assert len(bars) == 1, table
    assert "<b>" not in text


#: The cases that are well and not, as numbers of JUnit: tests, failures, errors, skipped tests.
COUNTS = {
    "grade": (8, 1, 1, 1),
    "coverage": (8, 1, 0, 1),
    "calibrate-judge": (5, 1, 0, 0),
    "compare": (4, 1, 1, 0),
    "diff": (1, 1, 0, 0),
    "lock": (3, 3, 0, 0),
    "sync": (1, 0, 0, 0),
    "graph": (2, 0, 0, 0),
    "outdated": (1, 0, 0, 0),
}


@pytest.mark.costly
@every_case("command", [*COUNTS])
def test_junit_has_a_test_for_each_case(command: str, answers: Answers) -> None:
    (suite,) = ET.fromstring(answers.of(command, "junit"))
    names = ("tests", "failures", "errors", "skipped")
    assert tuple(int(suite.attrib[name]) for name in names) == COUNTS[command]
    tags = [inner.tag for case in suite for inner in case]
    assert (len(suite), tags.count("failure"), tags.count("error")) == COUNTS[command][:3]


@pytest.mark.costly
@every_case("command", [name for name, (_, _, formats) in CALLS.items() if "sarif" in formats])
def test_the_formats_of_findings_agree(command: str, answers: Answers) -> None:
    """Each finding is in each format, at the same line of the same file."""
    log = json.loads(answers.of(command, "sarif"))
    results = log["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    found = [
        (unquote(place["artifactLocation"]["uri"]), place.get("region", {}).get("startLine", 1))
        for place in places
    ]
    issues = json.loads(answers.of(command, "gitlab"))
    assert [
        (each["location"]["path"], each["location"]["lines"]["begin"]) for each in issues
    ] == found
    concise = answers.of(command, "concise").splitlines()
    assert [(line.split(":")[0], int(line.split(":")[1])) for line in concise] == found
    notice, *commands = answers.of(command, "github").splitlines()
    assert notice.startswith("::notice title=evalcontract::")
    assert len(commands) == len(found)
    for line, (file, number) in zip(commands, found, strict=True):
        assert line.split("::")[1].split(" ", 1)[1].startswith(f"file={file},line={number},title=")


def test_rows_that_failed_have_their_lines(answers: Answers) -> None:
    """A row is found again by its id, in the file that a reviewer looks at."""
    lines = FILES["datasets/a.json"].splitlines()
    concise = answers.of("grade", "concise").splitlines()
    failed = next(line for line in concise if "error[grade/failed]" in line)
    assert (
        json.loads(lines[int(failed.split(":")[1])].strip().split(": ", 1)[1].rstrip(",")) == EVIL
    )


@pytest.mark.usefixtures("place")
@every_case("command", [*CALLS])
def test_another_format_is_refused_with_those_that_are_there(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call, _, formats = CALLS[command]
    for other in {*CASES, "xml"} - {*formats}:
        assert command_line(*call, "--output-format", other) == 2
        said = capsys.readouterr().err
        assert all(f"'{name}'" in said for name in formats)


def test_every_command_with_the_option_is_tried() -> None:
    """The option is that of one table, but for the commands that print findings."""
    context = click.Context(group)
    found = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        for option in command.params if command else ():
            if option.name == "output_format" and isinstance(option.type, click.Choice):
                found[name] = {*option.type.choices} - {"text", "mermaid", "dot"}
    assert found == {name: {*formats} for name, (_, _, formats) in CALLS.items()}


def test_the_page_has_the_formats_of_each_command() -> None:
    text = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    table = text.split("| command | formats for programs |")[1].split("\n\n")[0]
    told: dict[str, set[str]] = {}
    before: set[str] = set()
    for line in table.splitlines()[2:]:
        commands, formats = ([*re.findall("`([^`]+)`", cell)] for cell in line.split("|")[1:3])
        if "the same" not in line:
            before = {*formats}
        told |= dict.fromkeys(commands, before)
    assert told == {name: {*formats} for name, (_, _, formats) in CALLS.items()}


@pytest.mark.costly
@every_case("command", [*CALLS])
def test_no_name_is_a_command_of_a_log(command: str, answers: Answers) -> None:
    for output_format in CALLS[command][2]:
        lines = answers.of(command, output_format).splitlines()
        if output_format != "github":
            assert not any(line.lstrip().startswith("::") for line in lines), output_format


def test_a_comparison_of_results_says_who_fails_now(answers: Answers) -> None:
    (suite,) = ET.fromstring(answers.of("compare", "junit"))
    assert {case.get("name"): [inner.tag for inner in case] for case in suite} == {
        "what the scores depend on": ["system-out"],
        "1 row without a known score now": ["error"],
        EVIL: ["failure"],
        "more": [],
    }


@pytest.mark.costly
def test_a_dry_run_is_as_the_schema_says(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALCONTRACT_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("EVALCONTRACT_MODEL", "m")
    check = "checks: [{id: kind, kind: llm_judge, judge_prompt_ref: judge/kind@1.0}]"
    rubric = f"id: tone\nversion: '1.0'\n{check}\nscoring: {{combine: all_pass}}\n"
    write(place, {"rubrics/tone.yaml": rubric})
    assert command_line(*GRADE, "new.jsonl", "--dry-run", "--output-format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "schema" / "answer.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(_closed(schema)).validate(document)
    assert document["dry_run"]["judges"][0]["questions"] == 2
