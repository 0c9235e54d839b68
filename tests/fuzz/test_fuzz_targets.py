"""No bytes break a reader, a grammar, an analysis or a check; `crashes/` has what once did."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from examples import tries
from fuzz_targets import TARGETS
from mutation import mutated
from tables import every_case

CRASHES = Path(__file__).parent / "crashes"


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_mutated_seeds(name: str) -> None:
    target = TARGETS[name]
    chance, seeds = random.Random(name), [*target.seeds()]  # noqa: S311
    assert seeds
    for _ in range(tries(target.many)):
        data = mutated(chance.choice(seeds), chance)
        try:
            target.check(data)
        except Exception as failure:
            failure.add_note(f"for {data!r}")
            raise


@pytest.mark.slow
@pytest.mark.parametrize("name", ["grammars", "pattern", "modeline", "template", "configuration"])
def test_seeds(name: str) -> None:
    for seed in TARGETS[name].seeds():
        TARGETS[name].check(seed)


@every_case("name", TARGETS)
def test_what_once_crashed(name: str) -> None:
    for file in sorted((CRASHES / name).glob("*")):
        try:
            TARGETS[name].check(file.read_bytes())
        except Exception as failure:
            failure.add_note(f"for {file.name}")
            raise


def test_a_crash_belongs_to_a_target() -> None:
    folders = {folder.name for folder in CRASHES.iterdir()}
    assert folders
    assert folders <= TARGETS.keys()
