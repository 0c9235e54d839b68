"""What a target names is checked, wherever it stands and whatever it is called."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces
from texts import facts, plain
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from evalcontract.model.diagnostic import RunOutcome

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
FAULTY = "questions:\n  - {id: a, input: b, expected_facts: [c], expecteed_facts: [d]}\n"
GOOD = "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(place: Path, *, strict: bool | None = None) -> RunOutcome:
    return check_workspaces(place, Options(strict=strict, today=date(2026, 6, 1)))


def found(outcome: RunOutcome) -> list[tuple[str, str, str]]:
    return [
        (each.place.file, str(each.severity), each.code)
        for each in outcome.diagnostics
        if each.code != "rubric/wrong-kind"  # told too where it stands in `rubrics/`
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "rubrics/quiet.yaml",
        "judges/deep/quiet.yaml",
        "targets/quiet.yaml",
        "quiet.data",
        "quiet",
        ".hidden/quiet.yaml",
        "node_modules/quiet.yaml",
        "drafts/quiet.yaml",
        "bundles/quiet.yaml",
    ],
)
@pytest.mark.parametrize("configuration", ["", "datasets = ['sets/*']\n", "exclude = ['*quiet*']"])
def test_a_named_dataset_is_checked(name: str, configuration: str, place: Path) -> None:
    write(place, {name: FAULTY, "sets/a.yaml": GOOD, "evalcontract.toml": configuration})
    write(place, {"targets/t.yaml": f"dataset: {name}\nstrict_validation: true\n"})
    outcome = check(place)
    assert (name, "error", "dataset/near-miss-key") in found(outcome)
    assert (outcome.files["dataset"], outcome.rows) == (2, 2)


def test_a_named_dataset_is_checked_once(place: Path) -> None:
    """However many targets name it, by whatever way."""
    write(place, {"sets/a.yaml": FAULTY, "quiet.data": FAULTY})
    (place / "link.yaml").symlink_to("sets/a.yaml")
    for n, name in enumerate(["sets/a.yaml", "sets/../sets/a.yaml", "quiet.data", "./quiet.data"]):
        write(place, {f"targets/t{n}.yaml": f"dataset: {name}\n"})
    outcome = check(place)
    assert [file for file, _, _ in found(outcome)] == ["link.yaml", "quiet.data", "sets/a.yaml"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rubrics/polite.yaml", RUBRIC),
        ("judges/j.yaml", 'id: j\nversion: "1.0.0"\ntemplate: "{{input}} {{output}}"\n'),
        ("targets/t.yaml", "dataset: targets/t.yaml\n"),
        ("bundles/b.schema.json", "{}"),
    ],
)
def test_an_artifact_is_no_dataset(name: str, text: str, place: Path) -> None:
    """One finding, in the target that names it."""
    write(place, {name: text, "targets/t.yaml": f"dataset: {name}\n"})
    outcome = check(place)
    assert [each[::2] for each in found(outcome) if "judge/" not in each[2]] == [
        ("targets/t.yaml", "target/wrong-kind")
    ]
    assert facts(outcome.diagnostics[-1].message)[0] == name


def test_a_rubric_outside_of_its_folder(place: Path) -> None:
    """The code that is there says it at the file."""
    write(place, {"sets/polite.yaml": RUBRIC, "targets/t.yaml": "dataset: sets/polite.yaml\n"})
    assert found(check(place)) == [("sets/polite.yaml", "error", "dataset/wrong-kind")]


def test_a_broken_file_is_told_once(place: Path) -> None:
    write(place, {"rubrics/b.yaml": "id: [\n", "targets/t.yaml": "dataset: rubrics/b.yaml\n"})
    assert found(check(place)) == [("rubrics/b.yaml", "error", "source/syntax")]


@pytest.mark.parametrize("name", ["faqs.yaml", "datasets/fqas.yaml", "../datasets/faqs.yaml"])
def test_a_file_that_is_nearly_there(name: str, place: Path) -> None:
    row = "questions: [{id: a, input: b, expected_facts: [c]}]\n"
    write(place, {"datasets/faqs.yaml": row, "targets/t.yaml": f"dataset: {name}\n"})
    (one,) = check(place).diagnostics
    assert (one.code, facts(one.help)) == ("target/missing-dataset", ["datasets/faqs.yaml"])


@pytest.mark.parametrize("name", ["faqs-old.yaml", "faqs.old.yaml", "faqs_old.yaml"])
def test_a_file_of_the_same_name_is_the_nearest(name: str, place: Path) -> None:
    """Not one whose name only reads alike."""
    for other in ("faqs-old.yaml", "faqs.old.yaml", "faqs_old.yaml"):
        write(place, {f"datasets/{other}": GOOD})
    write(place, {"targets/t.yaml": f"dataset: {name}\n"})
    (one,) = check(place).diagnostics
    assert facts(one.help) == [f"datasets/{name}"]


@pytest.mark.parametrize("name", ["nowhere.yaml", "rubrics", "pipe.yaml", "loop.yaml"])
@pytest.mark.messages
def test_no_file_to_run(name: str, place: Path, snapshot: SnapshotAssertion) -> None:
    os.mkfifo(place / "pipe.yaml")
    (place / "loop.yaml").symlink_to("loop.yaml")
    write(place, {"targets/t.yaml": f"dataset: {name}\n"})
    (one,) = check(place).diagnostics
    assert one.code == "target/missing-dataset"
    assert one.message == plain(snapshot)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("strict", "strict_validation"),
        ("strict_mode", "strict_validation"),
        ("stict_validation", "strict_validation"),
        ("max_age_days", "max_validation_age_days"),
    ],
)
def test_a_key_of_other_tools(key: str, meant: str, place: Path) -> None:
    write(place, {"a.yaml": GOOD, "targets/t.yaml": f"dataset: a.yaml\n{key}: true\n"})
    (one,) = check(place).diagnostics
    assert (one.code, facts(one.help)) == ("target/unknown-key", [meant])


def test_another_word_for_the_dataset_is_one_mistake(place: Path) -> None:
    write(place, {"targets/t.yaml": "path: a.yaml\n"})
    (one,) = check(place).diagnostics
    assert (one.code, facts(one.help)) == ("target/unknown-key", ["dataset"])


def test_a_stale_validation_names_the_target_that_says_so(place: Path) -> None:
    judge = (
        'id: j\nversion: "1.0.0"\ntemplate: "{{input}} {{output}}"\nvalidation:\n'
        "  {tpr: 0.9, tnr: 0.9, sample_size: 200, validated_at: 2026-05-01}\n"
    )
    rubric = RUBRIC.replace("must_not_contain, values: [stupid]", "llm_judge, threshold: 0.5")
    rubric = rubric.replace("llm_judge,", "llm_judge, judge_prompt_ref: judge/j@1.0.0,")
    write(place, {"judges/j.yaml": judge, "rubrics/polite.yaml": rubric, "a.yaml": GOOD})
    write(place, {"targets/t.yaml": "dataset: a.yaml\nmax_validation_age_days: 30\n"})
    write(place, {"targets/u.yaml": "dataset: a.yaml\nmax_validation_age_days: 60\n"})
    (one,) = check(place).diagnostics
    assert facts(one.message) == ["2026", "05", "01", "30"]
    assert "targets/t.yaml" in one.message
    write(place, {"evalcontract.toml": "max_validation_age_days = 20\n"})
    write(place, {"targets/t.yaml": "dataset: a.yaml\n"})
    (one,) = check(place).diagnostics
    assert facts(one.message) == ["2026", "05", "01", "20"]
