"""Which findings of structure can be mended at once, and which of these fixes are certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from examples import a_few
from tables import every_case

from evalcontract.model.diagnostic import Fix, Move, Rename, Write
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator, structure_of

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Edit, Path

ROW = {"id": "r", "input": "Where?"}
RUBRIC = {
    "id": "tone",
    "version": "1.0.0",
    "checks": [{"id": "words", "kind": "must_not_contain", "values": ["stupid"]}],
    "scoring": {"combine": "all_pass"},
}
JUDGE = {"id": "right", "version": "1.0.0", "template": "{{ output }}"}
BUNDLE = {
    "properties": {
        "tour": {"type": "object", "properties": {"language": {"type": "string"}, "stops": {}}},
        "guide_name": {"type": "string"},
    }
}


def check(**keys: Any) -> dict[str, Any]:
    return {**RUBRIC, "checks": [{"id": "words", **keys}]}


def fixes_of(kind: str, value: Any, raw: dict[Path, str] | None = None) -> list[Fix]:
    row = SchemaValidator("dataset", definition("row", of="dataset"))
    bundled = SchemaValidator("dataset", definition("row", of="dataset"), BUNDLE)
    structure = {"row": row, "bundled": bundled}.get(kind) or structure_of(kind)
    written = raw.get if raw is not None else None
    return [each.fix for each in structure.check(value, (), written) if each.fix]


CERTAIN: dict[str, tuple[str, Any, Path, Edit]] = {
    "a misspelled key": (
        "row",
        {**ROW, "expecteed_facts": ["a"]},
        ("expecteed_facts",),
        Rename("expected_facts"),
    ),
    "two letters of a long key": (
        "row",
        {**ROW, "expeceted_fact": ["a"]},
        ("expeceted_fact",),
        Rename("expected_facts"),
    ),
    "another way to write words": (
        "row",
        {**ROW, "rubricRef": "rubric/a@1.0"},
        ("rubricRef",),
        Rename("rubric_ref"),
    ),
    "singular for plural": ("row", {**ROW, "tag": ["a"]}, ("tag",), Rename("tags")),
    "a key below a known one": (
        "row",
        {**ROW, "expected": {"formt": "json"}},
        ("expected", "formt"),
        Rename("format"),
    ),
    "a misspelled key with faults below": (
        "rubric",
        {**{k: v for k, v in RUBRIC.items() if k != "scoring"}, "scorring": {"combine": "x"}},
        ("scorring",),
        Rename("scoring"),
    ),
    "a key without its number's quotes": (
        "judge",
        {"id": "right", "verison": 1.1, "template": "{{ output }}"},
        ("verison",),
        Rename("version"),
    ),
    "a key of a bundle": (
        "bundled",
        {**ROW, "guide_nmae": "a"},
        ("guide_nmae",),
        Rename("guide_name"),
    ),
    "a key inside of a bundle": (
        "bundled",
        {**ROW, "tour": {"langauge": "en"}},
        ("tour", "langauge"),
        Rename("language"),
    ),
    "a misspelled parameter": (
        "rubric",
        check(kind="must_not_contain", valeus=["a"]),
        ("checks", 0, "valeus"),
        Rename("values"),
    ),
    "three letters of what is missing": (
        "rubric",
        check(knd="regex", pattern="a"),
        ("checks", 0, "knd"),
        Rename("kind"),
    ),
    "a key of a target": (
        "target",
        {"dataset": "a.yaml", "strict_validaton": True},
        ("strict_validaton",),
        Rename("strict_validation"),
    ),
    "a key that goes down": (
        "row",
        {**ROW, "format": "json"},
        ("format",),
        Move(("expected", "format")),
    ),
    "a key that goes down, beside others": (
        "row",
        {**ROW, "expected": {"a": 1}, "format": "json"},
        ("format",),
        Move(("expected", "format")),
    ),
    "a measure of a judge": (
        "judge",
        {**JUDGE, "tpr": 0.9},
        ("tpr",),
        Move(("validation", "tpr")),
    ),
    "a key that goes up": (
        "row",
        {**ROW, "expected": {"expected_facts": ["a"]}},
        ("expected", "expected_facts"),
        Move(("expected_facts",)),
    ),
    "another tool's name": (
        "row",
        {"id": "r", "question": "Where?"},
        ("question",),
        Rename("input"),
    ),
    "another tool's name of a list": (
        "row",
        {**ROW, "must_exclude": ["a"]},
        ("must_exclude",),
        Rename("must_not_contain"),
    ),
    "another tool's name of what is missing": (
        "rubric",
        check(kind="regex", regexp="a"),
        ("checks", 0, "regexp"),
        Rename("pattern"),
    ),
    "a value that is misspelled": (
        "row",
        {**ROW, "expected": {"format": "jsn"}},
        ("expected", "format"),
        Write("json"),
    ),
    "a value in capitals": (
        "rubric",
        {**RUBRIC, "scoring": {"combine": "ALL_PASS"}},
        ("scoring", "combine"),
        Write("all_pass"),
    ),
    "a version with a letter": (
        "judge",
        {**JUDGE, "version": "v1.2"},
        ("version",),
        Write("1.2.0"),
    ),
    "a whole number as text": ("row", {**ROW, "id": 12}, ("id",), Write("12")),
    "true as text": ("row", {**ROW, "input": True}, ("input",), Write("true")),
    "text as a number": (
        "rubric",
        {**RUBRIC, "scoring": {"combine": "min", "threshold": "0.80"}},
        ("scoring", "threshold"),
        Write(0.8),
    ),
    "text as a truth": (
        "target",
        {"dataset": "a.yaml", "strict_validation": "yes"},
        ("strict_validation",),
        Write(value=True),
    ),
}
UNCERTAIN: dict[str, tuple[str, Any, Path, Edit]] = {
    "the last words of a key": (
        "row",
        {**ROW, "facts": ["a"]},
        ("facts",),
        Rename("expected_facts"),
    ),
    "a short key": ("row", {"idd": "r", "input": "a"}, ("idd",), Rename("id")),
    "a name that says nearly the same": (
        "row",
        {**ROW, "guidelines": "be kind"},
        ("guidelines",),
        Rename("criteria"),
    ),
    "what resembles nothing, where one is missing": (
        "rubric",
        check(kind="regex", foo="a"),
        ("checks", 0, "foo"),
        Rename("pattern"),
    ),
    "another tool's value": (
        "judge",
        {**JUDGE, "score_type": "boolean"},
        ("score_type",),
        Write("binary"),
    ),
}
NONE: dict[str, tuple[str, Any]] = {
    "the right key is there": ("row", {**ROW, "expected_facts": ["a"], "expecteed_facts": ["b"]}),
    "two that mean the same": ("row", {**ROW, "expected_factz": ["a"], "expecteed_facts": ["b"]}),
    "two parameters that mean the same": (
        "rubric",
        check(kind="must_not_contain", valeus=["a"], vlaues=["b"]),
    ),
    "a value of another sort": ("row", {**ROW, "tag": "a"}),
    "nothing below it": ("row", {**ROW, "expecteed_facts": None}),
    "what it goes into has it": ("row", {**ROW, "expected": {"format": "text"}, "format": "json"}),
    "what it goes into is no mapping": ("row", {**ROW, "expected": None, "format": "json"}),
    "a value that would be wrong there": ("row", {**ROW, "format": "xml"}),
    "where it goes up there is one": (
        "row",
        {**ROW, "expected_facts": ["b"], "expected": {"expected_facts": ["a"]}},
    ),
    "what belongs into each of many": ("dataset", {"questions": [], "expected_facts": ["a"]}),
    "the opposite of ours": ("rubric", check(kind="regex", pattern="a", ignore_case=True)),
    "what has another shape": ("row", {**ROW, "expected_output": "Paris"}),
    "what has no place here": ("row", {**ROW, "expected": {}, "actual_output": {}}),
    "a number that lost its digits": ("row", {**ROW, "id": 1.1}),
    "a value that is near to nothing": ("row", {**ROW, "expected": {"format": "prose"}}),
    "a key split_key_value to its value": ("judge", {**JUDGE, "validation": {"tpr:0.9": None}}),
    "a text for a list": ("row", {**ROW, "expected_facts": "30 days"}),
    "a number with a comma": (
        "rubric",
        {**RUBRIC, "scoring": {"combine": "min", "threshold": "0,8"}},
    ),
    "an id, to which others may refer": ("rubric", {**RUBRIC, "id": "My-Rubric"}),
    "nothing wrong": ("row", {**ROW, "mine": 1, "x_expecteed_facts": 2}),
}


@every_case("name", CERTAIN)
def test_certain(name: str) -> None:
    kind, value, path, edit = CERTAIN[name]
    assert fixes_of(kind, value) == [Fix(path, edit)]


@pytest.mark.parametrize("name", UNCERTAIN)
def test_uncertain(name: str) -> None:
    kind, value, path, edit = UNCERTAIN[name]
    assert fixes_of(kind, value) == [Fix(path, edit, safe=False)]


@every_case("name", NONE)
def test_none(name: str) -> None:
    assert fixes_of(*NONE[name]) == []


@every_case(
    ("number", "written", "text"),
    [
        (1.1, "1.10", "1.10"),
        (1.0, "1.0", "1.0"),
        (1, "1", "1.0.0"),
        (1.2, "01.2", "1.2.0"),
        (10.0, "1e1", None),
        (1.1, None, None),
        (1, None, "1.0.0"),
    ],
)
def test_a_version_is_quoted_as_its_author_wrote_it(
    number: float, written: str | None, text: str | None
) -> None:
    raw: dict[Path, str] | None = None if written is None else {("version",): written}
    found = fixes_of("judge", {**JUDGE, "version": number}, raw)
    assert found == ([] if text is None else [Fix(("version",), Write(text))])


@every_case(
    ("words", "meant"),
    [("true yes on Yes", True), ("false no off OFF", False), ("y 1 maybe", None)],
)
def test_words_for_true_and_false(words: str, *, meant: bool | None) -> None:
    path = ("checks", 0, "negate")
    expected = [] if meant is None else [Fix(path, Write(meant))]
    for word in words.split():
        assert fixes_of("rubric", check(kind="regex", pattern="a", negate=word)) == expected, word


def test_a_fix_stands_below_its_prefix_with_its_finding() -> None:
    row = structure = SchemaValidator("dataset", definition("row", of="dataset"))
    (found,) = structure.check({**ROW, "format": "json"}, ("questions", 3))
    assert found.path == ("questions", 3, "format")
    assert found.fix == Fix(found.path, Move(("questions", 3, "expected", "format")))
    assert row.check(ROW) == []


@pytest.mark.slow
def test_every_slip_of_a_key_is_mended() -> None:
    """Whatever letter is dropped, doubled, swapped or wrong; short keys are never certain."""
    values: dict[str, Any] = {
        "input": "a", "criteria": "a", "expected": {}, "expected_facts": ["a"],
        "expected_tools": ["a"], "rubric_ref": "rubric/a@1.0.0", "bundle": "rag",
        "must_not_contain": ["a"], "context": 1, "metadata": {},
    }  # fmt: skip
    missed = []
    for key, part in values.items():
        for slip in a_few(sorted(slips(key)), 20):
            rest = {**ROW, slip: part}
            if key == "input":
                del rest["input"]
            if fixes_of("row", rest) != [Fix((slip,), Rename(key))]:
                missed.append(slip)
    assert missed == []


def slips(word: str) -> set[str]:
    found: set[str] = set()
    for at, letter in enumerate(word):
        found |= {word[:at] + word[at + 1 :], word[:at] + letter + word[at:]}
        found |= {
            f"{word[:at]}q{word[at + 1 :]}",
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
        }
    return found - {word}
