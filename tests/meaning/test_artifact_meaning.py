"""What an artifact means: its fields, its view and digest, its changes and their versions."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.meaning.changes import (
    MISSING,
    Act,
    Change,
    VersionFault,
    changes_of,
    next_version,
    rank_of,
    version_fault,
)
from evalcontract.meaning.rows import RowsMeaning
from evalcontract.meaning.view import (
    FIELDS,
    IDENTITY,
    UNORDERED,
    ChangeClass,
    View,
    class_of,
    digest_of_json,
    view_of,
)
from evalcontract.model.reference import Kind, Version
from evalcontract.structure.schemas import load

WORDING, ADDITIVE, BREAKING = ChangeClass


def fields_of(schema: Any, root: Any, above: str = "", seen: frozenset[str] = frozenset()) -> Any:
    """Yield the paths of all fields that a schema describes."""
    if not isinstance(schema, dict):
        return
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name and name not in seen:
        yield from fields_of(root["$defs"][name], root, above, seen | {name})
    for key, part in schema.get("properties", {}).items():
        path = f"{above}.{key}" if above else key
        yield path
        yield from fields_of(part, root, path, seen)
    yield from fields_of(schema.get("items"), root, f"{above}[]", seen)
    for part in schema.get("allOf", ()):
        yield from fields_of(part, root, above, seen)
        yield from fields_of(part.get("then"), root, above, seen)


@pytest.mark.parametrize("kind", FIELDS)
def test_every_field_of_the_contract_has_a_class_and_no_other(kind: Kind) -> None:
    schema = json.loads(json.dumps(load(kind)))
    assert set(FIELDS[kind]) == set(fields_of(schema, schema)) - IDENTITY


def test_unordered_lists_are_fields() -> None:
    assert {field for fields in FIELDS.values() for field in fields} >= UNORDERED


@every_case(
    "kind, field, rank",
    [
        (Kind.RUBRIC, "owner", BREAKING),  # nobody knows what reads it
        (Kind.RUBRIC, "metadata.owner.name", WORDING),
        (Kind.RUBRIC, "checks[].jury.judges[].weight", BREAKING),
        (Kind.JUDGE, "model.temperature", BREAKING),
        (Kind.JUDGE, "validation.notes", WORDING),
        (Kind.DATASET, "questions[].x_level", BREAKING),
    ],
)
def test_the_class_of_a_field(kind: Kind, field: str, rank: ChangeClass) -> None:
    assert class_of(kind, field) is rank


RUBRIC: dict[str, Any] = {
    "id": "tone",
    "version": "1.0.0",
    "checks": [
        {"id": "polite", "kind": "llm_judge", "judge_prompt_ref": "judge/tone@1.0.0"},
        {"id": "thanks", "kind": "must_contain_any", "values": ["thanks", "thank you"]},
        {"kind": "regex", "pattern": "[.]"},
        {"kind": "regex", "pattern": "[!]"},
    ],
    "scoring": {"combine": "weighted_avg", "weights": {"polite": 2}, "threshold": 0.7},
}
JUDGE: dict[str, Any] = {
    "id": "tone",
    "version": "1.0.0",
    "template": "Is it polite?\n\n{{ output }}",
    "model": {"name": "m-1"},
}
DATASET: dict[str, Any] = {
    "bundle": "rag",
    "questions": [
        {"id": "a", "input": "How deep?", "expected": {"reference": "Nine."}, "context": [1.0]},
        {"id": "b", "input": "How far?", "bundle": "agent", "must_contain_any": ["far", "near"]},
    ],
}


def rubric(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RUBRIC), **changes}


def with_check(number: int, **changes: Any) -> dict[str, Any]:
    """Return the rubric with some keys of one check replaced."""
    changed = rubric()
    changed["checks"][number] |= changes
    return changed


def scored(**changes: Any) -> dict[str, Any]:
    return rubric(scoring={**RUBRIC["scoring"], **changes})


@every_case(
    "same",
    [
        rubric(label="Tone", description="x", metadata={"owner": "me"}, version="2.0.0"),
        rubric(checks=[*reversed(RUBRIC["checks"])]),
        dict(reversed(RUBRIC.items())),
        with_check(0, judge_prompt_ref="judge/tone@1.0", label="Polite"),
        with_check(1, values=["thank you", "thanks"], case_sensitive=False),
        with_check(2, flags=[], match="search", negate=False, metadata={"a": 1}),
        scored(weights={"polite": 2.0, "thanks": 1}),
    ],
)
def test_the_same_meaning_has_one_digest(same: dict[str, Any]) -> None:
    assert view_of(Kind.RUBRIC, same).digest == view_of(Kind.RUBRIC, RUBRIC).digest


def test_what_a_combination_does_not_read_is_no_part_of_the_meaning() -> None:
    plain = view_of(Kind.RUBRIC, rubric(scoring={"combine": "all_pass"})).digest
    unread = {"combine": "all_pass", "weights": {"polite": 3}, "threshold": 0.2}
    assert view_of(Kind.RUBRIC, rubric(scoring=unread)).digest == plain
    read = {"combine": "min", "threshold": 0.2}
    assert view_of(Kind.RUBRIC, rubric(scoring=read)).digest != plain


def changed(kind: Kind, old: Any, new: Any) -> list[tuple[str, str, ChangeClass]]:
    changes = changes_of(view_of(kind, old), view_of(kind, new))
    return [(change.name, str(change.act), change.rank) for change in changes]


@every_case(
    "new, expected",
    [
        (scored(threshold=0.8), [("scoring.threshold", "changed", BREAKING)]),
        (scored(weights={}), [("checks.polite.weight", "removed", BREAKING)]),
        (
            scored(weights={"thanks": 0.5, "polite": 2}),
            [("checks.thanks.weight", "added", BREAKING)],
        ),
        (
            scored(combine="min"),
            [
                ("checks.polite.weight", "removed", BREAKING),
                ("scoring.combine", "changed", BREAKING),
            ],
        ),
        (with_check(1, values=["thanks"]), [("checks.thanks.values", "changed", BREAKING)]),
        (with_check(1, case_sensitive=True), [("checks.thanks.case_sensitive", "added", BREAKING)]),
        (with_check(1, id="gratitude"), [("checks.gratitude", "renamed", ADDITIVE)]),
        (with_check(2, label="Ends"), [("checks.regex#2.label", "added", WORDING)]),
        (
            rubric(checks=RUBRIC["checks"][1:], scoring={**RUBRIC["scoring"], "weights": {}}),
            [("checks.polite", "removed", BREAKING)],
        ),
        (
            rubric(checks=[*RUBRIC["checks"], {"id": "n", "kind": "php_lint"}]),
            [("checks.n", "added", BREAKING)],
        ),
        (rubric(applicable_bundles=["rag"]), [("applicable_bundles", "added", ADDITIVE)]),
        (rubric(label="Tone"), [("label", "added", WORDING)]),
        (
            rubric(checks=[{"kind": "regex", "pattern": "0"}, *RUBRIC["checks"]]),
            [("checks.regex#1", "added", BREAKING)],
        ),
        (rubric(checks=RUBRIC["checks"][:3]), [("checks.regex#1", "removed", BREAKING)]),
        (rubric(owner="me"), [("owner", "added", BREAKING)]),
        (rubric(id="manners"), []),
    ],
)
def test_changes_of_a_rubric(new: Any, expected: list[Any]) -> None:
    assert changed(Kind.RUBRIC, RUBRIC, new) == expected


def test_a_change_has_its_place_and_both_values() -> None:
    new = rubric(checks=RUBRIC["checks"][1:], scoring={**RUBRIC["scoring"], "threshold": 0.8})
    changes = changes_of(view_of(Kind.RUBRIC, RUBRIC), view_of(Kind.RUBRIC, new))
    assert [*changes] == [
        Change(
            "checks.polite",
            Act.REMOVED,
            BREAKING,
            old={"kind": "llm_judge", "judge_prompt_ref": "judge/tone@1.0.0", "weight": 2},
            new=MISSING,
            path=("checks",),
            old_path=("checks", 0),
        ),
        Change(
            "scoring.threshold",
            Act.CHANGED,
            BREAKING,
            old=0.7,
            new=0.8,
            path=("scoring", "threshold"),
            old_path=("scoring", "threshold"),
        ),
        Change(
            "scoring.weights",
            Act.ADDED,
            BREAKING,
            old=MISSING,
            new={"polite": 2},
            path=("scoring", "weights"),
            old_path=(),
        ),
    ]


@every_case(
    "new, expected",
    [
        ({**JUDGE, "template": "Polite?\n\n{{ output }}"}, [("template", "changed", BREAKING)]),
        ({**JUDGE, "score_type": "binary", "version": "1.1.0"}, []),
        ({**JUDGE, "model": {"name": "m-2"}}, [("model.name", "changed", BREAKING)]),
        ({**JUDGE, "validation": {"tpr": 0.9}}, [("validation.tpr", "added", WORDING)]),
        ({**JUDGE, "applicable_to": ["rag"]}, [("applicable_to", "added", ADDITIVE)]),
    ],
)
def test_changes_of_a_judge(new: Any, expected: list[Any]) -> None:
    assert changed(Kind.JUDGE, JUDGE, new) == expected


def with_rows(*rows: dict[str, Any], **root: Any) -> dict[str, Any]:
    return {**DATASET, **root, "questions": [*rows]}


A, B = DATASET["questions"]


@every_case(
    "new, expected",
    [
        (with_rows(B, A), []),
        (with_rows({**A, "bundle": "rag"}, B, bundle="other"), []),
        (
            with_rows({**A, "context": [1], "tags": ["x"]}, B),
            [("questions.a.tags", "added", WORDING)],
        ),
        (with_rows(A), [("questions.b", "removed", BREAKING)]),
        (with_rows(A, B, {"id": "c", "input": "?"}), [("questions.c", "added", ADDITIVE)]),
        (with_rows({**A, "id": "z"}, B), [("questions.z", "renamed", ADDITIVE)]),
        (
            with_rows({**A, "id": "z", "criteria": "c"}, B),
            [("questions.z.criteria", "added", BREAKING), ("questions.z", "renamed", ADDITIVE)],
        ),
        (
            with_rows({**A, "expected": {"reference": "Ten."}}, B),
            [("questions.a.expected.reference", "changed", BREAKING)],
        ),
        (with_rows(A, {**B, "must_contain_any": ["near", "far"]}), []),
        (with_rows(A, B, bundle="agent"), [("questions.a.bundle", "changed", BREAKING)]),
    ],
)
def test_changes_of_a_dataset(new: Any, expected: list[Any]) -> None:
    assert changed(Kind.DATASET, DATASET, new) == expected


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from((0.5, 1.0, "a", "", "b")),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abx"), inner, max_size=2)
    ),
    max_leaves=5,
)
CASES = {Kind.RUBRIC: RUBRIC, Kind.JUDGE: JUDGE, Kind.DATASET: DATASET}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts: Any = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else parts:
        yield from places(part, (*path, key))


@st.composite
def artifacts(draw: st.DrawFn, kind: Kind) -> Any:
    """Draw an artifact with some values replaced by any others: many have faults."""
    value = copy.deepcopy(CASES[kind])
    for _ in range(draw(st.integers(0, 3))):
        *above, last = draw(st.sampled_from([path for path in places(value) if path]))
        part = value
        for step in above:
            part = part[step]
        part[last] = draw(values)
    return value


@pytest.mark.parametrize("kind", CASES)
@given(data=st.data())
def test_a_digest_is_another_where_something_but_the_wording_changed(
    kind: Kind, data: st.DataObject
) -> None:
    old, new = data.draw(artifacts(kind)), data.draw(artifacts(kind))
    one, two = view_of(kind, old), view_of(kind, new)
    changes = changes_of(one, two)
    is_other = any(change.rank > WORDING for change in changes)
    assert is_other == (one.digest != two.digest)
    assert changes_of(one, one) == []
    assert (len(changes) == 0) == (len(changes_of(two, one)) == 0)


@pytest.mark.parametrize("kind", CASES)
@given(data=st.data())
def test_places_are_in_the_files(kind: Kind, data: st.DataObject) -> None:
    old, new = data.draw(artifacts(kind)), data.draw(artifacts(kind))
    for change in changes_of(view_of(kind, old), view_of(kind, new)):
        assert change.path in {*places(new)}
        assert change.old_path in {*places(old)}


def test_schemas_are_compared_by_what_they_hold() -> None:
    one, two = {"maxLength": 5, "type": "string"}, {"type": "string", "maxLength": 5.0}
    assert digest_of_json(one) == digest_of_json(two) != digest_of_json({**one, "maxLength": 6})


def version(text: str) -> Version:
    parsed = Version.parse(text)
    assert parsed is not None
    return parsed


@every_case(
    "old, new, rank, fault",
    [
        ("1.0.0", "2.0.0", BREAKING, None),
        ("1.0.0", "1.1.0", BREAKING, VersionFault.TOO_SMALL),
        ("1.0.0", "1.0.0", BREAKING, VersionFault.SAME),
        ("1.0.0", "1.0.0", WORDING, None),
        ("1.0.0", "1.0.0", None, None),
        ("1.0.0", "1.1.0", ADDITIVE, None),
        ("1.0.0", "1.0.1", ADDITIVE, VersionFault.TOO_SMALL),
        ("1.0.0", "0.9.0", WORDING, VersionFault.DOWN),
        ("1.0.0", "1.0.0-rc.1", None, VersionFault.DOWN),
        ("0.3.0", "0.4.0", BREAKING, None),
        ("0.3.0", "0.3.1", BREAKING, VersionFault.TOO_SMALL),
        ("0.3.0", "0.3.1", ADDITIVE, None),
        ("1.0.0", "2.0.0-rc.1", BREAKING, None),
        ("1.0.0", "1.1.0-rc.1", BREAKING, VersionFault.TOO_SMALL),
        ("2.0.0-rc.1", "2.0.0-rc.2", BREAKING, None),
        ("2.0.0-rc.1", "2.0.0", BREAKING, None),
        ("2.0.0-rc.1", "2.0.0-rc.1", BREAKING, VersionFault.SAME),
        ("2.0.0-rc.10", "2.0.0-rc.9", WORDING, VersionFault.DOWN),
        ("1.0", "1.0.0+b", BREAKING, VersionFault.SAME),
    ],
)
def test_the_version_that_a_change_needs(
    old: str, new: str, rank: ChangeClass | None, fault: VersionFault | None
) -> None:
    assert version_fault(version(old), version(new), rank) is fault


@every_case(
    "old, rank, new",
    [
        ("1.2.3", BREAKING, "2.0.0"),
        ("1.2.3", ADDITIVE, "1.3.0"),
        ("1.2.3", WORDING, "1.2.4"),
        ("0.2.3", BREAKING, "0.3.0"),
        ("0.2.3", ADDITIVE, "0.2.4"),
        ("2.0.0-rc.9", BREAKING, "2.0.0-rc.10"),
        ("2.0.0-beta", WORDING, "2.0.0-beta.1"),
        ("9.9.9", BREAKING, "10.0.0"),
        ("1.0.0-9", WORDING, "1.0.0-10"),
        (f"1.0.0-{'9' * 5_000}", WORDING, f"1.0.0-1{'0' * 5_000}"),
        (f"{'9' * 5_000}.2.0", BREAKING, f"1{'0' * 5_000}.0.0"),
        (f"1.1{'9' * 5_000}.0", ADDITIVE, f"1.2{'0' * 5_000}.0"),
    ],
)
def test_the_next_version(old: str, rank: ChangeClass, new: str) -> None:
    assert next_version(version(old), rank) == version(new)
    assert version_fault(version(old), version(new), rank) is None


def test_the_gravest_class() -> None:
    changes = changes_of(view_of(Kind.JUDGE, JUDGE), view_of(Kind.JUDGE, {**JUDGE, "label": "T"}))
    assert rank_of(changes) is WORDING
    assert rank_of([]) is None


def test_what_is_no_mapping_has_a_view() -> None:
    assert isinstance(view_of(Kind.RUBRIC, ["a"]), View)
    assert view_of(Kind.RUBRIC, None).digest != view_of(Kind.RUBRIC, {}).digest


def test_keys_of_another_kind_of_artifact_are_keys_like_others() -> None:
    """A judge with `checks`, and an integer that Python does not write, have a view."""
    odd = {**JUDGE, "checks": [{"id": "a"}], "questions": [{"id": "b"}], "size": 10**5000}
    assert view_of(Kind.JUDGE, odd).digest != view_of(Kind.JUDGE, JUDGE).digest
    rows = [RowsMeaning().plus([{"id": 10**power}]).digest({}) for power in (5000, 5001)]
    assert len({*rows}) == 2


def with_weight(number: int, **extra: Any) -> dict[str, Any]:
    """Return a rubric that gives its check a weight, if that is not the usual one."""
    weights = {} if number == 1 else {"weights": {"thanks": number}}
    scoring = {"combine": "weighted_avg", **weights}
    return rubric(checks=[{**RUBRIC["checks"][1], **extra}], scoring=scoring)


def with_regexes(*patterns: str) -> dict[str, Any]:
    """Return a rubric with two checks of one id, and one that is called as the first of them."""
    ids = ("a", "a", "a#1")
    pairs = zip(ids, patterns, strict=True)
    return rubric(checks=[{"id": id_, "kind": "regex", "pattern": each} for id_, each in pairs])


def with_jury(judge: str) -> dict[str, Any]:
    """Return a rubric with a check that is called as a part of another one."""
    asks = {"id": "a", "kind": "llm_judge", "jury": {"judges": [{"judge_prompt_ref": judge}]}}
    return rubric(checks=[asks, {"id": "a.jury", "kind": "regex", "pattern": "x", "judges": 1}])


@every_case(
    "old, new",
    [
        (rubric(**{"scoring.threshold": 0.7}), {**scored(threshold=0.1), "scoring.threshold": 0.7}),
        (rubric(**{"metadata.by": "me"}), rubric()),
        (with_weight(1, weight=5), with_weight(5)),
        (with_weight(1, weight=5), with_weight(5, weight=5)),
        (with_regexes("x", "y", "y"), with_regexes("x", "y", "z")),
        (with_regexes("x", "y", "z"), with_regexes("z", "y", "x")),
        (with_jury("judge/a@1.0.0"), with_jury("judge/b@1.0.0")),
    ],
)
def test_no_key_and_no_name_hides_another(old: dict[str, Any], new: dict[str, Any]) -> None:
    before, now = view_of(Kind.RUBRIC, old), view_of(Kind.RUBRIC, new)
    assert before.digest != now.digest
    assert rank_of(changes_of(before, now)) is BREAKING


def test_no_row_hides_another() -> None:
    rows = [{"id": id_, "input": "When?"} for id_ in ("a", "a", "a#1", "a.expected")]
    texts = [
        ({**rows[0], "expected": {"reference": text}}, *rows[1:-1], {**rows[-1], "reference": text})
        for text in ("x", "y")
    ]
    digests = {
        view_of(Kind.DATASET, {"questions": [*questions]}).digest
        for questions in (rows, rows[1:], [*rows[:2], *rows[3:]], *texts)
    }
    assert len(digests) == 5


ROW: dict[str, Any] = {"id": "a", "input": "When?", "expected_facts": ["x", "y"]}


@every_case(
    ("row", "is_same"),
    [
        ({"expected_facts": ["x", "y"], "input": "When?", "id": "a"}, True),
        ({**ROW, "tags": ["z"], "metadata": {"by": "me"}}, True),
        ({**ROW, "bundle": "ticket"}, True),
        ({**ROW, "id": "b"}, False),
        ({**ROW, "input": "When? "}, False),
        ({**ROW, "bundle": "other"}, False),
        ({**ROW, "unknown": 1}, False),
        ([ROW], False),
    ],
)
def test_digests_of_rows(row: Any, is_same: bool) -> None:  # noqa: FBT001 - the case
    """The layout, the wording and the order of rows make no difference to that of a dataset."""
    other = {**ROW, "id": "z"}

    def digest(root: dict[str, Any], *rows: Any) -> str:
        return RowsMeaning().plus(rows, "ticket").digest(root)

    whole = digest({"bundle": "ticket", "id": "d"}, ROW, other)
    assert (digest({"label": "L"}, other, row) == whole) is is_same
    assert digest({}, ROW, ROW, other) != whole
    assert digest({"own": 1}, ROW, other) != whole
    parts = RowsMeaning().plus([row], "ticket").joined(RowsMeaning().plus([other], "ticket"))
    assert parts.digest({}) == digest({}, row, other)
    assert parts.number == 2
