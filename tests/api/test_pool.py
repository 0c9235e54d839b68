"""Work in several processes gives what one gives, in order, whatever becomes of them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from tables import every_case

from evalcontract.source import processes as pool
from evalcontract.source.processes import map_in_parallel

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")


def square(number: int) -> int:
    return number * number


@pytest.mark.slow
@needs_fork
@every_case("jobs", [1, 2, 5])
@every_case("many", [0, 1, 2, 3, 40])
def test_results_are_in_order(jobs: int, many: int) -> None:
    assert list(map_in_parallel(square, range(many), jobs)) == [n * n for n in range(many)]


@pytest.mark.costly
@needs_fork
def test_more_than_one_process_works() -> None:
    pids = set(map_in_parallel(lambda _: os.getpid(), range(20), 3))
    assert len(pids) == 3
    assert os.getpid() not in pids


@needs_fork
def test_one_item_takes_no_process() -> None:
    assert list(map_in_parallel(lambda _: os.getpid(), [1], 3)) == [os.getpid()]


@needs_fork
def test_what_a_killed_process_worked_on_is_done_here() -> None:
    parent = os.getpid()

    def die_at_seven(number: int) -> int:
        if number == 7 and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert list(map_in_parallel(die_at_seven, range(30), 2)) == list(range(30))


@needs_fork
def test_without_processes_it_works_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(pool, "ForkedProcess", fail)
    assert list(map_in_parallel(square, range(5), 4)) == [0, 1, 4, 9, 16]


@needs_fork
def test_items_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = map_in_parallel(square, items(), 2)
    assert [next(results) for _ in range(10)] == [n * n for n in range(10)]
    assert len(taken) < 20
    results.close()


@pytest.mark.costly
@needs_fork
def test_large_items_and_results_do_not_block() -> None:
    texts = [str(number) * 300_000 for number in range(8)]
    assert list(map_in_parallel(str.upper, texts, 3)) == texts
