"""What changed between two folders: which artifacts are the same, what needs which version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import printed_by
from tables import every_case
from writing import write

from evalcontract.structure import exact
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Files = Mapping[str, object]

SCHEMA = exact.validator_for(load("diff"))
BREAKING, ADDITIVE, WORDING = "score-breaking", "additive", "wording only"


def rubric(id_: str = "tone", version: str = "1.0.0", **keys: Any) -> dict[str, Any]:
    checks = [{"id": "thanks", "kind": "must_contain_any", "values": ["thanks"]}]
    scoring = {"combine": "weighted_avg", "threshold": 0.7}
    return {"id": id_, "version": version, "checks": checks, "scoring": scoring, **keys}


def scored(threshold: float, **keys: Any) -> dict[str, Any]:
    return rubric(scoring={"combine": "weighted_avg", "threshold": threshold}, **keys)


def asking(*references: str, **keys: Any) -> dict[str, Any]:
    """Return a rubric of one check for each reference, to a judge or to a rubric."""
    checks = [
        {"id": f"c{number}", "kind": "llm_judge", "judge_prompt_ref": each}
        if each.startswith("judge/")
        else {"id": f"c{number}", "kind": "composite", "rubric_ref": each}
        for number, each in enumerate(references)
    ]
    return rubric(**{"id_": "asking", "checks": checks, **keys})


def judge(template: str = "Is it polite?\n{{ output }}", **keys: Any) -> dict[str, Any]:
    return {"id": "polite", "version": "1.0.0", "template": template, **keys}


def row(id_: str = "a", **keys: Any) -> dict[str, Any]:
    return {"id": id_, "input": f"How is {id_}?", "rubric_ref": "rubric/tone@1.0.0", **keys}


def dataset(*rows: Any, **keys: Any) -> dict[str, Any]:
    return {"questions": [*rows], **keys}


def diff(folder: Path, old: Files, new: Files, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Compare two folders; return the exit code, the document, and what else was printed."""
    for name, files in (("old", old), ("new", new)):
        (folder / name / "rubrics").mkdir(parents=True)
        write(folder / name, files)
    code, out, err = printed_by(
        "diff", "old", "new", "--output-format", "json", *arguments, cwd=folder
    )
    found = json.loads(out) if out else {}
    assert [*SCHEMA.iter_errors(found)] == [] or not out
    return code, found, err


