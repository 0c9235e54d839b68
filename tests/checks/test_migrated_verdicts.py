"""A migrated case passes the outputs that it passed before, apart from the differences told here.

The outputs of the property are those on which both ways of reading Markdown agree: closed fences
without `#` at the start of their lines, and paragraphs of one line. `DIFFERENCES` has the rest.
"""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from old_runner import passes
from tables import every_case

from evalcontract.checks import KINDS
from evalcontract.checks._kind import EvalContext
from evalcontract.checks.outcome import Outcome, Output
from evalcontract.library.library import Library
from evalcontract.starting.systems import Rubrics, move_evals
from evalcontract.structure.authored import SchemaAnalyses

HAS_PHP = shutil.which("php") is not None
NEEDS_PHP = pytest.mark.skipif(not HAS_PHP, reason="needs PHP")
AROUND = EvalContext(Library([]), has_php=HAS_PHP, read_json=json.loads, schemas=SchemaAnalyses())


def outcomes(case: dict[str, Any], output: str) -> list[Outcome]:
    """Return the outcomes of the checks of a migrated case on an output."""
    rubrics = Rubrics()
    moved = move_evals({"evals": [{"prompt": "p", **case}]}, "cases", rubrics)
    (row,) = moved.rows
    found: list[Outcome] = []
    for rubric in rubrics.by_id.values():
        assert rubric["scoring"] == {"combine": "all_pass"}
        for check in rubric["checks"]:
            prepare = KINDS[check["kind"]].prepare
            assert prepare is not None
            found.append(prepare(check, AROUND)(row, Output(output)).outcome)
    return found


def passes_now(case: dict[str, Any], output: str) -> bool:
    return all(outcome is Outcome.PASSED for outcome in outcomes(case, output))


WORDS = st.sampled_from(["tide", "Tide", "ebb", "lock gate", "LOCK", "neap", "a", "x1"])
TEXTS = st.lists(WORDS, max_size=3)
LINE = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
HEADING = st.builds(lambda level, text: f"{'#' * level} {text}", st.integers(1, 6), LINE)
FENCE = LINE.map(lambda text: f"```text\n{text}\n```")
OUTPUTS = st.lists(st.one_of(HEADING, FENCE, LINE), max_size=6).map("\n\n".join)
RULES = st.fixed_dictionaries(
    {},
    optional={
        "min_headings": st.integers(0, 3),
        "max_heading_level": st.integers(1, 7),
        "required_sections": TEXTS,
        "forbidden_patterns": TEXTS,
        "min_code_blocks": st.integers(0, 2),
        "no_h1": st.booleans(),
    },
)
CASES = st.fixed_dictionaries(
    {"must_contain_any": TEXTS, "must_not_contain": TEXTS},
    optional={"check_markdown_structure": RULES},
)


@examples(600)
@given(case=CASES, output=OUTPUTS)
def test_verdicts_are_those_of_the_old_runner(case: dict[str, Any], output: str) -> None:
    assert passes_now(case, output) is passes(case, output)


@examples(200)
@given(least=st.integers(0, 4), lines=st.lists(st.one_of(HEADING, LINE), max_size=6))
def test_paragraphs_of_one_line_are_counted_alike(least: int, lines: list[str]) -> None:
    case = {"check_markdown_structure": {"min_paragraphs": least}}
    output = "\n\n".join(lines)
    assert passes_now(case, output) is passes(case, output)


@pytest.mark.slow
@NEEDS_PHP
@every_case(
    "output, passed",
    [
        ("No code.", True),
        ("```php\necho 1;\n```", True),
        ("```php\necho 1\n```\n", False),
        ("```php\necho 1;\n```\n\n```php\nfunction {\n```", False),
        ("```js\nfunction {\n```", True),
        ("", True),
    ],
)
def test_php_is_linted_alike(output: str, passed: bool) -> None:  # noqa: FBT001 - a case
    case = {"check_php_lint": True}
    assert (passes_now(case, output), passes(case, output)) == (passed, passed)


def markdown(**rules: Any) -> dict[str, Any]:
    return {"check_markdown_structure": rules}


#: What is graded in another way: a case, an output, and whether it passes now.
DIFFERENCES = [
    pytest.param({"must_contain_any": ["STRASSE"]}, "Straße", True, id="case folding"),
    pytest.param({"must_contain_any": ["caf\u00e9"]}, "cafe\u0301", True, id="normalisation"),
    pytest.param(markdown(min_paragraphs=2), "one\ntwo", False, id="a paragraph of two lines"),
    pytest.param(markdown(min_paragraphs=1), "```\ncode\n```", False, id="code is no paragraph"),
    pytest.param(markdown(min_paragraphs=1), "- item", False, id="a list is no paragraph"),
    pytest.param(markdown(no_h1=True), "```\n# comment\n```", True, id="`#` in code"),
    pytest.param(markdown(min_headings=1), "Title\n=====", True, id="an underlined heading"),
    pytest.param(markdown(min_code_blocks=1), "```\ncode", True, id="a fence without an end"),
    pytest.param(markdown(min_code_blocks=1), "~~~\ncode\n~~~", True, id="a fence of tildes"),
    pytest.param(markdown(min_code_blocks=1), "A ``` and ``` here", False, id="backticks in text"),
    pytest.param(markdown(required_sections=["a b"]), "# a *b*", True, id="marks in a heading"),
]


@every_case("case, output, passed", DIFFERENCES)
def test_what_is_graded_in_another_way(
    case: dict[str, Any],
    output: str,
    passed: bool,  # noqa: FBT001 - a case
) -> None:
    assert (passes_now(case, output), passes(case, output)) == (passed, not passed)


@every_case(
    "case, output, passed",
    [
        pytest.param({"must_contain_any": [""]}, "x", True, id="always passed"),
        pytest.param({"must_contain_any": []}, "", True, id="an empty list"),
        pytest.param({"must_contain_any": ["Tide"]}, "low TIDE", True, id="upper case"),
        pytest.param({"must_not_contain": ["tide"]}, "", True, id="an empty output"),
        pytest.param(markdown(), "", True, id="no rules"),
        pytest.param(markdown(forbidden_patterns=["TBD"]), "tbd", True, id="a literal pattern"),
        pytest.param(markdown(forbidden_patterns=["a.c"]), "abc", True, id="no expression"),
    ],
)
def test_edges_are_graded_alike(
    case: dict[str, Any],
    output: str,
    passed: bool,  # noqa: FBT001 - a case
) -> None:
    assert (passes_now(case, output), passes(case, output)) == (passed, passed)


def test_without_php_nothing_passes_for_that() -> None:
    check = {"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"}
    prepare = KINDS["php_lint"].prepare
    assert prepare is not None
    execute = prepare(check, AROUND._replace(has_php=False))
    assert execute({}, Output("No code.")).outcome is Outcome.PASSED
    assert execute({}, Output("```php\necho 1\n```")).outcome is Outcome.UNAVAILABLE
