"""Executors on what is large, slow or deep, and that they agree with the predictions."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from check_cases import HAS_PHP, around, graded, output, predicted, verdict_on
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.checks import KINDS, State
from evalcontract.checks._time_limit import matcher
from evalcontract.checks.outcome import Outcome, Output, ToolCall
from evalcontract.structure.authored import NoChildError, OutOfTimeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

LARGE = 10_000_000

#: Backtracks exponentially; and with the square of the length, so that signals come late.
SLOW = [(re.compile("(a+)+b"), "a" * 60), (re.compile("[ab]+c"), "ab" * 1_000_000)]


@every_case(("pattern", "text"), SLOW, ids=lambda value: str(value)[:20])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_a_slow_search_ends(pattern: re.Pattern[str], text: str) -> None:
    start = time.monotonic()
    with pytest.raises(OutOfTimeError):
        matcher(pattern, seconds=0.2)(text)
    assert time.monotonic() - start < 5


def in_thread(function: Callable[[], Any]) -> list[Any]:
    """Return what a function returns or raises in another thread."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(function())
        except (OutOfTimeError, NoChildError) as error:
            results.append(type(error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results


@every_case(
    ("pattern", "text", "full", "result"),
    [
        (re.compile("é+\ud800", re.IGNORECASE), "aÉ\ud800", False, True),
        (re.compile("é+", re.IGNORECASE), "aÉ", True, False),
        (re.compile("."), "\n", False, False),
        (re.compile(".", re.DOTALL), "\n", False, True),
        (*SLOW[0], False, OutOfTimeError),
    ],
)
@pytest.mark.thorough
def test_other_threads_search_in_a_child(
    pattern: re.Pattern[str],
    text: str,
    full: bool,  # noqa: FBT001
    result: object,
) -> None:
    assert in_thread(lambda: matcher(pattern, full=full, seconds=0.2)(text)) == [result]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_what_was_set_before_is_set_again() -> None:
    rung: list[float] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 100, 7)
        assert matcher(re.compile("a"))("a")
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert 90 < left <= 100
        assert interval == 7
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(OutOfTimeError):
            matcher(SLOW[0][0], seconds=0.2)(SLOW[0][1])
        time.sleep(0.05)
        assert len(rung) == 1  # what was due meanwhile comes at once
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_without_a_child_there_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    verdict = verdict_on({"kind": "regex", "pattern": "b"}, "a" * 100_000)
    assert verdict.outcome is Outcome.ERROR
    assert "cannot be searched for" in str(verdict.reason)


LONG_LINES = ("word " * 200 + "\n") * (LARGE // 1001)


@pytest.mark.slow
@every_case(
    ("check", "text", "outcome"),
    [
        ({"kind": "must_contain_any", "values": ["ß"]}, LONG_LINES, "failed"),
        ({"kind": "must_not_contain", "values": ["é"]}, LONG_LINES + "É", "failed"),
        ({"kind": "regex", "pattern": "wordy"}, LONG_LINES, "failed"),
        ({"kind": "regex", "pattern": "d$"}, LONG_LINES + "d", "passed"),
        ({"kind": "format", "format": "json"}, "[" + "1," * (LARGE // 2) + "1]", "passed"),
        ({"kind": "format", "format": "json"}, LONG_LINES, "failed"),
        ({"kind": "json_schema", "schema": {"items": {"type": "integer"}}},
         "[" + "1," * (LARGE // 2) + '"x"]', "failed"),
        ({"kind": "json_schema", "schema": True, "extract": "first_fence"},
         LONG_LINES + "```\n1\n```", "passed"),
        ({"kind": "markdown_structure", "min_paragraphs": 1}, LONG_LINES, "passed"),
        ({"kind": "markdown_structure", "min_headings": 1}, "# a\n" * (LARGE // 4), "error"),
        ({"kind": "markdown_structure", "no_h1": True}, ">" * LARGE, "passed"),
        ({"kind": "fact_match", "facts": ["word word", "b"]}, LONG_LINES, "failed"),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
@pytest.mark.thorough
def test_ten_megabytes(check: dict[str, Any], text: str, outcome: str) -> None:
    start = time.monotonic()
    assert verdict_on(check, text).outcome == outcome
    assert time.monotonic() - start < 60


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_arguments_that_are_nested_too_deeply() -> None:
    made = Output(None, (ToolCall("a", {"x": nested(100_000)}),))
    check = {"kind": "tool_usage", "expected_tools": [{"name": "a", "arguments": {"x": 1}}]}
    assert graded(check, {}, made, around()).outcome is Outcome.ERROR
    names_only = {"kind": "tool_usage", "expected_tools": ["a"]}
    assert graded(names_only, {}, made, around()).outcome is Outcome.PASSED


@every_case(
    ("on_no_code", "text", "outcome"),
    [
        ("skip", "No code.", Outcome.SKIPPED),
        ("fail", "No code.", Outcome.FAILED),
        ("pass", "No code.", Outcome.PASSED),
        ("fail", "", Outcome.FAILED),
        ("fail", "```\n$a = ;\n```", Outcome.FAILED),
        ("pass", "```js\n(\n```", Outcome.PASSED),
        ("fail", "````md\n```php\n$a = ;\n```\n````", Outcome.FAILED),
        ("pass", "\n" * 200_001 + "```", Outcome.ERROR),
        *((how, "```php\n$a = ;\n```", None) for how in ("skip", "fail", "pass")),
        ("pass", "```php\n$a = 1;\n```", None),
        ("pass", "```php\n1;\n```\n" * 201, None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_without_php_only_outputs_without_it_are_judged(
    on_no_code: str, text: str, outcome: Outcome | None
) -> None:
    """None is what needs PHP."""
    check = {"kind": "php_lint", "on_no_code": on_no_code}
    context = around()._replace(has_php=False)
    verdict = graded(check, {"id": "a", "input": "b"}, Output(text), context)
    assert verdict.outcome is (outcome or Outcome.UNAVAILABLE)
    assert (verdict.reason == "no `php` on this machine") is (outcome is None)
    assert predicted(check, {}, context).state is State.UNAVAILABLE
    if outcome is not None and HAS_PHP:
        assert verdict_on(check, text) == verdict, "as with PHP"


@pytest.mark.skipif(not HAS_PHP, reason="needs PHP")
def test_php_runs_with_no_settings_and_no_endless_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "php.ini").write_text("memory_limit = 1\nauto_prepend_file = no.php\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PHPRC", str(tmp_path))
    evil = "file_put_contents('made', 'a');"
    assert verdict_on({"kind": "php_lint"}, f"```php\n{evil}\n```").outcome is Outcome.PASSED
    assert [path.name for path in tmp_path.iterdir()] == ["php.ini"]
    slow = {"kind": "php_lint", "timeout_seconds": 0.000001}
    assert verdict_on(slow, "```php\n1;\n```").outcome is Outcome.ERROR
    deep = f"```php\n$a = {'(' * 300_000}1{')' * 300_000};\n```"
    assert verdict_on({"kind": "php_lint"}, deep).outcome is Outcome.ERROR
    many = "```php\n1;\n```\n" * 201
    assert "201" in str(verdict_on({"kind": "php_lint"}, many).reason)


@every_case(
    "schema", [{"pattern": r"(a*)*\1b|z$"}, {"if": {"pattern": r"(a*)*\1b|z$"}, "then": False}]
)
def test_a_schema_whose_pattern_reaches_its_limit_is_an_error(schema: Any) -> None:
    check = {"kind": "json_schema", "schema": schema}
    verdict = verdict_on(check, json.dumps("a" * 40 + "z"))
    assert (verdict.outcome, verdict.score) == (Outcome.ERROR, None)
    assert r"whether `(a*)*\1b|z$` matches" in str(verdict.reason)


def test_the_reason_names_the_place() -> None:
    schema = {"properties": {"a": {"items": {"type": "string"}}}}
    check = {"kind": "json_schema", "schema": schema}
    assert verdict_on(check, '{"a": ["b", 1]}').reason == "`$.a[1]` must be text, not a number"
    check["schema"] = {"required": ["a", "b"]}
    assert verdict_on(check, '{"a": 1}').reason == "the JSON value has no key `b`"
    check["schema"] = {"properties": {"a": {"multipleOf": 2}}}
    assert verdict_on(check, '{"a": 3}').reason == "$.a: 3 is not a multiple of 2"
    assert "line 2, column 3" in str(verdict_on(check, "{\n  a: 1}").reason)


TEXTS = st.one_of(
    st.text(alphabet='aAßİΣéb \n#`{}[]":1,-|\u0301', max_size=40),
    st.sampled_from(['{"a": 1}', "```json\n[1]\n```", "# A\n\nb", "\ud800", "NaN"]),
)
NAMES = st.sampled_from(["a", "b", "A"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.floats(), NAMES),
    lambda part: st.one_of(st.lists(part, max_size=2), st.dictionaries(NAMES, part, max_size=2)),
    max_leaves=4,
)
LISTS = st.lists(TEXTS.filter(bool), max_size=3)
TOOLS = st.lists(
    st.one_of(
        NAMES,
        NAMES.map(lambda name: {"name": name}),
        st.fixed_dictionaries(
            {"name": NAMES, "arguments": st.dictionaries(NAMES, VALUES, max_size=2)}
        ),
    ),
    max_size=3,
)
ONE, TWO = "judge/one@1.0.0", "judge/two@1.0.0"
JURY = st.fixed_dictionaries(
    {
        "judges": st.lists(
            st.fixed_dictionaries(
                {"judge_prompt_ref": st.sampled_from([ONE, TWO])},
                optional={"weight": st.sampled_from([0, 1, 2.5, 1e308])},
            ),
            min_size=2,
            max_size=3,
        )
    },
    optional={
        "aggregation": st.sampled_from(["majority_vote", "average", "weighted_average", "median"]),
        "tie_break": st.sampled_from(["pass", "fail"]),
    },
)
SCHEMAS = st.sampled_from([True, False, {}, {"type": "object"}, {"type": "no"}, {"enum": [1, {}]}])
SHARES = st.sampled_from([0, 0.5, 1])
_TEXTS_OF: dict[str, Any] = {"values": LISTS.filter(bool), "case_sensitive": st.booleans()}

#: The parameters of each kind: those that it must have, and the others.
PARAMETERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "must_contain_any": ({}, _TEXTS_OF),
    "must_not_contain": ({}, _TEXTS_OF),
    "regex": (
        {"pattern": st.sampled_from(["a", "", "(", "a*b", "^$", "[aß]+$"])},
        {
            "flags": st.lists(st.sampled_from("imsx"), unique=True),
            "match": st.sampled_from(["search", "full"]),
            "negate": st.booleans(),
        },
    ),
    "json_schema": (
        {"schema": SCHEMAS},
        {"extract": st.sampled_from(["whole", "first_fence"])},
    ),
    "markdown_structure": (
        {"no_h1": st.booleans()},
        {
            "min_headings": st.integers(0, 2),
            "max_heading_level": st.integers(1, 6),
            "required_sections": LISTS,
            "forbidden_patterns": LISTS,
            "min_code_blocks": st.integers(0, 2),
            "min_paragraphs": st.integers(0, 2),
        },
    ),
    "tool_usage": (
        {},
        {
            "expected_tools": TOOLS,
            "forbidden_tools": st.lists(NAMES, max_size=2),
            "match": st.sampled_from(["all", "any", "exact"]),
            "order": st.sampled_from(["any", "sequence"]),
            "max_calls": st.integers(0, 2),
        },
    ),
    "format": (
        {},
        {
            "format": st.sampled_from(["json", "text"]),
            "max_chars": st.integers(0, 20),
            "required_keys": st.lists(NAMES, max_size=2),
        },
    ),
    "fact_match": (
        {},
        {
            "facts": LISTS,
            "min_recall": SHARES,
            "judge_prompt_ref": st.sampled_from([ONE, TWO, "judge/none@1.0.0"]),
        },
    ),
    "llm_judge": ({"judge_prompt_ref": st.sampled_from([ONE, TWO])}, {"threshold": SHARES}),
    "jury": ({"jury": JURY}, {"threshold": SHARES}),
    "php_lint": ({}, {"on_no_code": st.sampled_from(["skip", "fail", "pass"])}),
}


def checks_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    required, optional = PARAMETERS[name]
    kind = st.just("llm_judge" if name == "jury" else name)
    return st.fixed_dictionaries({"kind": kind, **required}, optional=optional)


ROWS = st.fixed_dictionaries(
    {"id": st.just("a"), "input": TEXTS},
    optional={
        "criteria": TEXTS,
        "context": VALUES,
        "expected": st.fixed_dictionaries(
            {}, optional={"format": st.sampled_from(["json", "text"]), "b": VALUES}
        ),
        "expected_facts": LISTS,
        "expected_tools": TOOLS,
        "must_contain_any": LISTS,
        "must_not_contain": LISTS,
    },
)
RECORDED = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {"name": NAMES}, optional={"arguments": st.one_of(TEXTS, VALUES)}
            ),
            max_size=3,
        ),
        "context": VALUES,
    },
)
ANSWERS = st.lists(
    st.fixed_dictionaries(
        {"outcome": st.sampled_from(["passed", "failed", "failed", "error"]), "score": SHARES}
    ),
    min_size=9,
    max_size=9,
)
TEMPLATES = st.sampled_from(
    ["{{ output }}", "{{ output }} {{ context }}", "{{ expected.b }} {{ output }}"]
)


@examples(2000)
@given(
    st.sampled_from(sorted(PARAMETERS)).flatmap(checks_of),
    ROWS,
    RECORDED,
    st.tuples(TEMPLATES, ANSWERS),
    st.tuples(TEMPLATES, ANSWERS),
)
def test_what_is_predicted_is_what_happens(
    check: dict[str, Any],
    row: dict[str, Any],
    recorded: dict[str, Any],
    one: tuple[str, Any],
    two: tuple[str, Any],
) -> None:
    """A check that is predicted to run does, unless the output lacks what it judges."""
    judges = {
        reference: {"template": template, "verdicts": verdicts}
        for reference, (template, verdicts) in ((ONE, one), (TWO, two))
    }
    context = around(judges)
    prepare = KINDS[check["kind"]].prepare
    assert prepare is not None
    execute = prepare(check, context)
    outlook = predicted(check, row, context)
    if not outlook.runs:
        if outlook.state is State.UNAVAILABLE and not outlook.may_run:
            verdict = execute(row, output(**recorded))
            assert verdict.outcome is Outcome.UNAVAILABLE
        return
    verdict = execute(row, output(**recorded))
    needed = "tool_calls" if check["kind"] == "tool_usage" else "text"
    if needed not in recorded:
        assert verdict.outcome is Outcome.UNAVAILABLE
    elif verdict.outcome is Outcome.SKIPPED:
        assert check["kind"] == "php_lint"
    else:
        assert verdict.outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR)
    has_score = verdict.outcome in (Outcome.PASSED, Outcome.FAILED)
    assert (verdict.score is not None) is has_score
    assert verdict.score is None or 0 <= verdict.score <= 1


def test_the_property_knows_every_kind() -> None:
    assert set(PARAMETERS) - {"jury"} == set(KINDS) - {"composite"}
