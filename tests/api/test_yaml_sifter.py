"""A YAML dataset that is read row by row yields the findings of one that is read whole."""

from __future__ import annotations

import io
import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalcontract.api import lessons
from evalcontract.api.run import Run
from evalcontract.api.validate import _dataset
from evalcontract.model.diagnostic import Outcome
from evalcontract.source import YamlRows, read_dataset_stream, yaml_rows
from evalcontract.structure.yaml_gate import YamlGate
from evalcontract.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "datasets/rows.yaml"
RUBRICS = {
    "facts": [{"id": "facts", "kind": "fact_match"}],
    "tools": [{"id": "tools", "kind": "tool_usage"}],
    **{f"r{number}": [{"id": "facts", "kind": "fact_match"}] for number in range(4)},
}
BUNDLE = {"properties": {"tour": {"enum": ["dutch", "french"]}, "stops": {"minItems": 1}}}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run over a workspace with rubrics and a bundle."""
    root = tmp_path_factory.mktemp("workspace")
    (root / "rubrics").mkdir()
    (root / "bundles").mkdir()
    for name, checks in RUBRICS.items():
        scoring = {"combine": "all_pass"}
        value = {"id": name, "version": "1.0.0", "scoring": scoring, "checks": checks}
        (root / "rubrics" / f"{name}.json").write_text(json.dumps(value))
    (root / "bundles" / "tours.schema.json").write_text(json.dumps(BUNDLE))
    return Run(open_workspace(root), None, date(2026, 6, 1))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read small files too, and learn from a few rows."""
    monkeypatch.setattr(yaml_rows, "LEAST_BYTES", 0)
    monkeypatch.setattr(yaml_rows, "_FIRST", 5)


def source_of(text: str) -> Any:
    return read_dataset_stream(io.BytesIO(text.encode("utf-8", "surrogatepass")), NAME)


def outcome(run: Run, source: Any) -> tuple[list[Any], int, list[str]]:
    """Return the findings with all their places, how many rows there are, what they reach."""
    run.artifact_policies.clear()
    result = Outcome()
    found = list(_dataset(run, source, run.workspace.root / NAME, result, None))
    result.diagnostics = found
    return result.settle().diagnostics, result.rows, sorted(run.artifact_policies)


def by_rows_and_whole(run: Run, text: str) -> bool:
    """Check that both ways find the same; return whether there were two ways."""
    source = source_of(text)
    if not isinstance(source, YamlRows):
        return False
    assert outcome(run, source) == outcome(run, source.whole())
    return True


Lines = list[str]
Row = dict[str, Any]


def clean(number: int) -> Row:
    """Return a row of which nothing is to be said: each value as it is written behind its key."""
    return {
        "id": f"row_{number:03}",
        "input": f"Which {number}?",
        "expected_facts": ["left", "right or so"],
        "expected": {"style": "short", "min_words": str(number)},
        "rubric_ref": f"rubric/r{number % 4}@1.0.0",
        "tags": ["a", "b"],
        "source": {"page": str(number), "note": "on paper"},
        "score": f"{number / 2}",
    }


def write(rows: list[Any], *, dash: int = 2, step: int = 2, lists: int = 2) -> str:
    """Write rows in block style; a text is put down as it is, `·` in it for an indentation."""
    return "questions:\n" + "".join(
        text if isinstance(text, str) else written(text, dash, step, lists) for text in rows
    )


def written(row: Row, dash: int, step: int, lists: int) -> str:
    lines = list(_fields(row, dash + 2, step, lists))
    return f"{' ' * dash}- {lines[0].lstrip(' ')}" + "".join(lines[1:])


def _fields(row: Row, column: int, step: int, lists: int) -> Iterator[str]:
    space = " " * column
    for key, value in row.items():
        if isinstance(value, dict):
            yield f"{space}{key}:\n"
            yield from _fields(value, column + step, step, lists)
        elif isinstance(value, list):
            yield f"{space}{key}:\n"
            deeper = " " * (column + lists)
            yield from (f"{deeper}- {each.replace('·', deeper)}\n" for each in value)
        else:
            yield f"{space}{key}: {value}".rstrip(" ").replace("·", space) + "\n"


def sifted(text: str, run: Run) -> int:
    """Return how many rows were matched."""
    source = source_of(text)
    assert isinstance(source, YamlRows)
    check = run.dataset(source, run.base_policy)
    return sum(batch.number for batch, _ in check.batches() if batch.sifted)


