"""Rubrics with many checks: the work for a row grows with what they need, not with their number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, command_line, coverage, validate
from work import calls_of
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

FACTS = {"kind": "fact_match"}
WORDS = {"kind": "must_contain_any", "values": ["a"]}


def rubric(folder: Path, checks: list[dict[str, Any]], name: str = "a") -> None:
    whole = {"id": name, "version": "1.0.0", "checks": checks, "scoring": {"combine": "max"}}
    write(folder, {f"rubrics/{name}.json": whole})


def rows(folder: Path, count: int, **more: Any) -> Path:
    row = {"input": "b", "rubric_ref": "rubric/a@1.0.0", **more}
    write(folder, {"rows.json": {"questions": [{"id": f"{n}", **row} for n in range(count)]}})
    return folder / "rows.json"


def named(count: int, check: dict[str, Any], prefix: str = "x") -> list[dict[str, Any]]:
    return [{"id": f"{prefix}{n}", **check} for n in range(count)]


def messages(path: Path) -> list[str]:
    outcome = validate(Kind.DATASET, [Input(path)], Options())
    return [finding.message for finding in outcome.diagnostics if finding.code.startswith("data")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "names"),
    [
        (1, "check `x0`"),
        (3, "checks `x0`, `x1`, `x2`"),
        (6, "checks `x0`, `x1`, `x2`, `x3`, `x4`, `x5`"),
        (7, "checks `x0`, `x1`, `x2`, `x3`, `x4` … and 2 more"),
        (2000, "checks `x0`, `x1`, `x2`, `x3`, `x4` … and 1,995 more"),
    ],
)
def test_checks_that_cannot_run_are_one_finding(tmp_path: Path, count: int, names: str) -> None:
    rubric(tmp_path, [{"id": "runs", **WORDS}, *named(count, FACTS)])
    expected = f"{names} of rubric/a@1.0.0 cannot run: the row has no `expected_facts`"
    assert messages(rows(tmp_path, 1)) == [expected]


def test_names_are_in_the_order_of_the_rubric(tmp_path: Path) -> None:
    """Checks that need other keys, too, are listed among those that do not."""
    judge = {"id": "j", "version": "1.0.0", "template": "{{ output }} {{ expected.a }}"}
    write(tmp_path, {"judges/j.json": judge})
    both = {**FACTS, "judge_prompt_ref": "judge/j@1.0.0"}
    checks = [{"id": f"x{n}", **(both if n % 2 else FACTS)} for n in range(5)]
    rubric(tmp_path, [{"id": "runs", **WORDS}, *checks])
    (message,) = messages(rows(tmp_path, 1))
    assert message.startswith("checks `x0`, `x1`, `x2`, `x3`, `x4` of")


def test_many_missing_keys_are_one_finding(tmp_path: Path) -> None:
    for n in range(12):
        template = f"{{{{ output }}}} {{{{ expected.k{n} }}}}"
        judge = {"id": f"j{n}", "version": "1.0.0", "template": template}
        write(tmp_path, {f"judges/j{n}.json": judge})
    checks = [
        {"id": f"x{n}", "kind": "llm_judge", "judge_prompt_ref": f"judge/j{n}@1.0.0"}
        for n in range(12)
    ]
    rubric(tmp_path, [{"id": "runs", **WORDS}, *checks])
    (message,) = messages(rows(tmp_path, 1, expected={"format": "text", "other": "x"}))[:1]
    keys = ", ".join(f"`expected.k{n}`" for n in range(5))
    start = f"12 checks of rubric/a@1.0.0 cannot run: the row has no {keys}"
    assert message == f"{start} … and 7 more"
    diagnostics = validate(Kind.DATASET, [Input(tmp_path / "rows.json")], Options()).diagnostics
    assert "add these keys, or use a rubric that does not need them" in {
        problem.help for problem in diagnostics
    }


def test_composites_of_one_rubric(tmp_path: Path) -> None:
    """The checks of a rubric that many composites reach are counted, and the first are named."""
    rubric(tmp_path, named(3, FACTS, "y"), "inner")
    composite = {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"}
    rubric(tmp_path, [{"id": "runs", **WORDS}, *named(4, composite)])
    path = rows(tmp_path, 2)
    first = "`x0/y0`, `x0/y1`, `x0/y2`, `x1/y0`, `x1/y1` … and 7 more"
    assert messages(path)[0].startswith(f"checks {first} of rubric/a@1.0.0")
    (file,) = coverage([Input(path)], Options(), all_rows=True).files
    assert (file.totals.run, file.totals.skip, len(file.by_check)) == (2, 24, 13)
    ((row, _), _) = file.rows
    assert [cell.check for cell in row.cells[:3]] == ["runs", "x0/y0", "x0/y1"]
    assert len(row.cells) == 13


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fact_match", "composite"])
def test_the_work_for_a_row_does_not_grow_with_the_checks(kind: str, tmp_path: Path) -> None:
    check = {"kind": kind, "rubric_ref": "rubric/inner@1.0.0"} if kind == "composite" else FACTS

    def work(count: int, command: str, row_count: int) -> int:
        folder = tmp_path / f"{count}"
        rubric(folder, named(2, FACTS), "inner")
        rubric(folder, [{"id": "runs", **WORDS}, *named(count, check)])
        inputs = [Input(rows(folder, row_count))]
        if command == "coverage":
            return calls_of(lambda: coverage(inputs, Options(), all_rows=False))
        return calls_of(lambda: validate(Kind.DATASET, inputs, Options()))

    for command in ("coverage", "validate"):
        few = work(5, command, 60) - work(5, command, 20)
        many = work(500, command, 60) - work(500, command, 20)
        assert many < 1.3 * few


@pytest.mark.slow
def test_the_work_does_not_grow_with_the_composites_of_one_rubric(tmp_path: Path) -> None:
    """What it forbids is compared once, however many composites reach it."""
    ban = {"kind": "must_not_contain"}
    banned = [{"id": f"y{n}", **ban, "values": [f"w{n}"]} for n in range(300)]
    composite = {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"}

    def work(count: int) -> int:
        folder = tmp_path / f"{count}"
        own = [{"id": "own", **ban}, *named(count, composite)]
        for name, checks in {"a": own, "inner": banned}.items():
            scoring = {"combine": "all_pass"}
            whole = {"id": name, "version": "1.0.0", "checks": checks, "scoring": scoring}
            write(folder, {f"rubrics/{name}.json": whole})
        inputs = [Input(rows(folder, 1, must_not_contain=["x"]))]
        return calls_of(lambda: validate(Kind.DATASET, inputs, Options()))

    work(1)  # loads the schemas
    assert work(25) - work(5) < 20 * 2 * len(banned)


@pytest.mark.slow
def test_a_table_lists_no_more_checks_than_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric(tmp_path, named(100, WORDS, "y"), "inner")
    composite = {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"}
    rubric(tmp_path, named(100, composite))
    path = rows(tmp_path, 2)
    for file in (path, tmp_path / "rubrics/a.json"):
        assert command_line("coverage", file) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "    … and 5,000 more checks: `--limit 0` shows all" in lines
        assert len(lines) < 5_020
        assert command_line("coverage", "--limit", "0", file) == 0
        assert len(capsys.readouterr().out.splitlines()) > 10_000


@pytest.mark.slow
def test_json_leaves_out_rows_with_too_many_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric(tmp_path, named(100, WORDS, "y"), "inner")
    composite = {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"}
    rubric(tmp_path, named(200, composite))
    path = rows(tmp_path, 5)
    assert command_line("coverage", "--output-format", "json", path) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    listed = [len(row["checks"]) for row in file["rows"]]
    assert listed == [20_000] * len(listed)
    assert (len(listed) + file["rows_left_out"], file["summary"]["run"]) == (5, 100_000)
    assert file["rows_left_out"] > 0
    assert command_line("coverage", "--output-format", "json", tmp_path / "rubrics/a.json") == 0
    (of,) = json.loads(capsys.readouterr().out)["rubrics"]
    assert (len(of["checks"]), of["checks_left_out"]) == (10_000, 10_000)


def test_long_names_are_clipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rubric(tmp_path, [{"id": "runs", **WORDS}, {"id": "x" * 50_000, **FACTS}])
    path = rows(tmp_path, 20)
    for command in ("validate-dataset", "coverage"):
        assert command_line(command, path) == 0
        printed = capsys.readouterr()
        assert "x" * 79 + "…" in printed.out + printed.err
        assert len(printed.out + printed.err) < 20_000
