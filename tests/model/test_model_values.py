"""The small values of the model: paths, places, near words, lists in messages, fixes, outcomes."""

from __future__ import annotations

import pickle
import sys
from math import inf, nan
from typing import Any

import pytest
from tables import every_case

from evalcontract.model.codes import Code, example_files
from evalcontract.model.diagnostic import (
    Cause,
    Diagnostic,
    Fix,
    Move,
    Path,
    Place,
    Problem,
    Related,
    Rename,
    RunOutcome,
    Severity,
    Site,
    Span,
    Within,
    Write,
    format_path,
    key_of,
)
from evalcontract.model.errors import ContractViolation
from evalcontract.model.nearest import allowed_edits, edit_distance, nearest, normalise
from evalcontract.model.values import (
    MAX_DIGITS,
    chained,
    integer,
    is_finite_number,
    is_writable,
    json_equal,
    listed,
)


@every_case(
    ("path", "shown", "short"),
    [
        ((), "$", "$"),
        (("a",), "$.a", "a"),
        (("a", "b_2"), "$.a.b_2", "a.b_2"),
        (("questions", 3), "$.questions[3]", "questions[3]"),
        (("questions", 3, "id"), "$.questions[3].id", "id"),
        (("q", 3, "values", 2), "$.q[3].values[2]", "values[2]"),
        (("q", 3, "expected", "format"), "$.q[3].expected.format", "expected.format"),
        (("q", 3, "m", 1, 2), "$.q[3].m[1][2]", "m[1][2]"),
        ((0,), "$[0]", "$[0]"),
        ((0, "id"), "$[0].id", "id"),
        (("odd key",), "$['odd key']", "odd key"),
        (("2nd", "a-b"), "$['2nd']['a-b']", "2nd['a-b']"),
        (("a", "it's \\"), r"$.a['it\'s \\']", r"a['it\'s \\']"),
        (("",), "$['']", ""),
    ],
)
def test_paths(path: Path, shown: str, short: str) -> None:
    assert (format_path(path), key_of(path)) == (shown, short)


@every_case(
    ("left", "right", "limit", "distance"),
    [
        ("", "", 2, 0),
        ("same", "same", 0, 0),
        ("same", "sane", 0, 1),
        ("same", "sane", 1, 1),
        ("same", "sme", 1, 1),
        ("same", "saame", 1, 1),
        ("same", "smae", 1, 1),
        ("same", "asme", 1, 1),
        ("same", "saem", 1, 1),
        ("same", "some1", 1, 2),
        ("abcdefgh", "abcdefgh", 1, 0),
        ("abcdefgh", "abcdXfgh", 1, 1),
        ("abcdefgh", "Xbcdefgh", 1, 1),
        ("abcdefgh", "abcdefgX", 1, 1),
        ("abcdefgh", "abcedfgh", 1, 1),
        ("abcdefgh", "abXdefXh", 1, 2),
        ("abcdefgh", "badcefgh", 2, 2),
        ("abcdefgh", "badcfegh", 2, 3),
        ("ca", "abc", 3, 3),
        ("abc", "abcdef", 2, 3),
        ("abc", "abcdef", 3, 3),
        ("abcd", "wxyz", 2, 3),
        ("abcd", "wxyz", 4, 4),
    ],
)
def test_distances(left: str, right: str, limit: int, distance: int) -> None:
    assert edit_distance(left, right, limit) == distance
    assert edit_distance(right, left, limit) == distance


@every_case(
    ("word", "expected"),
    [
        ("snake_case", "snake_case"),
        ("camelCase", "camel_case"),
        ("Two  Words", "two_words"),
        ("kebab-case.dot", "kebab_case_dot"),
        ("_edge_", "edge"),
        ("v2Beta", "v2_beta"),
        ("HTTP", "http"),
    ],
)
def test_normalised(word: str, expected: str) -> None:
    assert normalise(word) == expected


