"""The plugin for pytest, run by pytest in processes of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import some
from tables import every_case
from writing import write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[2] / "src"
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
DATASET = """\
questions:
  - {id: hello, input: Hello!, rubric_ref: rubric/polite@1.0.0}
  - {id: bye, input: Goodbye!, rubric_ref: rubric/polite@1.0.0}
"""
JUDGE = """\
id: accuracy
version: "1.0.0"
template: "Is {{ output }} true? PASS or FAIL."
"""
CLEAN: dict[str, object] = {
    "evals/evalcontract.toml": '[severity]\n"judge/unvalidated" = "ignore"\n',
    "evals/datasets/talk.yaml": DATASET,
    "evals/judges/accuracy.yaml": JUDGE,
    "evals/rubrics/polite.yaml": RUBRIC,
    "evals/targets/nightly.yaml": "dataset: datasets/talk.yaml\n",
    "evals/bundles/rag.schema.json": {"type": "object", "properties": {"context": {}}},
    "evals/notes.json": {"of": "nothing"},
}
TYPO: dict[str, object] = {
    "evals/datasets/talk.yaml": DATASET.replace("input: Hello!", "inputt: Hello!")
}
BROKEN_RUBRIC: dict[str, object] = {
    "evals/rubrics/polite.yaml": RUBRIC.replace("all_pass", "all_passs")
}
CONFIGURED: dict[str, object] = {
    "pytest.ini": "[pytest]\nevalcontract = true\nevalcontract_strict = true\n"
}
TESTS = """\
import pytest
from evalcontract.pytest_plugin import evalcontract_rows

@evalcontract_rows("evals/datasets/talk.yaml")
def test_decorated(row):
    assert row.value["input"].endswith("!")
    assert row.rubric.id == "polite"

@pytest.mark.parametrize("case", evalcontract_rows("evals/datasets/talk.yaml"))
@pytest.mark.parametrize("times", [1, 2])
def test_parameters(case, times):
    assert case.value["id"] != "bye"

@evalcontract_rows("evals/datasets/talk.yaml", marks=lambda row: pytest.mark.skipif(
    row.value["id"] == "bye", reason="of the row"))
class TestClass:
    def test_method(self, row):
        assert row.index == 0
