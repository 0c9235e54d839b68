"""Coverage in Python: the arithmetic, rows of every sort, and datasets that are loaded."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, NothingToCheck, Options, coverage
from hypothesis import given
from hypothesis import strategies as st
from writing import write

from evalcontract import DatasetLoader, covering
from evalcontract.checks import Prediction, State
from evalcontract.checks.coverage import Cell, CoverageTally, CoverageTotals, RowCoverage, add
from evalcontract.model.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evalcontract.checks.coverage import FileCoverage

RUBRIC = """\
id: support
version: "1.0.0"
checks:
  - {id: words, kind: must_not_contain, values: [stupid]}
  - {id: facts, kind: fact_match}
  - {kind: tool_usage}
scoring: {combine: all_pass}
"""
#: One check is sound, the others have faults of structure.
BROKEN = """\
id: broken
version: "1.0.0"
checks:
  - {id: words, kind: must_not_contain, values: [stupid]}
  - {id: facts, kind: fact_match, fact: [a]}
  - {id: pattern, kind: regex}
  - {id: unknown, kind: magic}
  - 7
scoring: {combine: all_pass}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"rubrics/support.yaml": RUBRIC, "rubrics/broken.yaml": BROKEN})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def states(row: RowCoverage) -> dict[str, str]:
    return {cell.check: str(cell.outlook.state) for cell in row.cells}


def cover_text(
    place: Path, text: str, name: str = "data.yaml", *, all_rows: bool = True
) -> FileCoverage:
    (place / name).write_text(text, encoding="utf-8")
    outcome = coverage([Input(place / name)], Options(), all_rows=all_rows)
    assert [each.code for each in outcome.diagnostics] == []
    (file,) = outcome.files
    return file


def cover_rows(place: Path, *rows: Any) -> list[RowCoverage]:
    return [row for row, _ in cover_text(place, json.dumps({"questions": rows})).rows]


# Arithmetic

CELL = st.sampled_from(list(State)).map(lambda state: Cell("a", "regex", Prediction(state)))
ROW = st.lists(CELL, max_size=4).map(lambda cells: RowCoverage(0, None, None, tuple(cells)))


def total(rows: Iterable[RowCoverage]) -> CoverageTotals:
    tally = CoverageTally(keep_all=False)
    for row in rows:
        tally.take(row, lambda: Place("a.yaml"))
    return tally.of("a.yaml").totals


@given(rows=st.lists(ROW, max_size=12))
def test_totals(rows: list[RowCoverage]) -> None:
    """A row without checks counts as one that does not run, and nothing is counted twice."""
    counts = total(rows)
    cells = [cell for row in rows for cell in row.cells]
    run = sum(cell.outlook.runs for cell in cells)
    whole = len(cells) + sum(not row.cells for row in rows)
    assert (counts.run, counts.cells, counts.rows) == (run, whole, len(rows))
    assert counts.percent == (float(Fraction(100 * run, whole)) if whole else 0.0)
    assert counts.rows_on_which_nothing_runs == sum(not row.runs for row in rows)


@given(one=st.lists(ROW, max_size=5), other=st.lists(ROW, max_size=5))
def test_totals_add_up(one: list[RowCoverage], other: list[RowCoverage]) -> None:
    assert add(total(one), total(other)) == total([*one, *other])
    assert add(CoverageTotals(), total(one)) == total(one)


@pytest.mark.parametrize(
    ("run", "skip", "bound"), [(19, 1, 95.0), (1, 0, 100.0), (333, 667, 33.3), (0, 3, 0.0)]
)
def test_a_share_meets_its_bound_exactly(run: int, skip: int, bound: float) -> None:
    assert CoverageTotals(run=run, skip=skip).percent == bound


# Rows


def test_rows_of_a_rubric(place: Path) -> None:
    row = {"id": "a", "input": "b", "rubric_ref": "rubric/support@1.0.0"}
    bare, empty, whole = cover_rows(
        place,
        row,
        {**row, "id": "e", "expected_facts": [], "expected_tools": []},
        {**row, "id": "w", "expected_facts": ["c"], "expected_tools": ["d"]},
    )
    assert states(bare) == {"words": "run", "facts": "skip", "tool_usage[2]": "skip"}
    assert states(empty) == {"words": "run", "facts": "vacuous", "tool_usage[2]": "vacuous"}
    assert set(states(whole).values()) == {"run"}
    assert (bare.rubric, bare.row, bare.fault) == ("rubric/support@1.0.0", "a", None)


