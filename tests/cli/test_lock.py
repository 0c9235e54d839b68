"""`evalcontract lock`, and what every check says where its lock says something else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, Printed, check_workspaces, printed_by, validate
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from writing import write

from evalcontract import DatasetLoader
from evalcontract.cache import Cache
from evalcontract.library.library import Library, read_artifact
from evalcontract.meaning.lock import Lock, lock_artifact, parse_lock, sides_of, write_lock
from evalcontract.meaning.locked import artifact_problems
from evalcontract.model.diagnostic import Sites, Span
from evalcontract.source import Document
from evalcontract.source import writing as source_writing
from evalcontract.source.document import Node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract import Diagnostic

LOCK = "evalcontract.lock"


def tone(version: str = "1.0.0", *, id: str = "tone", **changes: Any) -> dict[str, Any]:  # noqa: A002
    """Return a rubric with some keys replaced."""
    return {
        "id": id,
        "version": version,
        "checks": [
            {"id": "polite", "kind": "must_not_contain", "values": ["stupid", "idiot"]},
            {"id": "kind", "kind": "llm_judge", "judge_prompt_ref": "judge/kind@1.0.0"},
        ],
        "scoring": {"combine": "weighted_avg", "threshold": 0.7},
        **changes,
    }


def scored(version: str, threshold: float, **changes: Any) -> dict[str, Any]:
    """Return the rubric with another threshold."""
    return tone(version, scoring={"combine": "weighted_avg", "threshold": threshold}, **changes)


JUDGE = {
    "id": "kind",
    "version": "1.0.0",
    "template": "Is it kind?\n{{ output }}\n" + "Think of those who read it. " * 20,
}
ROWS = {"questions": [{"id": "a", "input": "b", "rubric_ref": "rubric/tone@1.0.0"}]}
FILES: dict[str, object] = {
    "rubrics/tone.json": tone(),
    "judges/kind.json": JUDGE,
    "datasets/a.json": ROWS,
}


def locked(folder: Path, files: Mapping[str, object] = FILES) -> str:
    """Write a workspace, lock it, and return the lock."""
    write(folder, files)
    printed = printed_by("lock", cwd=folder)
    assert printed.code == 0, printed
    return (folder / LOCK).read_text(encoding="utf-8")


def found(
    folder: Path, *, strict: bool | None = None, kinds: tuple[str, ...] = ("lock/",)
) -> list[Diagnostic]:
    """Return what a check of a workspace finds of its lock."""
    diagnostics = check_workspaces(folder, Options(strict=strict)).diagnostics
    return [each for each in diagnostics if each.code.startswith(kinds)]


def codes(folder: Path) -> list[str]:
    """Return the codes of these findings, each with the name of its file."""
    return [f"{each.code.partition('/')[2]} {Path(each.place.file).name}" for each in found(folder)]


def sites_of(finding: Diagnostic) -> Sites:
    """Return the places of a finding that has several."""
    assert finding.sites is not None
    return finding.sites


# What it writes


def test_a_lock_says_what_a_workspace_means_and_nothing_else(tmp_path: Path) -> None:
    assert [line for line in locked(tmp_path).splitlines() if "sha256" not in line] == [
        "# What the versions of this workspace mean. `evalcontract lock` writes this file: do not edit it.",  # noqa: E501
        "# After a merge with a conflict, run `evalcontract lock`: it reads both sides.",
        "lock: 1",
        'schema: "1.0"',
        "artifacts:",
        "  judge/kind@1.0.0:",
        "    file: judges/kind.json",
        "    fields:",
        "  rubric/tone@1.0.0:",
        "    file: rubrics/tone.json",
        "    fields:",
        '      scoring.combine: "weighted_avg"',
        "      scoring.threshold: 0.7",
        "    checks:",
        "      kind:",
        '        judge_prompt_ref: "judge/kind@1.0.0"',
        '        kind: "llm_judge"',
        "      polite:",
        '        kind: "must_not_contain"',
        '        values: ["idiot", "stupid"]',
        "datasets:",
        "  datasets/a.json:",
        "    reaches:",
        "      - judge/kind@1.0.0",
        "      - rubric/tone@1.0.0",
        "files: {}",
    ]
    assert found(tmp_path) == []


def test_what_changed_is_printed_in_a_line_each(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    first = printed_by("lock", cwd=tmp_path)
    assert first.out.splitlines() == [
        "added judge/kind@1.0.0",
        "added rubric/tone@1.0.0",
        "added datasets/a.json",
        f"wrote {LOCK}: 2 artifacts, 1 dataset",
    ]
    again = printed_by("lock", cwd=tmp_path)
    assert again.out == f"{LOCK} is up to date (2 artifacts, 1 dataset)\n"
    write(tmp_path, {"rubrics/other.json": tone(id="other")})
    assert printed_by("lock", "--check", cwd=tmp_path) == Printed(
        1, f"added rubric/other@1.0.0\n{LOCK} is not up to date: run `evalcontract lock`\n", ""
    )


@every_case(
    "files",
    {
        "yaml": {
            "rubrics/tone.yaml": """\
