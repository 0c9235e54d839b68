"""Records of every_eval_ever: valid by its published schemas, and nothing in them is invented.

Needs `make suites`, and what asks its validator also `make peers`.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, Printed, printed_by
from jsonschema import Draft7Validator
from needs import SUITES, missing
from real_packages import ask_peer
from tables import every_case
from writing import write

from evalcontract.grading.export import SCHEMA_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

UNPACKED = ROOT / "tests" / "suites" / ".unpacked"
#: The package with each version of the schemas; 0.2.2 itself is on no index.
PACKAGES = {"0.2.2": "every_eval_ever-0.2.3rc1", "0.3.0": "every_eval_ever-0.3.0"}
SAID = ("--model", "openai/gpt-5", "--organization", "Org", "--relationship", "third_party")
ODD = "a bell \x07, a line \u2028, ##[error] and 😀"


def rubric(id_: str, *checks: dict[str, Any], **scoring: object) -> dict[str, Any]:
    scoring = {"combine": "weighted_avg", **scoring}
    return {"id": id_, "version": "1.0.0", "checks": [*checks], "scoring": scoring}


HELLO = {"id": "hello", "kind": "must_contain_any", "values": ["hello"]}
TEMPLATE = "Polite? {{ output }}"
FILES: dict[str, Any] = {
    "rubrics/greets.json": rubric("greets", HELLO, threshold=0.5),
    "rubrics/scored.json": rubric("scored", HELLO, {"id": "f", "kind": "format", "max_chars": 9}),
    "rubrics/judged.json": rubric(
        "judged", HELLO, {"id": "j", "kind": "llm_judge", "judge_prompt_ref": "judge/nice@1.0.0"},
        threshold=0.8,
    ),
    "rubrics/outer.json": rubric(
        "outer", {"id": "in", "kind": "composite", "rubric_ref": "rubric/judged@1.0.0"}
    ),
    "rubrics/tools.json": rubric(
        "tools", {"id": "t", "kind": "tool_usage", "max_calls": 3}, threshold=0.5
    ),
    "rubrics/facts.json": rubric("facts", {"id": "facts", "kind": "fact_match"}),
    "judges/nice.json": {
        "id": "nice", "version": "1.0.0", "template": TEMPLATE,
        "model": {"provider": "acme", "name": "m-declared"},
    },
}  # fmt: skip
ROWS: list[dict[str, Any]] = [
    {"id": "good", "rubric_ref": "rubric/greets@1.0.0"},
    {"id": "bad", "rubric_ref": "rubric/greets@1.0.0", "expected": {"reference": "hello you"}},
    {"id": "scored", "rubric_ref": "rubric/scored@1.0.0"},
    {"id": "judged", "rubric_ref": "rubric/judged@1.0.0"},
    {"id": "inside", "rubric_ref": "rubric/outer@1.0.0"},
    {"id": "called", "rubric_ref": "rubric/tools@1.0.0"},
    {"id": "own", "must_contain_any": ["hello"]},
    {"id": "none", "rubric_ref": "rubric/facts@1.0.0"},
    {"id": "lost", "rubric_ref": "rubric/greets@1.0.0"},
    {"id": "null", "rubric_ref": "rubric/greets@1.0.0"},
    {"id": "dangling", "rubric_ref": "rubric/gone@1.0.0"},
    {"id": "odd", "rubric_ref": "rubric/greets@1.0.0"},
    {"id": "invalid", "rubric_ref": 3},
]
CALLS = [
    {"name": "look_up", "arguments": {"city": "Paris", "days": 2}},
    {"name": "stop", "arguments": '{"now": true}'},
]
OUTPUTS: list[dict[str, Any]] = [
    *({"id": row["id"], "output": "hello"} for row in ROWS if row["id"] not in ("bad", "lost")),
    {"id": "bad", "output": "bye"},
]


def records() -> list[dict[str, Any]]:
    special: dict[str, dict[str, Any]] = {
        "called": {"output": "hello", "tool_calls": CALLS},
        "null": {"output": None},
        "odd": {"output": ODD},
    }
    return [{**each, **special.get(each["id"], {})} for each in OUTPUTS]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    rows = [{"input": f"say {ODD}" if row["id"] == "odd" else "say hello", **row} for row in ROWS]
    lines = "".join(f"{json.dumps(each)}\n" for each in records())
    write(tmp_path, {**FILES, "data.json": {"questions": rows}, "out.jsonl": lines})
    return tmp_path


def export(
    folder: Path, *more: str, said: tuple[str, ...] = SAID, data: str = "data.json"
) -> Printed:
    to = ("--export", "every_eval_ever", "records")
    return printed_by(
        "grade", data, "--outputs", "out.jsonl", "--soft", *to, *said, *more, cwd=folder
    )


def written(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the only record below a folder, with its rows."""
    (path,) = (folder / "records/data").rglob("*.json")
    samples = path.with_name(f"{path.stem}_samples.jsonl")
    lines = samples.read_text(encoding="utf-8").split("\n")[:-1]
    return json.loads(path.read_bytes()), [json.loads(line) for line in lines]


