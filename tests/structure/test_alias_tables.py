"""The names of other tools, all of them: what each is called here, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from texts import plain

from evalcontract.structure.keys import names as aliases
from evalcontract.structure.keys import names as value_aliases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syrupy.assertion import SnapshotAssertion

    from evalcontract.structure.keys.names import Alias

TABLES: dict[str, Mapping[str, Alias]] = {
    "ALIASES": aliases.ALIASES,
    "CONTINUOUS_ALIASES": aliases.CONTINUOUS_ALIASES,
    "CLOSED_ALIASES": aliases.CLOSED_ALIASES,
}
KINDS = value_aliases._KIND_ADVICE  # noqa: SLF001 - all of a table, which only it has


def line(name: str, alias: Alias) -> str:
    flags = [flag for flag, is_set in alias._asdict().items() if is_set is True]
    return " ".join([f"  {name} ->", *alias.canonical, *(f"[{flag}]" for flag in flags)])


@pytest.mark.messages
def test_keys(snapshot: SnapshotAssertion) -> None:
    lines = []
    for title, table in TABLES.items():
        lines += [title, *(line(name, alias) for name, alias in sorted(table.items()))]
    assert "\n".join([*lines, "EVERYDAY_WORDS", *sorted(aliases.EVERYDAY_WORDS), ""]) == plain(
        snapshot
    )


@pytest.mark.messages
def test_values(snapshot: SnapshotAssertion) -> None:
    lines = [line(name, alias) for name, alias in value_aliases.VALUE_ALIASES.items()]
    advice = [f"  {name}: {value_aliases.advice_for_value(name, {'llm_judge'})}" for name in KINDS]
    assert "\n".join(["values", *sorted(lines), "kinds", *sorted(advice), ""]) == plain(snapshot)


def test_advice_is_given_where_a_kind_is_asked_for() -> None:
    advise = value_aliases.advice_for_value
    assert advise("IContains", {"must_contain_any"}) == "use `must_contain_any`"
    assert advise("mean", {"average", "weighted_avg"}) == "use `weighted_avg`"
    assert advise("mean", {"average"}) == "use `average`"
    assert advise("mean", {"regex"}) is None
    assert "`regex`" in str(advise("equals", {"llm_judge"}))
    assert advise("equals", {"regex"}) is None
