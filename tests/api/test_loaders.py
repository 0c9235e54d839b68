"""The three loaders: rows with what was found in them, or one exception with all of it."""

from __future__ import annotations

import hashlib
import json
import logging
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from doors import UsageError
from tables import every_case
from writing import write

import evalcontract
from evalcontract import (
    ContractViolation,
    DatasetLoader,
    JudgePromptLoader,
    LoadedArtifact,
    RubricLoader,
    Severity,
)
from evalcontract.model.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
WORKSPACES = ROOT / "fixtures" / "workspaces"
TODAY = date(2026, 6, 1)
CONSUMER = """\
from __future__ import annotations

from datetime import date
from pathlib import Path

import evalcontract
from evalcontract import (
    BatchCheck, BatchSettings, Calibration, CheckResult, ConfigurationError, ContractViolation,
    Converted, Covered, DatasetLoader, Diagnostic, EvalContractError, Findings, GradedFiles,
    Grader, JudgePromptLoader, LoadedArtifact, LoadedCheck, LoadedDataset, LoadedJudge,
    LoadedRow, LoadedRubric, Loss, Provenance, RowResult, RubricLoader, RunResults, Severity,
    Summary, UsageError, Validated, Workspace, calibrate_judge, convert, coverage, render,
    validate,
)


def pinned(provenance: Provenance) -> list[str]:
    return [each.name for each in (*provenance.rubrics, *provenance.judges) if each.pinned]


def load(path: Path) -> list[LoadedRow]:
    dataset: LoadedDataset = DatasetLoader(on_day=date(2026, 6, 1), strict=False).load(path)
    found: tuple[Diagnostic, ...] = dataset.diagnostics
    table: Findings = dataset.diagnostics
    codes = [record["code"] for record in table.to_records()]
    rubric: LoadedArtifact = RubricLoader("workspace").load("polite", version="1.0.0")
    judge = JudgePromptLoader(path.parent, strict=True).load("accuracy")
    text: str = judge.value["template"]
    names: list[str] = pinned(dataset.provenance) + [rubric.id, rubric.version, text]
    worst: Severity = max(each.severity for each in found)
    assert worst <= Severity.ERROR and names and evalcontract.__version__
    return [row for row in dataset if row.ok or codes]


def scores(row: LoadedRow, path: Path) -> list[float | None]:
    with Grader("workspace", ask_judges=False) as grader:
        one: RowResult = grader.grade(row, {"output": "Hello!"})
        checks: tuple[CheckResult, ...] = one.checks
        files: GradedFiles = grader.grade_files(path, "outputs.jsonl")
        mean: float | None = Summary.of(files).rows.mean
    return [mean, *(check.score for check in checks)]


def in_memory(rows: list[dict[str, str]]) -> list[object]:
    found: Validated = validate(rows, workspace="workspace")
    run: RunResults = evalcontract.grade(rows, {"a": "Hello!"}).results()
    covered: Covered = coverage(rows)
    return [found.ok, covered.rows, *run.to_dicts()]


def in_batches(path: Path) -> list[object]:
    check = BatchCheck(path, BatchSettings(dialect="mlflow", key="id"))
    return [] if check.needs_one_part else list(check([]))


def measured(path: Path) -> bool:
    result: Calibration = calibrate_judge("judge/accuracy", path, split="test", threshold="auto")
    figures: dict[str, object] = result.to_dict()
    return bool(figures)


def converted(rows: list[dict[str, str]]) -> list[str]:
    result: Converted = convert(rows, from_="databricks", to="mlflow:oss")
    losses: tuple[Loss, ...] = result.losses
    return [f"{loss.row_index} {loss.path} {loss.reason} {loss.is_kept}" for loss in losses]


def grade(rows: list[dict[str, str]], output: str) -> list[str]:
    workspace = Workspace("workspace")
    dataset = DatasetLoader(workspace=workspace, dialect="evalcontract").load_rows(rows)
    prompts: list[str] = []
    for row in dataset:
        rubric: LoadedRubric | None = row.rubric
        checks: tuple[LoadedCheck, ...] = rubric.checks if rubric else ()
        judges: list[LoadedJudge] = [judge for check in checks for judge in check.judges]
        prompts += [render(judge, row, output) for judge in judges]
    return prompts


try:
    load(Path("set.yaml"))
except ContractViolation as error:
    print([(each.code, each.place.file, each.help) for each in error.diagnostics])
except (ConfigurationError, UsageError):
    raise
except EvalContractError:
    raise
"""


