"""Rows of a dataset that are known from the last check: the next one finds what it would anyway."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, validate
from examples import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import yaml_rs
from work import calls_of
from writing import write

from evalcontract.datasets.known_rows import KnownRows
from evalcontract.source.filesystem import OpenFiles

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: order
version: "1.0.0"
checks:
  - {id: refund, kind: must_contain_any, values: [refund]}
scoring: {combine: all_pass}
"""
GOOD = {"id": "good", "input": "Where is it?", "criteria": "kind"}
#: Rows with all kinds of faults: of the row alone, of two places, of the library, of the dataset.
ROWS: list[Any] = [
    GOOD,
    {**GOOD, "id": "other"},
    {**GOOD, "id": "grün😀", "inptu": "x"},
    {"id": "near", "inptu": "Where?", "criteria": "kind"},
    {**GOOD, "expected": {"contains": ["a"], "not_contains": ["a"]}},
    {**GOOD, "expected_facts": ["x"], "forbidden_facts": ["x"]},
    {**GOOD, "rubric_ref": "rubric/order@1.0.0"},
    {**GOOD, "id": "o", "inpt": "y", "rubric_ref": "rubric/order"},
    {**GOOD, "rubric_ref": "rubric/nowhere@1.0.0"},
    {**GOOD, "id": 1.10, "bundle": "shop"},
    {**GOOD, "inptu": "x", "metadata": {"evalcontract": {"ignore": ["dataset/near-miss-key"]}}},
    {"id": "", "input": ""},
    "no mapping",
]
ORDERS = st.lists(st.lists(st.sampled_from(ROWS), min_size=1, max_size=12), min_size=2, max_size=5)


def as_yaml(rows: list[Any], comment: str) -> bytes:
    head = f"# {comment}\nquestions:\n"
    lines = []
    for row in rows:
        pairs = row.items() if isinstance(row, dict) else ()
        written = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in pairs]
        lines.append(f"  - {'    '.join(written)}" if written else f"  - {json.dumps(row)}\n")
    return (head + "".join(lines)).encode()


def as_jsonl(rows: list[Any], comment: str) -> bytes:
    blank = "\n" if comment == "x" else ""
    return (blank + "".join(json.dumps(row) + "\n" for row in rows)).encode()


FORMATS = {"data.yaml": as_yaml, "data.jsonl": as_jsonl}


def found(folder: Path, texts: dict[str, bytes], known: KnownRows | None) -> Any:
    """Return the findings in the only dataset among open files."""
    files = OpenFiles({folder / name: text for name, text in texts.items()})
    (name,) = FORMATS.keys() & texts.keys()
    options = Options(files=files, known_rows=known)
    return validate(Kind.DATASET, [Input(folder / name, files=files)], options).diagnostics


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known").resolve()
    write(folder, {"rubrics/order.yaml": RUBRIC})
    return folder


@pytest.mark.costly
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=tries(200, at_least=20))
@given(
    orders=ORDERS,
    comments=st.lists(st.sampled_from(["", "x", "\n#\n"]), min_size=5, max_size=5),
    rubrics=st.lists(st.sampled_from([RUBRIC, RUBRIC.replace("1.0.0", "2.0.0")]), min_size=5),
)
def test_the_next_check_finds_what_it_would_without_known_rows(
    folder: Path, name: str, orders: list[list[Any]], comments: list[str], rubrics: list[str]
) -> None:
    known = KnownRows()
    for rows, comment, rubric in zip(orders, comments, rubrics, strict=False):
        texts = {name: FORMATS[name](rows, comment), "rubrics/order.yaml": rubric.encode()}
        assert found(folder, texts, known) == found(folder, texts, None)


@pytest.mark.costly
@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_row_is_checked_alone(folder: Path, name: str) -> None:
    if name.endswith(".yaml"):
        yaml_rs()  # without it, reading takes most of the calls
    rows = [{**GOOD, "id": f"r{n:05}"} for n in range(600)]
    for row in rows[::20]:
        row["contxt"] = "x"
    changed = [*rows[:300], {**rows[300], "input": "Why?"}, *rows[301:]]
    texts, after = ({name: FORMATS[name](each, "")} for each in (rows, changed))
    known = KnownRows()
    first = calls_of(found, folder, texts, known)
    again = calls_of(found, folder, after, known)
    clean = {name: FORMATS[name]([GOOD | {"id": row["id"]} for row in rows], "")}
    without = calls_of(found, folder, clean, None)
    assert found(folder, after, known) == found(folder, after, None)
    assert again - without < (first - without) / 3
