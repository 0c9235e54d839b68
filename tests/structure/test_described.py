"""Keys inside of what a bundle describes: misspelled ones are told, and no gate lets them pass."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.datasets.gates import PLACES, ExtraKeys
from evalcontract.structure.gate import Gate, gate_schema
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

ROW = definition("row", of="dataset")
DOCUMENT: dict[str, Any] = {
    "type": "object",
    "required": ["title", "text"],
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "text": {"type": "string"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "language": {"enum": ["english", "dutch", "german"]},
        "source": {
            "type": "object",
            "required": ["url"],
            "properties": {"url": {"pattern": "^https?://"}, "kind": {"enum": ["web", "file"]}},
            "additionalProperties": False,
        },
        "parent": {"$ref": "#/$defs/document"},
    },
}
BUNDLE: dict[str, Any] = {
    "type": "object",
    "required": ["documents"],
    "properties": {
        "documents": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/document"}},
        "retrieval": {
            "properties": {"top_k": {"type": "integer"}, "strategy": {"enum": ["dense", "sparse"]}}
        },
        "context": {"properties": {"channel": {"type": "string"}}},
        "free": {"properties": {"colour": {}}, "additionalProperties": True},
        "labels": {"items": {"type": "string"}, "uniqueItems": True},
    },
    "$defs": {"document": DOCUMENT},
}
GOOD = {"title": "t", "text": "x"}
SOUND: dict[str, Any] = {"id": "a", "input": "b", "criteria": "c", "documents": [GOOD]}


def with_document(**keys: Any) -> dict[str, Any]:
    return {**SOUND, "documents": [GOOD, {**GOOD, **keys}]}


AT = ("documents", 1)
MUTATIONS: list[tuple[Any, str, tuple[Any, ...], str | None]] = [
    ({"id": "a", "input": "b", "docments": []}, "near-miss-key", ("docments",), "`documents`?"),
    ({"id": "a", "input": "b"}, "missing-key", (), None),
    ({**SOUND, "documents": []}, "too-few-items", ("documents",), "at least 1"),
    ({**SOUND, "documents": GOOD}, "wrong-type", ("documents",), None),
    ({**SOUND, "documents": ["t"]}, "wrong-type", ("documents", 0), None),
    ({**SOUND, "documents": [{"titel": "t", "text": "x"}]}, "near-miss-key",
     ("documents", 0, "titel"), "`title`?"),
    (with_document(scroe=1), "near-miss-key", (*AT, "scroe"), "`score`?"),
    (with_document(score=5), "out-of-range", (*AT, "score"), "0.5"),
    (with_document(score="0.5"), "wrong-type", (*AT, "score"), "remove the quotes: 0.5"),
    (with_document(title=""), "empty-value", (*AT, "title"), None),
    (with_document(text=5), "wrong-type", (*AT, "text"), 'quote it: "5"'),
    (with_document(language="englsh"), "unknown-value", (*AT, "language"), "`english`?"),
    (with_document(source={"ulr": "http://x"}), "unknown-key", (*AT, "source", "ulr"), "`url`?"),
    (with_document(source={"url": "http://x", "knd": 1}), "unknown-key",
     (*AT, "source", "knd"), "`kind`?"),
    (with_document(source={"url": "ftp://x"}), "malformed-value", (*AT, "source", "url"),
     "`^https?://`"),
    (with_document(source={}), "missing-key", (*AT, "source"), None),
    (with_document(parent={**GOOD, "scor": 1}), "near-miss-key", (*AT, "parent", "scor"),
     "`score`?"),
    ({**SOUND, "retrieval": {"topk": 3}}, "near-miss-key", ("retrieval", "topk"), "`top_k`?"),
    ({**SOUND, "retrieval": {"top_k": "3"}}, "wrong-type", ("retrieval", "top_k"), "quotes: 3"),
    ({**SOUND, "retrieval": {"strategy": "dens"}}, "unknown-value", ("retrieval", "strategy"),
     "`dense`?"),
    ({**SOUND, "retreival": {"top_k": 3}}, "near-miss-key", ("retreival",), "`retrieval`?"),
    ({**SOUND, "context": {"chanel": "web"}}, "near-miss-key", ("context", "chanel"), "`channel`?"),
    ({**SOUND, "labels": ["x", "x"]}, "repeated-item", ("labels",), "remove one"),
    ({**SOUND, "bundel": "rag"}, "near-miss-key", ("bundel",), "`bundle`?"),
]  # fmt: skip


@every_case(("row", "fault", "path", "advice"), MUTATIONS, ids=str)
def test_one_mistake_is_one_finding(
    row: Any, fault: str, path: tuple[Any, ...], advice: str | None
) -> None:
    found = SchemaValidator("dataset", ROW, BUNDLE).check(row)
    assert [(each.code, each.path) for each in found] == [(f"dataset/{fault}", path)]
    assert advice is None or advice in (found[0].help or "")
    assert not Gate(gate_schema(ROW, [], [BUNDLE])).passes([row])


@every_case(
    "row",
    [
        SOUND,
        with_document(chunk_id=3, page=1, x_scroe=1),
        with_document(kind="web"),  # named elsewhere in the bundle
        {**SOUND, "free": {"color": 1}},
        {**SOUND, "metadata": {"documents": [{"titel": 1}]}},
        {**SOUND, "context": {"anything": {"titel": 1}}},
        with_document(parent={**GOOD, "parent": GOOD}),
    ],
    ids=str,
)
def test_sound_rows(row: Any) -> None:
    """They pass the gate, too, once their own keys are known."""
    assert SchemaValidator("dataset", ROW, BUNDLE).check(row) == []
    own = ExtraKeys(ROW, BUNDLE)
    own.learn(row)
    assert own.accept_all([row])
    assert Gate(gate_schema(ROW, [], [BUNDLE], None, PLACES, own.inside)).passes([row])


@every_case("side", ["left", "right"])
def test_mappings_beside_each_other_are_described(side: str) -> None:
    inner = {"properties": {"language": {"type": "string"}}}
    pair = {"properties": {"left": {"properties": {"page": inner}}, "right": inner}}
    row = {**SOUND, "pair": {"left": {"page": {}}, "right": {}}}
    mapping = row["pair"]["left"]["page"] if side == "left" else row["pair"]["right"]
    mapping["langauge"] = "en"
    (problem,) = SchemaValidator("dataset", ROW, {"properties": {"pair": pair}}).check(row)
    assert (problem.code, problem.path[-1]) == ("dataset/near-miss-key", "langauge")


@pytest.mark.slow
def test_a_bundle_that_takes_too_many_steps_is_one_finding() -> None:
    twice = [{"items": {"$ref": "#/$defs/nested"}}] * 2
    bundle = {
        "properties": {"nested": {"$ref": "#/$defs/nested"}},
        "$defs": {"nested": {"type": "array", "allOf": twice}},
    }
    value: Any = 1
    for _ in range(20):
        value = [value]
    (problem,) = SchemaValidator("dataset", ROW, bundle).check({**SOUND, "nested": value})
    assert (problem.code, problem.path) == ("dataset/undecided-value", ())
    assert problem.message.startswith("checking this against the bundle schema takes over 30,")
    assert "keep only one recursive `$ref`" in (problem.help or "")


def test_what_is_learned_is_only_what_is_harmless() -> None:
    own = ExtraKeys(ROW, BUNDLE)
    own.learn(with_document(page=1, scroe=1, titel=2))
    assert own.inside == {"page"}


KEYS = st.sampled_from(
    ["title", "text", "titel", "scroe", "score", "page", "topk", "top_k", "parent", "chanel", "x_a"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(["x", 1, 0.5]),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries(
    {"id": st.just("a"), "input": st.just("b"), "criteria": st.just("c")},
    optional=dict.fromkeys(("retrieval", "context", "free", "documents", "own"), VALUES),
)
ANY = {**BUNDLE, "required": []}


@examples(300)
@given(ROWS)
def test_a_row_that_passes_the_gate_has_no_finding(row: Any) -> None:
    own = ExtraKeys(ROW, ANY)
    own.learn(row)
    gate = Gate(gate_schema(ROW, [], [ANY], None, PLACES, own.inside))
    # A key is tested where more than one row is, and some beside others when a second one has it.
    if own.accept_all([row, dict(row)]) and gate.passes([row]):
        assert SchemaValidator("dataset", ROW, ANY).check(row) == []
