"""`DatasetLoader.load_rows`: rows of any iterable are checked as those of a file."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from doors import UsageError
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract import ContractViolation, DatasetLoader, Severity
from evalcontract.datasets.row_check import DatasetCheck
from evalcontract.source.rows import NotPlainError, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""


def row(number: int, **others: Any) -> dict[str, Any]:
    return {"id": f"r{number}", "input": "x", "expected_facts": ["c"], **others}


def codes(found: Any) -> list[tuple[str, str, int | None]]:
    return [(each.code, each.place.file, each.row_index) for each in found.diagnostics]


def test_findings_are_those_of_a_file(tmp_path: Path) -> None:
    rows = [
        {"id": "r1", "input": "x", "rubric_ref": "rubric/polite@1.0.0"},
        row(1),
        {"id": "a", "inptu": "x"},
        row(2, rubric_ref="rubric/polit@1.0.0"),
        row(3, expecteed_facts=["x"]),
        7,
        row(4, expected={"format": "jsn"}),
    ]
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    file = tmp_path / "set.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    loader = DatasetLoader(tmp_path, strict=False)
    of_file, in_memory = loader.load(file), loader.load_rows(rows)  # type: ignore[arg-type]

    def facts(dataset: Any) -> list[tuple[Any, ...]]:
        return [
            (each.code, each.message, each.help, each.path, each.row, each.row_index)
            for each in dataset.diagnostics
        ]

    assert facts(in_memory) == facts(of_file)
    assert len(in_memory.diagnostics) == 6
    assert of_file.provenance.rubrics
    assert [each.value for each in in_memory] == [each.value for each in of_file] == rows
    assert in_memory.coverage == of_file.coverage
    assert in_memory.provenance.rubrics == of_file.provenance.rubrics
    assert {each.place.file for each in in_memory.diagnostics} == {
        f"rows[{n}]" for n in range(1, 7)
    }


def test_places_are_row_indexes() -> None:
    rows = [row(n % 11) for n in range(12)]
    loaded = DatasetLoader(strict=False).load_rows([*rows, {"id": "z"}], "training")
    assert loaded.file == loaded.provenance.file == "training"
    assert codes(loaded) == [
        ("dataset/duplicate-id", "training[11]", 11),
        ("dataset/missing-key", "training[12]", 12),
    ]
    ((_, first),) = loaded.diagnostics[0].related
    assert str(first) == "training[0]"
    # By number, and not by name.
    ids = [{"id": "a"} for _ in range(12)]
    found = DatasetLoader(strict=False).load_rows(ids).diagnostics
    assert [each.row_index for each in found] == sorted(each.row_index or 0 for each in found)


def test_rows_are_read_once_and_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is checked before the next one is asked for."""
    log: list[tuple[str, int]] = []
    check = DatasetCheck._check_batch  # noqa: SLF001

    def logged(self: Any, rows: Any, batch: Any, gates: Any, **how: Any) -> Any:
        log.append(("checked", batch.first_index + len(batch.rows)))
        return check(self, rows, batch, gates, **how)

    monkeypatch.setattr(DatasetCheck, "_check_batch", logged)

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(1200):
            if number % 500 == 0:
                log.append(("read", number))
            yield row(number)

    loaded = DatasetLoader(strict=True).load_rows(rows())
    assert (len(loaded), loaded.diagnostics) == (1200, ())
    assert log == [
        ("read", 0), ("checked", 500), ("read", 500), ("checked", 1000), ("read", 1000),
        ("checked", 1200),
    ]  # fmt: skip


def test_an_error_of_the_iterable_is_not_caught() -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield row(1)
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        DatasetLoader().load_rows(rows())


class _Colour(StrEnum):
    RED = "red"


PLAIN: tuple[tuple[Any, Any], ...] = (
    (MappingProxyType({"a": (1, 2)}), {"a": [1, 2]}),
    (_Colour.RED, "red"),
    ({_Colour.RED: 1}, {"red": 1}),
    (date(2026, 5, 8), "2026-05-08"),
    (datetime(2026, 5, 8, 1, 2, tzinfo=UTC), "2026-05-08T01:02:00+00:00"),
    (timedelta(minutes=1), 60.0),
    (Decimal("0.5"), 0.5),
    (Fraction(1, 4), 0.25),
    (b"ab", "YWI="),
    (2**70, 2**70),
    (True, True),
)