def facts(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return of each artifact its name, what became of it, its class, and the version it needs."""
    return [
        (each["name"].removeprefix("new/"), each["act"], each["class"], each["version"]["needed"])
        for each in found["artifacts"]
    ]


TONE = "rubrics/tone.yaml"


@pytest.mark.costly
@every_case(
    "old, new, code, expected",
    [
        ({TONE: rubric()}, {TONE: rubric()}, 0, []),
        (
            {TONE: rubric()},
            {TONE: scored(0.8)},
            1,
            [("rubric/tone", "changed", BREAKING, "2.0.0")],
        ),
        ({TONE: rubric()}, {TONE: scored(0.8, version="1.1.0")}, 1,
         [("rubric/tone", "changed", BREAKING, "2.0.0")]),
        ({TONE: rubric()}, {TONE: scored(0.8, version="2.0.0")}, 0,
         [("rubric/tone", "changed", BREAKING, None)]),
        ({TONE: rubric()}, {TONE: rubric(label="Tone")}, 0,
         [("rubric/tone", "changed", WORDING, None)]),
        ({TONE: rubric()}, {TONE: rubric(applicable_bundles=["rag"])}, 1,
         [("rubric/tone", "changed", ADDITIVE, "1.1.0")]),
        # before 1.0.0, a minor version is enough
        ({TONE: rubric(version="0.1.0")}, {TONE: scored(0.8, version="0.2.0")}, 0,
         [("rubric/tone", "changed", BREAKING, None)]),
        ({TONE: rubric(version="0.1.0")}, {TONE: scored(0.8, version="0.1.1")}, 1,
         [("rubric/tone", "changed", BREAKING, "0.2.0")]),
        # a version that went down
        ({TONE: rubric(version="2.0.0")}, {TONE: rubric(version="1.9.0")}, 1,
         [("rubric/tone", "changed", None, "2.0.0")]),
        ({TONE: rubric(version="2.0.0")}, {"rubrics/other.yaml": rubric(version="1.9.0")}, 1,
         [("rubric/tone", "changed", None, "2.0.0")]),
        # the new version beside the old one
        ({TONE: rubric()}, {TONE: rubric(), "rubrics/tone@2.yaml": scored(0.8, version="2.0.0")}, 0,
         [("rubric/tone", "changed", BREAKING, None)]),
        ({TONE: rubric()}, {TONE: rubric(), "rubrics/tone@1.1.yaml": scored(0.8, version="1.1.0")},
         1, [("rubric/tone", "changed", BREAKING, "2.0.0")]),
        # of several, with the nearest lower one; a version that is there is not advised
        ({TONE: rubric(), "rubrics/b.yaml": scored(0.5, version="2.0.0")},
         {TONE: rubric(), "rubrics/b.yaml": scored(0.5, version="2.0.0"),
          "rubrics/c.yaml": scored(0.9, version="1.1.0")},
         1, [("rubric/tone", "changed", BREAKING, "3.0.0")]),
        # a new name of the file, of the id, and of both
        ({TONE: rubric()}, {"rubrics/b/tone.yaml": rubric()}, 0,
         [("rubric/tone", "changed", None, None)]),
        ({TONE: rubric()}, {TONE: rubric("manners")}, 0,
         [("rubric/manners", "renamed", None, None)]),
        ({TONE: rubric()}, {"rubrics/manners.yaml": rubric("manners")}, 0,
         [("rubric/manners", "renamed", None, None)]),
        ({TONE: rubric()}, {"rubrics/manners.yaml": rubric("manners", checks=[])}, 0,
         [("rubric/manners", "added", None, None), ("rubric/tone", "removed", None, None)]),
        ({}, {TONE: rubric()}, 0, [("rubric/tone", "added", None, None)]),
        # without a version, nothing says that it changed
        ({TONE: rubric()}, {TONE: scored(0.8, version="one")}, 1,
         [("rubric/tone", "changed", BREAKING, None)]),
        ({TONE: rubric(version="one")}, {TONE: rubric(version="one", label="T")}, 0,
         [("rubric/tone", "changed", WORDING, None)]),
        # whatever the layout and the format
        ({TONE: rubric()}, {TONE: json.dumps(rubric(), indent=1).replace("\n", "\r\n")}, 0, []),
        ({TONE: rubric()}, {"rubrics/tone.json": rubric()}, 0,
         [("rubric/tone", "changed", None, None)]),
    ],
)  # fmt: skip
def test_versions_say_what_changed(
    tmp_path: Path, old: Files, new: Files, code: int, expected: list[Any]
) -> None:
    # A dataset beside them: a workspace may be without rubrics.
    shared: Files = {"datasets/d.yaml": dataset(row(rubric_ref="rubric/other@1.0.0"))}
    status, found, _ = diff(tmp_path, {**shared, **old}, {**shared, **new})
    assert (status, sorted(facts(found))) == (code, sorted(expected))


def test_a_change_has_its_field_its_values_and_its_line(tmp_path: Path) -> None:
    text = "id: tone\nversion: 1.0.0\nchecks:\n- {kind: regex, pattern: 'a'}\n"
    changed = text.replace("'a'", "'b'") + "label: Tone\n"
    _, found, _ = diff(tmp_path, {TONE: text}, {TONE: changed})
    (artifact,) = found["artifacts"]
    assert artifact["file"] == "new/rubrics/tone.yaml"
    assert artifact["changes"] == [
        {"field": "checks.regex.pattern", "act": "changed", "class": BREAKING, "line": 4,
         "old": "a", "new": "b"},
        {"field": "label", "act": "added", "class": WORDING, "line": 5, "new": "Tone"},
    ]  # fmt: skip


@every_case(
    "old, new, expected",
    [
        (dataset(row("a")), dataset(row("a"), row("b")), [("b", "added", ADDITIVE, [])]),
        (dataset(row("a"), row("b")), dataset(row("b")), [("a", "removed", BREAKING, [])]),
        (dataset(row("a")), dataset(row("b", input="How is a?")), [("b", "renamed", ADDITIVE, [])]),
        (
            dataset(row("a")),
            dataset(row("a", criteria="x", tags=["y"])),
            [("a", "changed", BREAKING, ["criteria", "tags"])],
        ),
        (dataset(row("a"), row("b")), dataset(row("b"), row("a")), []),
        (dataset(row("a.b", bundle="x")), dataset(row("a.b"), bundle="x"), []),
        (dataset(row("a"), row("a")), dataset(row("a")), [("a", "removed", BREAKING, [])]),
        (dataset("a"), dataset("b"), [
            ("row 1", "changed", BREAKING, ["value"]),
        ]),
    ],
)  # fmt: skip
def test_rows_of_a_dataset(tmp_path: Path, old: Any, new: Any, expected: list[Any]) -> None:
    status, found, _ = diff(tmp_path, {"datasets/d.yaml": old}, {"datasets/d.yaml": new})
    rows = [each for artifact in found["artifacts"] for each in artifact["changed_rows"]]
    assert status == 0
    assert [
        (each["row"], each["act"], each["class"], [change["field"] for change in each["changes"]])
        for each in rows
    ] == expected


def test_the_bundle_of_all_rows_is_one_change(tmp_path: Path) -> None:
    old, new = (dataset(row("a"), row("b"), bundle=name) for name in "xy")
    _, found, _ = diff(tmp_path, {"datasets/d.yaml": old}, {"datasets/d.yaml": new})
    (artifact,) = found["artifacts"]
    assert [(each["field"], each["class"]) for each in artifact["changes"]] == [
        ("bundle", BREAKING)
    ]
    assert artifact["changed_rows"] == []


def test_a_dataset_with_a_version_has_to_say_so(tmp_path: Path) -> None:
    old, new = dataset(row(), version="1.0.0"), dataset(row(), row("b"), version="1.0.0")
    status, found, _ = diff(tmp_path, {"datasets/d.yaml": old}, {"datasets/d.yaml": new})
    assert (status, facts(found)) == (1, [("datasets/d.yaml", "changed", ADDITIVE, "1.1.0")])


def test_a_dataset_in_another_place_is_the_same_one(tmp_path: Path) -> None:
    old = {"datasets/a.yaml": dataset(row()), "datasets/b.jsonl": json.dumps(row("x")) + "\n"}
    new = {"datasets/c.yaml": dataset(row()), "datasets/d.jsonl": json.dumps(row("x")) + "\n"}
    status, found, _ = diff(tmp_path, old, new)
    assert status == 0
    assert [(each["file"], each["old_file"], each["class"]) for each in found["artifacts"]] == [
        ("new/datasets/c.yaml", "old/datasets/a.yaml", None),
        ("new/datasets/d.jsonl", "old/datasets/b.jsonl", None),
    ]


def lines(*rows: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in rows)


def test_rows_of_a_stream_have_their_lines(tmp_path: Path) -> None:
    many = [row(f"r{number}") for number in range(300)]
    changed = [*many[:200], {**many[200], "criteria": "x"}, *many[201:], row("new")]
    files = {"datasets/d.jsonl": lines(*many)}, {"datasets/d.jsonl": lines(*changed)}
    _, found, _ = diff(tmp_path, *files)
    (artifact,) = found["artifacts"]
    assert artifact["rows"] == {
        "old": 300, "new": 301, "added": 1, "removed": 0, "changed": 1, "renamed": 0,
        "uncompared_old": 0, "uncompared_new": 0,
    }  # fmt: skip
    assert [(each["row"], each["line"]) for each in artifact["changed_rows"]] == [
        ("r200", 201),
        ("new", 301),
    ]


def test_more_rows_than_are_compared_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalcontract.comparing.rows.MOST_ROWS", 2)
    old, new = ([row(f"r{n}", input=text) for n in range(5)] for text in ("x", "y"))
    files = {"datasets/d.jsonl": lines(*old)}, {"datasets/d.jsonl": lines(*new)}
    _, found, _ = diff(tmp_path, *files)
    rows = found["artifacts"][0]["rows"]
    assert (rows["changed"], rows["uncompared_old"], rows["uncompared_new"]) == (2, 3, 3)


REACHING: Files = {
    "judges/polite.yaml": judge(),
    "rubrics/asking.yaml": asking("judge/polite@1.0.0"),
    "rubrics/above.yaml": asking("rubric/asking@1.0.0", id_="above"),
    "rubrics/jury.yaml": rubric(
        "jury",
        checks=[
            {
                "id": "j",
                "kind": "llm_judge",
                "jury": {"judges": [{"judge_prompt_ref": "judge/polite@1.0.0"}] * 2},
            }
        ],
    ),
    "rubrics/tone.yaml": rubric(),
    "datasets/d.yaml": dataset(
        row("a", rubric_ref="rubric/above@1.0.0"),
        row("b", rubric_ref="rubric/jury@1.0.0"),
        row("c"),
    ),
}


def test_what_hangs_on_a_judge(tmp_path: Path) -> None:
    validated = {"tpr": 0.9, "tnr": 0.9, "validated_at": "2026-01-01"}
    old = {**REACHING, "judges/polite.yaml": judge(validation=validated)}
    new = {**REACHING, "judges/polite.yaml": judge("Really?\n{{ output }}", validation=validated)}
    _, found, _ = diff(tmp_path, old, new)
    assert [(each["rows"], each["total"], each["through"]) for each in found["affected"]] == [
        (1, 3, ["rubric/above@1.0.0", "rubric/asking@1.0.0", "judge/polite@1.0.0"]),
        (1, 3, ["rubric/jury@1.0.0", "judge/polite@1.0.0"]),
    ]
    assert [(each["name"], each["fields"]) for each in found["stale_validations"]] == [
        ("judge/polite@1.0.0", ["template"])
    ]


@every_case(
    "changed",
    [
        judge(label="Polite"),
        judge("Really?\n{{ output }}", validation={"tpr": 0.5}),
        judge("Really?\n{{ output }}"),
    ],
)
def test_a_validation_holds_if_nothing_changed_or_it_is_new(tmp_path: Path, changed: Any) -> None:
    old = judge(validation={"tpr": 0.9}) if "validation" in changed else judge()
    one, two = ({"judges/polite.yaml": each} for each in (old, changed))
    assert diff(tmp_path, one, two)[1]["stale_validations"] == []


def test_a_validation_of_the_version_before_does_not_hold(tmp_path: Path) -> None:
    old = judge(validation={"tpr": 0.9})
    new = judge(
        "Really?\n{{ output }}",
        version="2.0.0",
        validation={"tpr": 0.9, "judge_version": "1.0.0"},  # as `bump` writes it
    )
    _, found, _ = diff(tmp_path, {"judges/j.yaml": old}, {"judges/j.yaml": new})
    assert [each["name"] for each in found["stale_validations"]] == ["judge/polite@2.0.0"]


def test_a_new_version_that_means_the_same_moves_no_score(tmp_path: Path) -> None:
    new = {
        **REACHING,
        "judges/polite.yaml": judge(version="1.0.1", label="Polite"),
        "rubrics/asking.yaml": asking("judge/polite@1.0.1"),
        "rubrics/jury.yaml": rubric("jury"),
    }
    affected = diff(tmp_path, REACHING, new)[1]["affected"]
    assert [each["reference"] for each in affected] == ["rubric/jury@1.0.0"]


@every_case(
    "other, rank, needed",
    [
        (judge("Really?\n{{ output }}", version="2.0.0"), BREAKING, "2.0.0"),
        (judge(version="1.0.1"), WORDING, None),
    ],
)
def test_an_unpinned_reference_that_leads_elsewhere_is_a_change(
    tmp_path: Path, other: Any, rank: str, needed: str | None
) -> None:
    rows = [row("a", rubric_ref="rubric/asking"), row("b", rubric_ref="rubric/asking")]
    old = {
        "judges/polite.yaml": judge(),
        "rubrics/asking.yaml": asking("judge/polite"),
        "datasets/d.yaml": dataset(*rows),
    }
    status, found, _ = diff(tmp_path, old, {**old, "judges/polite@2.yaml": other})
    by_name = {each["name"]: each for each in found["artifacts"]}
    (change,) = by_name["rubric/asking"]["changes"]
    name = f"judge/polite@{other['version']}"
    field = "checks.c0.judge_prompt_ref (`judge/polite`)"
    assert (change["field"], change["class"]) == (field, rank)
    assert (change["old"], change["new"]) == ("judge/polite@1.0.0", name)
    assert by_name["rubric/asking"]["version"]["needed"] == needed
    assert status == (needed is not None)
    assert [each["rows"] for each in found["affected"]] == ([2] if needed else [])


def test_an_unpinned_reference_of_rows(tmp_path: Path) -> None:
    old = {TONE: rubric(), "datasets/d.yaml": dataset(row(rubric_ref="rubric/tone"))}
    new = {**old, "rubrics/tone@2.yaml": scored(0.9, version="2.0.0")}
    status, found, _ = diff(tmp_path, old, new)
    by_file = {each["file"]: each for each in found["artifacts"]}
    (change,) = by_file["new/datasets/d.yaml"]["changes"]
    assert (change["class"], change["old"], change["new"]) == (
        BREAKING, "rubric/tone@1.0.0", "rubric/tone@2.0.0",
    )  # fmt: skip
    assert status == 0  # a dataset without a version promises nothing


def test_files_of_checks_and_bundles(tmp_path: Path) -> None:
    checks = [{"id": "shape", "kind": "json_schema", "schema_ref": "shapes/a.json"}]
    old = {
        TONE: rubric(checks=checks, applicable_bundles=["rag"]),
        "shapes/a.json": {"type": "object"},
        "bundles/rag.schema.json": {"type": "object"},
        "bundles/same.schema.json": {"type": "object"},
        "datasets/d.yaml": dataset(row(bundle="rag")),
    }
    new = {
        **old,
        "shapes/a.json": {"type": "array"},
        "bundles/rag.schema.json": {"type": "object", "required": ["context"]},
        "bundles/same.schema.json": '{ "type":  "object" }',
    }
    status, found, _ = diff(tmp_path, old, new)
    assert status == 1  # the rubric grades otherwise under the same version
    assert [(each["kind"], each["file"], each["used_by"]) for each in found["files"]] == [
        ("bundle", "new/bundles/rag.schema.json", ["rubric/tone", "new/datasets/d.yaml"]),
        ("schema", "new/shapes/a.json", ["rubric/tone"]),
    ]
    assert facts(found) == [("rubric/tone", "changed", BREAKING, "2.0.0")]
    assert [each["through"] for each in found["affected"]] == [
        ["rubric/tone@1.0.0", "shapes/a.json"]
    ]


def test_the_configuration_is_told(tmp_path: Path) -> None:
    old = {TONE: rubric(), "evalcontract.toml": "strict = false\n"}
    status, found, _ = diff(tmp_path, old, {**old, "evalcontract.toml": "strict = true\n"})
    assert status == 0
    assert [(each["kind"], each["act"]) for each in found["files"]] == [
        ("configuration", "changed")
    ]


def test_each_artifact_counts_once(tmp_path: Path) -> None:
    old = {TONE: rubric(), "datasets/a.yaml": dataset(row())}
    new = {"rubrics/b.yaml": rubric("b", checks=[]), "datasets/b.yaml": dataset(row("b"), row("c"))}
    summary = diff(tmp_path, old, new)[1]["summary"]
    assert (summary["compared"], summary["added"], summary["removed"]) == (4, 2, 2)


def test_a_dataset_of_another_system_is_counted(tmp_path: Path) -> None:
    rows = {"cases": [{"inputs": "a", "expected_output": "b"}, {"inputs": "c"}]}
    _, found, _ = diff(tmp_path, {TONE: rubric()}, {TONE: rubric(), "datasets/a.yaml": rows})
    assert found["artifacts"][0]["rows"]["new"] == 2


def test_the_id_of_a_dataset_is_told(tmp_path: Path) -> None:
    old, new = ({"datasets/a.yaml": dataset(row(), id=name)} for name in ("one", "two"))
    _, found, _ = diff(tmp_path, old, new)
    assert found["artifacts"][0]["remarks"] == ["its id was `one`, and is `two` now"]


def test_what_a_target_asks_for_is_told(tmp_path: Path) -> None:
    old, new = (
        {
            "datasets/d.yaml": dataset(row()),
            "targets/t.yaml": {"id": "t", "dataset": "datasets/d.yaml", "threshold": threshold},
        }
        for threshold in (0.8, 0.5)
    )
    status, found, _ = diff(tmp_path, old, new)
    (target,) = found["files"]
    assert status == 0
    assert (target["kind"], target["changes"][0]["field"]) == ("target", "threshold")


@pytest.mark.parametrize("side", ["old", "new"])
def test_what_cannot_be_read_is_told_and_the_rest_is_compared(tmp_path: Path, side: str) -> None:
    broken = {"rubrics/broken.yaml": "id: [\n", "datasets/d.yaml": "questions: {\n"}
    whole = {"rubrics/broken.yaml": rubric("broken"), "datasets/d.yaml": dataset(row())}
    old, new = (broken, whole) if side == "old" else (whole, broken)
    status, found, err = diff(tmp_path, {TONE: rubric(), **old}, {TONE: scored(0.1), **new})
    assert status == 1
    assert ("rubric/tone", "changed", BREAKING, "2.0.0") in facts(found)
    assert sorted(each["file"] for each in found["findings"]) == [
        f"{side}/datasets/d.yaml",
        f"{side}/rubrics/broken.yaml",
    ]
    assert f"{side}/rubrics/broken.yaml:2:1" in err
    assert not found["summary"]["is_complete"]


def test_what_nobody_can_read_and_has_not_changed_is_no_change(tmp_path: Path) -> None:
    files = {TONE: rubric(), "rubrics/broken.yaml": "id: [\n", "datasets/d.yaml": "questions: {\n"}
    status, found, _ = diff(tmp_path, files, {**files, TONE: rubric(label="Tone")})
    assert (status, found["findings"]) == (0, [])
    assert facts(found) == [("rubric/tone", "changed", WORDING, None)]


def test_lines_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    one, two = ({"datasets/d.jsonl": text} for text in (lines(row()), lines(row()) + "{\n"))
    status, found, _ = diff(tmp_path, one, two)
    assert status == 1
    assert [(each["file"], each["line"]) for each in found["findings"]] == [
        ("new/datasets/d.jsonl", 2)
    ]


def test_one_version_in_two_files_is_told(tmp_path: Path) -> None:
    new = {TONE: rubric(), "rubrics/twice.yaml": scored(0.1)}
    status, found, _ = diff(tmp_path, {TONE: rubric()}, new)
    assert status == 1  # the second one is another rubric under the same version
    assert [each for each in found["remarks"] if "`rubric/tone@1.0.0` is in 2 files" in each]