def expected(name: str, mode: str) -> list[list[Any]]:
    read = json.loads((WORKSPACES / name / "expected.json").read_text(encoding="utf-8"))
    found: list[list[Any]] = read[mode]
    return found


# Soft mode


def test_soft_returns_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come in order and as they stand in the file, each with its own findings."""
    monkeypatch.chdir(WORKSPACES / "misspelled_keys")
    dataset = DatasetLoader(strict=False, on_day=TODAY).load("datasets/museum.yaml")
    assert [(row.index, row.value["id"], row.ok) for row in dataset] == [
        (0, "opening_hours", False),
        (1, "tickets", False),
        (2, "own_words", True),
        (3, "nested", False),
    ]
    assert len(dataset) == len(dataset.rows) == 4
    assert dataset.file == "datasets/museum.yaml"
    assert dataset.rows[0].value.get("expecteed_facts") == ["ten o'clock"]
    assert [found.code for found in dataset.rows[1].diagnostics] == ["dataset/near-miss-key"] * 2
    assert all(
        found.row_index == row.index and found.row == row.value["id"]
        for row in dataset
        for found in row.diagnostics
    )


def test_soft_finds_what_the_command_line_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """All findings are there, those of rubrics and judges that are reached included, sorted."""
    monkeypatch.chdir(WORKSPACES / "strict_target")
    dataset = DatasetLoader(strict=False, on_day=TODAY).load("datasets/nightly.yaml")
    found = [
        [
            each.place.file,
            each.place.span.line if each.place.span else None,
            each.place.span.column if each.place.span else None,
            str(each.severity),
            each.code,
        ]
        for each in dataset.diagnostics
    ]
    reached = ("datasets/nightly.yaml", "judges/nightly.yaml", "rubrics/nightly.yaml")
    assert found == [
        each
        for each in expected("strict_target", "soft")
        if each[0] in (*reached, "rubrics/shared.yaml")
    ]


def test_soft_logs_one_warning_for_each_offending_row(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One, however many findings the row has; none for a good row."""
    monkeypatch.chdir(WORKSPACES / "rows_of_other_types")
    with caplog.at_level(logging.DEBUG):
        dataset = DatasetLoader(strict=False, on_day=TODAY).load("datasets/museum.yaml")
    offending = [row for row in dataset if not row.ok]
    assert [row.index for row in offending] == [0, 1, 2, 3, 4, 5]
    assert {(record.name, record.levelname) for record in caplog.records} == {
        ("evalcontract", "WARNING")
    }
    assert len(caplog.records) == len(offending)
    for record, row in zip(caplog.records, offending, strict=True):
        assert str(row.diagnostics[0].place) in record.getMessage()
    assert "3 more" in caplog.records[5].getMessage()


