"""The gate is sound: what passes it has nothing that the slow path would find."""

from __future__ import annotations

import copy
import io
import math
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.datasets.plans import row_schema
from evalcontract.library.library import Library, read_artifact, references_in_row
from evalcontract.library.references import check_use
from evalcontract.model.reference import Kind
from evalcontract.source import Document, read_stream
from evalcontract.structure.exact import validator_for
from evalcontract.structure.gate import Gate, gate_schema
from evalcontract.structure.native import native_for
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Problem

Row = dict[str, Any]

BUNDLE: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["tour"],
    "properties": {
        "tour": {"$ref": "#/$defs/tour"},
        "expected_fact": {"type": "string"},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"room": True}}},
    },
    "$defs": {"tour": {"enum": ["dutch", "french"]}, "row": {"type": "null"}},
}
PINNED = (
    "rubric/polite@1.0.0",
    "rubric/polite@1.0",
    "rubric/polite@2.0.0-rc.1",
    "rubric/polite@1.2.5",
)
REFERENCES = (
    *PINNED,
    "rubric/polite@1.0.0+night",
    "rubric/polite",
    "rubric/brief",
    "rubric/polite@1.2",
    "rubric/polite@9.0.0",
    "rubric/polit@1.0.0",
    "rubric/other",
    "judge/polite@1.0.0",
    "polite",
    "",
    "rubric/polite@1.0.0\n",
    "rubric/polite@01.0",
)


def artifact(version: str, id_: str = "polite") -> Any:
    text = (
        f'id: {id_}\nversion: "{version}"\nscoring: {{combine: all_pass}}\n'
        "checks:\n  - {id: words, kind: must_not_contain, values: [stupid]}\n"
    )
    document = read_stream(io.BytesIO(text.encode()), f"rubrics/{id_}@{version}.yaml")
    assert isinstance(document, Document)
    return read_artifact(Kind.RUBRIC, document)


LIBRARY = Library(
    [*(artifact(each) for each in ("1.0.0", "1.2.5", "2.0.0-rc.1")), artifact("1.0", "brief")]
)
GATES = {
    bundle: Gate(gate_schema(row_schema(), LIBRARY.pinned_references(Kind.RUBRIC), bundles))
    for bundle, bundles in ((False, []), (True, [BUNDLE]))
}
EXACT, NATIVE = validator_for(row_schema()), native_for(row_schema())


def slow(row: Any, *, bundle: bool) -> list[Problem]:
    """Return all that can be found in one row without the gate."""
    structure = SchemaValidator("dataset", row_schema(), BUNDLE if bundle else None)
    found = structure.check(row)
    return [
        *found,
        *(problem for use in references_in_row(row, ()) for problem in check_use(use, LIBRARY, {})),
    ]


# Rows

TEXT = st.sampled_from(["", "a", "Where is the exit?", "text\n", "\x00", "春", "json"]) | st.text(
    max_size=5
)
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**30, -(10**30), 0, 1])
    | st.floats()
    | TEXT
)
ALIASES = ("privacy_tier", "x_expected_fact", "x_", "notes", "difficulty", "$schema", "a b", "é")


def near(word: str) -> list[str]:
    """List ways in which a key is misspelled, or written in another style."""
    head, _, tail = word.partition("_")
    return [
        word[:-1],
        word + word[-1],
        word[1] + word[0] + word[2:],
        word[:2] + "_" + word[2:],
        word.upper(),
        word.replace("_", "-"),
        head + tail.capitalize(),
        f"{word}s",
        word.removesuffix("s"),
        f"x{word}",
    ]


KEYS = (
    *("id", "input", "criteria", "expected", "expected_facts", "expected_tools", "rubric_ref"),
    *("bundle", "must_not_contain", "tags", "context", "metadata", "format", "name", "arguments"),
    *("tour", "expected_fact", "stops"),
)
KEY = st.sampled_from([*KEYS, *ALIASES, *(each for key in KEYS for each in near(key))])
JSON = st.recursive(
    SCALAR, lambda part: st.lists(part, max_size=3) | st.dictionaries(KEY, part, max_size=3)
)
MAPPING = st.dictionaries(KEY, JSON, max_size=3)
WORDS = st.lists(TEXT.filter(bool), max_size=3)
TOOL = TEXT.filter(bool) | st.fixed_dictionaries(
    {"name": TEXT.filter(bool)}, optional={"arguments": MAPPING}
)
VALID = st.fixed_dictionaries(
    {"id": TEXT.filter(bool), "input": TEXT},
    optional={
        "criteria": TEXT,
        "expected": st.fixed_dictionaries(
            {}, optional={"format": st.sampled_from(["json", "text"]), "answer": JSON}
        ),
        "expected_facts": WORDS,
        "expected_tools": st.lists(TOOL, max_size=3),
        "rubric_ref": st.sampled_from(PINNED),
        "bundle": st.just("tours"),
        "must_not_contain": WORDS,
        "tags": st.lists(TEXT, max_size=3),
        "context": JSON,
        "metadata": MAPPING,
        "tour": st.sampled_from(["dutch", "french"]),
        "x_own": JSON,
    },
)


