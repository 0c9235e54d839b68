"""`grade` names what scores depend on: it compares that first, and goes on only with the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from results import lines_of_version_2, run_of
from tables import every_case
from writing import write

from evalcontract.checks import KINDS, php_lint
from evalcontract.checks._kind import always_runs

if TYPE_CHECKING:
    from pathlib import Path

OUTER: list[dict[str, Any]] = [
    {"id": "inner", "kind": "composite", "rubric_ref": "rubric/inner@1.0.0"},
    {"id": "words", "kind": "must_contain_any", "values": ["a"]},
]
INNER: list[dict[str, Any]] = [
    {"id": "shape", "kind": "json_schema", "schema_ref": "schemas/answer.json"}
]
LINTED: list[dict[str, Any]] = [{"id": "lint", "kind": "php_lint", "on_no_code": "pass"}]
JUDGED: list[dict[str, Any]] = [
    {"id": "judged", "kind": "llm_judge", "judge_prompt_ref": "judge/polite"}
]
ANSWER = {"type": "object"}


def rubric(id_: str, checks: list[dict[str, Any]], version: str = "1.0.0") -> dict[str, Any]:
    return {"id": id_, "version": version, "checks": checks, "scoring": {"combine": "all_pass"}}


def judge(version: str = "1.0.0", **keys: object) -> dict[str, Any]:
    return {"id": "polite", "version": version, "template": "{{ output }}", **keys}


def rows(*refs: str | None, **keys: object) -> dict[str, Any]:
    questions = [
        {"id": f"r{at}", "input": "x", **({"rubric_ref": f"rubric/{ref}"} if ref else {}), **keys}
        for at, ref in enumerate(refs)
    ]
    return {"questions": questions}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a workspace with more than is used."""
    outputs = "".join(f'{{"id": "r{at}", "output": "{{\\"a\\": 1}}"}}\n' for at in range(4))
    write(
        tmp_path,
        {
            "rubrics/outer.json": rubric("outer", OUTER),
            "rubrics/inner.json": rubric("inner", INNER),
            "rubrics/linted.json": rubric("linted", LINTED),
            "rubrics/judged.json": rubric("judged", JUDGED),
            "judges/polite.json": judge(),
            "judges/other.json": {**judge(), "id": "other"},
            "schemas/answer.json": ANSWER,
            "schemas/other.json": ANSWER,
            "bundles/ticket.schema.json": {"type": "object"},
            "bundles/other.schema.json": {"type": "object"},
            "data.json": rows("outer@1.0.0"),
            "outputs.jsonl": outputs,
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grade(*arguments: str) -> int:
    return command_line("grade", "data.json", "--outputs", "outputs.jsonl", *arguments)


def used_in(results: Path) -> dict[str, dict[str, Any]]:
    """Return what the run file of results names."""
    used: dict[str, dict[str, Any]] = run_of(results)["used"]
    return used


@pytest.mark.costly
@every_case(
    ("data", "names"),
    [
        (rows(None), {}),
        (
            rows("outer@1.0.0", "outer@1.0.0"),
            {
                "artifacts": ["rubric/inner@1.0.0", "rubric/outer@1.0.0"],
                "files": ["schemas/answer.json"],
            },
        ),
        (
            rows(None, "linted"),
            {
                "artifacts": ["rubric/linted@1.0.0"],
                "programs": ["php"],
                "references": ["rubric/linted"],
            },
        ),
        (
            rows("judged@1.0.0"),
            {
                "artifacts": ["judge/polite@1.0.0", "rubric/judged@1.0.0"],
                "endpoint": ["host"],
                "models": ["judge/polite@1.0.0"],
            },
        ),
        (rows(None, bundle="ticket"), {"bundles": ["ticket"]}),
        ({**rows(None), "bundle": "ticket"}, {"bundles": ["ticket"]}),
        (rows("none@1.0.0"), {}),
    ],
    ids=str,
)
def test_what_rows_depend_on_is_named(
    place: Path, data: dict[str, Any], names: dict[str, list[str]]
) -> None:
    write(place, {"data.json": data})
    grade("--results", "r.jsonl", "--force")
    assert {
        section: sorted(values) for section, values in used_in(place / "r.jsonl").items()
    } == names


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_is_read_only_to_prepare_a_check_is_named(
    place: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    """So it is for an executor of another package, which nobody asks what it needs."""
    bare = {**KINDS, "json_schema": KINDS["json_schema"]._replace(needs=always_runs)}
    monkeypatch.setattr("evalcontract.checks.plan.kinds_in_use", lambda: bare)
    grade("--results", "r.jsonl", "--jobs", jobs)
    assert used_in(place / "r.jsonl")["files"].keys() == {"schemas/answer.json"}


def test_php_that_is_absent_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place, {"data.json": rows("linted")})
    monkeypatch.setattr("shutil.which", lambda _: None)
    grade("--results", "r.jsonl")
    assert used_in(place / "r.jsonl")["programs"] == {"php": None}


@every_case(
    ("script", "version"),
    [
        ("echo -n 8.3.6", "8.3.6"),
        ("echo -n 8.4.0RC1", "8.4.0RC1"),
        ("echo Warning; echo 8.3.6", "unknown"),
        ("exit 1", "unknown"),
        (None, None),
    ],
)
def test_the_version_of_php(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, version: str | None
) -> None:
    php = tmp_path / "php"
    if script is not None:
        php.write_text(f"#!/bin/sh\n{script}\n")
        php.chmod(0o755)
    else:
        php.unlink(missing_ok=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert php_lint.php_version() == version


#: What is changed after a run, and what a later run says of it; None if it does not matter.
CHANGES: list[tuple[dict[str, object], str | None]] = [
    ({"rubrics/new.json": rubric("new", INNER)}, None),
    ({"judges/polite.json": judge(template="other {{ output }}")}, None),
    ({"schemas/other.json": {"type": "array"}}, None),
    ({"bundles/other.schema.json": {"type": "array"}}, None),
    ({"rubrics/outer@1.1.0.json": rubric("outer", INNER, "1.1.0")}, None),
    (
        {"schemas/answer.json": {"type": "object", "required": ["b"]}},
        "the file `schemas/answer.json` has other content",
    ),
    ({"schemas/answer.json": "{"}, "the file `schemas/answer.json` cannot be read any more"),
    (
        {"rubrics/inner.json": {**rubric("inner", INNER), "label": "l"}},
        "rubric/inner@1.0.0 was only written differently: it means the same",
    ),
    (
        {"rubrics/outer.json": rubric("outer", OUTER[1:])},
        "rubric/outer@1.0.0 has other content under the same version",
    ),
    (
        {"rubrics/outer.json": rubric("outer", OUTER, "1.1.0")},
        "rubric/outer@1.0.0 is not used any more",
    ),
    (
        {"bundles/ticket.schema.json": {"type": "object", "required": ["x"]}},
        "the bundle `ticket` has other content",
    ),
    ({"bundles/none.schema.json": {}}, "the bundle `none` could not be read before"),
]


@pytest.mark.costly
@every_case(("files", "said"), CHANGES, ids=str)
def test_a_run_goes_on_if_what_is_used_is_the_same(
    place: Path, capsys: pytest.CaptureFixture[str], files: dict[str, object], said: str | None
) -> None:
    mixed = rows("outer@1.0.0", None, None)
    for row, bundle in zip(mixed["questions"][1:], ("ticket", "none"), strict=True):
        row["bundle"] = bundle
    originals = {name: (place / name).read_text() for name in files if (place / name).exists()}
    write(place, {"data.json": mixed})
    grade("--results", "r.jsonl", "--force")
    first = (place / "r.jsonl").read_bytes()
    write(place, files)
    capsys.readouterr()
    code = grade("--results", "r.jsonl", "--resume")
    refusal = capsys.readouterr().err
    for name in files:
        (place / name).unlink()
    write(place, originals)
    assert (place / "r.jsonl").read_bytes() == first
    if said is None:
        assert code < 2, refusal
    else:
        assert code == 2
        assert said in refusal


@pytest.mark.slow
@pytest.mark.usefixtures("short_searches")
def test_what_only_errors_used_may_change(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows with an error are graded again, so that nothing that is kept depends on it."""
    bad = {"id": "bad", "kind": "regex", "pattern": "(a*)*b"}
    write(
        place, {"rubrics/bad.json": rubric("bad", [bad]), "data.json": rows("outer@1.0.0", "bad")}
    )
    write(
        place,
        {
            "outputs.jsonl": "".join(
                json.dumps({"id": f"r{at}", "output": "a" * 60_000 if at else '{"a": 1}'}) + "\n"
                for at in range(2)
            )
        },
    )
    grade("--results", "r.jsonl")
    assert '"error"' in (place / "r.jsonl").read_text(encoding="utf-8")
    assert "rubric/bad@1.0.0" in used_in(place / "r.jsonl")["artifacts"]
    good = {"id": "bad", "kind": "regex", "pattern": "a"}
    write(place, {"rubrics/bad.json": rubric("bad", [good])})
    before = used_in(place / "r.jsonl")["artifacts"]
    capsys.readouterr()
    assert grade("--results", "r.jsonl", "--resume") == 0, capsys.readouterr().err
    after = used_in(place / "r.jsonl")["artifacts"]
    assert after.keys() == before.keys()
    assert after["rubric/bad@1.0.0"] != before["rubric/bad@1.0.0"]


def test_a_newer_version_behind_an_unpinned_reference_is_another(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"data.json": rows("judged")})
    grade("--results", "r.jsonl")
    for name in ("r.jsonl", "r.run.json"):
        (place / name).rename(place / name.replace("r", "old", 1))
    write(place, {"judges/polite@1.1.0.json": judge("1.1.0")})
    capsys.readouterr()
    grade("--compare", "old.jsonl")
    told = capsys.readouterr().out.partition("compared with")[2]
    assert "judge/polite@1.1.0 is used, before judge/polite@1.0.0" in " ".join(told.split())


def test_a_run_does_not_go_on_with_a_newer_version_behind_an_unpinned_reference_of_a_row(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = OUTER[1:]
    write(place, {"rubrics/words.json": rubric("words", words)})
    write(place, {"data.json": rows("words", "words", "outer@1.0.0")})
    write(place, {"outputs.jsonl": '{"id": "r0", "output": "a"}\n'})
    grade("--results", "r.jsonl")
    assert used_in(place / "r.jsonl")["references"] == {"rubric/words": "rubric/words@1.0.0"}
    before = (place / "r.jsonl").read_bytes()
    write(place, {"rubrics/words@1.1.0.json": rubric("words", words, "1.1.0")})
    write(place, {"rubrics/outer@1.1.0.json": rubric("outer", words, "1.1.0")})
    capsys.readouterr()
    assert grade("--results", "r.jsonl", "--resume") == 2
    assert "rubric/words@1.1.0 is used now, and was not before" in capsys.readouterr().err
    assert (place / "r.jsonl").read_bytes() == before
    (place / "rubrics" / "words@1.1.0.json").unlink()
    assert grade("--results", "r.jsonl", "--resume") < 2, "that of a pinned reference is the same"


def test_what_scores_depend_on_is_compared_before_the_scores(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grade("--results", "old.jsonl")
    write(place, {"schemas/answer.json": {"type": "array"}})
    grade("--compare", "old.jsonl", "--results", "new.jsonl")
    told = capsys.readouterr().out.partition("compared with old.jsonl:\n")[2]
    assert told.splitlines()[0] == "  the file `schemas/answer.json` has other content"
    assert told.index("other content") < told.index("1.00 → 0.00")
    grade("--compare", "new.jsonl")
    told = capsys.readouterr().out.partition("compared with new.jsonl:\n")[2]
    assert told.splitlines()[0] == "  what the scores depend on is the same"


def test_what_earlier_results_do_not_tell_is_unknown(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grade("--results", "old.jsonl")
    lines = lines_of_version_2(place / "old.jsonl")
    for key in ("python", "settings"):
        del lines[0]["manifest"][key]
    kept = [json.dumps(line) + "\n" for line in lines if "used" not in line]
    write(place, {"old.jsonl": "".join(kept), "r.jsonl.partial": "".join(kept)})
    capsys.readouterr()
    grade("--compare", "old.jsonl")
    told = " ".join(capsys.readouterr().out.partition("compared with")[2].split())
    assert "it is not known whether the settings, rubrics, judges, files and programs" in told
    assert "is the same: one of the runs does not tell" in told
    assert "what the scores depend on is the same" not in told
    assert grade("--results", "r.jsonl", "--resume") == 2
    assert "it is not known whether" in capsys.readouterr().err


def test_the_time_makes_no_difference(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from datetime import UTC, datetime

    grade("--results", "r.jsonl")
    first = (place / "r.jsonl").read_bytes()
    manifest = run_of(place / "r.jsonl")["manifest"]
    assert manifest["started"] == "2026-05-08T12:00:00Z"
    later = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)
    monkeypatch.setattr("evalcontract.grading.used.now", lambda: later)
    assert grade("--results", "r.jsonl", "--resume") == 0
    assert (place / "r.jsonl").read_bytes() == first
    assert grade("--results", "later.jsonl", "--compare", "r.jsonl") == 0
    assert run_of(place / "later.jsonl")["manifest"]["started"] == "2027-01-02T03:04:05Z"
    assert run_of(place / "r.jsonl")["manifest"] == manifest
    assert "what the scores depend on is the same" in capsys.readouterr().out


@pytest.mark.costly
def test_a_partial_file_names_what_its_rows_depend_on(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line `used` stands before the rows that need it, and the rest comes with the rest."""
    monkeypatch.setattr("evalcontract.grading.grade._CHUNK", 1)
    write(place, {"data.json": rows("outer@1.0.0", "linted@1.0.0", "outer@1.0.0")})
    with monkeypatch.context() as patch:
        patch.setattr("evalcontract.grading.results.ResultsFile.complete", lambda *_: None)
        grade("--results", "r.jsonl", "--jobs", "1")
    lines = (place / "r.jsonl.partial").read_bytes().splitlines(keepends=True)
    kinds = [next(iter(json.loads(line))) for line in lines]
    assert kinds == ["manifest", "used", "id", "used", "id", "id"]
    grade("--results", "whole.jsonl", "--jobs", "1")
    for kept in range(1, len(lines) + 1):
        (place / "r.jsonl.partial").write_bytes(b"".join(lines[:kept]))
        grade("--results", "r.jsonl", "--resume", "--force", "--jobs", "1")
        assert (place / "r.jsonl").read_bytes() == (place / "whole.jsonl").read_bytes(), kept
        assert used_in(place / "r.jsonl") == used_in(place / "whole.jsonl"), kept


def test_a_column_that_is_read_as_another_key_is_named(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"data.csv": "id,question,words\nr0,x,a\n"})
    call = ("grade", "data.csv", "--outputs", "outputs.jsonl")
    command_line(*call, "--results", "old.jsonl", "--map", "words=must_contain_any")
    capsys.readouterr()
    command_line(*call, "--compare", "old.jsonl", "--map", "words=must_not_contain")
    told = " ".join(capsys.readouterr().out.split())
    assert "`map` is words=must_not_contain, before words=must_contain_any" in told


LAID_OUT = {
    name: json.dumps(value, indent=2, sort_keys=True)
    for name, value in {
        "rubrics/outer.json": rubric("outer", OUTER),
        "schemas/answer.json": ANSWER,
        "bundles/ticket.schema.json": {"type": "object"},
        "data.json": rows("outer@1.0.0", bundle="ticket"),
    }.items()
}


def test_a_comparison_tells_a_layout_from_a_meaning(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results without the digests of meanings still compare: only the bytes are known of them."""
    write(place, {"data.json": rows("outer@1.0.0", bundle="ticket")})
    grade("--results", "first.jsonl")
    write(place, LAID_OUT)
    capsys.readouterr()
    grade("--compare", "first.jsonl")
    told = " ".join(capsys.readouterr().out.split())
    for subject in (
        "the dataset `data.json`",
        "rubric/outer@1.0.0",
        "the file `schemas/answer.json`",
        "the bundle `ticket`",
    ):
        assert f"{subject} was only written differently: it means the same" in told
    assert "other content" not in told
    old = run_of(place / "first.jsonl")
    del old["provenance"]
    write(place, {"old.run.json": old, "old.jsonl": (place / "first.jsonl").read_text()})
    grade("--compare", "old.jsonl")
    told = " ".join(capsys.readouterr().out.split())
    assert "rubric/outer@1.0.0 has other content under the same version" in told
    assert "means the same" not in told
    write(place, {"data.json": rows("outer@1.0.0", bundle="ticket")})
    assert grade("--results", "first.jsonl", "--resume") == 2
    refused = " ".join(capsys.readouterr().err.split())
    assert "rubric/outer@1.0.0 was only written differently: it means the same" in refused
    write(
        place,
        {"rubrics/outer.json": rubric("outer", OUTER[:1]), "moved.json": LAID_OUT["data.json"]},
    )
    command_line("grade", "moved.json", "--outputs", "outputs.jsonl", "--compare", "first.jsonl")
    told = " ".join(capsys.readouterr().out.split())
    assert "rubric/outer@1.0.0 has other content under the same version" in told
    assert "the dataset is `moved.json`, before `data.json`; it means the same" in told
