"""Repeated ids are found exactly, whatever their order and number, and in little memory."""

from __future__ import annotations

import tracemalloc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcontract.rules._rule import DatasetContext
from evalcontract.rules.rows.duplicate_id import RULE
from evalcontract.source import text

if TYPE_CHECKING:
    from collections.abc import Iterable

CONTEXT = DatasetContext((), MappingProxyType({}), frozenset(), tuple)  # type: ignore[arg-type]


def repeated(blocks: Iterable[list[str]]) -> list[tuple[Any, Any]]:
    """Return the index of each id that is repeated, and that of its first row."""
    watch, first = RULE.watch(CONTEXT), 0
    for ids in blocks:
        see_ids: Any = getattr(watch, "see_ids", None)
        assert [*see_ids(first, ids)] == []
        first += len(ids)
    return [(each.path[0], each.related[0].path[0]) for each in watch.finish()]


@pytest.mark.parametrize("room", [text._IN_MEMORY, 0, 20])  # noqa: SLF001 - what is in memory
@given(blocks=st.lists(st.lists(st.sampled_from(["a", "b", "c\0", "\ud800", "ß", ""]) | st.text())))
def test_all_repeated_ids_are_found(room: int, blocks: list[list[str]]) -> None:
    ids = [each for block in blocks for each in block]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_IN_MEMORY", room)
        found = repeated(blocks)
    assert found == [
        (at, ids.index(each)) for at, each in enumerate(ids) if each and ids.index(each) < at
    ]


def test_ids_whose_hashes_are_alike_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    from evalcontract.rules.rows import duplicate_id

    monkeypatch.setattr(duplicate_id, "hash", len, raising=False)
    assert repeated([["b", "a", "c"], ["bb", "a"]]) == [(4, 1)]


@pytest.mark.thorough
def test_ids_in_no_order_take_few_bytes() -> None:
    number, each = 400_000, 1_000
    blocks = (
        [f"{hash((n, 'x')) & 0xFFFFFFFFFFFF:032x}" for n in range(first, first + each)]
        for first in range(0, number, each)
    )
    tracemalloc.start()
    assert repeated(blocks) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 8 bytes of hash, and what a list of texts takes before the file has it; not 100 as in a set
    assert peak < text._IN_MEMORY * 2 + number * 12  # noqa: SLF001 - as above