# in another order, with comments
scoring: {threshold: 0.70, combine: weighted_avg}
version: "1.0"
id: tone
label: Friendly
checks:
- {kind: llm_judge, judge_prompt_ref: judge/kind@1.0, id: kind}
- {id: polite, kind: must_not_contain, values: [idiot, stupid], case_sensitive: false}
"""
        },
        "crlf": {"rubrics/tone.json": json.dumps(tone(), indent=1).replace("\n", "\r\n")},
    }.items(),
    ids=lambda item: item[0],
)
def test_layout_order_and_format_make_no_difference(
    files: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    """A lock of the same meaning is the same, but for the names of files."""
    (name, text), *_ = files[1].items()
    one = locked(tmp_path / "one")
    others = {key: value for key, value in FILES.items() if not key.startswith("rubrics/")}
    assert (
        locked(tmp_path / "two", {**others, name: text}).replace(name, "rubrics/tone.json") == one
    )


def test_line_ends_of_the_lock_make_no_difference(tmp_path: Path) -> None:
    text = locked(tmp_path)
    (tmp_path / LOCK).write_text(text, encoding="utf-8", newline="\r\n")
    assert found(tmp_path) == []
    assert printed_by("lock", "--check", cwd=tmp_path).code == 0


def test_a_rubric_that_is_reached_twice_is_listed_once(tmp_path: Path) -> None:
    both = tone(
        id="both",
        checks=[
            {"id": "one", "kind": "composite", "rubric_ref": "rubric/tone@1.0.0"},
            {"id": "two", "kind": "composite", "rubric_ref": "rubric/tone"},
        ],
    )
    rows = [*ROWS["questions"], {"id": "c", "input": "d", "rubric_ref": "rubric/both@1.0.0"}]
    files = {**FILES, "rubrics/both.json": both, "datasets/a.json": {"questions": rows}}
    text = locked(tmp_path, files)
    reaches = text.partition("    reaches:\n")[2]
    assert reaches.count("rubric/tone@1.0.0") == 1
    assert "    unpinned:\n      rubric/tone: rubric/tone@1.0.0\n" in text


def test_a_workspace_without_datasets_has_a_lock(tmp_path: Path) -> None:
    assert "datasets: {}" in locked(tmp_path, {"judges/kind.json": JUDGE})
    write(tmp_path, {"judges/kind.json": {**JUDGE, "template": "Kind? {{ output }}"}})
    assert codes(tmp_path) == ["changed-meaning kind.json"]


def test_each_workspace_has_its_own_lock(tmp_path: Path) -> None:
    inner = {f"teams/one/{name}": value for name, value in FILES.items()}
    write(tmp_path, {**FILES, **inner})
    assert printed_by("lock", cwd=tmp_path).code == 0
    text = (tmp_path / LOCK).read_text(encoding="utf-8")
    assert (tmp_path / "teams/one" / LOCK).read_text(encoding="utf-8") == text
    write(tmp_path, {"teams/one/rubrics/tone.json": scored("1.0.0", 0.8)})
    (finding,) = found(tmp_path)
    assert finding.place.file.endswith("teams/one/rubrics/tone.json")
    refused = printed_by("lock", cwd=tmp_path)
    assert (refused.code, refused.out) == (1, "")


def test_an_empty_folder_has_nothing_to_lock(tmp_path: Path) -> None:
    assert printed_by("lock", cwd=tmp_path).code == 2
    assert not (tmp_path / LOCK).exists()


# What a check says


def test_a_changed_meaning_is_an_error_at_the_field_in_every_mode(tmp_path: Path) -> None:
    locked(tmp_path)
    write(tmp_path, {"rubrics/tone.json": json.dumps(scored("1.0.0", 0.8), indent=2)})
    for strict in (None, False, True):
        (finding,) = found(tmp_path, strict=strict)
        assert finding.code == "lock/changed-meaning"
        assert finding.is_error
        assert finding.path == ("scoring", "threshold")
        assert finding.place.text == '    "threshold": 0.8'
        assert re.findall("[0-9]+[.][0-9.]+", finding.message) == ["0.7", "0.8", "1.0.0"]
        assert "the version to 2.0.0: `evalcontract bump " in str(finding.help)
        assert "lock --update" in str(finding.help)


@every_case(
    "kind, name",
    [(Kind.RUBRIC, "rubrics/tone.json"), (Kind.DATASET, "datasets/a.json")],
)
def test_files_that_are_named_are_compared_too(kind: Kind, name: str, tmp_path: Path) -> None:
    locked(tmp_path)
    write(tmp_path, {"rubrics/tone.json": scored("1.0.0", 0.8), "judges/new.json": JUDGE})
    outcome = validate(kind, [Input(tmp_path / name)], Options(strict=False))
    assert "lock/changed-meaning" in {finding.code for finding in outcome.diagnostics}


def test_a_loader_compares_with_the_lock(tmp_path: Path) -> None:
    locked(tmp_path)
    assert "lock/invalid" not in {
        each.code for each in DatasetLoader().load(tmp_path / "datasets/a.json").diagnostics
    }
    write(tmp_path, {LOCK: "lock: 1\n", "rubrics/tone.json": tone()})
    loaded = DatasetLoader().load(tmp_path / "datasets/a.json")
    assert "lock/invalid" in {finding.code for finding in loaded.diagnostics}


def test_a_check_with_any_name_is_told_by_it(tmp_path: Path) -> None:
    """What is locked of `a`, twice, and of `a#1` is found again, and nothing is called a rename."""
    names = ("a", "a", "a#1", "a\u0007", "b" * 200, "b" * 200)
    checks = [
        {"id": name, "kind": "must_contain_any", "values": [str(number)]}
        for number, name in enumerate(names)
    ]
    locked(tmp_path, {"rubrics/tone.json": tone(checks=checks)})
    assert found(tmp_path) == []
    changed = tone(checks=checks, scoring={"combine": "min", "threshold": 0.5})
    write(tmp_path, {"rubrics/tone.json": changed})
    paths = [each.path for each in found(tmp_path)]
    assert paths == [("scoring", "combine"), ("scoring", "threshold")]


def test_a_long_text_is_told_by_its_length(tmp_path: Path) -> None:
    locked(tmp_path)
    write(tmp_path, {"judges/kind.json": {**JUDGE, "template": "Kind?\n{{ output }}\n" * 20}})
    (finding,) = found(tmp_path)
    assert finding.path == ("template",)
    assert f"{len(JUDGE['template'])} characters" in finding.message
    assert "380 characters" in finding.message


@pytest.mark.costly
@every_case(
    "new, expected",
    [
        ({"tone.json": scored("2.0.0", 0.8)}, ["missing-entry tone.json"]),
        ({"tone.json": scored("1.1.0", 0.8)}, ["version-too-small tone.json"]),
        ({"tone.json": scored("2.0.0-rc.1", 0.8)}, ["missing-entry tone.json"]),
        ({"tone.json": scored("1.1.0-rc.1", 0.8)}, ["version-too-small tone.json"]),
        ({"tone.json": scored("0.9.0", 0.8)}, ["version-too-small tone.json"]),
        ({"tone.json": tone("0.9.0")}, ["version-too-small tone.json"]),
        ({"tone.json": tone("1.0.1")}, ["missing-entry tone.json"]),
        ({"tone.json": tone("1.0.1", applicable_bundles=["rag"])}, ["version-too-small tone.json"]),
        ({"tone.json": tone("1.1.0", applicable_bundles=["rag"])}, ["missing-entry tone.json"]),
        ({"tone.json": tone(label="Friendly")}, []),
        ({"tone.json": tone(), "new.json": scored("1.5.0", 0.8)}, ["version-too-small new.json"]),
        ({"tone.json": tone(), "new.json": scored("0.9.0", 0.8)}, ["missing-entry new.json"]),
        ({"tone.json": tone(), "new.json": scored("2.0.0", 0.8)}, ["missing-entry new.json"]),
        ({"tone.json": tone(id="voice")}, ["missing-entry tone.json"]),
        ({"renamed.json": tone()}, []),
    ],
)
def test_versions(new: dict[str, Any], expected: list[str], tmp_path: Path) -> None:
    files = {name: value for name, value in FILES.items() if not name.startswith("datasets/")}
    locked(tmp_path, files)
    (tmp_path / "rubrics/tone.json").unlink()
    write(tmp_path / "rubrics", new)
    told = [each for each in codes(tmp_path) if not each.startswith("unused-entry")]
    assert told == expected
    # What may be locked is, and is then compared with that.
    is_refused = any(each.startswith("version") for each in expected)
    assert printed_by("lock", cwd=tmp_path).code == is_refused
    assert bool(codes(tmp_path)) == is_refused


def test_an_earlier_version_stays_locked_beside_a_new_one(tmp_path: Path) -> None:
    files = {**FILES, "rubrics/new.json": scored("2.0.0", 0.8)}
    text = locked(tmp_path, files)
    assert text.index("rubric/tone@1.0.0:") < text.index("rubric/tone@2.0.0:")
    write(tmp_path, {"rubrics/tone.json": scored("1.0.0", 0.75)})
    (finding,) = found(tmp_path)
    assert "the version to 3.0.0: `evalcontract bump " in str(finding.help)  # 2.0.0 is taken


UNPINNED = {"questions": [{"id": "a", "input": "b", "rubric_ref": "rubric/tone"}]}
ANY_JUDGE = [{"id": "kind", "kind": "llm_judge", "judge_prompt_ref": "judge/kind"}]


@pytest.mark.costly
@every_case(
    "files, new, name",
    [
        ({"datasets/a.json": UNPINNED}, {"rubrics/2.json": scored("2.0.0", 0.8)}, "a.json"),
        (
            {"datasets/a.jsonl": json.dumps(UNPINNED["questions"][0])},
            {"rubrics/2.json": scored("2.0.0", 0.8)},
            "a.jsonl",
        ),
        (
            {"rubrics/tone.json": tone(checks=ANY_JUDGE)},
            {"judges/2.json": {**JUDGE, "version": "1.0.1"}},
            "tone.json",
        ),
    ],
)
def test_what_a_reference_without_a_version_means_is_locked(
    files: dict[str, Any], new: dict[str, Any], name: str, tmp_path: Path
) -> None:
    locked(tmp_path, {**FILES, **files})
    assert codes(tmp_path) == []
    write(tmp_path, new)
    assert f"resolves-elsewhere {name}" in codes(tmp_path)
    printed = printed_by("lock", cwd=tmp_path)
    assert printed.code == 0
    assert codes(tmp_path) == []


def test_a_reference_that_is_not_locked(tmp_path: Path) -> None:
    locked(tmp_path)
    write(tmp_path, {"datasets/a.json": UNPINNED, "datasets/b.json": ROWS})
    assert codes(tmp_path) == ["missing-entry a.json", "missing-entry b.json"]
    assert found(tmp_path)[0].path == ("questions", 0, "rubric_ref")


def test_no_new_version_is_advised_for_a_wrong_key(tmp_path: Path) -> None:
    """What it does is unknown, so that it is an error in soft mode, too; but a key is no reason."""
    locked(tmp_path)
    scoring = {"combine": "weighted_avg", "threshold": 0.7, "wieghts": {"kind": 2}}
    write(tmp_path, {"rubrics/tone.json": tone(scoring=scoring)})
    changed, key = sorted(found(tmp_path, kinds=("lock/", "rubric/")), key=lambda each: each.code)
    assert (changed.code, key.code) == ("lock/changed-meaning", "rubric/unknown-key")
    assert (changed.path, changed.fix) == (key.path, None)
    assert str(changed.help).startswith("correct the key first; if it is to stay, set the version")


@pytest.mark.costly
def test_one_cause_is_one_finding_with_the_files_that_have_it(tmp_path: Path) -> None:
    def rows(reference: str) -> dict[str, object]:
        row = {"id": "a", "input": "b", "rubric_ref": reference}
        rows = {"questions": [row, {**row, "id": "b"}]}
        return {f"datasets/{number}.json": rows for number in range(20)}

    locked(tmp_path, {**FILES, **rows("rubric/tone")})
    write(tmp_path, {"rubrics/new.json": tone(id="new"), **rows("rubric/new@1.0.0")})
    added = found(tmp_path)
    assert codes(tmp_path) == ["missing-entry new.json"]
    assert sites_of(added[0]).message == "20 datasets refer to it"
    assert printed_by("lock", "--update", "rubrics/new.json", cwd=tmp_path).code == 0
    (lacking,) = found(tmp_path)
    assert lacking.code == "lock/missing-entry"
    assert sites_of(lacking).total == 20
    write(tmp_path, rows("rubric/tone"))
    assert found(tmp_path) == []
    write(tmp_path, {"rubrics/tone@2.json": scored("2.0.0", 0.9)})
    new, elsewhere = found(tmp_path)
    assert (new.code, elsewhere.code) == ("lock/missing-entry", "lock/resolves-elsewhere")
    assert sites_of(elsewhere).message == "20 datasets refer to it"


@pytest.mark.costly
def test_the_first_row_is_named_in_every_format(tmp_path: Path) -> None:
    row = {"id": "a", "input": "b", "rubric_ref": "rubric/tone@1.0.0"}
    rows = [{**row, "id": f"r{number}"} for number in range(3000)]

    def files() -> dict[str, str]:
        lines = "".join(f"{json.dumps(each)}\n" for each in rows)
        return {"datasets/a.json": json.dumps({"questions": rows}), "datasets/b.jsonl": lines}

    locked(tmp_path, {**FILES, "rubrics/new.json": tone(id="new"), **files()})
    rows[2500]["rubric_ref"] = "rubric/new@1.0.0"
    write(tmp_path, files())
    expected = [("questions", 2500, "rubric_ref"), (2500, "rubric_ref")]
    (finding,) = found(tmp_path)
    assert [site.path for site in sites_of(finding).first] == expected


@every_case(
    "kind, name, text",
    [
        (Kind.DATASET, "datasets/table.csv", "id,input,rubric_ref\na,b,rubric/tone@1.0.0\n"),
        (Kind.DATASET, "other/rows.json", json.dumps(ROWS)),
        (Kind.RUBRIC, "drafts/other.json", json.dumps(tone("3.0.0"))),
    ],
)
def test_what_lock_does_not_look_at_is_not_missed(
    kind: Kind, name: str, text: str, tmp_path: Path
) -> None:
    config = 'datasets = ["datasets/*.json"]\n'
    locked(tmp_path, {**FILES, "evalcontract.toml": config, name: text})
    outcome = validate(kind, [Input(tmp_path / name)], Options())
    assert [each for each in outcome.diagnostics if each.code.startswith("lock/")] == []


@pytest.mark.costly
def test_a_dataset_with_a_version_is_compared_by_its_rows(tmp_path: Path) -> None:
    locked(tmp_path, {**FILES, "datasets/a.json": {"version": "1.0.0", **ROWS}})
    other = {"questions": [{**ROWS["questions"][0], "input": "c"}]}
    expected = {
        "1.0.0": ["changed-meaning a.json"],
        "2.0.0": ["missing-entry a.json"],
        "0.9.0": ["version-too-small a.json"],
    }
    for version, told in expected.items():
        write(tmp_path, {"datasets/a.json": {"version": version, **other}})
        assert codes(tmp_path) == told
        assert printed_by("lock", cwd=tmp_path).code == (version != "2.0.0")
        write(tmp_path, {"datasets/a.json": {"version": "1.0.0", **ROWS}})
        assert printed_by("lock", "--update", "datasets/a.json", cwd=tmp_path).code == 0


SHAPES: dict[str, dict[str, Any]] = {
    "bundles/rag.schema.json": {"required": ["context"]},
    "shapes/answer.json": {"type": "object", "required": ["answer"]},
    "rubrics/shape.json": tone(
        id="shape", checks=[{"id": "s", "kind": "json_schema", "schema_ref": "shapes/answer.json"}]
    ),
}


@pytest.mark.costly
@every_case("name", ["bundles/rag.schema.json", "shapes/answer.json"])
def test_bundles_and_schemas_are_locked_by_what_they_say(name: str, tmp_path: Path) -> None:
    text = locked(tmp_path, {**FILES, **SHAPES})
    write(tmp_path, {name: json.dumps(SHAPES[name], indent=3)})
    assert codes(tmp_path) == []
    write(tmp_path, {name: {**SHAPES[name], "maxProperties": 5}})
    assert codes(tmp_path) == [f"changed-file {Path(name).name}"]
    without = re.sub(f"  {re.escape(name)}: .*\n", "", text)
    write(tmp_path, {name: SHAPES[name], LOCK: without})
    assert codes(tmp_path) == [f"missing-entry {Path(name).name}"]


def test_what_is_gone_is_a_note(tmp_path: Path) -> None:
    locked(tmp_path, {**FILES, **SHAPES, "rubrics/old.json": tone(id="old")})
    for name in ("rubrics/old.json", "datasets/a.json", "bundles/rag.schema.json"):
        (tmp_path / name).unlink()
    findings = found(tmp_path)
    assert [(each.code, each.is_error) for each in findings] == [("lock/unused-entry", False)] * 3
    printed = printed_by("lock", cwd=tmp_path)
    assert printed.out.splitlines()[:3] == [
        "removed rubric/old@1.0.0",
        "removed datasets/a.json",
        "removed bundles/rag.schema.json",
    ]


@pytest.mark.costly
def test_results_of_an_earlier_check_are_not_those_of_another_lock(
    tmp_path: Path, own_cache: Path
) -> None:
    text = locked(tmp_path)
    options = Options(cache=Cache(own_cache))
    texts = (text, re.sub('sha256: "...', 'sha256: "000', text), text.replace("tone@1", "tone@2"))
    for number, (lock, title) in enumerate(product((*texts, text), ("a", "b"))):
        write(tmp_path, {LOCK: lock, "rubrics/tone.json": tone(label=f"{title}{number}")})
        once = check_workspaces(tmp_path, options)
        assert once == check_workspaces(tmp_path, options) == check_workspaces(tmp_path, Options())
        expected = 2 if lock in texts[1:] else 0
        assert len([each for each in once.diagnostics if each.code.startswith("lock/")]) == expected


# What is not locked


@pytest.mark.costly
@every_case(
    "name, value",
    [
        ("datasets/a.json", {"questions": [{**ROWS["questions"][0], "rubric_ref": "rubric/x"}]}),
        ("rubrics/tone.json", tone(checks=[{**ANY_JUDGE[0], "judge_prompt_ref": "judge/x@1.0.0"}])),
        ("rubrics/other.json", "{"),
        ("rubrics/other.json", {**tone(), "version": "first"}),
        ("rubrics/other.json", tone(label="twice")),
        ("datasets/b.json", "{"),
        ("datasets/b.jsonl", '{"id": "a", "input": "b"}\n{\n'),
        ("bundles/rag.schema.json", "{"),
        ("rubrics/tone.json", tone(checks=[{"kind": "json_schema", "schema_ref": "../x.json"}])),
    ],
)
def test_nothing_is_locked_while_it_is_unknown_what_a_file_means(
    name: str, value: object, tmp_path: Path
) -> None:
    write(tmp_path, {**FILES, name: value})
    refused = printed_by("lock", cwd=tmp_path)
    assert refused.code == 1
    assert name in refused.err
    assert not (tmp_path / LOCK).exists()
    assert printed_by("lock", "--check", cwd=tmp_path).code == 1


def test_what_the_configuration_ignores_is_unknown_nevertheless(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            **FILES,
            "evalcontract.toml": '[severity]\n"reference/dangling" = "ignore"\n',
            "datasets/a.json": {"questions": [{"id": "a", "input": "b", "rubric_ref": "rubric/x"}]},
        },
    )
    refused = printed_by("lock", cwd=tmp_path)
    assert (refused.code, "datasets/a.json" in refused.err) == (1, True)


def test_update_takes_over_only_what_the_files_need(tmp_path: Path) -> None:
    old = locked(tmp_path, {**FILES, "rubrics/other.json": scored("1.0.0", 0.7, id="other")})
    write(
        tmp_path,
        {
            "rubrics/tone.json": scored("1.0.0", 0.8),
            "rubrics/other.json": scored("1.0.0", 0.9, id="other"),
            "rubrics/new.json": tone(id="new"),
        },
    )
    assert printed_by("lock", cwd=tmp_path).code == 1
    assert (tmp_path / LOCK).read_text(encoding="utf-8") == old
    refused = printed_by("lock", "--update", "rubrics/tone.json", cwd=tmp_path)
    assert refused.code == 1  # another file that means something else would be said to be fine
    printed = printed_by(
        "lock", "--update", *("rubrics/tone.json", "rubrics/other.json"), cwd=tmp_path
    )
    assert printed.code == 0, printed
    assert len(printed.out.splitlines()) == 3
    assert codes(tmp_path) == ["missing-entry new.json"]


@pytest.mark.costly
def test_update_needs_only_the_files_that_it_takes_over(tmp_path: Path) -> None:
    locked(tmp_path)
    write(tmp_path, {"rubrics/broken.json": "{", "rubrics/tone.json": scored("1.0.0", 0.8)})
    assert printed_by("lock", cwd=tmp_path).code == 1
    assert printed_by("lock", "--update", "rubrics/tone.json", cwd=tmp_path).code == 0
    write(tmp_path, {"judges/kind.json": "{"})
    refused = printed_by("lock", "--update", "datasets/a.json", cwd=tmp_path)
    assert (refused.code, "judge/kind@1.0.0" in refused.err) == (1, True)


@every_case(
    "arguments",
    [
        ("--update",),
        ("--update", "missing.json"),
        ("--update", "notes.json"),
        ("rubrics/tone.json",),
        ("rubrics", "judges"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "notes.json": {}})
    assert printed_by("lock", *arguments, cwd=tmp_path).code == 2


# A lock that cannot be used


def conflicting(one: str, two: str) -> str:
    """Return two locks as git leaves them where both changed the same lines."""
    ours, theirs = one.splitlines(keepends=True), two.splitlines(keepends=True)
    first = next(n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b)
    head, ours, theirs = ours[:first], ours[first:], theirs[first:]
    parts = ["<<<<<<< HEAD\n", *ours, "||||||| base\n", "lost\n", "=======\n", *theirs]
    return "".join([*head, *parts, ">>>>>>> other\n"])


def test_a_conflict_is_resolved_by_both_sides(tmp_path: Path) -> None:
    one = locked(tmp_path / "a", {**FILES, "rubrics/x.json": tone(id="x")})
    two = locked(tmp_path / "b", {**FILES, "rubrics/y.json": scored("1.0.0", 0.8, id="y")})
    merged = {
        **FILES,
        "rubrics/x.json": tone(id="x"),
        "rubrics/y.json": scored("1.0.0", 0.8, id="y"),
    }
    text = conflicting(one, two)
    assert sides_of(text.encode()) == (one.encode(), two.encode())
    write(tmp_path / "c", {**merged, LOCK: text})
    (finding,) = found(tmp_path / "c")
    assert finding.code == "lock/conflict"
    assert finding.place.text == "<<<<<<< HEAD"
    assert printed_by("lock", cwd=tmp_path / "c").code == 0
    assert (tmp_path / "c" / LOCK).read_text(encoding="utf-8") == locked(tmp_path / "d", merged)


def test_a_conflict_hides_no_changed_meaning(tmp_path: Path) -> None:
    one = locked(tmp_path / "a")
    two = locked(tmp_path / "b", {**FILES, "rubrics/tone.json": scored("1.0.0", 0.8)})
    for threshold, code in ((0.7, 0), (0.8, 0), (0.9, 1)):
        files = {"rubrics/tone.json": scored("1.0.0", threshold), LOCK: conflicting(one, two)}
        write(tmp_path / "c", {**FILES, **files})
        assert printed_by("lock", cwd=tmp_path / "c").code == code


HEAD = 'lock: 1\nschema: "1.0"\nartifacts: {}\ndatasets: {}\n'
DEEP = "[" * 200 + "]" * 200
BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))


@pytest.mark.costly
@every_case(
    "text, code",
    [
        ("lock: 2\nnew: true\n", "lock/newer-format"),
        ("", "source/empty"),
        ("\0", "source/binary"),
        ("lock: [\n", "source/syntax"),
        ("[]\n", "lock/invalid"),
        ('{"id": 1}\n{"id": 2}\n', "lock/invalid"),
        ("lock: 1\nlock: 1\n", "source/duplicate-key"),
        (f"{HEAD}files: {{a: {DEEP}}}\n", "source/limit-exceeded"),
        (f"a0: &a0 [x]\n{BOMB}{HEAD}files: {{}}\n", "source/limit-exceeded"),
        (f"{HEAD}files: {{../../etc/passwd: 1}}\n", "lock/invalid"),
        (HEAD.replace("{}", "{rubric/../../x@1.0.0: {}}", 1) + "files: {}\n", "lock/invalid"),
        (HEAD.replace("lock: 1", "lock: one") + "files: {}\n", "lock/invalid"),
        (f"{HEAD}files: {{}}\nmore: 1\n", "lock/invalid"),
    ],
)
def test_a_hostile_lock_is_reported_and_not_replaced(text: str, code: str, tmp_path: Path) -> None:
    write(tmp_path, {**FILES, LOCK: text})
    findings = found(tmp_path, kinds=("lock/", "source/"))
    assert {each.code for each in findings} == {code}
    assert {Path(each.place.file).name for each in findings} == {LOCK}
    refused = printed_by("lock", cwd=tmp_path)
    assert (refused.code, "Traceback" in refused.err) == (1, False)
    assert (tmp_path / LOCK).read_text(encoding="utf-8") == text


def test_names_in_a_lock_are_never_paths(tmp_path: Path) -> None:
    """What is not in the workspace is not there, whatever its name; it is shown, and not opened."""
    (tmp_path / "secret.json").write_text('{"key": "hunter2"}', encoding="utf-8")
    top, digest = tmp_path / "w", '"' + "0" * 64 + '"'
    text = locked(top).replace("files: {}", f"files:\n  ../secret.json: {digest}")
    hostile = f"  ../secret.json: {{}}\n  {json.dumps('a' * 500 + chr(27) + '[2J')}: {{}}\n"
    write(top, {LOCK: text.replace("datasets:\n", f"datasets:\n{hostile}")})
    findings = found(top)
    assert [each.code for each in findings] == ["lock/unused-entry"] * 3
    assert all("hunter2" not in str(each) and "\x1b" not in str(each) for each in findings)
    assert printed_by("lock", cwd=top).code == 0


def test_a_lock_of_any_size_is_refused_at_once(tmp_path: Path) -> None:
    locked(tmp_path)
    with (tmp_path / LOCK).open("r+b") as file:
        file.truncate(1 << 36)
    (finding,) = found(tmp_path, kinds=("lock/", "source/"))
    assert finding.code == "source/limit-exceeded"
    assert f"{1 << 36:,}" in finding.message
    assert printed_by("lock", cwd=tmp_path).code == 1


def test_a_lock_is_no_link_out_of_the_workspace(tmp_path: Path) -> None:
    text = locked(tmp_path / "w")
    (tmp_path / "outside.lock").write_text(text, encoding="utf-8")
    (tmp_path / "w" / LOCK).unlink()
    (tmp_path / "w" / LOCK).symlink_to(tmp_path / "outside.lock")
    (finding,) = found(tmp_path / "w", kinds=("lock/", "source/"))
    assert finding.code == "source/unreadable"
    write(tmp_path, {"w/rubrics/new.json": tone(id="new")})
    assert printed_by("lock", cwd=tmp_path / "w").code == 1
    assert (tmp_path / "outside.lock").read_text(encoding="utf-8") == text


def test_an_interrupted_write_leaves_the_lock_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = locked(tmp_path)
    write(tmp_path, {"rubrics/new.json": tone(id="new")})

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(source_writing, "_put", interrupted)
    assert printed_by("lock", cwd=tmp_path).code == 130
    assert (tmp_path / LOCK).read_text(encoding="utf-8") == text
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "datasets", LOCK, "judges", "rubrics",
    ]  # fmt: skip


@pytest.mark.slow
def test_two_writers_at_once_never_leave_half_a_lock(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, **{f"rubrics/r{n}.json": tone(id=f"r{n}") for n in range(50)}})
    script = "import sys; from evalcontract.cli.start import evalcontract; evalcontract('lock')"
    command = [sys.executable, "-c", script]
    writers = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) for _ in range(4)]
    path, seen = tmp_path / LOCK, set()
    while any(writer.poll() is None for writer in writers):
        seen |= {path.read_bytes()} if path.exists() else set()
    assert [writer.wait() for writer in writers] == [0] * 4
    for writer in writers:
        writer.communicate()
    assert seen <= {path.read_bytes()}
    assert printed_by("lock", "--check", cwd=tmp_path).code == 0


# Whatever a file says

texts = st.text(max_size=200) | st.sampled_from(
    ("null", "1e5", "a#1", "a: b", "\U000e0001", "x" * 2000)
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.costly
@given(
    rubric=st.dictionaries(texts, values, max_size=4),
    checks=st.lists(st.dictionaries(st.just("id") | texts, values, max_size=3), max_size=3),
)
def test_every_lock_that_is_written_is_read_as_it_was(
    rubric: dict[str, Any], checks: list[dict[str, Any]]
) -> None:
    value = {**rubric, "id": "a", "version": "1.0.0", "checks": checks}
    document = Document("rubrics/a.json", value, "", b"", lambda: Node(Span.point()))
    artifact = read_artifact(Kind.RUBRIC, document)
    library = Library([artifact])
    lock = Lock({artifact.name: lock_artifact(artifact, "rubrics/a.json", library)})
    written = write_lock(lock)
    read = parse_lock(written.encode("utf-8"), LOCK)
    assert read.lock is not None, (read.unreadable, read.problems)
    assert write_lock(read.lock) == written
    assert [*artifact_problems(artifact, read.lock, library, "rubrics/a.json")] == []
