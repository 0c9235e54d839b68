"""`calibrate-judge`: what it reads, measures, refuses and writes."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from doors import ROOT, Kind, Options, command_line, validate
from doors import Input as File
from jsonschema import Draft202012Validator
from tables import every_case
from writing import write

from evalcontract.calibrating.calibrate import calibrate
from evalcontract.calibrating.files import CalibrationOptions
from evalcontract.source import read_file
from evalcontract.statistics.rates import MeasuredRate

BINARY = """\
# Made by Ann.
id: tone
version: "1.0"   # the first one
template: |
  Is it kind? {{ output }}
model: {provider: acme, name: large-1}
"""
LEVELS = BINARY + "score_type: levels\nlevel_names: [poor, fair, good]\npass_threshold: 0.5\n"
SCORES = BINARY + "score_type: continuous\nmin_score: 1\nmax_score: 5\n"
HEADER = "id,human,judge\n"


def _schema() -> Draft202012Validator:
    """Return a validator for the published schema, with every mapping closed."""
    read = json.loads((ROOT / "schema" / "calibration.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(read)
    for part in (read, *read["$defs"].values()):
        if "properties" in part:
            part["additionalProperties"] = False
            assert part["required"] == list(part["properties"])
    return Draft202012Validator(read)


SCHEMA = _schema()


def test_the_example_of_the_schema_fits() -> None:
    for example in SCHEMA.schema["examples"]:
        SCHEMA.validate(example)


def rows(*groups: tuple[int, str]) -> str:
    """Return rows of CSV: so many of each, with an id of their own."""
    cells = [cell for count, cell in groups for cell in [cell] * count]
    return "".join(f"r{number},{cell}\n" for number, cell in enumerate(cells))


GOOD = HEADER + rows((92, "pass,pass"), (8, "pass,fail"), (88, "fail,fail"), (12, "fail,pass"))
BETTER = HEADER + rows((95, "pass,pass"), (5, "pass,fail"), (94, "fail,fail"), (6, "fail,pass"))
PAIR = HEADER + "a,pass,pass\nb,fail,fail\n"
LABELS, VERDICTS = "id,human\na,pass\nb,fail\n", "id,judge\na,pass\nb,fail\n"
FEW = HEADER + rows((2, "pass,pass"), (1, "fail,fail"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"judges/tone.yaml": BINARY, "labels.csv": GOOD})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *more: str, exits: int = 0) -> tuple[str, str]:
    arguments = ["calibrate-judge", "judges/tone.yaml", "--labels", "labels.csv", *more]
    code = command_line(*arguments)
    out, err = capsys.readouterr()
    assert code == exits, err
    return out, err


def figures(capsys: pytest.CaptureFixture[str], *more: str, exits: int = 0) -> dict[str, Any]:
    out, _ = run(capsys, "--output-format", "json", *more, exits=exits)
    read: dict[str, Any] = json.loads(out)
    SCHEMA.validate(read)
    return read


def codes(labels: str, verdicts: str | None = None, judge: str = BINARY) -> list[tuple[str, str]]:
    """Return what is found in files of the current folder: codes, and lines with columns."""
    write(Path(), {"judges/tone.yaml": judge, "x.csv": labels})
    if verdicts is not None:
        write(Path(), {"v.csv": verdicts})
    options = CalibrationOptions(Path("x.csv"), Path("v.csv") if verdicts is not None else None)
    found = calibrate("judges/tone.yaml", options).diagnostics
    return [(each.code.removeprefix("labels/"), str(each.place)) for each in found]


# Figures


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_known_answers(capsys: pytest.CaptureFixture[str]) -> None:
    read = figures(capsys, "--observed", "0.8", "--observed-n", "500")
    assert read["confusion_matrix"] == {"tp": 92, "fn": 8, "tn": 88, "fp": 12}
    assert read["tpr"]["value"] == 0.92
    assert read["tnr"]["value"] == 0.88
    assert read["tpr"]["interval"]["lower"] == pytest.approx(0.850018923)
    assert read["kappa"]["value"] == pytest.approx(0.8)
    corrected = read["pass_rate"]["corrected"]
    assert corrected["value"] == pytest.approx(0.85)
    assert corrected["interval"]["lower"] == pytest.approx(0.783, abs=5e-4)
    assert corrected["interval"]["upper"] == pytest.approx(0.934, abs=5e-4)
    assert not read["written"]


@pytest.mark.slow
@every_case(
    ("labels", "named"),
    [
        (BETTER, []),
        (GOOD, ["low-tnr"]),
        (FEW, ["small-sample", "wide-interval"]),
        (HEADER + rows((50, "pass,pass"), (19, "fail,fail")), ["small-sample"]),
        (HEADER + rows((150, "pass,pass"), (40, "fail,fail")), ["unbalanced"]),
        (
            HEADER + rows((35, "pass,pass"), (35, "pass,fail"), (70, "fail,pass")),
            ["wide-interval", "no-better-than-chance"],
        ),
    ],
)
def test_remarks(
    labels: str, named: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"labels.csv": labels})
    assert [each["name"] for each in figures(capsys)["warnings"]] == named


@pytest.mark.slow
@every_case(
    ("word", "counts"),
    [
        *((word, (2, 0, 1, 0)) for word in ("pass", "PASSED", "true", "Yes", "1", " pass ")),
        *((word, (1, 0, 1, 1)) for word in ("fail", "Failed", "FALSE", "no", "0")),
    ],
)
def test_words(
    word: str,
    counts: tuple[int, ...],
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"labels.csv": f"{PAIR}c,{word},pass\n"})
    assert tuple(figures(capsys)["confusion_matrix"].values()) == counts


def test_json_lines(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"id": 1, "human": True, "judge": "pass", "output": "kept by the author"},
        {"id": "2", "human": 0, "judge": False},
        {"id": 3, "human": 1, "judge": 0, "model": {"name": "large-1"}},
    ]
    write(place, {"labels.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)})
    read = figures(capsys, "--labels", "labels.jsonl")
    assert read["confusion_matrix"] == {"tp": 1, "fn": 1, "tn": 1, "fp": 0}
    assert read["validation"]["model"] == {"provider": "acme", "name": "large-1"}


def test_levels(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = HEADER + rows((5, "pass,good"), (4, "pass,fair"), (6, "fail,poor"), (1, "fail,fair"))
    write(place, {"judges/tone.yaml": LEVELS, "labels.csv": labels})
    read = figures(capsys)
    assert read["confusion_matrix"] == {"tp": 9, "fn": 0, "tn": 6, "fp": 1}
    assert [each["pass_from"] for each in read["scores"]["thresholds"]] == [0, 0.5, 1]
    assert read["scores"]["best"] == 0.5


def test_scores_of_people(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labels that are scores are cut off where the judge's are, and compared as ranks."""
    labels = HEADER + "a,5,5\nb,4,4.5\nc,3,4\nd,1,2\ne,2,1\n"
    write(place, {"judges/tone.yaml": SCORES, "labels.csv": labels})
    read = figures(capsys, "--threshold", "4")
    assert read["labels"]["are_scores"]
    assert read["confusion_matrix"] == {"tp": 2, "fn": 0, "tn": 2, "fp": 1}
    assert read["scores"]["spearman"] == pytest.approx(0.9)
    assert read["scores"]["kendall_tau_b"] == pytest.approx(0.8)


