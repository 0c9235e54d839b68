"""A package of somebody else, installed as a wheel: it extends every point by the public API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from examples import some
from needs import INDEX, missing

pytestmark = pytest.mark.slow

FOREIGN = Path(__file__).parent / "foreign"
SOURCE = Path(__file__).parents[2] / "src"
RUBRIC = """\
id: brief
version: "1.0.0"
checks:
  - {id: words, kind: word_count, min_words: 3, max_words: 50}
scoring: {combine: all_pass}
"""
ROWS = """\
questions:
  - {id: open, input: When do you open?, rubric_ref: rubric/brief@1.0.0, bundle: ticket, ticket: 1}
  - {id: close, input: WHEN DO YOU CLOSE?, expected_facts: [Names the hour]}
"""


class Ran(NamedTuple):
    """What a command printed, and its exit code."""

    status: int
    output: str
    errors: str


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package into a folder of its own, from the wheel that pip builds."""
    folder = tmp_path_factory.mktemp("foreign")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder))
    done = subprocess.run((*pip, str(FOREIGN)), capture_output=True, text=True, check=False)
    if done.returncode:
        missing(INDEX)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Write a workspace that uses everything."""
    for name, text in (("rubrics/brief.yaml", RUBRIC), ("datasets/rows.yaml", ROWS)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str, packages: Path | None) -> Ran:
    """Run a command with a package, or without it."""
    path = os.pathsep.join(map(str, [SOURCE, *([packages] if packages else [])]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error"}
    call = (sys.executable, "-m", "evalcontract", *arguments)
    done = subprocess.run(
        call, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def test_it_uses_the_public_api_alone() -> None:
    text = (FOREIGN / "acme_evals.py").read_text(encoding="utf-8")
    assert {line for line in text.splitlines() if "evalcontract" in line} == {
        "from evalcontract.plugin import ("
    }


def test_rule_check_kind_bundle_and_report(workspace: Path, installed: Path) -> None:
    ran = run(
        workspace, "check", "--no-cache", "--strict", "--output-format", "lines", packages=installed
    )
    assert ran == Ran(1, "datasets/rows.yaml:3:24 acme/shouting\n", "")


def test_its_findings_in_our_formats(workspace: Path, installed: Path) -> None:
    """Its code has a rule in SARIF, and no page of ours; its format can be written to a file."""
    call = ("check", "--no-cache", "--output-format", "sarif", "--output", "lines:out.txt")
    ran = run(workspace, *call, "--select", "acme/", packages=installed)
    (rule,) = json.loads(ran.output)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "acme/shouting"
    assert "An input is written in capital letters only." in rule["help"]["text"]
    assert "helpUri" not in rule
    written = (workspace / "out.txt").read_text(encoding="utf-8")
    assert written == "datasets/rows.yaml:3:24 acme/shouting\n"


EXECUTE = """\
from evalcontract.checks import kinds_in_use
from evalcontract.plugin import Output

for kind, check in (
    ("word_count", {"min_words": 2}), ("ending", {"text": "end"})
):
    execute = kinds_in_use()[kind].prepare({"kind": kind, **check}, None)
    for text in ("the end", "end.", None):
        print(kind, execute({}, Output(text)).outcome)
