"""A stream that is sifted yields the findings of one that is read whole."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalcontract.api import dataset_check, lessons, sifter
from evalcontract.api.dataset_check import DatasetCheck, Surroundings
from evalcontract.api.rules_in_use import RulesInUse
from evalcontract.checks import Surroundings as CheckSurroundings
from evalcontract.library.artifact import Artifact, read_artifact
from evalcontract.library.library import Library
from evalcontract.model.reference import Kind
from evalcontract.rules import duplicate_id
from evalcontract.rules._dataset_rule import DatasetContext, DatasetRule
from evalcontract.source import Document, RowStream, jsonl_blocks, jsonl_lines, read_stream
from evalcontract.structure.typed_gate import TypedGate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Problem

Row = dict[str, Any]
BUNDLES: dict[str, Any] = {
    "tours": {"properties": {"tour": {"enum": ["dutch", "french"]}, "stops": {"minItems": 1}}}
}


def rubric(id_: str, *checks: Row, **more: Any) -> Artifact:
    """Return a rubric as if read from a file."""
    numbered = [{"id": f"c{number}", **check} for number, check in enumerate(checks)]
    value = {"id": id_, "version": "1.0.0", "scoring": {"combine": "all_pass"}, **more}
    text = json.dumps({**value, "checks": numbered}).encode()
    document = read_stream(io.BytesIO(text), f"rubrics/{id_}.json")
    assert isinstance(document, Document)
    return read_artifact(Kind.RUBRIC, document)


WORDS = {"kind": "must_not_contain", "values": ["stupid"]}
LIBRARY = Library(
    [
        rubric("facts", {"kind": "fact_match"}),
        rubric("tools", {"kind": "tool_usage"}),
        rubric("words", WORDS),
        rubric("dutch", WORDS, applicable_bundles=["tours"]),
        *(rubric(f"r{number}", {"kind": "fact_match"}) for number in range(9)),
    ]
)
AROUND = Surroundings(
    CheckSurroundings(LIBRARY, has_php=True, read_json=lambda _: None),
    BUNDLES,
    frozenset({*BUNDLES, "broken"}),
    {},
)


def clean(number: int) -> Row:
    """Return a row of which nothing is to be said."""
    return {
        "id": f"row_{number:03}",
        "input": f"Which: {number}?",
        "expected_facts": ["left"],
        "rubric_ref": f"rubric/r{number % 9}@1.0.0",
        "source": {"page": number, "note": "10:30"},
        "score": number / 2,
    }


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a few rows at a time, so that there is something to learn from, and to hold back."""
    monkeypatch.setattr(jsonl_blocks, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(jsonl_blocks, "_TOGETHER", 3)
    monkeypatch.setattr(sifter, "_TIRED", 2)


def check_of(data: bytes) -> DatasetCheck:
    return DatasetCheck(RowStream("rows.jsonl", lambda: io.BytesIO(data), len(data)), {}, AROUND)


def findings(data: bytes, *, keep_rows: bool) -> tuple[list[Any], int, list[str], set[str]]:
    """Return all that a check says of a stream, sorted, and the places of it."""
    rows = RowStream("rows.jsonl", lambda: io.BytesIO(data), len(data))
    check = DatasetCheck(rows, {}, AROUND)
    found: list[Problem] = []
    faults = []
    for batch, problems in check.batches(keep_rows=keep_rows):
        found += problems
        faults += [(fault.code, fault.span, text) for fault, text in batch.faults]
    found += check.finish()
    told = [
        (
            str(rows.place(each.path, on_key=each.on_key)),
            each.code,
            each.message,
            each.row_index,
            [str(rows.place(related.path)) for related in each.related],
        )
        for each in found
    ]
    reached = {artifact.name for artifact, _ in check.reached()}
    return sorted(told), check.count, sorted(map(str, faults)), reached


def lines_of(rows: list[Row]) -> list[bytes]:
    return [json.dumps(row).encode() for row in rows]


def test_clean_rows_are_sifted() -> None:
    data = b"\n".join(lines_of([clean(number) for number in range(100)]))
    batches = [batch for batch, _ in check_of(data).batches()]
    assert sum(batch.number for batch in batches) == 100
    assert sum(batch.number for batch in batches if batch.sifted) > 80


def test_a_few_bad_rows_do_not_take_the_others_with_them() -> None:
    rows = [clean(number) for number in range(200)]
    for number in (50, 51, 120, 199):
        rows[number]["input"] = 7
    read = [
        row for batch, _ in check_of(b"\n".join(lines_of(rows))).batches() for row in batch.rows
    ]
    assert [row["id"] for row in read][-4:] == ["row_050", "row_051", "row_120", "row_199"]
    assert len(read) < 20


def test_doubtful_rows_wait_for_each_other_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    original = DatasetCheck._look  # noqa: SLF001 - what waits

    def look(check: DatasetCheck, batch: Any, doubtful: list[int]) -> list[Problem]:
        looked.append(batch.first_index)
        return original(check, batch, doubtful)

    monkeypatch.setattr(DatasetCheck, "_look", look)
    monkeypatch.setattr(dataset_check, "_TOGETHER", 3)
    rows = [clean(number) for number in range(200)]
    for number in (80, 90, 130, 131, 190):
        rows[number]["input"] = 7
    found, seen = [], []
    for batch, problems in check_of(b"\n".join(lines_of(rows))).batches():
        seen.append(batch.first_index)
        found += [(each.row_index, len(looked)) for each in problems]
    assert seen == sorted(seen)
    assert [index for index, _ in found] == [80, 90, 130, 131, 190]
    assert found[0][1] == found[1][1] == found[2][1]


def test_lines_that_teach_nothing_are_parsed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are, from the second on that was in vain; before, a lesson is learned at once."""
    parsed: list[tuple[int, int]] = []
    asked: list[TypedGate] = []
    parse, read_each = jsonl_lines.parse_lines, TypedGate.read_each

    def parsing(data: bytes, index: int, line: int, offset: int, **more: Any) -> Any:
        parsed.append((index, len(asked)))
        return parse(data, index, line, offset, **more)

    def reading(gate: TypedGate, text: bytes) -> Any:
        asked.append(gate)
        return read_each(gate, text)

    monkeypatch.setattr(jsonl_lines, "parse_lines", parsing)
    monkeypatch.setattr(TypedGate, "read_each", reading)
    rows = [clean(number) for number in range(200)]
    for number in (50, 60, 70, 80, 90, 100):
        rows[number]["input"] = 7
    assert findings(b"\n".join(lines_of(rows)), keep_rows=False)[1] == 200
    at = dict(parsed)
    assert at[50] < at[60] == at[70] == at[80] < at[90] == at[100]


def test_no_more_batches_wait_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_check, "_MOST_WAITING", 4)
    rows = [clean(number) for number in range(300)]
    rows[100]["input"] = 7
    stream = RowStream("rows.jsonl", lambda: io.BytesIO(data), 1)
    data = b"\n".join(lines_of(rows))
    for batch, problems in DatasetCheck(stream, {}, AROUND).batches():
        if problems:
            assert batch.first_index <= 100
            assert stream.count < 200
            return
    pytest.fail("the row was not told")


def changes() -> Iterator[tuple[str, Any]]:
    """Yield what may be done to a row: a key, and what to put there."""
    yield from {
        "id": ["row_000", "", 7, "row\n", "\0", "z"],
        "input": ["", 7, None, "same"],
        "expected_facts": [[], ["a", "a"], [""], "left", ["a:b"]],
        "expected_tools": [["lookup"]],
        "expecteed_facts": [["left"]],
        "rubric_ref": [
            "rubric/r1@1.0.0",
            "rubric/r1",
            "rubric/tools@1.0.0",
            "rubric/words@1.0.0",
            "rubric/dutch@1.0.0",
            "rubric/nobody@1.0.0",
            "rubric/r1@1.0.0\n",
            "judge/r1@1.0.0",
            None,
        ],
        "bundle": ["tours", "broken", "nobody", 1],
        "tour": ["dutch", "spanish"],
        "stops": [[], [1]],
        "own": [1, {"deep": [{"deeper": None}]}],
        "source": [None, {"page": 1, "note": "", "more": 2}, {}],
        "score": [10**20, 1, "1_000"],
        "tag": ["x"],
    }.items()


KEYS = [(key, value) for key, values in changes() for value in values]
CHANGES = st.lists(
    st.tuples(st.integers(0, 59), st.sampled_from(KEYS) | st.sampled_from(sorted(clean(0)))),
    max_size=8,
)
CUTS = [b"\n", b" ", b'{"id": "x"}', b'"id": "y", ', b"\xff", b"\\u003a", b":", b"}", b"\r"]
SLIPS = st.lists(st.tuples(st.integers(0, 9000), st.sampled_from(CUTS)), max_size=2)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(CHANGES, SLIPS)
def test_the_findings_are_the_same(changed: list[Any], slips: list[tuple[int, bytes]]) -> None:
    rows = [clean(number) for number in range(60)]
    for number, change in changed:
        if isinstance(change, tuple):
            rows[number][change[0]] = change[1]
        else:
            rows[number].pop(change, None)
    data = b"\n".join(lines_of(rows))
    for at, slip in slips:
        data = data[:at] + slip + data[at:]
    assert findings(data, keep_rows=False) == findings(data, keep_rows=True)


def test_rows_of_other_shapes_are_learned() -> None:
    """Each lesson is one of few; a row of a known shape needs none."""
    rows = [{**clean(number), f"own_{number // 60}": number} for number in range(300)]
    read = [
        row for batch, _ in check_of(b"\n".join(lines_of(rows))).batches() for row in batch.rows
    ]
    assert len(read) < 60


def test_where_nothing_goes_through_it_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def read(gate: TypedGate, lines: bytes) -> Any:
        asked.append(gate)
        return original(gate, lines)

    original = TypedGate.read
    monkeypatch.setattr(TypedGate, "read", read)
    monkeypatch.setattr(lessons, "_PATIENCE", 100)
    rows = [{**clean(number), f"own_{number}": number} for number in range(3000)]
    assert findings(b"\n".join(lines_of(rows)), keep_rows=False)[0] == []
    assert 0 < len(asked) < 1000


def test_a_rule_that_needs_rows_gets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Needy:
        def __init__(self, context: DatasetContext) -> None:
            self.context = context

        def see(self, first_index: int, rows: list[Any]) -> Iterator[Problem]:
            assert rows[0]["id"] == f"row_{first_index:03}"
            return iter(())

        def finish(self) -> Iterator[Problem]:
            return iter(())

    rule = DatasetRule("other/needy", Needy, duplicate_id.RULE.page)
    used = RulesInUse()
    used.dataset = (duplicate_id.RULE, rule)
    monkeypatch.setattr(dataset_check, "rules_in_use", lambda: used)
    check = check_of(b"\n".join(lines_of([clean(number) for number in range(60)])))
    assert sum(len(batch.rows) for batch, _ in check.batches()) == 60