def test_an_unpinned_reference_is_resolved(place: Path) -> None:
    (row,) = cover_rows(place, {"id": "a", "input": "b", "rubric_ref": "rubric/support"})
    assert row.rubric == "rubric/support@1.0.0"


def test_rows_without_a_rubric(place: Path) -> None:
    """They are told of by what they expect."""
    rows = cover_rows(
        place,
        {"id": "a", "input": "b"},
        {"id": "c", "input": "b", "criteria": "d", "expected": {"format": "json"}},
        {"id": "e", "input": "b", "criteria": "", "expected": {}, "expected_facts": []},
        {"id": "f", "input": "b", "expected_tools": ["d"], "must_not_contain": ["e"]},
    )
    assert [states(row) for row in rows] == [
        {},
        {"criteria": "unavailable", "expected": "run"},
        {"criteria": "vacuous", "expected": "vacuous", "expected_facts": "vacuous"},
        {"expected_tools": "run", "must_not_contain": "run"},
    ]
    assert [row.runs for row in rows] == [False, True, False, True]
    assert [row.rubric for row in rows] == [None] * 4


def test_ill_formed_rows_are_never_absent(place: Path) -> None:
    """Nothing is known of their checks, and that is said."""
    good = {"id": "a", "input": "b", "must_contain_any": ["c"]}
    rows = cover_rows(
        place,
        good,
        7,
        None,
        "text",
        [],
        {},
        {**good, "id": 5},
        {**good, "id": "b", "expected_facts": "c"},
        {**good, "id": "c", "rubric_ref": "rubric/nowhere@1.0.0"},
        {**good, "id": "d", "rubric_ref": "judge/support@1.0.0"},
        {**good, "id": "e", "rubric_ref": 5},
    )
    assert len(rows) == 11
    assert [row.fault is None for row in rows] == [True, *[False] * 10]
    assert [row.index for row in rows] == list(range(11))
    assert total(rows).percent == 100 / 11


def test_a_misspelled_key_is_a_missing_one(place: Path) -> None:
    """A runner passes over it, so the check that wants the right one is skipped."""
    row = {"id": "a", "input": "b", "rubric_ref": "rubric/support@1.0.0", "expected_fact": ["c"]}
    (covered,) = cover_rows(place, row)
    assert covered.fault is None
    assert states(covered)["facts"] == "skip"


def test_ill_formed_checks_are_never_absent(place: Path) -> None:
    (row,) = cover_rows(place, {"id": "a", "input": "b", "rubric_ref": "rubric/broken@1.0.0"})
    assert states(row) == {
        "words": "unavailable",  # alone, it would give another score
        "facts": "unavailable",
        "pattern": "unavailable",
        "unknown": "unavailable",
        "?[4]": "unavailable",
    }


