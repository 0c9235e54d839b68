"""Whatever stands where a conversion preserves values, no conversion from there crashes."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mutation import ODD_VALUES, altered

from evalcontract import ContractViolation, UsageError, convert
from evalcontract.formats import OURS, dialects

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

#: Rows with every key, of each bundle that a conversion may set.
ROWS: tuple[dict[str, Any], ...] = (
    {
        "id": "a",
        "input": "b?",
        "criteria": "c",
        "expected": {"format": "text", "reference": "r", "k": 1},
        "expected_facts": ["f"],
        "expected_tools": ["t", {"name": "u", "arguments": {"x": 1}}],
        "must_contain_any": ["m"],
        "must_not_contain": ["n"],
        "tags": ["t"],
        "context": {"d": ["x"]},
        "metadata": {"m": 1},
        "x_a": 1,
        "rubric_ref": "rubric/z@1.0.0",
    },
    {
        "id": "b",
        "input": "q",
        "bundle": "agent",
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
        "trace": {"calls": []},
        "expected_facts": ["f"],
    },
    {
        "id": "c",
        "input": "q",
        "bundle": "rag",
        "expected_documents": [{"id": "d"}],
        "retrieved_documents": [{"id": "e"}],
        "recorded_output": "o",
    },
)
KEYS = (*{key: None for row in ROWS for key in row}, "rubric", "set", "absent", "checks", "judges")
VALUES = (*ODD_VALUES, 1.5, [["x"]], [{"name": [1]}], [{"role": 1}], {"checks": [1]}, {"a": 1})
NAMES = (OURS, *map(str, dialects()))
#: Where a conversion preserves what the target has no field for.
PRESERVING = frozenset({OURS, *(name.partition(":")[0] for name in NAMES)})
#: Rows of this dialect are made of recorded outputs, which none of the rows above has whole.
_OUTPUTS = "databricks:outputs"


@cache
def sources(name: str) -> tuple[Any, ...]:
    """Return what rows become in a dialect, or in ours again: documents that preserve values."""
    if name == OURS:
        others = [other for other in NAMES if other not in (OURS, _OUTPUTS)]
        found = (convert(each, from_=other) for other in others for each in sources(other))
        return tuple([*each.rows] for each in found)
    made = (convert([row], to=name) for row in ROWS)
    return tuple(
        each.document if isinstance(each.document, dict) else [*each.rows] for each in made
    )


def forged(value: Any, chance: random.Random) -> Any:
    """Return a copy of a document with other values where it preserves some."""
    copy = json.loads(json.dumps(value))
    places = [*_preserved(copy, is_inside=False)]
    for _ in range(chance.choice((1, 1, 2, 3)) if places else 0):
        place = chance.choice(places)
        key = chance.choice([*place, *KEYS])
        odd = chance.choice(VALUES)
        place[key] = altered(place[key], chance) if key in place and chance.random() < 0.3 else odd
    return copy


def _preserved(value: Any, *, is_inside: bool) -> Iterator[dict[str, Any]]:
    """Yield the mappings in which values are preserved, and those inside of them."""
    if isinstance(value, dict):
        if is_inside:
            yield value
        for key, part in value.items():
            yield from _preserved(part, is_inside=is_inside or key in (*PRESERVING, "metadata"))
    elif isinstance(value, list):
        for part in value:
            yield from _preserved(part, is_inside=is_inside)


@pytest.mark.slow
@examples(3000)
@given(
    st.sampled_from([*product([name for name in NAMES if name != _OUTPUTS], NAMES)]),
    st.randoms(use_true_random=False),
)
def test_no_forged_value_crashes(pair: tuple[str, str], chance: random.Random) -> None:
    source, target = pair
    document = forged(chance.choice(sources(source)), chance)
    try:
        with suppress(UsageError):  # it is nested too deeply to be read
            convert(document, from_=source, to=target)
    except ContractViolation as refused:
        crashes = [each for each in refused.diagnostics if each.code.startswith("internal/")]
        assert not crashes, (pair, document, crashes)