@pytest.mark.slow
@every_case(
    ("judge", "labels", "middle", "counts"),
    [
        (SCORES, "a,pass,4\nb,pass,2\nc,fail,1\nd,fail,3\n", 3, (1, 1, 1, 1)),
        # What people passed depends on it, too, if they gave scores.
        (SCORES, "a,5,4\nb,2,1\nc,3,2\n", 3, (1, 1, 1, 0)),
        # Levels without values are spaced over the whole scale.
        (
            LEVELS.replace("pass_threshold: 0.5", "min_score: 1\nmax_score: 5"),
            "a,pass,good\nb,pass,fair\nc,fail,fair\nd,fail,poor\n",
            3,
            (2, 0, 1, 1),
        ),
    ],
)
def test_without_a_threshold_the_middle_passes_and_is_written(
    judge: str,
    labels: str,
    middle: float,
    counts: tuple[int, ...],
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"judges/tone.yaml": judge, "labels.csv": HEADER + labels})
    read = figures(capsys, "--write")
    assert tuple(read["confusion_matrix"].values()) == counts
    assert read["scores"]["threshold"] == middle
    assert "default-threshold" in {warning["name"] for warning in read["warnings"]}
    written = (place / "judges/tone.yaml").read_text(encoding="utf-8")
    assert f"\npass_threshold: {middle}\n" in written
    again = figures(capsys)
    assert again["confusion_matrix"] == read["confusion_matrix"]
    assert "default-threshold" not in {warning["name"] for warning in again["warnings"]}


