"""Of many findings the rest is not checked, and those of one cause are counted."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from examples import some
from test_fields import BASE, NAMES
from work import calls_of

from evalcontract.checking import findings
from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats import dialect_of
from evalcontract.model.reference import Kind

#: What rows have besides: nobody reads it, or it is misspelled, or it is rows of somebody else.
UNREAD: list[dict[str, Any]] = [
    {"zzqq": 1, "wwvv": {"a": 2}},
    {"zzqq": 2, "wwvv": {"b": 2}},
    {"zzqq": None, "metadta": {"a": 1}},
    {"zzqq": [1], "tests": [{"a": 1}]},
    {"zzqq": [{"a": 1}], "tests": ["a"]},
    {"expectd": "a", "zzqq": 1},
    {"expectd": {"a": 1}, "zzqq": True},
    {},
]


def rows_with_unread_keys(name: str, number: int) -> list[dict[str, Any]]:
    """Return rows of a dialect, each with one of the additions, by turns."""
    base = BASE.get(name) or BASE[name.partition(":")[0]]
    texts = [json.dumps(base).replace("{}", str(at)) for at in range(number)]
    return [{**json.loads(text), **UNREAD[at % len(UNREAD)]} for at, text in enumerate(texts)]


def causes_in(name: str, rows: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Return the findings of keys that are not read, by what is said, with the numbers of rows."""
    value = {"agent_skills": {"evals": rows}, "evret": {"queries": rows}}
    data = json.dumps(value.get(dialect_of(name).name, rows)).encode()
    options = Options(root=Path(), strict=True, dialect=name)
    found = validate(Kind.DATASET, [Input(Path("d.json"), io.BytesIO(data))], options).diagnostics
    counts: Counter[tuple[Any, ...]] = Counter()
    for each in found:
        if each.code.endswith("-key") and each.row_index is not None:
            counts[each.code, each.severity, each.message, each.help] += (
                each.sites.total if each.sites else 1
            )
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("name", some(NAMES, 8))
def test_keys_that_are_not_read_are_counted_in_rows_of_all_forms(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = 150  # there are several batches
    monkeypatch.setattr(findings, "MAX_SITES", 20)
    rows = rows_with_unread_keys(name, len(UNREAD) * times)
    alone: Counter[tuple[Any, ...]] = Counter()
    for row in rows[: len(UNREAD)]:
        alone += causes_in(name, [row])
    assert causes_in(name, rows) == {said: count * times for said, count in alone.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("file", ["d.json", "d.jsonl"])
def test_further_rows_with_a_cause_take_little_more_than_clean_ones(file: str) -> None:
    def check(*rows: dict[str, Any]) -> int:
        lines = "\n".join(json.dumps(row) for row in rows)
        text = lines if file == "d.jsonl" else json.dumps(rows)
        given = Input(Path(file), io.BytesIO(text.encode()))
        return calls_of(validate, Kind.DATASET, [given], Options(root=Path(), dialect="deepeval"))

    def work(more: dict[str, Any]) -> int:
        row = {"input": "How deep?", "expected_output": "9 m", **more}
        return check(*[row] * 6_000) - check(*[row] * 3_000)

    assert work({"zzqq": 1, "wwvv": {"a": 2}}) < 2 * work({})


@pytest.mark.costly
def test_the_rest_is_not_checked_after_too_many_findings() -> None:
    text = json.dumps([{"input": "a", "target": "b", "sandbox": 3}] * 5_000)
    given = Input(Path("samples.json"), io.BytesIO(text.encode()))
    result = validate(Kind.DATASET, [given], Options(dialect="inspect", max_findings=10))
    assert result.diagnostics[0].code == "source/limit-exceeded"
    assert result.rows == 1_000