LAYOUTS = [(2, 2, 2), (0, 2, 0), (0, 2, 2), (2, 4, 2), (4, 2, 0)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_clean_rows_are_matched(workspace: Run, layout: tuple[int, int, int]) -> None:
    dash, step, lists = layout
    text = write([clean(number) for number in range(60)], dash=dash, step=step, lists=lists)
    assert sifted(text, workspace) == 55
    assert outcome(workspace, source_of(text))[:2] == ([], 60)


#: How else a text may be written; each is seen among the first rows.
STYLES = [
    "'it''s: # so'",
    '"a \\"b\\": \\u00e9 # c"',
    "one:two",
    "|\n·  some lines:\n\n·    - id: more\n·  \n",
    ">-\n·  some lines\n·  and more # here",
    "a plain text\n·  that goes on\n·    and on",
    "'a quoted\n\n·  text'",
    '"a quoted\\\n·  \\ text"',
    "2026-05-08",
    "12:30",
    "3 apples",
    "naïve 日本語 text",
    "http://example.org/#part",
    "trueish",
    "(really)",
]


@pytest.mark.parametrize("style", STYLES)
def test_texts_in_many_styles_are_matched(workspace: Run, style: str) -> None:
    rows = [{**clean(number), "input": style} for number in range(40)]
    assert sifted(write(rows), workspace) == 35
    assert by_rows_and_whole(workspace, write(rows))


def test_comments_and_blank_lines_between_rows_are_matched(workspace: Run) -> None:
    rows = [each for number in range(40) for each in (clean(number), "\n  # a note: here\n\n")]
    assert sifted(write(rows), workspace) == 35


def test_lines_may_end_with_carriage_returns(workspace: Run) -> None:
    text = write([{**clean(number), "tags": "x"} for number in range(20)]).replace("\n", "\r\n")
    assert by_rows_and_whole(workspace, text)


def test_keys_that_are_not_in_every_row_are_learned(workspace: Run) -> None:
    rows = [clean(number) for number in range(120)]
    for number in range(0, 120, 3):
        del rows[number]["tags"], rows[number]["source"]
        rows[number] = {"id": rows[number]["id"], "criteria": "a:b", **rows[number]}
    assert sifted(write(rows), workspace) == 115
    for number in range(80, 120):
        rows[number]["own"] = "something"
    assert sifted(write(rows), workspace) > 100


def test_a_few_bad_rows_do_not_take_the_others_with_them(workspace: Run) -> None:
    rows = [clean(number) for number in range(200)]
    for number in (50, 51, 120, 199):
        rows[number]["input"] = "7"
    assert sifted(write(rows), workspace) > 180
    found, count, _ = outcome(workspace, source_of(write(rows)))
    assert (len(found), count) == (4, 200)
    assert by_rows_and_whole(workspace, write(rows))


#: What may be put behind a key, or in the place of an item.
VALUES = [
    *STYLES, "", "7", "-7", "007", "0o14", "0x1F", "1_000", "1.50", "1e3", ".5", "+1", ".inf", "~",
    "null", "Null", "true", "True", "yes", "'true'", '""', "''", "' '", '"\\u00a0"', "\u00a0",
    "- x", "?", "? x", "@x", "`x`", "%x", "&a x", "*a", "!!str 5", "!x y", "[a, b]", "[]",
    "[a: b]", "{}", "{a: b}", "{{ x }}", "text # note", "text #", "#", "a: b", "a:", "a :b",
    "text ", "\ttext", "te\txt", "'open", '"open', "'a' b", "|", "|\n", "|2\n·  x", "|+\n·  x\n\n",
    ">\n·      x\n·  y", "x\n\n·  y", "x\n·  # y\n·  z", "x\n·  y: z", "x\n· y", "x\n·y", "'x\ny'",
    '"x\n  - y"', "x\n·  - y", "text", "json", "jsn", "rubric/r1@1.0.0", "'rubric/r1@1.0.0'",
    "rubric/r1", "rubric/r9@1.0.0", "rubric/tools@1.0.0", "judge/r1@1.0.0", "tours", "nobody",
    "dutch", "row_000", "'row_000'", "<<", "=", "12345678901234567890123", "1" * 5000, "x" * 2000,
    "a\u2028b", "a\x85b", "a\ufeffb", "a\x01b", "\U0001f600 b", "\ufffd", "true # x", "7 # x",
    "null #", "true\t", "true\t# x", "7\t# x", "7 \t", "true\n·  # y", "[" * 98 + "]" * 98,
    "[" * 99 + "]" * 99, "true\n·  y", "7\n·  y", "'x'\n·  y",
]  # fmt: skip
KEYS = [
    *clean(0), "bundle", "tour", "stops", "own", "expecteed_facts", "must_not_contain", "criteria",
    "<<", "'id'", '"input"', "id ", "tags:", "a b", "expected_tools", "context",
]  # fmt: skip
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 29),
        st.sampled_from(KEYS),
        st.sampled_from(VALUES)
        | st.none()
        | st.lists(st.sampled_from(VALUES), min_size=1, max_size=2)
        | st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), min_size=1, max_size=2),
    ),
    max_size=5,
)
CUTS = [
    "\n", " ", "  ", "#", " #", ": ", ":", "'", '"', "\t", "- ", "-", "  - id: x\n", "&a ", "*a",
    "|", "---\n", "...\n", "\n---\n", "\n...\n", "%YAML 1.1\n", "\r", "\r\n", "\u2028", "\ufeff",
    "\x85", "{", "]", "é", "\n\n", "    own: 1\n", "      - y\n", "  - y\n", "  -\n", "  # note\n",
    "# note\n", "bundle: tours\n", "    tags: [x]\n", "\x00", "\x7f", "\\", "\n  - [a]\n",
    "questions:\n", "!!str ",
]  # fmt: skip
SLIPS = st.lists(
    st.tuples(st.integers(0, 9999), st.sampled_from(CUTS), st.integers(0, 3)), max_size=2
)
HEADS = [
    "",
    "bundle: tours\n",
    "---\n",
    "# a note\n",
    "bundel: tours\n",
    "x: &a 1\n",
    "%YAML 1.2\n---\n",
]