def test_late_findings_belong_to_their_row(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What only the whole dataset shows is logged with the row, and not twice."""
    monkeypatch.chdir(WORKSPACES / "duplicate_versions")
    dataset = DatasetLoader(strict=False, on_day=TODAY).load("datasets/museum.yaml")
    assert [row.ok for row in dataset] == [True, False]
    of_rows = [record for record in caplog.records if "datasets/museum.yaml" in record.getMessage()]
    assert len(of_rows) == 1
    others = [found for found in dataset.diagnostics if found.row_index is None]
    assert len(caplog.records) == 1 + len(others)


@pytest.mark.slow
def test_a_good_dataset_is_silent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(WORKSPACES / "well_formed")
    for name in ("museum.yaml", "greetings.jsonl"):
        for strict in (True, False, None):
            dataset = DatasetLoader(strict=strict, on_day=TODAY).load(f"datasets/{name}")
            assert dataset.diagnostics == ()
            assert all(row.ok for row in dataset)
    assert caplog.records == []


def test_lines_that_give_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken line of JSONL is a finding of the dataset; the other rows are there."""
    monkeypatch.chdir(WORKSPACES / "jsonl_lines")
    dataset = DatasetLoader(strict=False, on_day=TODAY).load("datasets/log.jsonl")
    assert [
        row.value if not isinstance(row.value, dict) else row.value["id"] for row in dataset
    ] == [
        "first",
        "second",
        7,
        ["a", "list"],
        "last",
        "first",
    ]
    assert [row.ok for row in dataset] == [True, False, False, False, False, False]
    assert len(dataset.diagnostics) == len(expected("jsonl_lines", "soft"))


def test_bundles_are_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle that cannot be used is said by the loader, as it is by the commands."""
    monkeypatch.chdir(WORKSPACES / "broken_bundles")
    dataset = DatasetLoader(strict=False, on_day=TODAY).load("datasets/tours.yaml")
    files = {found.place.file for found in dataset.diagnostics}
    assert "bundles/faulty.schema.json" in files
    assert "bundles/unreadable.schema.json" in files


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("questions: [\n", "source/syntax"),
        ("questions: []\nquestions: []\n", "source/duplicate-key"),
        ("", "source/empty"),
        (None, "source/unreadable"),
        ("questions: null\n", "dataset/no-questions"),
    ],
)
def test_unreadable_dataset(text: str | None, code: str, tmp_path: Path) -> None:
    """Nothing can be loaded: it raises in both modes, and carries why."""
    path = tmp_path / "set.yaml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    for strict in (False, True, None):
        with pytest.raises(ContractViolation, match=code) as caught:
            DatasetLoader(strict=strict).load(path)
        assert [found.code for found in caught.value.diagnostics] == [code]
        assert caught.value.diagnostics[0].severity is Severity.ERROR


# Strict mode


def test_strict_raises_once_with_everything(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One exception holds every finding, warnings and notes included, sorted."""
    monkeypatch.chdir(WORKSPACES / "bundles")
    with pytest.raises(ContractViolation) as caught:
        DatasetLoader(strict=True, on_day=TODAY).load("datasets/tours.yaml")
    found = caught.value.diagnostics
    assert [
        [
            each.place.file,
            each.place.span.line,
            each.place.span.column,
            str(each.severity),
            each.code,
        ]
        for each in found
        if each.place.span
    ] == [each for each in expected("bundles", "strict") if each[0] == "datasets/tours.yaml"]
    assert {each.severity for each in found} == {Severity.WARNING, Severity.ERROR}
    assert str(caught.value).startswith("4 errors\n")
    assert caplog.records == []


def test_strict_with_warnings_alone_loads(tmp_path: Path) -> None:
    """Only an error raises."""
    write(
        tmp_path,
        {
            "rubrics/polite.yaml": 'id: polite\nversion: "1.0.0"\nchecks:\n'
            "  - {kind: must_not_contain, values: [stupid]}\nscoring: {combine: all_pass}\n",
            "set.yaml": "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0}\n",
        },
    )
    dataset = DatasetLoader(strict=True).load(tmp_path / "set.yaml")
    assert [(each.code, each.severity) for each in dataset.diagnostics] == [
        ("rubric/unnamed-check", Severity.WARNING)
    ]


@pytest.mark.parametrize(
    ("dataset", "strict", "raises"),
    [
        ("nightly", None, True),
        ("nightly", False, False),
        ("playground", None, False),
        ("playground", True, True),
    ],
)
def test_strict_by_target(
    dataset: str, *, strict: bool | None, raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target decides for its dataset; who calls stands above it."""
    monkeypatch.chdir(WORKSPACES / "strict_target")
    loader = DatasetLoader(strict=strict, on_day=TODAY)
    if raises:
        with pytest.raises(ContractViolation):
            loader.load(f"datasets/{dataset}.yaml")
    else:
        assert loader.load(f"datasets/{dataset}.yaml").diagnostics


def test_strict_by_configuration(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "evalcontract.toml": "strict = true\n",
            "set.yaml": "questions:\n  - {id: a, input: 7}\n",
        },
    )
    with pytest.raises(ContractViolation):
        DatasetLoader().load(tmp_path / "set.yaml")
    assert len(DatasetLoader(strict=False).load(tmp_path / "set.yaml")) == 1
    write(tmp_path, {"evalcontract.toml": "stirct = true\n"})
    with pytest.raises(ConfigurationError, match="strict"):
        DatasetLoader().load(tmp_path / "set.yaml")


def test_all_failures_are_of_one_family() -> None:
    for each in (ContractViolation, UsageError, ConfigurationError):
        assert issubclass(each, evalcontract.EvalContractError)


# Provenance


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_provenance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact versions and digests of all that is reached, through composites and judges too."""
    monkeypatch.chdir(WORKSPACES / "well_formed")
    found = DatasetLoader(on_day=TODAY).load("datasets/museum.yaml").provenance
    assert (found.file, found.sha256) == (
        "datasets/museum.yaml",
        digest("datasets/museum.yaml"),
    )
    assert [(each.name, each.file, each.pinned) for each in found.rubrics] == [
        ("rubric/booking@2.0.0", "rubrics/booking.yaml", True),
        ("rubric/guide@1.1.0", "rubrics/guide.yaml", True),
        ("rubric/polite@1.0.0", "rubrics/polite.yaml", True),
    ]
    assert [(each.name, each.pinned) for each in found.judges] == [("judge/accuracy@1.0.0", True)]
    for each in (*found.rubrics, *found.judges):
        assert each.sha256 == digest(each.file)
    stream = DatasetLoader(on_day=TODAY).load("datasets/greetings.jsonl").provenance
    assert stream.sha256 == digest("datasets/greetings.jsonl")
    assert [each.name for each in stream.rubrics] == ["rubric/polite@1.0.0"]
    assert stream.judges == ()


def test_provenance_tells_what_is_unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """One reference without a version on the way is enough."""
    monkeypatch.chdir(WORKSPACES / "strict_target")
    found = DatasetLoader(strict=False, on_day=TODAY).load("datasets/nightly.yaml").provenance
    assert {each.name: each.pinned for each in (*found.rubrics, *found.judges)} == {
        "rubric/nightly@1.0.0": True,
        "rubric/shared@1.0.0": False,
        "judge/nightly@1.0.0": False,
    }


def test_provenance_of_cycles_and_broken_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes to an end, and the digest is that of the whole file."""
    monkeypatch.chdir(WORKSPACES / "cycles")
    found = DatasetLoader(strict=False, on_day=TODAY).load("datasets/museum.yaml").provenance
    assert [each.name for each in found.rubrics] == [
        "rubric/paper@1.0.0",
        "rubric/polite@1.0.0",
        "rubric/scissors@1.0.0",
        "rubric/stone@1.0.0",
    ]
    monkeypatch.chdir(WORKSPACES / "jsonl_lines")
    stream = DatasetLoader(strict=False, on_day=TODAY).load("datasets/log.jsonl").provenance
    assert stream.sha256 == digest("datasets/log.jsonl")


# Rubrics and judges


def by_id(loader: RubricLoader | JudgePromptLoader, *given: str) -> LoadedArtifact:
    return loader.load(*given)


@pytest.mark.parametrize(
    ("given", "version", "file"),
    [
        (("polite",), "3.0.0", "polite.yaml"),
        (("polite", "3.0"), "3.0.0", "polite.yaml"),
        (("polite", "2.0.0"), "2.0.0", "polite@2.0.0.yaml"),
        (("polite", "1.0"), "1.0.0", "polite/1.0.0.yaml"),
    ],
)
def test_rubric_by_id_and_version(given: tuple[str, ...], version: str, file: str) -> None:
    root = WORKSPACES / "several_versions"
    rubric = by_id(RubricLoader(root), *given)
    assert (rubric.id, rubric.version) == ("polite", version)
    assert Path(rubric.file).resolve() == root / "rubrics" / file
    assert rubric.value["id"] == "polite"
    assert rubric.diagnostics == ()
    assert rubric.provenance.sha256 == digest(root / "rubrics" / file)


def test_newest_is_no_prerelease() -> None:
    root = WORKSPACES / "unpinned_references"
    assert RubricLoader(root).load("polite").version == "1.10.0"
    assert RubricLoader(root).load("draft").version == "0.1.0-alpha.10"
    assert RubricLoader(root).load("polite", "2.0.0-rc.1").version == "2.0.0-rc.1"


def test_rubric_reports_what_it_reaches(caplog: pytest.LogCaptureFixture) -> None:
    """Its own faults, and those of its judges; one log line each."""
    loader = RubricLoader(WORKSPACES / "strict_target", on_day=date(2027, 1, 1))
    rubric = loader.load("nightly", "1.0.0")
    assert [found.code for found in rubric.diagnostics] == [
        "judge/stale-validation",
        "reference/unpinned",
        "rubric/out-of-range",
    ]
    assert len(caplog.records) == 3
    assert [(each.name, each.pinned) for each in rubric.provenance.judges] == [
        ("judge/nightly@1.0.0", False)
    ]
    with pytest.raises(ContractViolation) as caught:
        RubricLoader(WORKSPACES / "strict_target", strict=True).load("nightly")
    assert "reference/unpinned" in [found.code for found in caught.value.diagnostics]


def test_judge_by_id() -> None:
    root = WORKSPACES / "several_versions"
    loader = JudgePromptLoader(root, on_day=TODAY, strict=True)
    assert loader.load("accuracy").version == "1.1.0"
    judge = loader.load("accuracy", "0.9")
    assert judge.version == "0.9.0"
    assert "{{ output }}" in judge.value["template"]
    assert judge.provenance.sha256 == digest(root / "judges/accuracy/0.9.yaml")


def test_loader_without_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workspace is that of the current folder, also from further down."""
    monkeypatch.chdir(WORKSPACES / "several_versions" / "datasets")
    assert RubricLoader().load("polite", "1.0.0").version == "1.0.0"


@every_case(
    ("loader", "given", "parts"),
    [
        (RubricLoader, ("polit",), ["rubric `polit`", "did you mean `polite`?"]),
        (RubricLoader, ("polite", "9.0.0"), ["9.0.0", "3.0.0, 2.0.0, 1.0.0"]),
        (RubricLoader, ("polite", "newest"), ["`newest`", "1.0.0"]),
        (RubricLoader, ("wayfinding",), ["rubric `wayfinding`", "polite, right"]),
        (RubricLoader, ("accuracy",), ["rubric `accuracy`"]),
        (JudgePromptLoader, ("acuracy",), ["judge `acuracy`", "did you mean `accuracy`?"]),
        (JudgePromptLoader, ("accuracy", "1.2"), ["1.2.0", "1.1.0, 1.0.0, 0.9.0"]),
    ],
)
def test_missing_artifact(
    loader: type[RubricLoader | JudgePromptLoader], given: tuple[str, ...], parts: list[str]
) -> None:
    """What there is, and what was probably meant."""
    with pytest.raises(UsageError) as caught:
        loader(WORKSPACES / "several_versions").load(*given)
    for part in parts:
        assert part in str(caught.value)


def test_artifact_that_cannot_be_read() -> None:
    """A file that has the name is named, rather than said not to be there."""
    with pytest.raises(ContractViolation, match=r"rubrics/broken\.yaml.*source/") as caught:
        RubricLoader(WORKSPACES / "unreadable_library").load("broken")
    assert len(caught.value.diagnostics) == 1


def test_empty_library(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no judge `accuracy`"):
        JudgePromptLoader(tmp_path).load("accuracy")


# Types


@pytest.mark.thorough
def test_consumers_are_typed(tmp_path: Path) -> None:
    """The package is typed: strict mypy accepts a use of all that it exports, and checks it."""
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(CONSUMER, encoding="utf-8")
    wrong.write_text(
        "from evalcontract import DatasetLoader\n"
        "loader = DatasetLoader(strict='yes')\n"
        "n: int = DatasetLoader().load('x').file\n",
        encoding="utf-8",
    )
    assert all(name in CONSUMER for name in evalcontract.__all__)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", right, wrong],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.count("error:")) == (1, 2), done.stdout
    assert "right.py" not in done.stdout
