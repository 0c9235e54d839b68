"""`manifest`: what results will depend on; the same in every layout, or else nothing at all."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, Printed, printed_by
from jsonschema import Draft202012Validator
from tables import every_case
from writing import write

from evalcontract import DatasetLoader
from evalcontract.source.writing import StagedFiles

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = json.loads((ROOT / "schema" / "manifest.schema.json").read_text(encoding="utf-8"))
CHECK = {"id": "shape", "kind": "json_schema", "schema_ref": "schemas/answer.json"}
INSIDE = {"id": "inside", "kind": "composite", "rubric_ref": "rubric/inner"}
JUDGED = {"id": "judged", "kind": "llm_judge", "judge_prompt_ref": "judge/nice@1.0"}
MODEL = {"provider": "acme", "name": "m-1"}
ROW = {"id": "a", "input": "x", "rubric_ref": "rubric/outer@1.0.0", "bundle": "ticket"}
ROWS: dict[str, Any] = {"id": "tickets", "version": "2.1.0", "questions": [ROW, {**ROW, "id": "b"}]}


def rubric(id_: str, *checks: dict[str, Any], version: str = "1.0.0") -> dict[str, Any]:
    scoring = {"combine": "all_pass"}
    return {"id": id_, "version": version, "checks": [*checks], "scoring": scoring}


FILES: dict[str, Any] = {
    "rubrics/outer.json": rubric("outer", CHECK, INSIDE),
    "rubrics/inner.json": rubric("inner", JUDGED),
    "rubrics/inner@0.9.0.json": rubric("inner", CHECK, version="0.9.0"),
    "rubrics/other.json": rubric("other", CHECK),
    "judges/nice.json": {
        "id": "nice", "version": "1.0.0", "template": "{{ output }}", "model": MODEL,
    },
    "schemas/answer.json": {"type": "object"},
    "bundles/ticket.schema.json": {"type": "object"},
    "data.json": ROWS,
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    return tmp_path


def manifest(folder: Path, *arguments: str) -> Printed:
    return printed_by("manifest", *arguments, cwd=folder)


def block(folder: Path, *arguments: str) -> dict[str, Any]:
    call = manifest(folder, *arguments)
    assert call.code == 0, call.err
    read: dict[str, Any] = json.loads(call.out)
    Draft202012Validator(SCHEMA).validate(read)
    return read


def digest(folder: Path, name: str) -> str:
    return hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_everything_that_is_reached_is_named(place: Path) -> None:
    found = block(place, "data.json", "--soft")
    dataset = found["dataset"]
    assert (dataset["id"], dataset["version"], dataset["rows"]) == ("tickets", "2.1.0", 2)
    assert dataset["sha256"] == digest(place, "data.json")
    assert {each["name"]: each["pinned"] for each in found["rubrics"]} == {
        "rubric/inner@1.0.0": False,
        "rubric/outer@1.0.0": True,
    }
    (judge,) = found["judges"]
    assert (judge["name"], judge["model"]) == ("judge/nice@1.0.0", MODEL)
    assert [each["name"] for each in found["bundles"]] == ["ticket"]
    assert [each["name"] for each in found["files"]] == ["schemas/answer.json"]
    unpinned = {"reference": "rubric/inner", "resolves_to": "rubric/inner@1.0.0"}
    assert found["unpinned"] == [unpinned]
    for each in (*found["rubrics"], *found["judges"]):
        assert each["sha256"] == digest(place, each["file"])
    assert found["files"][0]["sha256"] == digest(place, "schemas/answer.json")
    assert found["harness"] == found["tool"]


def test_only_one_field_tells_the_time(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    first = block(place, "data.json", "--soft")
    later = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    monkeypatch.setattr("evalcontract.cli.meaning.now", lambda: later)
    second = block(place, "data.json", "--soft")
    assert second.pop("created") == "2030-01-02T03:04:05Z" != first.pop("created")
    assert first == second


def test_python_has_the_same(place: Path) -> None:
    printed = block(place, "data.json", "--soft")
    loaded = DatasetLoader(place, strict=False).load(place / "data.json")
    given = loaded.provenance.to_dict()
    Draft202012Validator(SCHEMA).validate(given)
    for each in (printed, given):
        del each["created"]
        del each["dataset"]["file"]
        for section in ("rubrics", "judges"):
            for artifact in each[section]:
                del artifact["file"]  # relative to the current folder
    assert given == printed


LINES = "".join(f"{json.dumps(row)}\n" for row in reversed(ROWS["questions"]))
YAML = """\
# a comment
version: '2.1.0'
id: tickets
label: Tickets
questions:
- {rubric_ref: rubric/outer@1.0, input: x, bundle: ticket, id: b, tags: [new]}
- {id: a, input: "x", bundle: ticket, rubric_ref: rubric/outer@1.0.0}
"""


@pytest.mark.costly
@every_case(
    ("file", "text"),
    [
        ("data.jsonl", LINES),
        ("data.yaml", YAML),
        ("data.json", json.dumps(ROWS["questions"], indent=4)),
        ("data.csv", "id,input,rubric_ref,bundle\n" + "".join(
            f"{id_},x,rubric/outer@1.0.0,ticket\n" for id_ in "ab"
        )),
        ("data.json", {"bundle": "ticket", "questions": [
            {key: value for key, value in row.items() if key != "bundle"}
            for row in ROWS["questions"]
        ]}),
    ],
    ids=str,
)  # fmt: skip
def test_the_format_makes_no_difference_to_the_meaning(
    place: Path, file: str, text: object
) -> None:
    before = block(place, "data.json", "--soft")
    write(place, {file: text})
    after = block(place, file, "--soft")
    assert after["dataset"]["sha256"] != before["dataset"]["sha256"]
    assert after["dataset"]["meaning_sha256"] == before["dataset"]["meaning_sha256"]
    assert after["rubrics"] == before["rubrics"]


def test_parquet_has_the_meaning_of_its_rows(place: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS["questions"]), place / "data.parquet")
    found = block(place, "data.parquet", "--soft")["dataset"]
    assert found["sha256"] == digest(place, "data.parquet")
    assert (
        found["meaning_sha256"] == block(place, "data.json", "--soft")["dataset"]["meaning_sha256"]
    )


@pytest.mark.costly
@every_case(
    ("name", "value", "section"),
    [
        ("rubrics/outer.json", json.dumps(FILES["rubrics/outer.json"], indent=3), "rubrics"),
        ("rubrics/outer.json", {**FILES["rubrics/outer.json"], "label": "Outer"}, "rubrics"),
        ("judges/nice.json", {**FILES["judges/nice.json"], "description": "Nice"}, "judges"),
        ("schemas/answer.json", '{ "type":\n"object" }', "files"),
        ("bundles/ticket.schema.json", '{ "type":\n"object" }', "bundles"),
    ],
    ids=str,
)
def test_the_layout_makes_no_difference_to_the_meaning(
    place: Path, name: str, value: object, section: str
) -> None:
    before = block(place, "data.json", "--soft")[section]
    write(place, {name: value})
    after = block(place, "data.json", "--soft")[section]
    assert [each.pop("sha256") for each in after] != [each.pop("sha256") for each in before]
    assert after == before


@every_case(
    ("files", "code", "told"),
    [
        ({"data.json": "{"}, "source/syntax", "the dataset cannot be read"),
        ({"data.json": {"questions": []}}, "", "the dataset has no rows"),
        (
            {"data.json": {"questions": [{**ROW, "rubric_ref": "rubric/gone@1.0.0"}]}},
            "reference/dangling",
            "nothing is called `rubric/gone@1.0.0`",
        ),
        (
            {"rubrics/inner.json": rubric("inner", {**JUDGED, "judge_prompt_ref": "judge/nobody"})},
            "reference/dangling",
            "nothing is called `judge/nobody`",
        ),
        (
            {"data.json": {"questions": [ROW, {"id": "b", "rubric_ref": "rubric/gone"}]}},
            "reference/dangling",
            "a reference leads nowhere",
        ),
        (
            {"schemas/answer.json": "{"},
            "",
            "a file that checks read cannot be read: schemas/answer.json",
        ),
        (
            {
                "data.json": {"questions": [{**ROW, "rubric_ref": "rubric/gone@1.0.0"}]},
                "evalcontract.toml": '[per_file_ignores]\n"data.json" = ["reference/dangling"]\n',
            },
            "",
            "nothing is called `rubric/gone@1.0.0`",
        ),
    ],
    ids=str,
)
def test_nothing_is_written_of_what_is_not_all_there(
    place: Path, files: dict[str, object], code: str, told: str
) -> None:
    write(place, {**FILES, **files})
    call = manifest(place, "data.json", "--soft", "--output", "manifest.json")
    assert call.code == 1
    assert code in call.err
    assert f"nothing was written: {told}" in " ".join(call.err.split())
    assert call.out == ""
    assert not (place / "manifest.json").exists()


def test_strict_mode_takes_no_unpinned_reference(place: Path) -> None:
    call = manifest(place, "data.json", "--strict")
    assert (call.code, call.out) == (1, "")
    assert "reference/unpinned" in call.err


def test_a_dataset_without_rubrics_reaches_nothing(place: Path) -> None:
    write(
        place, {"data.json": {"questions": [{"id": "a", "input": "x", "must_contain_any": ["y"]}]}}
    )
    found = block(place, "data.json")
    assert all(found[each] == [] for each in ("rubrics", "judges", "bundles", "files", "unpinned"))
    assert found["dataset"]["id"] is None


def test_the_dataset_of_another_system(place: Path) -> None:
    record = {"inputs": {"question": "When?"}, "expectations": {"expected_facts": ["today"]}}
    write(place, {"records.jsonl": f"{json.dumps(record)}\n"})
    found = block(place, "records.jsonl", "--dialect", "mlflow:oss", "--soft")
    assert found["harness"] == {"name": "mlflow", "version": None}
    assert (found["dataset"]["dialect"], found["dataset"]["rows"]) == ("mlflow:oss", 1)
    assert found["dataset"]["meaning_sha256"] is None
    assert found["dataset"]["sha256"] == digest(place, "records.jsonl")


def test_standard_input_has_digests_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (place / "data.json").read_bytes()
    stream = io.TextIOWrapper(io.BytesIO(data))
    monkeypatch.setattr(sys, "stdin", stream)
    found = block(place, "-", "--stdin-filename", "data.json", "--soft")["dataset"]
    assert (found["file"], found["sha256"]) == ("data.json", hashlib.sha256(data).hexdigest())


def test_a_file_is_written_once_and_replaced_on_demand(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = ("data.json", "--soft", "--output", "manifest.json")
    call = manifest(place, *to)
    assert call.out.startswith("wrote manifest.json: 2 rows, 2 rubrics, 1 judge, 2 schemas\n")
    assert "1 reference has no version" in call.out
    first = (place / "manifest.json").read_bytes()
    again = manifest(place, *to)
    assert again.code == 2
    assert "already exists; pass --force" in again.err
    own = manifest(place, *to[:-1], "data.json", "--force")
    assert own.code == 2
    assert "is the dataset" in own.err

    def interrupted(_: StagedFiles) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(StagedFiles, "put", interrupted)
        assert manifest(place, *to, "--force").code == 130
    assert (place / "manifest.json").read_bytes() == first
    assert {path.name for path in place.iterdir()} >= {"manifest.json", "data.json"}
    assert not [path for path in place.iterdir() if path.name.startswith(".evalcontract")]
    assert manifest(place, *to, "--force").code == 0


def test_hostile_names_are_no_commands(place: Path) -> None:
    name = "##[error] \u202e\x1b[31m.json"
    write(place, {name: ROWS})
    call = manifest(place, name, "--soft")
    assert json.loads(call.out)["dataset"]["file"] == name
    assert not {"\x1b", "\u202e"} & {*call.out, *call.err}
    assert "##[error]" not in call.out


@pytest.mark.costly
def test_results_have_the_same_block(place: Path) -> None:
    write(place, {"out.jsonl": '{"id": "a", "output": "{}"}\n{"id": "b", "output": "{}"}\n'})
    for data, text in (("data.json", ROWS), ("data.jsonl", LINES)):
        write(place, {data: text})
        expected = block(place, data, "--soft")
        for jobs in ("1", "2"):
            call = printed_by(
                "grade", data, "--outputs", "out.jsonl", "--soft", "--output-format", "json",
                "--jobs", jobs, cwd=place,
            )  # fmt: skip
            run = json.loads(call.out)
            given = run["provenance"]
            assert given.pop("created") == run["manifest"]["started"]
            assert given == {key: value for key, value in expected.items() if key != "created"}


def test_of_a_model_only_names_are_shown(place: Path) -> None:
    """Other keys are read by nobody, and may be secret."""
    judge = {"id": "nice", "version": "1.0.0", "template": "{{ output }}"}
    model = "{name: m, provider: [p], t: .nan, api_key: sk-1}"
    write(place, {"judges/nice.yaml": f"{{{json.dumps(judge)[1:-1]}, model: {model}}}\n"})
    (place / "judges/nice.json").unlink()
    (found,) = block(place, "data.json", "--soft")["judges"]
    assert found["model"] == {"name": "m"}


def test_rows_that_are_not_valid_are_counted(place: Path) -> None:
    """What they name is not reached, since nothing grades them."""
    invalid = {"id": "c", "rubric_ref": "rubric/other@1.0.0"}
    write(place, {"data.json": {"questions": [ROW, invalid]}})
    call = manifest(place, "data.json", "--soft")
    assert "note: 1 row is not valid, and is not graded" in call.err
    found = json.loads(call.out)
    assert found["dataset"]["rows"] == 2
    assert "rubric/other@1.0.0" not in {each["name"] for each in found["rubrics"]}