@every_case(
    ("word", "known", "limit", "expected"),
    [
        ("id", ["ids"], None, None),
        ("id", ["ID"], None, "ID"),
        ("ids", ["idx"], None, "idx"),
        ("word", ["ward", "wird"], None, "ward"),
        ("word", ["ward", "word"], None, "word"),
        ("expected", ["expeceted"], None, "expeceted"),
        ("expectde", ["expacted"], None, "expacted"),
        ("weight", ["wieghst"], None, None),
        ("weight", ["wieghst"], 2, "wieghst"),
        ("expectedFacts", ["expected_facts"], 0, "expected_facts"),
        ("zzzz", ["word"], None, None),
        ("word", [], None, None),
    ],
)
def test_nearest(word: str, known: list[str], limit: int | None, expected: str | None) -> None:
    assert nearest(word, known, limit=limit) == expected


def test_what_a_finding_need_not_say() -> None:
    """Reports leave out what is None or empty, and other packages build these values, too."""
    left_out = Diagnostic("a/b", Severity.NOTE, "m", Place("f"))[4:]
    assert left_out == ((), None, None, None, (), None, None, None, None)
    assert Problem("a/b", "m", ())[3:] == (None, False, None, (), None, None, None, None)
    assert Related("m", ())[2:] == (None, False)
    assert Within("a")[1:] == (0, "")
    assert Site(Place("f"))[1:] == ((), None, None, None)
    assert Cause("a", "refer to it")[2:] == (None, None, "check")


def test_edits_by_length() -> None:
    assert [allowed_edits(length) for length in (0, 2, 3, 7, 8, 20)] == [0, 0, 1, 1, 2, 2]


@every_case(
    ("count", "in_a_list", "in_a_chain"),
    [
        (0, "", ""),
        (1, "1", "1"),
        (6, "1, 2, 3, 4, 5, 6", "1 -> 2 -> 3 -> 4 -> 5 -> 6"),
        (7, "1, 2, 3, 4, 5 … and 2 more", "1 -> 2 -> 3 -> … 2 more … -> 6 -> 7"),
        (
            1105,
            "1, 2, 3, 4, 5 … and 1,100 more",
            "1 -> 2 -> 3 -> … 1,100 more … -> 1104 -> 1105",
        ),
    ],
)
def test_lists(count: int, in_a_list: str, in_a_chain: str) -> None:
    items = range(1, count + 1)
    assert listed(items) == in_a_list
    assert chained(map(str, items)) == in_a_chain


def test_a_shorter_list() -> None:
    assert (listed("abc", 2), listed("abcd", 2)) == ("a, b, c", "a, b … and 2 more")


SAME: list[list[Any]] = [
    *([1], [1.0], [True], [0, 0], [0.0], [-0.0], [False], [None], ["1"], [""], [[], []], [{}, {}]),
    [float("nan"), float("nan")],
    *([[1, 2], [1, 2]], [[2, 1]], [[1]], [[1, 2, 3]], [[1, 2.0]], [[True, 2]]),
    *([{"a": 1, "b": 2}, {"b": 2, "a": 1}], [{"a": 1}], [{"a": 1, "b": 3}], [{"a": 1, "c": 2}]),
    [10**40, 10**40],
    ["long" * 9, "long" * 9],
]


def test_json_data_is_equal_to_itself_alone() -> None:
    ranked = [(value, rank) for rank, values in enumerate(SAME) for value in values]
    for one, rank in ranked:
        for other, other_rank in ranked:
            assert json_equal(one, other) is (rank == other_rank), (one, other)


def test_places() -> None:
    assert Span.point() == Span(1, 1, 1, 1)
    assert Span.point(3, 7) == Span(3, 7, 3, 7)
    assert Span(1, 2, 3, 4).below(10) == Span(11, 2, 13, 4)
    assert str(Place("a.yaml")) == "a.yaml"
    assert str(Place("a.yaml", Span(3, 7, 4, 1))) == "a.yaml:3:7"