def mappings(value: Any) -> list[dict[str, Any]]:
    """List a value's mappings, itself first."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value] if isinstance(value, dict) else []
    return own + [each for part in parts for each in mappings(part)]


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Draw a valid row, and spoil it in up to three places, at the top or inside."""
    row: Row = copy.deepcopy(draw(VALID))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(mappings(row)))
        keys = sorted(place)
        match draw(st.sampled_from(["misspell", "foreign", "retype", "drop", "refer", "nest"])):
            case "misspell" if keys:
                key = draw(st.sampled_from(keys))
                place[draw(st.sampled_from(near(key)) if len(key) > 1 else KEY)] = place.pop(key)
            case "foreign":
                place[draw(KEY)] = draw(JSON)
            case "retype" if keys:
                place[draw(st.sampled_from(keys))] = draw(JSON)
            case "drop" if keys:
                del place[draw(st.sampled_from(keys))]
            case "refer":
                row["rubric_ref"] = draw(st.sampled_from(REFERENCES))
            case "nest":
                row["expected"] = draw(MAPPING)
            case _:
                pass
    return row


EXAMPLES = examples(500)


@pytest.mark.costly
@EXAMPLES
@given(row=rows(), bundle=st.booleans())
@example(row={"id": "a", "input": "b", "expected": {"fromat": "json"}}, bundle=False)
@example(row={"id": "a", "input": "b", "expected": {"format": "json", "x_fromat": 1}}, bundle=False)
@example(row={"id": "a", "input": "b", "metadata": {"fromat": 1}}, bundle=False)
@example(row={"id": "a", "input": "b", "tour": "dutch", "expected_fact": "c"}, bundle=True)
@example(row={"id": "a", "input": "b", "tour": "latin"}, bundle=True)
@example(row={"id": "a", "input": "b", "expected_fact": "c"}, bundle=False)
@example(row={"id": "a", "input": "b", "rubric_ref": "rubric/polite@1.0.0\n"}, bundle=False)
def test_what_passes_the_gate_has_no_finding(row: Row, *, bundle: bool) -> None:
    """A row that passes is left alone, so nothing may be found in it."""
    if GATES[bundle].passes([row]):
        assert slow(row, bundle=bundle) == []


@examples(150)
@given(batch=st.lists(rows(), min_size=2, max_size=4), bundle=st.booleans())
def test_a_batch_passes_as_its_rows_do(batch: list[Row], *, bundle: bool) -> None:
    """One call for many rows says what one call for each says."""
    gate = GATES[bundle]
    assert gate.passes(batch) is all(gate.passes([row]) for row in batch)


@EXAMPLES
@given(row=rows() | JSON)
@example(row={"id": "a", "input": "b", "rubric_ref": "rubric/polite@1.0.0\n"})
@example(row={"id": "a", "input": "b", "bundle": "tours\n"})
@example(row={"id": "a", "input": "b", "context": math.inf})
@example(row={"id": "a", "input": "b", "tags": [math.nan]})
@example(row={"id": "a", "input": 10**400})
@example(row={"id": "a", "input": "\ud800"})
def test_both_engines_give_one_verdict(row: Any) -> None:
    """The fast engine says of a row what the exact one says."""
    assert NATIVE.is_valid(row) is (not list(EXACT.iter_errors(row)))


@pytest.mark.parametrize("reference", PINNED)
def test_a_good_row_passes(reference: str) -> None:
    """The gate is worth having: what is good and common does pass."""
    row = {
        "id": "exit",
        "input": "Where is the exit?",
        "expected": {"format": "text"},
        "expected_facts": ["left"],
        "expected_tools": ["map", {"name": "map", "arguments": {"nmae": 1}}],
        "rubric_ref": reference,
        "tags": ["way"],
        "metadata": {"expecteed_facts": 1},
        "context": {"fromat": 1},
        "x_own": 1,
    }
    for bundle, gate in GATES.items():
        whole = {**row, "tour": "dutch"} if bundle else row
        assert gate.passes([whole])
        assert slow(whole, bundle=bundle) == []


@every_case(
    "value",
    [object(), {1: 2}, {"a": {3, 4}}, float("nan"), 10**400, b"bytes"],
    ids=lambda each: type(each).__name__,
)
def test_values_that_are_no_json(value: Any) -> None:
    """A row from memory may hold anything: the gate lets it go the slow way, or says no."""
    row = {"id": "a", "input": value}
    assert not GATES[False].passes([row])
    for rest in ([row, 7], [None], [[row]], ["text"]):
        assert not GATES[False].passes(rest)


def test_deep_rows() -> None:
    """Depth is no way around the gate, and no crash."""
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    row = {"id": "a", "input": "b", "context": deep}
    assert GATES[False].passes([row]) in (True, False)
