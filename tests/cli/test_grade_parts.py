"""Grading part by part gives what grading all at once gives, whatever the files are like."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from examples import some
from tables import every_case
from writing import write

from evalcontract.datasets.opening import Input, Options
from evalcontract.grading import grade
from evalcontract.grading import parts as grade_parts
from evalcontract.grading import rows as grading_work
from evalcontract.grading.grade import Grading

if TYPE_CHECKING:
    from collections.abc import Callable

    Files = tuple[list[Any], list[Any]]

RUBRIC = {
    "id": "r",
    "version": "1.0.0",
    "checks": [
        {"id": "some", "kind": "must_contain_any", "values": ["even"]},
        {"id": "facts", "kind": "fact_match", "min_recall": 0.5},
    ],
    "scoring": {"combine": "weighted_avg", "threshold": 0.5, "weights": {"some": 1, "facts": 3}},
}
COUNT = 300


def files() -> Files:
    rows = [
        {
            "id": f"r{number}",
            "input": f"Is {number} even?",
            "expected_facts": [f"number {number}", "odd"],
            "rubric_ref": "rubric/r@1.0.0",
        }
        for number in range(COUNT)
    ]
    texts = (f"Number {number} is {('even', 'odd')[number % 2]}." for number in range(COUNT))
    records = [{"id": f"r{number}", "output": text} for number, text in enumerate(texts)]
    return rows, records


def changed(change: Callable[[list[Any], list[Any]], object]) -> Files:
    rows, records = files()
    change(rows, records)
    return rows, records


def shuffle(_: list[Any], records: list[Any]) -> None:
    random.Random(7).shuffle(records)  # noqa: S311 - not a secret


def gaps(rows: list[Any], records: list[Any]) -> None:
    del records[280], records[70], records[20:23], rows[130:133], rows[0]


def cut_records(_: list[Any], records: list[Any]) -> None:
    del records[9:]


def cut_rows(rows: list[Any], _: list[Any]) -> None:
    del rows[9:]


def swap(_: list[Any], records: list[Any]) -> None:
    records[63], records[64] = records[64], records[63]


def much_work(rows: list[Any], _: list[Any]) -> None:
    """Of three rows that are more than ordinary, there are steps for the first and the last."""
    for at, many in ((20, 1300), (150, 20_000), (290, 1300)):
        rows[at]["expected_facts"] = [f"fact {number}" for number in range(many)]


def much_work_later(rows: list[Any], records: list[Any]) -> None:
    rows[200]["expected_facts"] = [f"fact {number}" for number in range(20_000)]
    records[190:230] = reversed(records[190:230])


#: What is in the files, and whether they are graded part by part to the end.
CASES: list[tuple[str, Files, bool]] = [
    ("in order", files(), True),
    ("gaps in both", changed(gaps), True),
    ("no record for the last rows", changed(cut_records), True),
    ("no row for the last records", changed(cut_rows), True),
    ("neighbours swapped", changed(swap), True),
    ("a row with a finding", changed(lambda rows, _: rows[200].pop("expected_facts")), True),
    ("a row that is not valid", changed(lambda rows, _: rows[200].update(input=3)), True),
    ("a first row that is not valid", changed(lambda rows, _: rows[0].update(input=3)), False),
    ("shuffled", changed(shuffle), False),
    ("rows with much work", changed(much_work), False),
    ("much work on what waits", changed(much_work_later), False),
    ("a repeated row", changed(lambda rows, _: rows.insert(250, rows[10])), False),
    ("a row repeated at once", changed(lambda rows, _: rows.insert(10, rows[10])), False),
    ("a repeated record", changed(lambda _, some: some.insert(250, some[10])), False),
    ("a record repeated at once", changed(lambda _, some: some.insert(9, some[10])), False),
    ("a record that is not valid", changed(lambda _, some: some[260].update(output=3)), False),
    ("a key that is misspelled", changed(lambda _, some: some[99].update(outptu="x")), False),
    ("a row without an id", changed(lambda rows, _: rows[150].pop("id")), False),
    ("a row that is no mapping", changed(lambda rows, _: rows.insert(150, 7)), False),
]


def lines(values: list[Any]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def graded(jobs: int) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return the results by id, in no order, and the findings."""
    inputs = Input(Path("rows.jsonl")), Input(Path("outputs.jsonl"))
    grading = Grading(*inputs, Options(jobs=jobs))
    results: dict[str, list[Any]] = {}
    for row in grading.results():
        results.setdefault(row.id, []).append(row)
    return {id_: sorted(some, key=repr) for id_, some in results.items()}, grading.diagnostics


@pytest.mark.slow
@every_case(("name", "contents", "is_regular"), some(CASES, times=4), ids=str)
@pytest.mark.parametrize("jobs", [1, 3])
def test_parts_give_what_the_whole_gives(
    name: str,
    contents: Files,
    is_regular: bool,  # noqa: FBT001
    jobs: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del name
    rows, records = contents
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        {
            "rubrics/r.json": RUBRIC,
            "rows.jsonl": lines(rows),
            "outputs.jsonl": lines(records),
        },
    )
    monkeypatch.setattr(grading_work, "STEPS", 250)
    with monkeypatch.context() as patch:
        patch.setattr(grade, "parts_of", lambda *_: None)
        whole = graded(jobs)
    monkeypatch.setattr(grade_parts, "_PART_BYTES", 1 << 12)
    monkeypatch.setattr(grade_parts, "_LINES", 8)
    monkeypatch.setattr(grade_parts, "_MAX_WAITING", 400 if is_regular else 50)
    begun: list[Grading] = []
    begin = Grading._begin  # noqa: SLF001 - it is called again for what is irregular

    def counted(self: Grading) -> Any:
        begun.append(self)
        return begin(self)

    monkeypatch.setattr(Grading, "_begin", counted)
    assert graded(jobs) == whole
    assert len(begun) == (1 if is_regular else 2)
    assert len(whole[0]) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_results_are_the_same_bytes_with_any_number_of_processes(
    jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows, records = files()
    texts = {"rows.jsonl": lines(rows), "outputs.jsonl": lines(records)}
    write(tmp_path, {"rubrics/r.json": RUBRIC, **texts})
    asked = ("grade", "rows.jsonl", "--outputs", "outputs.jsonl", "--results")
    assert command_line(*asked, "whole.jsonl", "--jobs", "1") == 0
    monkeypatch.setattr(grade_parts, "_PART_BYTES", 1 << 12)
    assert command_line(*asked, "parts.jsonl", "--jobs", jobs) == 0
    found = (tmp_path / "parts.jsonl").read_bytes()
    assert found == (tmp_path / "whole.jsonl").read_bytes()
    graded = map(json.loads, found.splitlines())
    assert [line["id"] for line in graded if "id" in line] == [row["id"] for row in rows]