def package(version: str) -> Path:
    folder = UNPACKED / PACKAGES[version]
    if not folder.is_dir():
        missing(SUITES)
    return folder


def faults(version: str, name: str, value: Any) -> Iterator[str]:
    path = package(version) / f"every_eval_ever/schemas/{name}.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert str(schema["version"]).endswith(version)
    for error in Draft7Validator(schema).iter_errors(value):
        yield f"{error.json_path}: {error.message}"


@pytest.mark.parametrize("version", SCHEMA_VERSIONS)
def test_a_record_is_valid(place: Path, version: str) -> None:
    printed = export(place, "--schema-version", version)
    assert printed.code == 1, "rows are invalid and undecided"
    record, samples = written(place)
    assert [*faults(version, "eval", record)] == []
    for sample in samples:
        assert [*faults(version, "instance_level_eval", sample)] == [], sample["sample_id"]
    assert {each["schema_version"] for each in (record, *samples)} == {version}


def test_each_of_several_outputs_of_a_row_is_a_line(place: Path) -> None:
    """They have the `sample_id` of the row, as the package's own converter gives epochs of Inspect.

    The score of the run is that of the rows.
    """
    several(place)
    export(place)
    record, samples = written(place)
    good = [each for each in samples if each["sample_id"] == "good"]
    assert [each["metadata"]["sample"] for each in good] == ["1", "2"]
    assert [each["evaluation"]["score"] for each in good] == [1.0, 0.0]
    details = record["evaluation_results"][0]["score_details"]["details"]
    assert (details["results"], details["reduce"]) == (str(len(ROWS)), "mean")
    assert [*faults(SCHEMA_VERSIONS[0], "eval", record)] == []


def several(folder: Path) -> None:
    """Give each row a second output, which says something else."""
    twice = [{**each, "sample": 1} for each in records()]
    twice += [{"id": each["id"], "sample": 2, "output": "bye"} for each in records()]
    write(folder, {"out.jsonl": "".join(f"{json.dumps(each)}\n" for each in twice)})


@pytest.mark.slow
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("version", SCHEMA_VERSIONS)
def test_the_validator_accepts_a_record(place: Path, version: str, outputs: int) -> None:
    """That is what decides on submissions: it also compares both files and their path."""
    if outputs > 1:
        several(place)
    export(place, "--schema-version", version)
    script = Path(__file__).with_name("validate_records.py")
    asked = [str(package(version)), str(place / "records")]
    answers = ask_peer("plain", script, version, asked)
    assert len(answers) == 2
    assert not any(answers.values()), answers  # type: ignore[attr-defined]


