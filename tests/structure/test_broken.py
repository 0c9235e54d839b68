"""What the fast engine tells of a value is what the exact one would tell."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from evalcontract.structure import violations
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator, structure_of
from evalcontract.structure.violations import SchemaPair

ROW: dict[str, Any] = {"id": "a", "input": "Where?", "tags": ["x"], "expected": {"format": "text"}}
RUBRIC: dict[str, Any] = {
    "id": "a",
    "version": "1.0.0",
    "scoring": {"combine": "weighted", "weights": {"c": 1}, "threshold": 0.5},
    "checks": [{"id": "c", "kind": "must_not_contain", "values": ["x"], "label": "L"}],
}
JUDGE: dict[str, Any] = {
    "id": "a",
    "version": "1.0.0",
    "model": {"name": "m", "temperature": 0.5},
    "template": "{{output}}",
}
CASES = {
    "row": (SchemaValidator("dataset", definition("row", of="dataset")), ROW),
    "rubric": (structure_of("rubric"), RUBRIC),
    "judge": (structure_of("judge"), JUDGE),
}
VALUES = [None, True, 7, -1, 1.5, "", " ", "x", "1.0", [], ["x", "x"], [7], {}, {"id": 1}, "jsn"]


def mappings_of(value: Any) -> list[Any]:
    """Return the mappings and lists in a value, itself first."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    inner = [each for part in parts for each in mappings_of(part)]
    return [value, *inner] if isinstance(value, dict | list) else inner


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", CASES)
def test_both_engines_lead_to_the_same_findings(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    structure, sound = CASES[case]

    @examples(300)
    @given(st.data())
    def same(data: st.DataObject) -> None:
        value = copied(sound)
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.sampled_from(mappings_of(value)))
            keys = range(len(place)) if isinstance(place, list) else [*place, "input", "more"]
            if key := data.draw(st.sampled_from([None, *keys])):
                place[key] = copied(data.draw(st.sampled_from(VALUES)))
            elif isinstance(place, dict) and place:
                del place[data.draw(st.sampled_from(sorted(place)))]
        fast = structure.check(value)
        with monkeypatch.context() as changed:
            changed.setattr(violations, "from_native", lambda *_: None)
            assert structure.check(value) == fast

    same()


@pytest.mark.parametrize(
    ("row", "keyword"),
    [
        ({**ROW, "tags": "x"}, "type"),
        ({**ROW, "id": ""}, "minLength"),
        ({"id": "a"}, "required"),
        ({**ROW, "expected": {"format": "jsn"}}, "enum"),
        ({**ROW, "bundle": "A B"}, "pattern"),
    ],
)
def test_a_single_fault_needs_no_exact_engine(
    row: dict[str, Any], keyword: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(violations._CompiledSchema, "exact")  # noqa: SLF001 - nothing else asks it
    structure, _ = CASES["row"]
    ((_, (fault,)),), _ = SchemaPair("dataset", structure.schema).violations(row)
    assert (fault.keyword, fault.schema[keyword]) == (keyword, fault.keyword_value)


def test_two_faults_are_told_by_the_exact_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    structure, _ = CASES["row"]
    pair, value = SchemaPair("dataset", structure.schema), {"id": 1, "input": 2}
    ((_, faults),), _ = pair.violations(value)
    assert [fault.keyword for fault in faults] == ["type", "type"]
    monkeypatch.delattr(violations._CompiledSchema, "exact")  # noqa: SLF001 - as above
    with pytest.raises(AttributeError, match="exact"):
        SchemaPair("dataset", structure.schema).violations(value)
