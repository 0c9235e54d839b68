"""Reports against the schemas of those who read them: SARIF, JUnit, and GitLab's Code Quality."""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from doors import ROOT, command_line, command_lines
from jsonschema import Draft202012Validator
from jsonschema_rs import Draft4Validator
from needs import NODE, SUITES, missing
from publishing import PUBLISHED
from reports import output_of, write_files
from tables import every_case

from evalcontract import __version__
from evalcontract.model import codes as page

if TYPE_CHECKING:
    from pathlib import Path

WORKSPACES = ROOT / "fixtures" / "workspaces"
NAMES = sorted(path.name for path in WORKSPACES.iterdir() if path.is_dir())
MODULES = ROOT / "tests" / "node" / "node_modules"
SARIF = MODULES / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
UNPACKED = ROOT / "tests" / "suites" / ".unpacked"
#: Written for these tests from GitLab's documentation, since no registry has a schema: GitLab
#: itself asks for less, and ends with the first issue that lacks anything.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1, "pattern": r"^[^\n\r]+$"},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!/|\./)[^\\]+$"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def sarif() -> Draft4Validator:
    if not SARIF.is_file():
        missing(NODE)
    # One of its patterns has a bracket that not every engine takes for a letter.
    schema = SARIF.read_text(encoding="utf-8-sig").replace("{2}]?$", r"{2}\\]?$")
    return Draft4Validator(json.loads(schema))


@pytest.fixture(scope="module")
def junit() -> Any:
    found = sorted(UNPACKED.glob("pytest-*/testing/example_scripts/junit-10.xsd"))
    if not found:
        missing(SUITES)
    try:
        return import_module("xmlschema").XMLSchema(found[0])
    except ImportError:
        missing("xmlschema is not installed")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write reports of every workspace of the conformance suite, in both modes, and others."""
    out = tmp_path_factory.mktemp("reports")
    write_files(out / "own")
    write_files(out / "clean", {"a.yaml": "questions: [{id: a, input: b, criteria: c}]\n"})
    folders = [*(WORKSPACES / name for name in NAMES), out / "own", out / "clean"]
    files = ("x.sarif", "x.xml", "gl-code-quality-report.json")
    calls, written = [], []
    for number, folder in enumerate(folders):
        for mode in ("--soft", "--strict"):
            base = out / f"{number}{mode}"
            options = [part for file in files for part in ("--output", base / file)]
            calls.append(["check", folder, mode, "--quiet", "--allow-empty", *options])
            written.append(base)
    done = command_lines(calls, cwd=out)
    wrong = [call for call, printed in zip(calls, done, strict=True) if printed.code > 1]
    refused = {str(call[1]) for call in wrong}
    assert len(refused) < len(NAMES) // 4, refused  # configurations that cannot be used
    found = [base for base in written if (base / "x.sarif").is_file()]
    assert len(found) == len(calls) - len(wrong)
    return found


@pytest.mark.slow
def test_sarif(sarif: Draft4Validator, reports: list[Path]) -> None:
    for folder in reports:
        log = json.loads((folder / "x.sarif").read_bytes())
        errors = [error.message for error in sarif.iter_errors(log)]
        assert errors == [], folder


@pytest.mark.slow
def test_junit(junit: Any, reports: list[Path]) -> None:
    for folder in reports:
        junit.validate(str(folder / "x.xml"))
        suites = ET.fromstring((folder / "x.xml").read_bytes())
        cases = [*suites.iter("testcase")]
        assert int(suites.attrib["tests"]) == len(cases)
        assert int(suites.attrib["failures"]) == len([*suites.iter("failure")])
        assert len({case.attrib["name"] for case in cases}) == len(cases)
        assert all(len(case.findall("failure")) <= 1 for case in cases)


@pytest.mark.slow
def test_gitlab(reports: list[Path]) -> None:
    for folder in reports:
        issues = json.loads((folder / "gl-code-quality-report.json").read_bytes())
        assert [error.message for error in Draft202012Validator(GITLAB).iter_errors(issues)] == []
        marks = [issue["fingerprint"] for issue in issues]
        assert len({*marks}) == len(marks)


ROWS = [{"id": name, "input": name, **more} for name, more in {
    "good": {"must_contain_any": ["yes"]}, "bad <&>": {"must_contain_any": ["no"]}, "idle": {},
    "none": {"must_contain_any": ["x"]},
}.items()]  # fmt: skip
TEXTS = {"good": "yes", "bad <&>": "yes", "idle": "x", "none": None}
OF_ROWS = {"grade": ("--outputs", "o.jsonl"), "coverage": ()}


@pytest.mark.slow
@every_case("command", [*OF_ROWS])
def test_answers_about_rows(
    command: str, sarif: Draft4Validator, junit: Any, tmp_path: Path
) -> None:
    """What `grade` and `coverage` say of rows is as valid as findings are."""
    (tmp_path / "rows.json").write_text(json.dumps({"questions": ROWS}, indent=1))
    lines = [json.dumps({"id": id_, "output": text}) for id_, text in TEXTS.items()]
    (tmp_path / "o.jsonl").write_text("\n".join(lines))
    call = [command, "rows.json", *OF_ROWS[command], "--output-format"]
    formats = ("sarif", "junit", "gitlab")
    log, suites, issues = (
        each.out for each in command_lines([[*call, f] for f in formats], cwd=tmp_path)
    )
    assert [error.message for error in sarif.iter_errors(json.loads(log))] == []
    results = json.loads(log)["runs"][0]["results"]
    assert len(results) == (2 if command == "grade" else 1)
    assert all(each["locations"][0]["physicalLocation"]["region"] for each in results)
    junit.validate(suites)
    assert [*Draft202012Validator(GITLAB).iter_errors(json.loads(issues))] == []


@pytest.mark.slow
def test_reports_have_findings(reports: list[Path]) -> None:
    """The tests above look at something."""
    logs = [json.loads((folder / "x.sarif").read_bytes()) for folder in reports]
    results = [result for log in logs for result in log["runs"][0]["results"]]
    assert len(results) > 300
    for key in ("fixes", "relatedLocations", "properties"):
        assert any(key in result for result in results), key


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the run of a log, as it is once there are published pages."""
    write_files(tmp_path)
    monkeypatch.setattr(page, "SITE", PUBLISHED)
    monkeypatch.chdir(tmp_path)
    command_line("check", ".", "--output-format", "sarif")
    return json.loads(capsys.readouterr().out)["runs"][0]