"""


#: Runs pytest once for each line that it reads, in a child that finds all modules imported.
RUNS = """\
import gc, json, os, sys
import hypothesis, pytest
import evalcontract.api, evalcontract.checking.pipeline, evalcontract.pytest_plugin.collecting
pytest.main(["--version", "--version"])  # imports the other plugins
gc.collect()
gc.freeze()  # a child does not look at what all of them have
print("ready", flush=True)
for line in sys.stdin:
    folder, variables, arguments = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        printed = os.open("printed.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        status = pytest.main(arguments)
        sys.stdout.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes import this tree, with the entry point of the plugin."""
    paths = [str(SOURCE)]
    if not entry_points(group="pytest11", name="evalcontract"):
        folder = tmp_path_factory.mktemp("entry")
        write(
            folder / "plugin_of_tree-1.dist-info",
            {
                "METADATA": "Metadata-Version: 2.1\nName: plugin-of-tree\nVersion: 1\n",
                "entry_points.txt": "[pytest11]\nevalcontract = evalcontract.pytest_plugin\n",
            },
        )
        paths.append(str(folder))
    inherited = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*paths, *([inherited] if inherited else [])]))
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


class Ran:
    """What pytest printed, and how its tests ended."""

    def __init__(self, status: int, out: str, err: str = "") -> None:
        self.status, self.out, self.all = status, out, out + err
        verbose = re.findall(r"^(?:\[.*?\] )?(\S+::.*?) ([A-Z]{4,})\b", self.out, re.MULTILINE)
        distributed = re.findall(r"^\[gw\d\] .*?([A-Z]{4,}) (\S+::.*?) *$", self.out, re.MULTILINE)
        self.outcomes = {name: outcome for name, outcome in verbose if "::" in name}
        self.outcomes |= {name: outcome for outcome, name in distributed}


@dataclass
class Pytests:
    """Runs of pytest in a folder: most of them in children of one process, which start fast."""

    path: Path
    process: subprocess.Popen[str]

    def run(self, files: Mapping[str, object], *arguments: str) -> Ran:
        """Write files, and run pytest on them without what other plugins may add."""
        return self.call(files, "-v", "-p", "no:cacheprovider", *arguments)

    def call(self, files: Mapping[str, object], *arguments: str) -> Ran:
        """Write files, and run pytest with these arguments alone."""
        self._write(files)
        assert self.process.stdin
        assert self.process.stdout
        asked = [str(self.path), dict(os.environ), arguments]
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        status = int(self.process.stdout.readline())
        return Ran(status, (self.path / "printed.txt").read_text(encoding="utf-8"))

    def run_anew(self, files: Mapping[str, object], *arguments: str) -> Ran:
        """Do the same in a process that has imported nothing yet, as users do."""
        self._write(files)
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        return Ran(done.returncode, done.stdout, done.stderr)

    def _write(self, files: Mapping[str, object]) -> None:
        write(self.path, files)
        (self.path / ".git").mkdir(exist_ok=True)


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """Start what runs pytest many times."""
    folder = tmp_path_factory.mktemp("process")
    command, environment = [sys.executable, "-c", RUNS], {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(
        command, cwd=folder, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as started:  # fmt: skip
        assert started.stdout
        assert "ready\n" in iter(started.stdout.readline, "")
        yield started


@pytest.fixture
def pytests(process: subprocess.Popen[str], tmp_path: Path) -> Pytests:
    return Pytests(tmp_path, process)


def test_nothing_is_collected_that_was_not_asked_for(pytests: Pytests) -> None:
    assert pytests.run(CLEAN | TYPO).status == pytest.ExitCode.NO_TESTS_COLLECTED


@every_case(
    "configured", [({}, ["--evalcontract", "--evalcontract-strict"]), (CONFIGURED, [])], ids=str
)
def test_artifacts_are_tests(
    pytests: Pytests, configured: tuple[dict[str, object], list[str]]
) -> None:
    ran = pytests.run_anew(CLEAN | configured[0], *configured[1])
    assert ran.outcomes == {
        "evals/bundles/rag.schema.json::bundle": "PASSED",
        "evals/datasets/talk.yaml::dataset": "PASSED",
        "evals/judges/accuracy.yaml::judge": "PASSED",
        "evals/rubrics/polite.yaml::rubric": "PASSED",
        "evals/targets/nightly.yaml::target": "PASSED",
    }, ran.all
    assert ran.status == 0


def test_a_failure_is_its_findings(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | TYPO, "--evalcontract", "--evalcontract-strict")
    failed = [name for name, outcome in ran.outcomes.items() if outcome == "FAILED"]
    assert failed == ["evals/datasets/talk.yaml::dataset"]
    assert "error[dataset/near-miss-key]: unknown key `inputt`\n" in ran.out
    assert " --> evals/datasets/talk.yaml:2:17  (row `hello`)\n" in ran.out
    assert "did you mean `input`?" in ran.out
    assert "Traceback" not in ran.all
    assert "collecting.py" not in ran.all


def test_soft_findings_are_warnings(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | TYPO | CONFIGURED, "--evalcontract-soft")
    assert ran.status == 0
    assert "evals/datasets/talk.yaml:2: EvalContractWarning: " in ran.out
    assert "warning[dataset/near-miss-key]: unknown key `inputt`" in ran.out
    as_errors = pytests.run_anew({}, "--evalcontract-soft", "-W", "error")
    assert as_errors.outcomes["evals/datasets/talk.yaml::dataset"] == "FAILED"
    assert "warning[dataset/near-miss-key]" in as_errors.out
    assert "Traceback" not in as_errors.all
    ignored = "ignore::evalcontract.pytest_plugin.EvalContractWarning"
    assert "near-miss-key" not in pytests.run({}, "--evalcontract-soft", "-W", ignored).out


def test_notes_are_no_warnings(pytests: Pytests) -> None:
    settings = '[severity]\n"dataset/near-miss-key" = "note"\n'
    files = CLEAN | TYPO | {"evals/evalcontract.toml": settings}
    ran = pytests.run_anew(files, "--evalcontract", "-W", "error", "-rP", "evals/datasets")
    assert ran.status == 0
    assert "note[dataset/near-miss-key]" in ran.out


def test_targets_and_settings_decide_by_default(pytests: Pytests) -> None:
    target = "dataset: datasets/talk.yaml\nstrict_validation: true\n"
    ran = pytests.run(CLEAN | TYPO | {"evals/targets/nightly.yaml": target}, "--evalcontract")
    assert ran.outcomes["evals/datasets/talk.yaml::dataset"] == "FAILED"


def test_a_finding_is_shown_where_it_is(pytests: Pytests) -> None:
    """By the test of its own file; if that is not run, by those that depend on the file."""
    files = CLEAN | BROKEN_RUBRIC | CONFIGURED
    ran = pytests.run(files)
    failed = [name for name, outcome in ran.outcomes.items() if outcome == "FAILED"]
    assert failed == ["evals/rubrics/polite.yaml::rubric"]
    for arguments in (["evals/datasets"], ["-k", "talk"]):
        alone = pytests.run({}, *arguments)
        assert alone.outcomes == {"evals/datasets/talk.yaml::dataset": "FAILED"}, alone.all
        assert "evals/rubrics/polite.yaml:5:20" in alone.out
    other = pytests.run({}, "evals/judges")
    assert other.outcomes == {"evals/judges/accuracy.yaml::judge": "PASSED"}


def test_files_of_all_kinds(pytests: Pytests) -> None:
    files = {
        "rows.jsonl": '{"id": "a", "input": "A?"}\n{"id": "a", "input": "B?"}\n',
        "other.json": {"questions": [{"id": "a", "input": "A?", "expected_facts": ["B"]}]},
        "no_dataset.yaml": "a: 1\n",
        "evals/datasets/broken.yaml": "}\n",
        "evals/rubrics/notes.jsonl": "{}\n",
    }
    ran = pytests.run(CLEAN | CONFIGURED | files)
    assert {name: ran.outcomes.get(name) for name in ran.outcomes if "polite" not in name} == {
        "evals/bundles/rag.schema.json::bundle": "PASSED",
        "evals/datasets/broken.yaml::dataset": "FAILED",
        "evals/datasets/talk.yaml::dataset": "PASSED",
        "evals/judges/accuracy.yaml::judge": "PASSED",
        "evals/rubrics/notes.jsonl::unreadable": "FAILED",
        "evals/targets/nightly.yaml::target": "PASSED",
        "other.json::dataset": "PASSED",
        "rows.jsonl::dataset": "FAILED",
    }, ran.all


def test_a_wrong_configuration_is_one_error(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | CONFIGURED | {"evals/evalcontract.toml": "[oops"})
    assert ran.status == pytest.ExitCode.INTERRUPTED
    assert ran.out.count("error: evals/evalcontract.toml:1: not TOML") == 1
    assert "Traceback" not in ran.all


# Rows


def test_rows_are_parameters(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | {"test_rows.py": TESTS})
    assert ran.outcomes == {
        "test_rows.py::test_decorated[hello]": "PASSED",
        "test_rows.py::test_decorated[bye]": "PASSED",
        "test_rows.py::test_parameters[1-hello]": "PASSED",
        "test_rows.py::test_parameters[1-bye]": "FAILED",
        "test_rows.py::test_parameters[2-hello]": "PASSED",
        "test_rows.py::test_parameters[2-bye]": "FAILED",
        "test_rows.py::TestClass::test_method[hello]": "PASSED",
        "test_rows.py::TestClass::test_method[bye]": "SKIPPED",
    }, ran.all
    one = pytests.run({}, "test_rows.py::test_decorated[bye]")
    assert one.outcomes == {"test_rows.py::test_decorated[bye]": "PASSED"}
    assert {*pytests.run({}, "-k", "hello").outcomes.values()} == {"PASSED"}


@every_case("folder", some(["tests/deep", "tests", "evals"], times=4))
def test_the_path_starts_above_the_test(pytests: Pytests, folder: str) -> None:
    """Whatever the current folder is; a file of another repository is never meant."""
    for old in pytests.path.rglob("test_rows.py"):
        old.unlink()
    write(pytests.path / "repository", CLEAN | {f"{folder}/test_rows.py": TESTS})
    (pytests.path / "repository" / ".git").mkdir(exist_ok=True)
    for arguments in (["repository"], [f"repository/{folder}/test_rows.py"]):
        assert len(pytests.run({}, *arguments).outcomes) == 8
    write(pytests.path, {"evals/datasets/gone.yaml": DATASET})
    test = TESTS.replace("talk.yaml", "gone.yaml")
    ran = pytests.run({f"repository/{folder}/test_rows.py": test}, "repository")
    assert ran.status == pytest.ExitCode.INTERRUPTED
    assert "error: there is no file evals/datasets/gone.yaml in repository/" in ran.out


def test_hostile_ids(pytests: Pytests) -> None:
    """They break no line and no name, and each row is a test."""
    ids = ["a\nb", "\x1b[31mred", "::error::x", "ü", "", "x" * 500, "same", "same", "[1-2]", 7]
    rows = [{"id": each, "input": "?"} for each in ids]
    test = (
        "from evalcontract.pytest_plugin import evalcontract_rows\n"
        "@evalcontract_rows('rows.json', strict=False)\n"
        "def test_row(row): pass\n"
    )
    files = {"rows.json": {"questions": rows}, "test_rows.py": test}
    ran = pytests.run(files, "-W", "ignore")
    assert f"{len(ids)} passed" in ran.out
    assert "\x1b[31mred" not in ran.all
    assert max(map(len, ran.out.splitlines())) < 200
    listed = pytests.call({}, "--collect-only", "-q", "-W", "ignore").out.splitlines()
    names = [line for line in listed if line.startswith("test_rows.py::test_row[")]
    assert len({*names}) == len(ids)
    assert "test_rows.py::test_row[row4]" in names
    assert "test_rows.py::test_row[row9]" in names


ASIDE = """\
import pytest

@pytest.fixture
def started(case):
    print("a model is started")

@pytest.mark.parametrize("model", ["small", "large"])
@pytest.mark.parametrize("case", evalcontract_rows("evals/datasets/talk.yaml", strict=True))
def test_model(started, case, model):
    pass

def test_other():
    pass
"""


def test_a_faulty_dataset_fails_its_own_tests(pytests: Pytests) -> None:
    """All of them, before they or their fixtures run; the others of the file run."""
    head = "from evalcontract.pytest_plugin import evalcontract_rows\n"
    ran = pytests.run(CLEAN | TYPO | {"test_rows.py": head + ASIDE}, "-s")
    assert ran.outcomes == {
        "test_rows.py::test_model[dataset-small]": "ERROR",
        "test_rows.py::test_model[dataset-large]": "ERROR",
        "test_rows.py::test_other": "PASSED",
    }
    assert ran.status == pytest.ExitCode.TESTS_FAILED
    assert "error[dataset/near-miss-key]: unknown key `inputt`\n" in ran.out
    assert " --> evals/datasets/talk.yaml:2:17  (row `hello`)\n" in ran.out
    assert "a model is started" not in ran.all
    assert "Traceback" not in ran.all
    assert "rows.py:" not in ran.out.replace("test_rows.py:", "")


def test_a_dataset_that_cannot_be_read_fails_its_own_tests(pytests: Pytests) -> None:
    broken = pytests.run({"evals/datasets/talk.yaml": "}", "test_rows.py": TESTS})
    assert {*broken.outcomes.values()} == {"ERROR"}
    assert "error[source/syntax]" in broken.out
    without = pytests.run({}, "-p", "no:evalcontract")  # nothing else tells of the errors
    assert without.status == pytest.ExitCode.TESTS_FAILED
    assert "error[source/syntax]" in without.out


def test_soft_rows_warn(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | TYPO | {"test_rows.py": TESTS}, "-k", "test_method")
    assert "test_rows.py:4: EvalContractWarning: " in ran.out
    assert "warning[dataset/near-miss-key]: unknown key `inputt`" in ran.out
    assert ran.status == 0


# Beside the rest of pytest


@pytest.mark.thorough
def test_distributed(pytests: Pytests) -> None:
    pytest.importorskip("xdist")
    files = CLEAN | TYPO | CONFIGURED | {"test_rows.py": TESTS}
    ran = pytests.run_anew(files, "-n", "2", "-W", "ignore")
    alone = pytests.run({}, "-p", "no:xdist", "-W", "ignore")
    assert ran.outcomes == alone.outcomes
    assert ran.outcomes["evals/datasets/talk.yaml::dataset"] == "FAILED"
    assert "error[dataset/near-miss-key]" in ran.out


@every_case(
    ("arguments", "chosen"),
    [
        (["-k", "rubric"], {"evals/rubrics/polite.yaml::rubric"}),
        (["-m", "evalcontract", "evals/judges"], {"evals/judges/accuracy.yaml::judge"}),
        (["-m", "not evalcontract"], set()),
    ],
)
def test_selection(pytests: Pytests, arguments: list[str], chosen: set[str]) -> None:
    assert pytests.run(CLEAN | CONFIGURED, *arguments).outcomes.keys() == chosen


def test_collect_only(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | CONFIGURED | BROKEN_RUBRIC, "--collect-only", "-q")
    assert ran.status == 0
    assert "<ArtifactItem rubric>" in ran.out


def test_without_the_plugin(pytests: Pytests) -> None:
    ran = pytests.run(CLEAN | {"test_it.py": "def test_it(): pass\n"}, "-p", "no:evalcontract")
    assert ran.outcomes == {"test_it.py::test_it": "PASSED"}
    helped = pytests.call({}, "-p", "no:evalcontract", "--help").out
    assert "--evalcontract" not in helped
    assert "--evalcontract-strict" in pytests.call({}, "--help").out


def test_other_runs_import_almost_nothing(pytests: Pytests) -> None:
    test = (
        "import sys\n"
        "def test_it():\n"
        "    ours = [name for name in sys.modules if name.split('.')[0] == 'evalcontract']\n"
        "    assert not ours, sorted(ours)\n"
    )
    ran = pytests.run_anew({"test_it.py": test})
    (imported,) = re.findall(r"^E +AssertionError: (\[.*\])$", ran.out, re.MULTILINE)
    assert re.findall(r"[\w.]+", imported) == [
        "evalcontract",
        "evalcontract._version",
        "evalcontract.pytest_plugin",
        "evalcontract.pytest_plugin.rows",
    ]


GRADED: dict[str, object] = {
    "evals/rubrics/numbers.yaml": RUBRIC.replace("polite", "numbers").replace("all_pass", "min"),
    "evals/rubrics/facts.yaml": "id: facts\nversion: '1.0.0'\nchecks: [{id: f, kind: fact_match}]\n"
    "scoring: {combine: all_pass}\n",
    "evals/datasets/talk.jsonl": "".join(
        f'{{"id": "{id_}", "input": "?", "rubric_ref": "rubric/{rubric}@1.0.0"}}\n'
        for id_, rubric in {
            "polite": "polite",
            "rude": "polite",
            "silent": "polite",
            "number": "numbers",
            "nothing": "facts",
            "no_rubric": "none",
        }.items()
    ),
    "test_rows.py": """\
import json, pytest
from evalcontract import Grader
grader = Grader("evals")
SAID = {"rude": "How stupid.", "silent": None}
ROWS = [json.loads(line) for line in open("evals/datasets/talk.jsonl")]
@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_it(row, evalcontract_verdict):
    evalcontract_verdict(grader.grade(row, {"output": SAID.get(row["id"], "Hello.")}))
""",
}
ENDS = {
    "polite": "PASSED",
    "rude": "FAILED",
    "silent": "FAILED",
    "number": "FAILED",
    "nothing": "SKIPPED",
    "no_rubric": "FAILED",
}


@every_case(
    ("files", "arguments", "undecided"),
    [
        ({}, [], "FAILED"),
        ({}, ["--evalcontract-allow-undecided"], "SKIPPED"),
        ({"pytest.ini": "[pytest]\nevalcontract_allow_undecided = true\n"}, [], "SKIPPED"),
    ],
    ids=str,
)
def test_only_a_row_that_passed_passes_its_test(
    pytests: Pytests, files: dict[str, object], arguments: list[str], undecided: str
) -> None:
    wanted = ENDS | {"silent": undecided, "no_rubric": undecided}
    ran = pytests.run(CLEAN | GRADED | files, "-rs", *arguments)
    assert ran.outcomes == {f"test_rows.py::test_it[{id_}]": end for id_, end in wanted.items()}
    for part in (
        "rude: failed 0.00",
        "silent: undecided 0.00 to 1.00: no text of the output was recorded",
        "number: scored 1.00",
        "nothing says what passes",
        "there is no `rubric/none@1.0.0`",
    ):
        assert part in ran.out, ran.all


# The page

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")


def test_output_of_the_page(pytests: Pytests) -> None:
    """What it shows is what pytest prints, and its settings are those of the plugin."""
    (shown,) = re.findall(r"^```\n(evals/.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (settings,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    wanted = ("evals/datasets/talk.yaml", "evals/rubrics/polite.yaml")
    files = {name: text for name, text in (CLEAN | TYPO).items() if name in wanted}
    (pytests.path / "tests").mkdir()
    ran = pytests.run(files | {"pyproject.toml": settings})
    assert shown.strip() in ran.out


def test_python_of_the_page(pytests: Pytests) -> None:
    """Its tests are collected, and run for each row."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    head = (
        "import pytest\n"
        "class shop:\n"
        "    ask = staticmethod(lambda question: 'within 30 days')\n"
        "from evalcontract.pytest_plugin import evalcontract_rows\n"
    )
    row = {"id": "return_period", "input": "How long?", "expected_facts": ["30 days"]}
    files: dict[str, object] = {f"test_{n}.py": head + text for n, text in enumerate(blocks)}
    ran = pytests.run(files | {"evals/datasets/support.yaml": {"questions": [row]}})
    assert ran.outcomes == {
        "test_0.py::test_answer[return_period]": "PASSED",
        "test_1.py::test_models[return_period-small]": "PASSED",
        "test_1.py::test_models[return_period-large]": "PASSED",
        "test_2.py::test_answer[return_period]": "PASSED",
        "test_3.py::test_verdict[return_period]": "PASSED",
    }, ran.all