@pytest.mark.costly
def test_the_best_threshold_is_written(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = HEADER + rows((30, "pass,4.5"), (5, "fail,4.5"), (30, "fail,2"), (5, "pass,3"))
    write(place, {"judges/tone.yaml": SCORES, "labels.csv": labels})
    read = figures(capsys, "--threshold", "auto", "--write")
    assert (read["scores"]["threshold"], read["scores"]["is_chosen"]) == (3, True)
    assert "chosen-threshold" in [each["name"] for each in read["warnings"]]
    assert "\npass_threshold: 3\n" in (place / "judges/tone.yaml").read_text(encoding="utf-8")


# Files


@pytest.mark.slow
@every_case(
    ("labels", "verdicts", "found"),
    [
        (f"{PAIR}c,fail,ok\n", None, [("unknown-value", "x.csv:4:8")]),
        (f"{PAIR}c,meh,pass\n", None, [("unknown-value", "x.csv:4:3")]),
        (f"{PAIR},fail,pass\n", None, [("missing-value", "x.csv:4:1")]),
        (f"{PAIR}c,fail,\n", None, [("missing-verdict", "x.csv:4:1")]),
        ("ID,human,judge\na,pass,pass\n", None, [("missing-column", "x.csv:1:1")]),
        ("id,judge\na,pass\n", None, [("missing-column", "x.csv:1:1")]),
        (LABELS, "id,judg\na,pass\n", [("missing-column", "v.csv:1:4")]),
        (LABELS, f"{VERDICTS}c,fail\n", [("surplus-verdict", "v.csv:4:3")]),
        (f"{LABELS}c,fail\n", VERDICTS, [("missing-verdict", "x.csv:4:1")]),
        (f"{LABELS}c,fail\n", f"{VERDICTS}c,\n", [("missing-verdict", "x.csv:4:1")]),
        (f"id,humans\n{LABELS}", VERDICTS, [("missing-column", "x.csv:1:4")]),
        ("id,human,Split\na,pass,x\nb,fail,x\n", VERDICTS, [("near-miss-key", "x.csv:1:10")]),
        ("", None, [("source/empty", "x.csv")]),
        (f'{PAIR}c,"fail\nx",fail\n', None, [("unknown-value", "x.csv:4:3")]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("place")
def test_faults_have_places(
    labels: str, verdicts: str | None, found: list[tuple[str, str]]
) -> None:
    assert sorted(codes(labels, verdicts)) == found


@pytest.mark.costly
@every_case(
    ("judge", "cell", "fact"),
    [
        (LEVELS, "god", "good"),
        (LEVELS, "3", "poor, fair, good"),
        (SCORES + "pass_threshold: 3\n", "6", "1 to 5"),
        (SCORES + "pass_threshold: 3\n", "nan", "number"),
        (SCORES + "pass_threshold: 3\n", "high", "number"),
    ],
)
def test_scores_that_are_none(
    judge: str, cell: str, fact: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = "good" if "levels" in judge else "4"
    last = "poor" if "levels" in judge else "1"
    labels = f"{HEADER}a,pass,{first}\nb,fail,{last}\nc,fail,{cell}\n"
    write(place, {"judges/tone.yaml": judge, "labels.csv": labels})
    _, err = run(capsys, exits=1)
    assert "error[labels/unknown-value]" in err
    assert "labels.csv:4:8" in err
    assert fact in err


def test_annotators(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = "id,human,judge,annotator\n"
    people = {"a": "ppp", "b": "ppf", "c": "fff", "d": "pf", "e": "ffp"}
    words = {"p": "pass", "f": "fail"}
    for id_, said in people.items():
        for person, word in zip(("ann", "ben", "cem"), said, strict=False):
            labels += f"{id_},{words[word]},{'pass' if id_ in 'ab' else 'fail'},{person}\n"
    write(place, {"labels.csv": labels})
    read = figures(capsys)["labels"]
    assert (read["labelled"], read["compared"], read["ties"]) == (4, 4, 1)
    # ann and ben: 4 of 5 alike, kappa 8/13; ann and cem: 2 of 4, 0; ben and cem: the same.
    assert read["annotators"]["people"] == 3
    assert read["annotators"]["outputs"] == 5
    assert read["annotators"]["kappa"] == pytest.approx((8 / 13 + 0 + 0) / 3)
    assert read["annotators"]["metric"] == "nominal"
    assert -1 < read["annotators"]["alpha"] < 1
    _, err = run(capsys)
    assert "warning[labels/tied]" in err


@pytest.mark.costly
@every_case(
    ("said", "names"),
    [
        ({"a": "pp", "b": "ff", "c": "pf"}, {"ties-dropped"}),
        ({"a": "ppf", "b": "ffp", "c": "pfp", "d": "fpf"}, {"people-disagree"}),
        ({"a": "pf", "b": "fp", "c": "ppp", "d": "fff"}, {"ties-dropped"}),
        ({"a": "pp", "b": "ff"}, set()),
    ],
)
def test_what_people_do_not_agree_on_is_told(
    said: dict[str, str], names: set[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Outputs that are left out for a tie, and labels that are no better than chance."""
    words = {"p": "pass", "f": "fail"}
    lines = [
        f"{id_},{words[word]},pass,{person}"
        for id_, each in said.items()
        for person, word in zip(("ann", "ben", "cem"), each, strict=False)
    ]
    write(place, {"labels.csv": "id,human,judge,annotator\n" + "\n".join(lines)})
    read = figures(capsys)
    found = {each["name"] for each in read["warnings"]}
    assert found & {"ties-dropped", "people-disagree"} == names
    assert (read["labels"]["annotators"]["alpha"] <= 0) is ("people-disagree" in names)


@pytest.mark.costly
def test_levels_that_people_gave_have_a_weighted_kappa(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the ranks of levels; the median of two people is halfway. Pass and fail have AUC alone."""
    labels = "id,human,judge,annotator\n" + "".join(
        f"{id_},{human},{judge},{person}\n"
        for id_, judge, *given in (
            ("a", "poor", "poor"), ("b", "fair", "good"), ("c", "good", "fair"),
            ("d", "good", "good", "fair"), ("e", "poor", "poor"), ("f", "fair", "fair"),
        )
        for human, person in zip(given, ("ann", "ben"), strict=False)
    )  # fmt: skip
    write(place, {"judges/tone.yaml": LEVELS, "labels.csv": labels})
    read = figures(capsys)
    judge, people = [0, 1, 2, 2, 0, 1], [0, 2, 1, 1.5, 0, 1]
    scores = read["scores"]
    for name, power in (("linear_kappa", 1), ("quadratic_kappa", 2)):
        observed = sum(abs(a - b) ** power for a, b in zip(judge, people, strict=True)) / 6
        expected = sum(abs(a - b) ** power for a in judge for b in people) / 36
        assert scores[name] == pytest.approx(1 - observed / expected)
    assert read["labels"]["annotators"]["metric"] == "ordinal"
    out, _ = run(capsys)
    assert "weighted kappa" in out
    assert "alpha among people" in out
    write(place, {"labels.csv": HEADER + "a,pass,good\nb,fail,fair\nc,pass,fair\nd,fail,poor\n"})
    scores = figures(capsys)["scores"]
    assert (scores["auc"], scores["linear_kappa"]) == (0.875, None)
    assert "weighted kappa" not in run(capsys)[0]


def test_an_interval_without_width_is_none(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"labels.csv": PAIR})
    assert figures(capsys)["kappa"] == {"value": 1, "interval": None}
    assert "no interval" in run(capsys)[0]


def test_a_split(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = "id,human,split\na,pass,dev\nb,fail,test\nc,pass,test\n"
    write(place, {"labels.csv": labels, "v.csv": "id,judge\na,fail\nb,fail\nc,pass\n"})
    read = figures(capsys, "--verdicts", "v.csv", "--split", "test")
    assert read["confusion_matrix"] == {"tp": 1, "fn": 0, "tn": 1, "fp": 0}
    assert read["validation"]["split"] == "test"
    mixed = figures(capsys, "--verdicts", "v.csv")
    assert mixed["labels"]["splits"] == {"dev": 1, "test": 2}
    assert "split" not in mixed["validation"]


# Usage


@every_case(
    ("files", "more", "says"),
    [
        ({"labels.csv": "id,human\na,pass\n"}, [], "no verdicts"),
        ({"labels.csv": "id,human,judge\n"}, [], "no rows in"),
        ({"labels.csv": "id,human,judge\na,pass,\nb,,pass\n"}, [], "no verdicts"),
        (
            {"labels.csv": "id,human\na,pass\n", "v.csv": "id,judge\nb,pass\n"},
            ["--verdicts", "v.csv"],
            "no output has both",
        ),
        ({"v.csv": "id,judge\n"}, ["--verdicts", "v.csv"], "leave out `--verdicts`"),
        ({}, ["--split", "test"], "no label is of the split"),
        ({}, ["--threshold", "3"], "is binary"),
        ({}, ["--threshold", "high"], "must be `auto` or a number"),
        ({}, ["--threshold", "nan"], "must be `auto` or a number"),
        ({}, ["--observed", "0.5"], "need each other"),
        ({}, ["--observed", "nan", "--observed-n", "5"], "from 0 to 1"),
        ({}, ["--labels", "labels.txt"], "CSV or JSON Lines"),
        ({"judges/tone.yaml": SCORES}, ["--threshold", "9"], "1 to 5"),
    ],
)
def test_usage(
    files: dict[str, str],
    more: list[str],
    says: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"judges/tone.yaml": BINARY, "labels.csv": GOOD} | files)
    out, err = run(capsys, *more, exits=2)
    assert not out
    assert says in err


@pytest.mark.slow
@every_case(
    ("judge", "exits", "says"),
    [
        ("judge/tone", 0, ""),
        ("judge/tone@1.0.0", 0, ""),
        ("judge/tone@2.0", 2, "1.0.0"),
        ("judge/tome", 2, "tone"),
        ("rubric/tone", 2, "not a judge"),
        ("judges", 2, "is a folder"),
        ("judges/none.yaml", 2, "no file"),
        ("", 2, "empty"),
        ("bad.yaml", 1, "source/syntax"),
        ("ill.yaml", 1, "judge/missing-key"),
        ("levels.yaml", 1, "judge/level-values"),
    ],
)
def test_the_judge(
    judge: str, exits: int, says: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = "level_values: [0, 1]\n"
    ill = BINARY.replace("template", "x_template")
    write(place, {"bad.yaml": "id: [", "ill.yaml": ill, "levels.yaml": LEVELS + values})
    assert command_line("calibrate-judge", judge, "--labels", "labels.csv") == exits
    assert says in capsys.readouterr().err


@pytest.mark.slow
@every_case(
    ("more", "exits"),
    [
        (["--min-tpr", "0.9"], 0),
        (["--min-tpr", "0.92", "--min-tnr", "0.88"], 0),
        (["--min-tnr", "0.9"], 1),
        (["--min-tpr", "0.93"], 1),
    ],
)
@pytest.mark.usefixtures("place")
def test_a_gate(more: list[str], exits: int, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, *more, exits=exits)
    assert "TPR" in out


# Writing


@pytest.mark.slow
def test_a_diff_is_shown_and_nothing_written(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = run(capsys)
    assert "\n+  tpr: 0.92\n" in out
    assert "--write" in err
    assert (place / "judges/tone.yaml").read_text(encoding="utf-8") == BINARY


@pytest.mark.slow
@every_case("form", ["yaml", "json"])
def test_what_is_written_is_clean(
    form: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        place, {"labels.csv": BETTER.replace("\n", ",test\n").replace("judge,test", "judge,split")}
    )
    judge = place / f"judges/tone.{form}"
    if form == "json":
        (place / "judges/tone.yaml").unlink()
        value = {"id": "tone", "version": "1.0", "template": "{{ input }}: {{ output }}"}
        write(place, {"judges/tone.json": json.dumps(value, indent=4)})
    else:
        write(
            place, {"judges/tone.yaml": BINARY.replace("{{ output }}", "{{ input }} {{ output }}")}
        )
    before = judge.read_text(encoding="utf-8")
    call = ["calibrate-judge", str(judge), "--labels", "labels.csv", "--write"]
    assert command_line(*call) == 0
    after = judge.read_text(encoding="utf-8")
    if form == "yaml":
        assert after.startswith(before)
    found = validate(Kind.JUDGE, [File(judge)], Options(strict=True)).diagnostics
    assert [str(each) for each in found] == []
    document = read_file(judge, "judge." + form).document
    assert document
    block = document.value["validation"]
    assert block["validated_at"] == datetime.now(tz=UTC).date().isoformat()
    assert re.fullmatch(r"labels\.csv \(sha256 [0-9a-f]{12}\)", block["validated_against"])
    assert (block["tpr"], block["tnr"], block["sample_size"]) == (0.95, 0.94, 200)
    assert (block["split"], block["judge_version"]) == ("test", "1.0")
    capsys.readouterr()
    assert command_line(*call) == 0
    assert "nothing to change" in capsys.readouterr().err
    assert judge.read_text(encoding="utf-8") == after


@pytest.mark.slow
def test_writing_again_replaces_what_was_measured_only(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = "validation:\n  tpr: 0.5   # by hand\n  split: dev\n  x_notes: mine\n"
    write(place, {"judges/tone.yaml": BINARY + old})
    run(capsys, "--write")
    after = (place / "judges/tone.yaml").read_text(encoding="utf-8")
    assert after.startswith(BINARY + "validation:\n  tpr: 0.92   # by hand\n  x_notes: mine\n")
    assert "split:" not in after


@pytest.mark.slow
@every_case(
    ("files", "says"),
    [
        ({"labels.csv": GOOD + "x,maybe,pass\n"}, "correct the errors"),
        ({"labels.csv": HEADER + rows((9, "pass,pass"))}, "labels/one-class"),
        ({"judges/tone.yaml": BINARY + "validation: &v {tpr: 1}\nx_v: *v\n"}, "by hand"),
    ],
)
def test_nothing_is_written(
    files: dict[str, str], says: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"judges/tone.yaml": BINARY, "labels.csv": GOOD} | files)
    before = (place / "judges/tone.yaml").read_bytes()
    out, err = run(capsys, "--write", exits=1)
    assert "TPR" in out
    assert says in err
    assert "nothing was written" in err
    assert (place / "judges/tone.yaml").read_bytes() == before


@pytest.mark.costly
def test_the_day_is_the_callers(place: Path) -> None:
    day = datetime(2026, 5, 8, tzinfo=UTC).date()
    options = CalibrationOptions(place / "labels.csv", today=day, observed=MeasuredRate(0.8, 500))
    done = calibrate(str(place / "judges/tone.yaml"), options)
    assert done.result
    assert done.result.validation
    assert done.result.validation["validated_at"] == "2026-05-08"


@pytest.mark.costly
def test_text_fits_a_terminal(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = HEADER + rows(
        *((3, f"{'pass' if n > 25 else 'fail'},{1 + n / 10}") for n in range(40))
    )
    write(place, {"judges/tone.yaml": SCORES, "labels.csv": labels})
    observed = ("--observed", "0.999", "--observed-n", "1000000")
    out, _ = run(capsys, "--threshold", "2.25", *observed)
    text, _, _ = out.partition("\n--- ")
    assert "in use" in text
    assert "more: `--output-format json`" in text
    assert max(map(len, text.splitlines())) <= 80


@every_case(
    "keys",
    [
        f"max_score: 1\nmin_score: -1{'0' * 400}",
        f"min_score: 0\nmax_score: 1{'0' * 400}\npass_threshold: 1{'0' * 399}",
    ],
)
@every_case("threshold", ["0.5", "auto"])
def test_a_scale_that_no_float_can_hold(
    keys: str, threshold: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"judges/tone.yaml": f"{BINARY}score_type: continuous\n{keys}\n"})
    _, error = run(capsys, "--threshold", threshold, exits=2)
    assert "is too wide" in error


@pytest.mark.costly
@every_case("model", ["[1]", '{"name": 5}', '{"name": "a", "provider": 5}', "7", "true"])
def test_a_model_that_is_no_name(
    model: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = '{"id": "%s", "human": true, "judge": true, "model": %s}\n'
    good = '{"name": "good"}'
    write(place, {"labels.jsonl": row % ("a", model) + row % ("b", good) + row % ("c", model)})
    code = command_line("calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl")
    assert code == 1
    error = capsys.readouterr().err
    assert error.count("`model` must be a name") == 2
    assert "several models" not in error


@pytest.mark.slow
def test_many_people_and_many_faults(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two thousand people are two million pairs, and each repeated label is a fault."""
    people = "".join(f"a,{at % 2},1,p{at}\n" for at in range(2001))
    write(place, {"labels.csv": f"id,human,judge,annotator\n{people}b,1,1,p1\n"})
    out, _ = run(capsys)
    assert "2001 people" in out
    write(place, {"labels.csv": HEADER + "a,pass,pass\n" * 10_005 + "b,fail,fail\n"})
    _, error = run(capsys, exits=1)
    assert "more than 10,000 faults" in error