@pytest.mark.slow
def test_what_a_run_says_of_itself(log: Any) -> None:
    assert log["columnKind"] == "unicodeCodePoints"
    assert log["invocations"] == [{"executionSuccessful": True}]
    driver = log["tool"]["driver"]
    assert driver["name"] == "evalcontract"
    assert driver["informationUri"] == PUBLISHED
    assert driver["semanticVersion"] == driver["version"] == __version__
    codes = {result["ruleId"] for result in log["results"]}
    assert [rule["id"] for rule in driver["rules"]] == sorted(codes)
    for rule in driver["rules"]:
        assert rule["helpUri"] == f"{PUBLISHED}/rules/{rule['id']}/"
        assert rule["help"]["text"]
        assert "**Bad**" in rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert rule["properties"]["confidence"] in ("certain", "guess")
        assert rule["id"].partition("/")[0] in rule["properties"]["tags"]


@pytest.mark.slow
@every_case("mark", ["\ufeff", ""], ids=["with a byte order mark", "without"])
def test_fixes_do_what_fix_does(mark: str, tmp_path: Path) -> None:
    """Whoever applies the replacements gets the text that `evalcontract fix` writes."""
    texts = {
        "a.yaml": "questions:\n  - id: é🎉\n    input: b # c\n    expecteed_facts: [x]\n",
        "b.jsonl": '{"id": "a", "input": "b", "criteria": "c"}\r\n'
        '{"id": "🎉", "input": "b", "criteria": "c", "expecteed_facts": ["x"]}\r\n',
        "c.json": '{"questions": [\n {"id": "a", "input": "b", "expecteed_facts": ["x"]}]}',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(mark + text, encoding="utf-8", newline="")
    run = json.loads(output_of("sarif", tmp_path))["runs"][0]
    applied = dict(texts)
    for result in run["results"]:
        for fix in result.get("fixes", ()):
            (change,) = fix["artifactChanges"]
            name = change["artifactLocation"]["uri"]
            for replacement in reversed(change["replacements"]):
                applied[name] = replaced(applied[name], replacement)
    command_lines([["fix", "."]], cwd=tmp_path)
    for name, text in texts.items():
        fixed = (tmp_path / name).read_bytes().decode("utf-8-sig")
        assert applied[name] == fixed != text


def replaced(text: str, replacement: dict[str, Any]) -> str:
    """Apply one replacement to a text; columns are code points."""
    region = replacement["deletedRegion"]
    lines = text.splitlines(keepends=True)
    start = len("".join(lines[: region["startLine"] - 1])) + region["startColumn"] - 1
    end = len("".join(lines[: region["endLine"] - 1])) + region["endColumn"] - 1
    return f"{text[:start]}{replacement['insertedContent']['text']}{text[end:]}"


def test_no_fix_for_other_content_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an editor sends on standard input may not be what is on the disk."""
    row = "questions:\n  - {id: a, input: b, criteria: c, tagz: [1]}\n"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(f"# another line\n{row}", encoding="utf-8")
    for sent, has_fix in ((row, False), (f"# another line\n{row}", True)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(sent.encode())))
        call = ["validate-dataset", "-", "--stdin-filename", "a.yaml", "--output-format", "sarif"]
        command_line(*call)
        (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
        assert ("fixes" in result) is has_fix
