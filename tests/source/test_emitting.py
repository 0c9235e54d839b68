"""Writing datasets: what is written can be read again, or it is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tables import every_case

from evalcontract.source.faults import MAX_DEPTH, ParseError
from evalcontract.source.json import load_as_python, parse_json
from evalcontract.source.tables.parquet import typed_bytes
from evalcontract.source.yaml.reading import parse_yaml
from evalcontract.source.yaml.writing import (
    NotWritableError,
    json_line,
    json_text,
    yaml_mapping,
    yaml_text,
)


def nested(depth: int, inner: Any) -> Any:
    value = inner
    for _ in range(depth):
        value = {"a": value} if isinstance(value, list) else [value]
    return value


ODD: dict[str, Any] = {
    "NaN": [{"a": float("nan")}],
    "infinity": [{"a": [-float("inf")]}],
    "half of a pair": [{"a": "\ud800"}],
    "half of a pair in a key": [{"\udc00b": 1}],
    "deep enough": nested(MAX_DEPTH - 1, []),
    "a depth too many": nested(MAX_DEPTH, []),
    "a text as deep as can be": nested(MAX_DEPTH, "x"),
    "a text too deep": nested(MAX_DEPTH + 1, "x"),
    "too many digits": [10**5000],
}


@every_case("name", ODD)
@every_case("as_python", [False, True])
def test_json_is_read_again_or_refused(name: str, *, as_python: bool) -> None:
    try:
        data = json_text(ODD[name], as_python=as_python)
    except NotWritableError:
        text = json.dumps(ODD[name]) if "digits" not in name else f"[1{'0' * 5000}]"
        with pytest.raises(ParseError):
            load_as_python(text.encode()) if as_python else parse_json(text, "d.json", b"")
    else:
        read = load_as_python(data)[0] if as_python else parse_json(data.decode(), "d", b"").value
        assert repr(read) == repr(ODD[name])
        assert json.loads(json_line(ODD[name], as_python=as_python)) == read or "NaN" in name


@every_case("name", ODD)
def test_yaml_is_read_again_or_refused(name: str) -> None:
    value = ODD[name] if isinstance(ODD[name], list) else [ODD[name]]
    try:
        data = yaml_text({}, None, value)
    except NotWritableError:
        assert name not in ("NaN", "infinity")
        text = json.dumps(value) if "digits" not in name else f"[1{'0' * 5000}]"
        with pytest.raises(ParseError):
            parse_yaml(text, "d.yaml", b"")
    else:
        assert repr(parse_yaml(data.decode(), "d.yaml", data).value) == repr(value)


def test_a_mapping_of_yaml() -> None:
    assert yaml_mapping({"a": {"b": 1}}) == b"a:\n  b: 1\n"
    with pytest.raises(NotWritableError, match="lone surrogate"):
        yaml_mapping({"a": ["\ud800"]})


@pytest.mark.slow
def test_what_parquet_cannot_hold_is_refused() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(NotWritableError, match="the rows do not fit one Parquet schema: "):
        typed_bytes([{"row": ODD["half of a pair"]}])


def test_a_table_has_the_keys_of_all_rows() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    data = typed_bytes([{"a": 1}, {"b": 2}], header=("c",))
    read = parquet.read_table(io.BytesIO(data)).to_pylist()
    assert read == [{"c": None, "a": 1, "b": None}, {"c": None, "a": None, "b": 2}]
    empty = parquet.read_table(io.BytesIO(typed_bytes([], header=("c", "d"))))
    assert empty.column_names == ["c", "d"]


@pytest.mark.slow
def test_a_table_of_nothing_but_empty_cells_is_refused() -> None:
    pytest.importorskip("pyarrow")
    rows = [{"metadata": {f"key {number}": 1}} for number in range(5000)]
    with pytest.raises(NotWritableError, match="5,001 different keys: Parquet has a column"):
        typed_bytes(rows)
    assert typed_bytes(rows[:500])


def test_deep_values_are_read_again_or_refused() -> None:
    """Newer versions of pyarrow refuse to read the deepest values; older ones read them."""
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"row": ODD["a text as deep as can be"]}]
    try:
        data = typed_bytes(rows)
    except NotWritableError as error:
        assert str(error).startswith("the rows do not fit one Parquet schema: ")  # noqa: PT017 - or not
    else:
        assert parquet.read_table(io.BytesIO(data)).to_pylist() == rows