"""


def test_its_checks_run(workspace: Path, installed: Path) -> None:
    """One is a kind, the other an executor whose kind follows from the name."""
    path = os.pathsep.join(map(str, [SOURCE, installed]))
    call = (sys.executable, "-c", EXECUTE)
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == [
        "word_count passed", "word_count failed", "word_count unavailable",
        "ending passed", "ending failed", "ending unavailable", "",
    ]  # fmt: skip
    rubric = workspace / "rubrics" / "brief.yaml"
    ending = "{id: words, kind: ending, text: end}"
    text = RUBRIC.replace("{id: words, kind: word_count, min_words: 3, max_words: 50}", ending)
    rubric.write_text(text, encoding="utf-8")
    assert run(workspace, "validate-rubric", str(rubric), packages=installed).status == 0


def test_results_name_its_version(workspace: Path, installed: Path) -> None:
    """Results name the package of a kind with its version, and the schema of a bundle."""
    record = json.dumps({"id": "open", "output": "We open at nine."})
    (workspace / "outputs.jsonl").write_text(f"{record}\n", encoding="utf-8")
    call = ("grade", "datasets/rows.yaml", "--outputs", "outputs.jsonl", "--output-format", "json")
    printed = run(workspace, *call, packages=installed).output
    used = json.loads(printed)["used"]
    assert used["packages"] == {"word_count": "acme-evals 1.0"}
    assert used["bundles"].keys() == {"ticket"}
    assert used["bundles"]["ticket"] is not None


def test_without_it_they_are_unknown(workspace: Path) -> None:
    ran = run(workspace, "check", "--no-cache", packages=None)
    assert "error" not in ran.errors
    assert "`kind` cannot be `word_count`" in ran.output
    assert "dataset/unknown-bundle" in ran.output
    refused = run(workspace, "check", "--output-format", "lines", packages=None)
    assert refused.status == 2
    assert "there is no output format `lines`" in refused.errors


def test_the_parameters_of_its_kind_are_checked(workspace: Path, installed: Path) -> None:
    path = workspace / "rubrics" / "brief.yaml"
    path.write_text(RUBRIC.replace("min_words: 3", "min_word: 3"), encoding="utf-8")
    ran = run(workspace, "validate-rubric", str(path), packages=installed)
    assert "did you mean `min_words`?" in ran.output


def test_coverage_predicts_its_kind(workspace: Path, installed: Path) -> None:
    ran = run(workspace, "coverage", "datasets/rows.yaml", packages=installed)
    assert "words  word_count" in ran.output
    assert ran.status == 0
    path = workspace / "rubrics" / "brief.yaml"
    path.write_text(RUBRIC.replace("max_words: 50", "max_words: 1"), encoding="utf-8")
    ran = run(workspace, "coverage", "datasets/rows.yaml", packages=installed)
    assert "no text has so many and so few words" in ran.output


CASES = '[{"q": "When?", "a": ""}, {"q": "Where?", "a": "Here", "b": 1}, {"q": "Who?"}]'


def test_its_dialect_is_checked_covered_and_converted(workspace: Path, installed: Path) -> None:
    cases = workspace / "cases.json"
    cases.write_text(CASES, encoding="utf-8")
    asked = ("cases.json", "--dialect", "acme")
    ran = run(workspace, "validate-dataset", *asked, "--output-format", "lines", packages=installed)
    assert ran.status == 1
    assert [line.split()[1] for line in ran.output.splitlines()] == [
        "acme/blank-answer",
        "acme/ignored-key",
        "acme/missing-key",
    ]
    covered = run(workspace, "coverage", *asked, packages=installed).output
    assert "2 of 3 checks will run" in covered
    cases.write_text('[{"q": "Where?", "a": "Here"}]', encoding="utf-8")
    there = ("convert", "cases.json", "rows.yaml", "--from", "acme")
    assert run(workspace, *there, packages=installed).status == 0
    assert "criteria: Here" in (workspace / "rows.yaml").read_text(encoding="utf-8")
    back = ("convert", "rows.yaml", "again.json", "--to", "acme")
    assert run(workspace, *back, packages=installed).status == 0
    assert '"a": "Here"' in (workspace / "again.json").read_text(encoding="utf-8")


def test_explain_shows_its_page(workspace: Path, installed: Path) -> None:
    ran = run(workspace, "explain", "acme/shouting", packages=installed)
    assert "An input is written in capital letters only." in ran.output
    assert "acme/shouting" in run(workspace, "explain", packages=installed).output


@pytest.mark.parametrize(
    ("line", "said"),
    some(
        [
            ("[evalcontract.checks]\nword_count = acme_evals:TICKET", "JSON Schema"),
            ("[evalcontract.checks]\nregex = acme_evals:WORD_COUNT", "built-in kind"),
            ("[evalcontract.checks]\nformat_grader = acme_evals:prepare_ending", "built-in kind"),
            (
                "[evalcontract.checks]\na = acme_evals:WORD\na_grader = acme_evals:WORD".replace(
                    "WORD", "prepare_ending"
                ),
                "two entry points of evalcontract.checks are of the kind `a`",
            ),
            ("[evalcontract.checks]\nwords = acme_evals:WORD_COUNT", "is called `word_count`"),
            ("[evalcontract.dialects]\nother = acme_evals:AcmeFormat", "is called `acme`"),
            ("[evalcontract.dialects]\nacme = acme_evals:TICKET", "is no Format"),
            ("[evalcontract.reports]\nlines = acme_evals:TICKET", "is not callable"),
            ("[evalcontract.reports]\ntext = acme_evals:write_lines", "the format is built in"),
            ("[evalcontract.rules]\nshouting = acme_evals:TICKET", "is not a rule"),
            ("[evalcontract.rules]\nshouting = acme_evals:NOTHING", "cannot be loaded"),
        ],
        times=4,
    ),
)
def test_a_broken_entry_point_is_loud(
    line: str, said: str, workspace: Path, installed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    packages = tmp_path_factory.mktemp("broken")
    module = (installed / "acme_evals.py").read_text(encoding="utf-8")
    (packages / "acme_evals.py").write_text(module, encoding="utf-8")
    info = packages / "acme_evals-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-evals\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"{line}\n", encoding="utf-8")
    report = ("--output-format", "lines") if "reports" in line else ()
    if "dialects" in line:
        (workspace / "evalcontract.toml").write_text('[severity]\n"acme/rejected" = "error"\n')
    ran = run(workspace, "check", "--no-cache", *report, packages=packages)
    assert ran.status == 2
    assert said in ran.errors
    assert "Traceback" not in ran.errors