@every_case(
    ("edit", "kind", "target", "moved"),
    [
        (Rename("new"), "rename", "new", Rename("new")),
        (Move(("b", 0, "c")), "move", "$.b[0].c", Move(("x", "b", 0, "c"))),
        (Write(False), "write", False, Write(False)),
        (Write(None), "write", None, Write(None)),
    ],
)
def test_fixes(edit: Any, kind: str, target: object, moved: Any) -> None:
    fix = Fix(("a",), edit)
    assert (fix.kind, fix.target, fix.safe) == (kind, target, True)
    problem = Problem("c/d", "message", ("a",), fix=fix._replace(safe=False))
    relocated = problem.relocated(lambda path: ("x", *path))
    assert relocated == problem._replace(path=("x", "a"), fix=Fix(("x", "a"), moved, safe=False))


def test_a_problem_without_a_fix_is_relocated() -> None:
    problem = Problem("c/d", "message", ("a",))
    assert problem.relocated(lambda path: (0, *path)) == Problem("c/d", "message", (0, "a"))


def finding(
    file: str = "a", line: int = 0, column: int = 1, *, code: str = "c/d", message: str = "m"
) -> Diagnostic:
    span = Span.point(line, column) if line else None
    return Diagnostic(code, Severity.ERROR, message, Place(file, span))


def test_findings_are_sorted_by_place_and_told_once() -> None:
    order = [
        finding("a"),
        finding("a", 1, 2),
        finding("a", 1, 10),
        finding("a", 2, 1, code="a/a", message="z"),
        finding("a", 2, 1, code="c/d", message="l"),
        finding("a", 2, 1, code="c/d", message="m"),
        finding("a", 10, 1),
        finding("b"),
    ]
    outcome = RunOutcome([*reversed(order), *order], left_out=["b", "a"]).settle()
    assert (outcome.diagnostics, outcome.left_out) == (order, ["a", "b"])
    last_first = outcome.settle(lambda diagnostic: -len(diagnostic.place.file + diagnostic.message))
    assert last_first.diagnostics == order
    by_file = outcome.settle(lambda diagnostic: diagnostic.place.file == "a")
    assert by_file.diagnostics == [order[-1], *order[:-1]]


def test_outcomes() -> None:
    outcome = RunOutcome()
    assert (outcome.diagnostics, outcome.files, outcome.rows, outcome.left_out) == ([], {}, 0, [])
    for kind in ("rubric", "judge", "rubric"):
        outcome.count(kind, f"{kind}.yaml")
    assert outcome.files == {"rubric": 2, "judge": 1}
    checked = {"rubric.yaml": "rubric", "judge.yaml": "judge"}
    assert outcome == RunOutcome(files={"rubric": 2, "judge": 1}, checked=checked)
    assert outcome != RunOutcome()
    assert outcome != {"rubric": 2, "judge": 1}
    full = RunOutcome([finding()], {"judge": 1}, 4, ["x"])
    assert (full.diagnostics, full.rows, full.left_out) == ([finding()], 4, ["x"])
    with pytest.raises(TypeError, match="unhashable"):
        hash(outcome)


def test_a_diagnostic_as_text() -> None:
    diagnostic = finding("a", 3, 7)._replace(path=("q", 0))
    assert str(diagnostic) == "a:3:7: error[c/d]: m"
    assert (diagnostic.is_error, diagnostic.pointer) == (True, "$.q[0]")
    warning = diagnostic._replace(severity=Severity.WARNING)
    assert (str(warning), warning.is_error) == ("a:3:7: warning[c/d]: m", False)


@pytest.mark.parametrize(
    ("errors", "first", "lines", "last"),
    [
        (0, "0 errors", 2, ""),
        (1, "1 error", 2, "  a:1:1: error[c/d]: m"),
        (2, "2 errors", 3, "  a:2:1: error[c/d]: m"),
        (20, "20 errors", 21, "  a:20:1: error[c/d]: m"),
        (21, "21 errors", 22, "  … and 1 more"),
    ],
)
def test_a_violation_names_the_first_errors(errors: int, first: str, lines: int, last: str) -> None:
    found = [finding("a", line) for line in range(1, errors + 1)]
    note = finding("b")._replace(severity=Severity.NOTE)
    violation = ContractViolation([*found, note])
    assert violation.diagnostics == (*found, note)
    text = str(violation).split("\n")
    assert (text[0], len(text), text[-1]) == (first, lines, last)