@pytest.mark.slow
@every_case(("value", "expected"), PLAIN)
def test_values_become_plain(value: Any, expected: Any) -> None:
    loaded = DatasetLoader(strict=True).load_rows([row(1, context=value)])
    (result,) = (each.value["context"] for each in loaded)
    assert (result, type(result)) == (expected, type(expected))
    assert json.loads(json.dumps(result)) == expected


_TEXTS = st.text(st.characters(codec="utf-8"))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        | _TEXTS,
        lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner),
    )
)  # fmt: skip
def test_plain_data_is_copied_as_it_is(value: Any) -> None:
    assert plain(value) == value
    assert json.dumps(plain(value)) == json.dumps(value)


def _cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.slow
@every_case(
    ("value", "code", "part"),
    [
        (math.nan, "source/unsupported", "`$.context` is NaN"),
        ([{"x": -math.inf}], "source/unsupported", "`$.context[0].x` is infinite"),
        (Decimal("NaN"), "source/unsupported", "is NaN"),
        (object(), "source/unsupported", "is a `object`"),
        ({1}, "source/unsupported", "is a `set`"),
        ({1: 2}, "source/unsupported", "a key that is a `int`"),
        ("\ud800", "source/encoding", "surrogate"),
        (_cyclic(), "source/limit-exceeded", "levels deep"),
        (1 << 20_000, "source/limit-exceeded", "digits"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_json_cannot_represent(value: Any, code: str, part: str) -> None:
    """The row is a finding and left out; the others keep their indexes."""
    rows = [row(0), row(1, context=value), row(2)]
    loaded = DatasetLoader(strict=False).load_rows(rows)
    assert [each.index for each in loaded] == [0, 2]
    (found,) = loaded.diagnostics
    assert (found.code, found.severity) == (code, Severity.ERROR)
    assert "row 1 cannot be read" in found.message
    assert part in found.message
    with pytest.raises(ContractViolation):
        DatasetLoader(strict=True).load_rows(rows)
    with pytest.raises(ContractViolation):  # nothing is left
        DatasetLoader(strict=False).load_rows([row(1, context=value)])


def test_surrogates_in_keys() -> None:
    with pytest.raises(NotPlainError):
        plain({"\ud800": 1})
    assert plain({"\ud800": math.inf}, as_python=True) == {"\ud800": math.inf}


def test_no_rows() -> None:
    loaded = DatasetLoader(strict=False).load_rows(iter(()))
    assert (loaded.rows, codes(loaded)) == ((), [("dataset/no-rows", "rows", None)])


@every_case("rows", ["set.yaml", b"x", row(1), None, 7])
def test_what_is_no_iterable_of_mappings(rows: Any) -> None:
    with pytest.raises(UsageError, match="iterable of mappings"):
        DatasetLoader().load_rows(rows)


def test_the_digest_is_that_of_the_rows() -> None:
    rows = [row(1), {"input": "é", "id": "r2", "expected_facts": ["c"]}]
    lines = "".join(f"{json.dumps(each, sort_keys=True)}\n" for each in rows)
    loaded = DatasetLoader().load_rows(rows)
    assert loaded.provenance.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    other = DatasetLoader().load_rows([dict(reversed(each.items())) for each in rows])
    assert other.provenance.sha256 == loaded.provenance.sha256


def test_a_loaded_row_is_a_copy() -> None:
    mine = row(1, tags=["a"])
    loaded = DatasetLoader().load_rows([mine])
    mine["tags"].append("b")
    assert loaded.rows[0].value["tags"] == ["a"]


def test_a_row_can_be_sent_to_another_process() -> None:
    """Its rubric cannot: that would send the workspace."""
    (loaded,) = DatasetLoader(strict=False).load_rows([row(1, inptu="x")])
    copy = pickle.loads(pickle.dumps(loaded))  # noqa: S301
    assert copy == loaded
    assert copy.diagnostics
    with pytest.raises(UsageError, match="copied row"):
        copy.rubric  # noqa: B018


@pytest.mark.parametrize("rows", [[{"id": "a", "input": "b"}], {}, None, 5])
def test_rows_are_no_path(rows: Any) -> None:
    with pytest.raises(UsageError, match="load_rows"):
        DatasetLoader().load(rows)