def test_no_row_that_did_not_run_counts_as_passed(place: Path) -> None:
    export(place)
    record, samples = written(place)
    by_id = {each["sample_id"]: each for each in samples}
    assert "none" not in by_id, "it is skipped, and has no part in the mean"
    correct = {id_ for id_, each in by_id.items() if each["evaluation"]["is_correct"]}
    assert correct == {"good", "called", "own"}
    undecided = {id_ for id_, each in by_id.items() if each.get("error")}
    assert undecided == {"judged", "inside", "lost", "null", "dangling", "invalid"}
    assert by_id["judged"]["evaluation"]["score"] == 0.5
    assert by_id["judged"]["metadata"]["highest_score"] == "1.0"
    assert by_id["scored"]["metadata"]["outcome"] == "scored"
    rows = record["evaluation_results"][0]
    scores = [each["evaluation"]["score"] for each in samples]
    assert rows["score_details"]["score"] == pytest.approx(sum(scores) / len(scores))
    details = rows["score_details"]["details"]
    assert (details["undecided"], details["outcome_skipped"]) == ("6", "1")
    assert details["lowest_mean"] < details["highest_mean"]
    assert "no endpoint" in details["did_not_run"] or "model" in details["did_not_run"]
    named = {each["evaluation_result_id"] for each in record["evaluation_results"]}
    assert "rubric/outer@1.0.0/in/j" in named
    assert "rubric/facts@1.0.0/facts" not in named, "it has no score at all"
    assert not any("llm_scoring" in each["metric_config"] for each in record["evaluation_results"])


def test_what_a_record_says_of_rows(place: Path) -> None:
    export(place)
    record, samples = written(place)
    by_id = {each["sample_id"]: each for each in samples}
    assert by_id["bad"]["input"] == {"raw": "say hello", "reference": ["hello you"]}
    normal = json.dumps(by_id["bad"]["input"], sort_keys=True, separators=(",", ":"))
    assert by_id["bad"]["sample_hash"] == sha256(normal.encode()).hexdigest()
    assert by_id["bad"]["output"] == {"raw": ["bye"]}
    assert by_id["lost"]["output"] == by_id["null"]["output"] == {"raw": []}
    called = by_id["called"]
    assert called["interaction_type"] == "agentic"
    assert called["messages"][1]["tool_calls"] == [
        {"id": "1", "name": "look_up", "arguments": {"city": "Paris", "days": "2"}},
        {"id": "2", "name": "stop", "arguments": {"now": "true"}},
    ]
    assert by_id["odd"]["output"]["raw"] == [ODD]
    listed = record["detailed_evaluation_results"]
    data = (place / "records" / listed["file_path"]).read_bytes()
    assert listed["checksum"] == sha256(data).hexdigest()
    assert listed["total_rows"] == len(samples) == data.count(b"\n")
    library = record["eval_library"]["additional_details"]
    manifest = json.loads(library["manifest"])
    assert json.loads(library["rubric_versions"]) == {
        each["name"]: each["meaning_sha256"] for each in manifest["rubrics"]
    }
    assert manifest["dangling"] == ["rubric/gone@1.0.0"]


@every_case(
    ("said", "told"),
    [
        ((), "pass --model, --organization, --relationship"),
        (SAID[:2], "pass --organization, --relationship"),
        (("--model", "gpt-5", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "../../etc", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "a/../b", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "data/b", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "unknown/b", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "a/b\n", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "a/con.txt", *SAID[2:]), "--model is DEVELOPER/NAME"),
        (("--model", "a/b", "--organization", "", *SAID[4:]), "pass --organization"),
    ],
)
def test_what_is_not_known_is_asked_for(tmp_path: Path, said: tuple[str, ...], told: str) -> None:
    write(tmp_path, {"data.json": {"questions": []}, "out.jsonl": ""})
    for call in (
        export(tmp_path, said=said),
        printed_by("manifest", "data.json", "--format", "every_eval_ever", *said, cwd=tmp_path),
    ):
        assert call.code == 2
        assert told in call.err
    assert not (tmp_path / "records").exists()


def test_options_of_records_are_for_records(place: Path) -> None:
    for command in (("grade", "data.json", "--outputs", "out.jsonl"), ("manifest", "data.json")):
        call = printed_by(*command, "--weights", "unknown", cwd=place)
        assert call.code == 2
        assert "--weights: only for" in call.err
    both = export(place, "--results", "r.jsonl", "--resume")
    assert both.code == 2
    assert "without --resume" in both.err