@every_case(
    ("hostile", "shown"),
    [
        ("\ud800", "\ufffd"),
        ("a\nb", "a␊b"),
        ("\x1b[31m", "␛[31m"),
        ("\u202e", "\ufffd"),
        ("a\tb", "a b"),
        ("é 🙂", "é 🙂"),
    ],
)
def test_a_violation_can_be_printed(hostile: str, shown: str) -> None:
    """In whatever it quotes of a file, or in the name of the file."""
    named = finding(hostile)._replace(message=hostile)
    text = str(ContractViolation([named]))
    assert text.split("\n", 1)[1] == f"  {shown}: error[c/d]: {shown}"
    assert text.encode()


def test_codes() -> None:
    code = Code("dataset/x", soft=Severity.NOTE, strict=Severity.WARNING, guess=True, page="p")
    plain = Code("dataset/x")
    assert code == plain == "dataset/x"
    assert code.severities == (Severity.NOTE, Severity.WARNING)
    assert plain.severities == (Severity.WARNING, Severity.ERROR)
    assert (code.confidence, plain.confidence) == ("guess", "certain")
    assert (code.docstring, plain.docstring) == ("p", None)
    with pytest.raises(AttributeError, match="is_guess"):
        code.is_guess = False
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(code, protocol))  # noqa: S301 - our own bytes
        assert type(copy) is Code
        assert (copy, copy.severities, copy.is_guess, copy.docstring) == (
            *(code, code.severities, True, "p"),
        )


@every_case(
    ("code", "example", "file"),
    [
        ("rubric/cycle", "id: tone\n", "rubrics/tone.yaml"),
        ("judge/stale", "version: 1\nid: right\n", "judges/right.yaml"),
        ("target/no-dataset", "id: shop\n", "targets/shop.yaml"),
        ("rubric/no-id", "checks: []\n", "rubrics/example.yaml"),
        ("dataset/no-rows", "id: a\n", "data.yaml"),
        ("reference/dangling", "questions: []\n", "data.yaml"),
    ],
)
def test_an_example_without_a_name_is_named_after_its_kind(
    code: str, example: str, file: str
) -> None:
    assert example_files(example, code) == {file: example}


def test_an_example_of_several_files() -> None:
    files = {"targets/a.yaml": "id: a\n", "data.yaml": "questions: []\n"}
    text = "".join(f"# file: {name}\n{content}" for name, content in files.items())
    assert example_files(text, "target/x") == files
    assert [*example_files(text, "target/x")] == [*files]


@pytest.mark.parametrize("value", [0, -1, 0.5, 10**300, -1.7e308, 2**1023], ids=repr)
def test_finite_numbers(value: Any) -> None:
    assert is_finite_number(value)


@pytest.mark.parametrize("value", [True, False, None, "1", [1], nan, inf, -inf, 10**400], ids=str)
def test_what_is_no_finite_number(value: Any) -> None:
    assert not is_finite_number(value)


@every_case(
    ("text", "base", "number"),
    [
        ("0", 10, 0),
        ("-12", 10, -12),
        ("9" * MAX_DIGITS, 10, 10**MAX_DIGITS - 1),
        ("1" + "0" * MAX_DIGITS, 10, None),
        ("9" * 10_000, 10, None),
        ("0xff", 0, 255),
        ("0o17", 0, 15),
        ("0x" + "f" * 3321, 0, 16**3321 - 1),
        ("0x" + "f" * 3323, 0, None),
        ("", 10, None),
        ("1.5", 10, None),
        ("½", 10, None),
    ],
)
def test_integers_of_texts(text: str, base: int, number: int | None) -> None:
    assert integer(text, base) == number


@every_case("limit", [0, 640, 4300, 10_000])
def test_an_integer_of_a_text_can_be_written(limit: int) -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(limit)
    try:
        number = next(n for n in (16**3300, 16**2500, 16**200) if is_writable(n))
        assert str(number)
        assert not is_writable(10 * 10**MAX_DIGITS)
    finally:
        sys.set_int_max_str_digits(before)