def test_a_row_of_a_bundle(place: Path) -> None:
    """The bundle's schema is asked too, and its keys are known."""
    (place / "bundles").mkdir()
    schema = {"properties": {"expected_fact": {"type": "string"}}}
    (place / "bundles" / "quiz.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    good = {"id": "a", "input": "b", "criteria": "c", "expected_fact": "d"}
    text = json.dumps({"bundle": "quiz", "questions": [good, {**good, "expected_fact": 5}]})
    file = cover_text(place, text)
    assert [row.fault is None for row, _ in file.rows] == [True, False]


# Files


def test_only_gaps_are_kept(place: Path) -> None:
    rows = [{"id": f"{n}", "input": "b", "expected_tools": ["c"][: n % 2]} for n in range(6)]
    text = json.dumps({"questions": rows})
    few = cover_text(place, text, all_rows=False)
    assert [row.index for row, _ in few.rows] == [0, 2, 4]
    assert few.totals == cover_text(place, text).totals
    assert few.by_check == {
        (None, "expected_tools", "tool_usage"): CoverageTotals(run=3, vacuous=3),
    }


@pytest.mark.slow
def test_lines_are_streamed(place: Path) -> None:
    """Many blocks of JSONL give what one list gives, each row with its line."""
    rows = [
        {
            "id": f"{n}",
            "input": "b" * 500,
            "rubric_ref": "rubric/support@1.0.0",
            **({"expected_facts": ["c"]} if n % 3 else {}),
        }
        for n in range(900)
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    streamed = cover_text(place, lines, "data.jsonl")
    listed = cover_text(place, json.dumps(rows), "data.json")
    assert streamed.totals == listed.totals
    assert streamed.by_check == listed.by_check
    assert [row for row, _ in streamed.rows] == [row for row, _ in listed.rows]
    assert [at.span.line for _, at in streamed.rows if at.span] == list(range(1, 901))


def test_lines_that_give_no_row_are_reported(place: Path) -> None:
    row = json.dumps({"id": "a", "input": "b", "criteria": "c"})
    (place / "data.jsonl").write_text(f"{row}\n{{\n{row}\n[\n", encoding="utf-8")
    outcome = coverage([Input(place / "data.jsonl")], Options(), all_rows=True)
    places = [(each.place.span.line if each.place.span else 0) for each in outcome.diagnostics]
    assert places == [2, 4]
    assert all(each.is_error for each in outcome.diagnostics)
    assert outcome.totals.rows == 2


def test_the_workspace_of_a_folder_is_searched_once(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"questions": [{"id": "a", "input": "b", "criteria": "c"}]})
    files = {f"data/d{n}.json": text for n in range(20)}
    write(place, {**files, "inner/rubrics/support.yaml": RUBRIC, "inner/d.json": text})
    inputs = [Input(place / name) for name in (*files, "inner/d.json")]
    searched: list[Path] = []

    def find_root(folder: Path) -> Path:
        searched.append(folder)
        return place

    monkeypatch.setattr(covering, "find_root", find_root)
    assert len(coverage(inputs, Options(), all_rows=True).files) == len(inputs)
    assert searched == [place / "data", place / "inner"]


def test_files_that_cannot_be_read_are_reported(place: Path) -> None:
    (place / "bad.yaml").write_text("questions: [", encoding="utf-8")
    inputs = [Input(place / "bad.yaml"), Input(place / "nowhere.yaml")]
    outcome = coverage(inputs, Options(), all_rows=True)
    assert outcome.files == []
    assert [each.code for each in outcome.diagnostics] == ["source/syntax", "source/unreadable"]


def test_rubrics_are_told_apart_from_datasets(place: Path) -> None:
    (place / "data.yaml").write_text("questions: []\n", encoding="utf-8")
    inputs = [Input(place / "rubrics" / "support.yaml"), Input(place / "data.yaml")]
    outcome = coverage(inputs, Options(), all_rows=True)
    assert [plan.artifact.name for plan in outcome.plans] == ["rubric/support@1.0.0"]
    assert [file.file for file in outcome.files] == ["data.yaml"]
    assert outcome.totals == CoverageTotals()


def test_nothing_to_cover() -> None:
    with pytest.raises(NothingToCheck):
        coverage([], Options(), all_rows=True)


# Datasets that are loaded


@pytest.mark.parametrize("name", ["data.yaml", "data.json", "data.jsonl"])
def test_coverage_of_a_loaded_dataset(name: str, place: Path) -> None:
    """It is what the command says, row by row, and is worked out once."""
    rows = [
        {"id": "a", "input": "b", "rubric_ref": "rubric/support@1.0.0"},
        {"id": "c", "input": 5},
        {"id": "d", "input": "b", "criteria": "e"},
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    text = lines if name.endswith("l") and "json" in name else json.dumps({"questions": rows})
    (place / name).write_text(text, encoding="utf-8")
    loaded = DatasetLoader(strict=False).load(name)
    assert loaded.coverage == tuple(row for row, _ in cover_text(place, text, name).rows)
    assert [row.index for row in loaded.coverage] == [row.index for row in loaded.rows]
    assert states(loaded.coverage[0])["facts"] == "skip"
    assert loaded.coverage is loaded.coverage


def test_coverage_of_a_dataset_without_rows(place: Path) -> None:
    (place / "none.yaml").write_text("questions: []", encoding="utf-8")
    assert DatasetLoader(strict=False).load("none.yaml").coverage == ()
