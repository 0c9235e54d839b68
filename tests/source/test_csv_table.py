"""CSV: the values of Python's own reader, and a place for every cell."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.source.tables.delimited import CsvTable


def table(text: str) -> CsvTable:
    return CsvTable("d.csv", text, text.encode())


TEXTS = st.text(st.sampled_from('ab",\n\r \'"'), max_size=40)


@given(TEXTS)
def test_every_cell_has_a_place_and_its_value_there(text: str) -> None:
    read = table(text)
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    if not read.header:
        rows.insert(0, [])
    assert [read.header, *read.records] == rows
    assert [len(cells) for cells in read.places] == [max(len(row), 1) for row in rows]
    for cells, row in zip(read.places, rows, strict=True):
        for cell, value in zip(cells, row, strict=False):
            written = text[cell.start : cell.end]
            assert next(csv.reader(io.StringIO(written, newline="")), [""])[0] == value


PLACES = {
    "a cell": (("q1,two\n", (0, "text")), "d.csv:2:4"),
    "a quoted cell over two lines": (('q1,"a\nb"\nq2,c\n', (1, "text")), "d.csv:4:4"),
    "after a blank line": (("\nq1,two\n", (0, "id")), "d.csv:3:1"),
    "a row as a whole": (("q1,two\n", (0,)), "d.csv:2:1"),
    "a cell that is not there": (("q1\n", (0, "text")), "d.csv:2:1"),
    "a name of the header": (("q1,two\n", ("text",)), "d.csv:1:4"),
    "a row that is not there": (("q1,two\n", (7, "id")), "d.csv"),
}


@every_case("name", PLACES)
def test_places(name: str) -> None:
    (text, path), expected = PLACES[name]
    assert str(table(f"id,text\n{text}").place(path)) == expected


def test_rows_are_those_of_a_dict_reader() -> None:
    (batch,) = table("id,text\nq1,a,more\nq2\n").batches()
    assert batch.rows == [{"id": "q1", "text": "a"}, {"id": "q2", "text": None}]


def test_a_cell_beyond_the_header_has_a_place() -> None:
    assert str(table("id\nq1,more\n").cell(0, 1)) == "d.csv:2:4"


@given(TEXTS)
def test_rows_are_those_of_a_dict_reader_for_any_text(text: str) -> None:
    read = csv.DictReader(io.StringIO(f"a,b,a\n{text}", newline=""))
    expected = [{key: cell for key, cell in row.items() if key is not None} for row in read]
    (batch,) = table(f"a,b,a\n{text}").batches()
    assert batch.rows == expected


@pytest.mark.slow
def test_many_places_are_found_in_linear_time() -> None:
    # Ten seconds and more where each place was counted from the beginning of the text.
    number = 20_000
    read = table("id,text\n" + 'q,"a\nb"\n' * number)
    every = [read.place((index, "text")) for index in range(number)]
    assert [each.span and each.span.line for each in every] == [*range(2, 2 * number + 2, 2)]