@pytest.mark.costly
@every_case(
    ("name", "id_", "folder"),
    [
        ("data.json", None, "data_set"),
        ("\u202ea b;$(x)\n.json", None, "a_b_x"),
        ("..json", None, "dataset_"),
        ("CON.json", None, "dataset_CON"),
        ("x.json", "../../../etc", "etc"),
        ("x.json", "a" * 300, "a" * 100),
        ("x.json", "Straße", "Stra_e"),
    ],
)
def test_names_of_files_and_ids_lead_nowhere_else(
    tmp_path: Path, name: str, id_: str | None, folder: str
) -> None:
    rows = [{"id": "a", "input": "x", "must_contain_any": ["hello"]}]
    own = {} if id_ is None else {"id": id_}
    write(
        tmp_path,
        {name: {**own, "questions": rows}, "out.jsonl": '{"id": "a", "output": "hello"}\n'},
    )
    assert export(tmp_path, data=name).code == 0
    expected = "dataset_data" if folder == "data_set" else folder
    paths = [path for path in (tmp_path / "records").rglob("*") if path.is_file()]
    assert {path.parent.relative_to(tmp_path / "records").as_posix() for path in paths} == {
        f"data/{expected}/openai/gpt-5"
    }
    record, samples = written(tmp_path)
    assert record["evaluation_id"].startswith(f"{expected}/openai/gpt-5/")
    assert samples[0]["evaluation_id"] == record["evaluation_id"]


@pytest.mark.costly
def test_a_record_replaces_nothing_in_silence(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same run has the same name; another time it is another record, beside the first."""
    write(place, {"records/data/dataset_data/openai/gpt-5/note.txt": "mine"})
    export(place)
    (first,) = (place / "records").rglob("*.json")
    kept = first.read_bytes()
    again = export(place)
    assert again.code == 2
    assert "already exists; pass --force" in again.err
    assert first.read_bytes() == kept
    assert export(place, "--force").code == 1
    from datetime import UTC, datetime

    later = datetime(2027, 1, 2, tzinfo=UTC)
    monkeypatch.setattr("evalcontract.grading.used.now", lambda: later)
    export(place)
    assert len([*(place / "records").rglob("*.json")]) == 2
    assert first.with_name("note.txt").read_text() == "mine"
    (place / "file").write_text("")
    asked = ("grade", "data.json", "--outputs", "out.jsonl", "--export", "every_eval_ever")
    refused = printed_by(*asked, "file", *SAID, cwd=place)
    assert refused.code == 2
    assert "is no folder" in refused.err


def test_an_interrupted_write_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evalcontract.source.writing import StagedFiles

    def interrupted(_: StagedFiles) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(StagedFiles, "put", interrupted)
    assert export(place).code == 130
    assert [path for path in (place / "records").rglob("*") if path.is_file()] == []


def test_nothing_is_recorded_of_what_cannot_be_read(place: Path) -> None:
    write(place, {"data.json": "{"})
    assert export(place).code == 1
    assert not (place / "records").exists()


@pytest.mark.parametrize("version", SCHEMA_VERSIONS)
def test_a_manifest_is_a_record_without_scores(place: Path, version: str) -> None:
    write(
        place, {"data.json": {"questions": [{"id": "a", "input": "x", "must_contain_any": ["y"]}]}}
    )
    said = ("--format", "every_eval_ever", "--schema-version", version)
    more = ("--deployment", "self_deployed", "--weights", "open_weights")
    call = printed_by("manifest", "data.json", *said, *more, *SAID, cwd=place)
    record = json.loads(call.out)
    assert [*faults(version, "eval", record)] == []
    assert record["evaluation_results"] == []
    assert record["model_info"]["additional_details"] == {
        "deployment_type": "self_deployed",
        "model_availability": "open_weights",
    }
