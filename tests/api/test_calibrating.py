"""`calibrate_judge` measures in Python what `calibrate-judge` does on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from doors import command_line
from tables import every_case
from writing import write

from evalcontract import ContractViolation, UsageError, calibrate_judge

JUDGE = '# Made by Ann.\nid: tone\nversion: "1.0.0"\ntemplate: "Kind? {{ output }}"\n'
SCORES = JUDGE + "score_type: continuous\nmin_score: 1\nmax_score: 5\npass_threshold: 4\n"
HEADER = "id,human,judge,split\n"


def rows(*groups: tuple[int, str]) -> str:
    cells = [cell for count, cell in groups for cell in [cell] * count]
    return "".join(f"r{number},{cell}\n" for number, cell in enumerate(cells))


LABELS = HEADER + rows(
    (92, "pass,pass,test"), (8, "pass,fail,test"), (88, "fail,fail,test"), (12, "fail,pass,dev")
)
STARS = HEADER + rows((3, "pass,5,test"), (2, "pass,3,test"), (4, "fail,2,test"), (1, "fail,4,dev"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(
        tmp_path,
        {
            "evals/judges/tone.yaml": JUDGE,
            "evals/judges/stars.yaml": SCORES.replace("tone", "stars"),
            "evals/judges/bad.yaml": "id: bad\nversion: '1.0.0'\n",
            "labels.csv": LABELS,
            "stars.csv": STARS,
            "people.csv": "id,human\na,pass\nb,fail\n",
            "verdicts.csv": "id,judge\na,pass\nb,fail\n",
            "others.csv": "id,judge\nx,pass\n",
            "broken.csv": "id,hooman\na,pass\n",
            "empty.csv": "id,human,judge\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.costly
@pytest.mark.usefixtures("place")
def test_figures() -> None:
    found = calibrate_judge("evals/judges/tone.yaml", "labels.csv", observed=(0.8, 500))
    assert found.judge == "judge/tone@1.0.0"
    assert found.agreement == (92, 8, 88, 12)
    assert (found.tpr, found.tnr, found.threshold) == (0.92, 0.88, None)
    assert found.kappa == pytest.approx(0.8)
    assert found.intervals.keys() == {"tpr", "tnr", "kappa"}
    assert found.intervals["tpr"].lower == pytest.approx(0.850018923)
    assert found.pass_rate
    assert found.pass_rate.rate == pytest.approx(0.85)
    assert [each.code for each in found.diagnostics] == ["labels/mixed-splits"]
    assert "below 0.9" in " ".join(found.warnings)
    assert found.validation
    assert found.validation["tpr"] == 0.92
    assert repr(found) == "Calibration('judge/tone@1.0.0', tpr=0.92, tnr=0.88, kappa=0.8)"


OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"split": "test"}, ["--split", "test"]),
    ({"observed": (0.5, 40)}, ["--observed", "0.5", "--observed-n", "40"]),
]


@pytest.mark.slow
@pytest.mark.usefixtures("place")
@every_case(
    ("judge", "labels", "options", "arguments"),
    [
        *(("evals/judges/tone.yaml", "labels.csv", *each) for each in OPTIONS),
        *(("evals/judges/stars.yaml", "stars.csv", *each) for each in OPTIONS),
        ("evals/judges/stars.yaml", "stars.csv", {"threshold": "auto"}, ["--threshold", "auto"]),
        ("evals/judges/stars.yaml", "stars.csv", {"threshold": 2}, ["--threshold", "2"]),
        ("judge/tone@1.0.0", "labels.csv", {"root": "evals"}, ["--root", "evals"]),
        (
            "evals/judges/tone.yaml",
            "people.csv",
            {"verdicts": "verdicts.csv"},
            ["--verdicts", "verdicts.csv"],
        ),
    ],
)
def test_it_agrees_with_the_command(
    judge: str,
    labels: str,
    options: dict[str, Any],
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = calibrate_judge(Path(judge) if ".yaml" in judge else judge, Path(labels), **options)
    command_line("calibrate-judge", judge, "--labels", labels, *arguments, "--output-format=json")
    assert found.to_dict() == json.loads(capsys.readouterr().out)


@pytest.mark.costly
def test_only_write_writes(place: Path) -> None:
    judge = place / "evals/judges/tone.yaml"
    found = calibrate_judge(judge, "labels.csv", split="test")
    assert judge.read_text() == JUDGE
    assert not found.to_dict()["written"]
    found.write()
    assert judge.read_text().startswith(JUDGE)
    assert yaml.safe_load(judge.read_text())["validation"]["tnr"] == found.tnr == 1
    assert found.to_dict()["written"]
    judge.write_text(JUDGE.replace("Ann", "Bob"))
    with pytest.raises(UsageError, match="changed in the meantime"):
        found.write()


def test_what_must_not_be_written(place: Path) -> None:
    write(place, {"evals/one.csv": "id,human,judge\na,pass,pass\n"})
    found = calibrate_judge("evals/judges/tone.yaml", "evals/one.csv")
    assert (found.tpr, found.tnr, found.validation) == (1, None, None)
    assert found.refusal == "correct the errors first"
    assert [str(each.severity) for each in found.diagnostics] == ["error"]
    with pytest.raises(UsageError, match="correct the errors first"):
        found.write()
    assert (place / "evals/judges/tone.yaml").read_text() == JUDGE


@pytest.mark.usefixtures("place")
@every_case(
    ("judge", "labels", "options", "said"),
    [
        ("evals/judges/none.yaml", "labels.csv", {}, "there is no file"),
        ("judge/none", "labels.csv", {"root": "evals"}, "there is no judge `none`"),
        ("judge/tone", "labels.csv", {"root": "nowhere"}, "nowhere is not a folder"),
        ("evals/judges/tone.yaml", "labels.yaml", {}, "labels and verdicts are CSV"),
        ("evals/judges/tone.yaml", "people.csv", {}, "has no verdicts"),
        ("evals/judges/tone.yaml", "people.csv", {"ask_judge": True}, "EVALCONTRACT_API_KEY"),
        ("evals/judges/tone.yaml", "people.csv", {"verdicts": "others.csv"}, "no output has both"),
        ("evals/judges/tone.yaml", "empty.csv", {}, "there are no rows"),
        ("evals/judges/tone.yaml", "labels.csv", {"split": "train"}, "no label is of the split"),
        ("evals/judges/tone.yaml", "labels.csv", {"threshold": 1}, "takes no threshold"),
        ("evals/judges/stars.yaml", "stars.csv", {"threshold": float("nan")}, "not nan"),
        ("evals/judges/stars.yaml", "stars.csv", {"threshold": "best"}, "not 'best'"),
        ("evals/judges/tone.yaml", "labels.csv", {"observed": (1.5, 3)}, "a rate from 0 to 1"),
        ("evals/judges/tone.yaml", "labels.csv", {"observed": (0.5, 0)}, "a rate from 0 to 1"),
    ],
)
def test_wrong_calls(judge: str, labels: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        calibrate_judge(judge, labels, **options)


@pytest.mark.usefixtures("place")
@every_case(
    ("judge", "labels", "code"),
    [
        ("evals/judges/bad.yaml", "labels.csv", "judge/missing-key"),
        ("evals/judges/tone.yaml", "broken.csv", "labels/"),
        ("evals/judges/tone.yaml", "none.csv", "source/"),
    ],
)
def test_faults_with_which_nothing_can_be_measured(judge: str, labels: str, code: str) -> None:
    with pytest.raises(ContractViolation) as caught:
        calibrate_judge(judge, labels)
    assert caught.value.diagnostics[0].code.startswith(code)