def changed_text(
    changed: list[Any], slips: list[tuple[int, str, int]], layout: tuple[int, int, int], head: str
) -> str:
    rows = [clean(number) for number in range(30)]
    for number, key, value in changed:
        if value is None:
            rows[number].pop(key, None)
        else:
            rows[number][key] = value
    dash, step, lists = layout
    text = head + write([row or "" for row in rows], dash=dash, step=step, lists=lists)
    for number, slip, cut in slips:
        at = number % len(text)
        text = text[:at] + slip + text[at + cut :]
    return text


def check_changed(count: int) -> Any:
    """Return a property test over so many texts."""

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(CHANGES, SLIPS, st.sampled_from(LAYOUTS), st.sampled_from(HEADS))
    def same(workspace: Run, changed: list[Any], slips: list[Any], layout: Any, head: str) -> None:
        by_rows_and_whole(workspace, changed_text(changed, slips, layout, head))

    return same


test_the_findings_are_the_same = check_changed(150)
test_the_findings_of_many_texts_are_the_same = pytest.mark.slow(check_changed(4000))


@pytest.mark.parametrize("value", VALUES)
def test_each_value_is_read_as_in_a_whole(workspace: Run, value: str) -> None:
    """Whether its style is known from the first rows or not; in rows that are matched or not."""
    for key, number in [("id", 20), ("input", 20), ("input", 1), ("score", 20), ("tags", 20)]:
        rows = [clean(each) for each in range(30)]
        rows[number][key] = [value, value] if key == "tags" else value
        by_rows_and_whole(workspace, write(rows))


@pytest.mark.parametrize("value", VALUES)
def test_each_value_is_read_as_in_a_whole_where_all_styles_are_known(
    workspace: Run, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_rows, "_FIRST", len(STYLES))
    texts = [*STYLES, *["text"] * 9, value, *["text"] * 9]
    rows = [clean(each) for each in range(len(texts))]
    for row, text in zip(rows, texts, strict=True):
        row["input"] = text
        row["tags"] = ["x", text]
    by_rows_and_whole(workspace, write(rows))


def test_small_files_are_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_rows, "LEAST_BYTES", 2000)
    assert not isinstance(source_of(write([clean(1)])), YamlRows)
    assert isinstance(source_of(write([clean(1)] * 30)), YamlRows)


def test_what_is_not_laid_out_for_it_is_read_whole() -> None:
    text = write([clean(number) for number in range(30)])
    assert isinstance(source_of(text), YamlRows)
    for other in (
        text + "bundle: tours\n",
        text + "...\n---\nmore\n",
        "%YAML 1.2\n---\n" + text,
        text.replace("questions:", "questions: &a"),
        text.replace("questions:", "questions: []\nquestions:"),
        text.replace("left", "le\u2028ft", 1),
        text.replace("left", "le\x85ft", 1),
        text.replace("left", "le\ufeffft", 1),
        text.replace("left", "le\rft", 1),
        text.replace("left", "le\x1bft", 1),
        text.replace("questions:", "questons:"),
        json.dumps({"questions": [clean(1)]}),
    ):
        assert not isinstance(source_of(other), YamlRows)


def test_where_nothing_goes_through_it_is_given_up(
    workspace: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def take(gate: YamlGate, text: str, start: int) -> Any:
        asked.append(start)
        return original(gate, text, start)

    original = YamlGate.take
    monkeypatch.setattr(YamlGate, "take", take)
    monkeypatch.setattr(lessons, "_PATIENCE", 100)
    rows = [{**clean(number), f"own_{number}": "x"} for number in range(600)]
    assert outcome(workspace, source_of(write(rows)))[:2] == ([], 600)
    assert 0 < len(asked) < 100


def test_lessons_are_few(workspace: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    original = YamlGate.__init__

    def init(gate: YamlGate, *each: Any) -> None:
        made.append(gate)
        original(gate, *each)

    monkeypatch.setattr(YamlGate, "__init__", init)
    rows = [clean(number) for number in range(1000)]
    for number in range(20, 1000, 5):
        rows[number][f"own_{number // 100}"] = "x"
    outcome(workspace, source_of(write(rows)))
    assert 1 < len(made) <= 12
