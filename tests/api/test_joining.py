"""Rows and recorded outputs are joined by id, in whatever order they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from evalcontract.checks.outcome import Output
from evalcontract.datasets.outputs import Join, OutputRecord
from evalcontract.datasets.passes import CheckedRow

if TYPE_CHECKING:
    from collections.abc import Iterator

IDS = st.lists(st.sampled_from("abcdefgh"), max_size=8)


def row(number: int, id_: Any) -> CheckedRow:
    return CheckedRow(number, (number,), {"id": id_}, [], None)


def batched(items: list[Any], size: int) -> Iterator[list[Any]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]


@given(IDS, st.sets(st.sampled_from("abcdefgh")).map(sorted), st.integers(1, 4), st.randoms())
def test_each_row_comes_once_with_its_record(
    ids: list[str], answered: list[str], size: int, random: Any
) -> None:
    random.shuffle(answered)
    rows = [row(number, id_) for number, id_ in enumerate(ids)]
    records = [OutputRecord(id_, number, Output(id_)) for number, id_ in enumerate(answered)]
    join = Join()
    pairs = list(join.pairs(batched(rows, size), batched(records, 3)))

    assert sorted(pair.row.number for pair in pairs) == list(range(len(rows)))
    firsts = {ids.index(id_) for id_ in ids}
    for pair in pairs:
        id_ = pair.row.value["id"]
        assert (pair.record is not None) == (pair.row.number in firsts and id_ in answered)
        assert pair.record is None or pair.record.id == id_
    surplus = [record.id for record in join.surplus]
    assert surplus == [id_ for id_ in answered if id_ not in ids]


def test_a_row_without_a_usable_id_gets_no_record() -> None:
    broken = [row(0, None), row(1, ["a"]), CheckedRow(2, (2,), "text", [], None)]
    pairs = list(Join().pairs([broken], [[OutputRecord("a", 0, Output("x"))]]))
    assert [pair.record for pair in pairs] == [None, None, None]


def test_rows_in_the_order_of_their_records_do_not_wait() -> None:
    join = Join()
    pairs = join.pairs(
        ([row(number, f"r{number}")] for number in range(1000)),
        ([OutputRecord(f"r{number}", number, Output())] for number in range(1000)),
    )
    for _ in range(999):
        next(pairs)
        assert len(join._rows) + len(join._records) <= 1  # noqa: SLF001 - what is kept in memory
