"""JSON as Python's own parser reads it: its values, with what RFC 8259 refuses remarked."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.source.external import ExternalFile, read_external_stream
from evalcontract.source.faults import ParseError
from evalcontract.source.json import load_as_python
from evalcontract.source.jsonl import RowStream

if TYPE_CHECKING:
    from evalcontract.source.document import Batch

CASES = {
    '{"a": 1, "a": 2}': ["source/duplicate-key"],
    '{"a": {"b": 1, "b": 2}, "a": 3}': ["source/duplicate-key", "source/duplicate-key"],
    '{"a": NaN}': ["source/not-finite"],
    "[Infinity, -Infinity]": ["source/not-finite", "source/not-finite"],
    "[1e999]": [],
    '"\\ud800"': [],
    '{"a": 1}': [],
}


@every_case("text", CASES)
def test_the_value_is_pythons(text: str) -> None:
    value, remarks = load_as_python(text.encode())
    assert repr(value) == repr(json.loads(text))
    assert [each.code for each in remarks] == CASES[text]


@given(st.text(st.sampled_from('{}[]",:1 aNfIity-\\u0e\n'), max_size=30))
def test_the_verdict_is_pythons(text: str) -> None:
    try:
        expected = repr(json.loads(text))
    except ValueError:
        with pytest.raises(ParseError):
            load_as_python(text.encode())
    else:
        assert repr(load_as_python(text.encode())[0]) == expected


def foreign(text: str, name: str) -> ExternalFile:
    found = read_external_stream(io.BytesIO(text.encode()), name)
    assert found.unreadable is None
    return found


def batch_of(text: str) -> tuple[RowStream, Batch]:
    source = foreign(text, "d.jsonl").source
    assert isinstance(source, RowStream)
    (batch,) = source.batches()
    return source, batch


def test_a_line_with_two_keys_is_a_row_with_a_remark() -> None:
    source, batch = batch_of('{"id": "a"}\n{"id": "b", "id": "c"}\n')
    assert batch.rows == [{"id": "a"}, {"id": "c"}]
    ((remark, text),) = batch.remarks
    assert (str(remark.span and remark.span.line), text) == ("2", '{"id": "b", "id": "c"}')
    assert str(source.place((1, "id"))) == "d.jsonl:2:19"


def test_a_broken_line_is_no_row() -> None:
    _, batch = batch_of('{"id": "a"}\n{"id": }\n')
    assert batch.rows == [{"id": "a"}]
    assert [fault.code for fault, _ in batch.faults] == ["source/syntax"]


def test_the_place_of_a_key_that_stands_twice_is_that_of_the_last() -> None:
    read = foreign('{"a": 1,\n "a": 2}', "d.json")
    assert str(read.document and read.document.place(("a",))) == "d.json:2:7"
    assert [each.code for each in read.remarks] == ["source/duplicate-key"]


def test_a_byte_order_mark_is_told() -> None:
    assert foreign("\ufeff[]", "d.json").has_mark
    assert not foreign("[]", "d.json").has_mark


@pytest.mark.parametrize("odd", ['"\\ud800"', "1e999", "NaN"])
def test_every_line_that_python_reads_has_places(odd: str) -> None:
    source, batch = batch_of(f'{{"id": "a"}}\n{{"x": {odd}, "id": 7}}\n')
    assert [row["id"] for row in batch.rows] == ["a", 7]
    assert str(source.place((1, "id"))) == f"d.jsonl:2:{len(odd) + 15}"
