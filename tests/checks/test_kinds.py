"""The kinds of checks: what becomes of each, by what stands in the rubric and in the row."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Kind
from tables import every_case

from evalcontract.checks import KINDS, EvalContext, _kind, kinds_in_use
from evalcontract.checks._kind import outlooks_of
from evalcontract.checks.plan import needed_keys, plan_of, rows_with_all
from evalcontract.library.library import Artifact, Library, read_artifact
from evalcontract.source import Document, read_stream
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks._kind import Prediction
    from evalcontract.checks.plan import Plan

#: Modules of `checks/` that are no kind.
NO_KINDS = {"conflicts", "coverage", "outcome", "plan"}
#: The name of a module that would hide one of Python's own words.
OTHER_NAMES = {"output_format": "format"}


def artifact(kind: Kind, value: dict[str, Any]) -> Artifact:
    text = json.dumps(value).encode()
    document = read_stream(io.BytesIO(text), f"{kind}s/{value['id']}.json")
    assert isinstance(document, Document)
    return read_artifact(kind, document)


def rubric(*checks: Any, id_: str = "own", **more: Any) -> Artifact:
    value = {"id": id_, "version": "1.0.0", "checks": list(checks), **more}
    return artifact(Kind.RUBRIC, {**value, "scoring": {"combine": "all_pass"}})


def judge(id_: str, template: Any) -> Artifact:
    return artifact(Kind.JUDGE, {"id": id_, "version": "1.0.0", "template": template})


WORDS = {"kind": "must_contain_any", "values": ["left"]}
FACTS = {"id": "facts", "kind": "fact_match"}
TOOLS = {"id": "tools", "kind": "tool_usage"}

LIBRARY = Library(
    [
        judge("plain", "{{ output }}"),
        judge("contextual", "{{ output }} {{ context }}"),
        judge("dotted", "{{ output }} {{ context.city }}"),
        judge("section", "{{ output }}{{#context}} of {{ context }}{{/context}}"),
        judge("inverted", "{{ output }}{{^context}} alone{{/context}}"),
        judge("expecting", "{{ output }} {{ expected }}"),
        judge("formatted", "{{ output }} {{ expected.format }}"),
        judge("both", "{{ output }} {{ expected.answer }} {{{ context }}}"),
        judge("by_criteria", "{{ output }} {{ criteria }}"),
        judge("misspelled", "{{ output }} {{ zebra }}"),
        judge("empty", 7),
        rubric(FACTS, TOOLS, id_="two"),
        rubric({"kind": "regex", "pattern": ""}, id_="idle"),
        rubric({"kind": "regex", "pattern": ""}, WORDS, id_="half"),
        rubric({"kind": "regex", "patern": "x"}, id_="broken"),
        rubric(id_="bare"),
        rubric({"kind": "format"}, id_="json"),
        rubric({"kind": "tool_usage", "forbidden_tools": ["lookup"]}, id_="no_lookup"),
        rubric({"kind": "composite", "rubric_ref": "rubric/two@1.0.0"}, id_="deep"),
        rubric({"kind": "composite", "rubric_ref": "rubric/circle@1.0.0"}, id_="circle"),
    ]
)
FILES = {"strict.json": {"type": "object"}, "loose.json": {"title": "anything"}, "no.json": 5}


def read_json(name: str) -> Any:
    if name not in FILES:
        raise LookupError("is not there")
    return FILES[name]


def around(*, php: bool = True) -> EvalContext:
    return EvalContext(LIBRARY, has_php=php, read_json=read_json, schemas=SchemaAnalyses())


def plan(*checks: Any, php: bool = True) -> Plan:
    return plan_of(rubric(*checks), around(php=php))


def outlooks(made: Plan, row: dict[str, Any]) -> list[tuple[str, Prediction]]:
    """Return the name of each check of a plan with its prediction for a row."""
    predictions = outlooks_of((group.needs for group in made.steps.groups), row)
    return [(step.name, outlook) for step, outlook in made.steps.each_with(predictions)]


def judged(*names: str) -> dict[str, Any]:
    references = [f"judge/{name}@1.0.0" for name in names]
    if len(references) == 1:
        return {"kind": "llm_judge", "judge_prompt_ref": references[0]}
    return {"kind": "llm_judge", "jury": {"judges": [{"judge_prompt_ref": r} for r in references]}}


def other(name: str) -> dict[str, Any]:
    return {"kind": "composite", "rubric_ref": f"rubric/{name}@1.0.0"}


def of(kind: str, **parameters: Any) -> dict[str, Any]:
    return {"kind": kind, **parameters}


RUN, SKIP, VACUOUS, UNAVAILABLE = "run", "skip", "vacuous", "unavailable"
ORDER = {"expected_tools": ["lookup"]}
MAP = {"expected_facts": ["left"]}

#: A check, what a row has besides id and input, what becomes of it, and the key to blame.
OUTLOOKS: list[tuple[dict[str, Any], dict[str, Any], str, str | None]] = [
    (WORDS, {}, RUN, None),
    (of("must_not_contain", values=["a"]), {}, RUN, None),
    (of("must_not_contain", values=["a"]), {"must_not_contain": []}, RUN, None),
    (of("must_not_contain"), {}, SKIP, "must_not_contain"),
    (of("must_not_contain"), {"must_not_contain": []}, VACUOUS, "must_not_contain"),
    (of("must_not_contain"), {"must_not_contain": ["a"]}, RUN, None),
    (of("must_not_contain", case_sensitive=True), {"must_not_contain": ["a"]}, RUN, None),
    (of("must_contain_any"), {"must_not_contain": ["a"]}, SKIP, "must_contain_any"),
    (of("must_contain_any"), {"must_contain_any": []}, VACUOUS, "must_contain_any"),
    (of("must_contain_any"), {"must_contain_any": [" "]}, VACUOUS, "must_contain_any"),
    (of("must_contain_any"), {"must_contain_any": [" ", "a"]}, RUN, None),
    (of("php_lint"), {}, RUN, None),
    # A pattern
    (of("regex", pattern="[0-9]+"), {}, RUN, None),
    (of("regex", pattern=""), {}, VACUOUS, None),
    (of("regex", pattern="[0-9]*"), {}, VACUOUS, None),
    (of("regex", pattern="[0-9]*", match="full"), {}, RUN, None),
    (of("regex", pattern=".*", match="full"), {}, RUN, None),
    (of("regex", pattern=".*", match="full", flags=["s"]), {}, VACUOUS, None),
    (of("regex", pattern="a|", negate=True), {}, VACUOUS, None),
    (of("regex", pattern="("), {}, UNAVAILABLE, None),
    (of("regex", pattern="a{4294967296}"), {}, UNAVAILABLE, None),
    (of("regex", pattern="a # (", flags=["x"]), {}, RUN, None),
    # A schema; one that accepts every value still fails an output that is not JSON
    (of("json_schema", schema={"type": "object"}), {}, RUN, None),
    (of("json_schema", schema={}), {}, RUN, None),
    (of("json_schema", schema=True), {}, RUN, None),
    (of("json_schema", schema={"title": "T", "required": []}), {}, RUN, None),
    (of("json_schema", schema={"type": "objekt"}), {}, UNAVAILABLE, None),
    (of("json_schema", schema_ref="strict.json"), {}, RUN, None),
    (of("json_schema", schema_ref="loose.json"), {}, RUN, None),
    (of("json_schema", schema_ref="no.json"), {}, UNAVAILABLE, None),
    (of("json_schema", schema_ref="nowhere.json"), {}, UNAVAILABLE, None),
    # Markdown
    (of("markdown_structure", min_headings=1), {}, RUN, None),
    (of("markdown_structure", min_headings=0), {}, VACUOUS, None),
    (of("markdown_structure", max_heading_level=6), {}, VACUOUS, None),
    (of("markdown_structure", max_heading_level=5, min_headings=0), {}, RUN, None),
    (of("markdown_structure", required_sections=[], no_h1=False), {}, VACUOUS, None),
    (of("markdown_structure", no_h1=True), {}, RUN, None),
    # Tools
    (TOOLS, {}, SKIP, "expected_tools"),
    (TOOLS, {"expected_tools": []}, VACUOUS, "expected_tools"),
    (TOOLS, ORDER, RUN, None),
    (of("tool_usage", match="any"), {"expected_tools": []}, VACUOUS, "expected_tools"),
    (of("tool_usage", match="exact"), {}, SKIP, "expected_tools"),
    (of("tool_usage", match="exact"), {"expected_tools": []}, RUN, None),
    (of("tool_usage", match="exact", expected_tools=[]), {}, RUN, None),
    (of("tool_usage", expected_tools=[]), {}, VACUOUS, None),
    (of("tool_usage", expected_tools=["a"]), {}, RUN, None),
    (of("tool_usage", max_calls=0), {}, RUN, None),
    (of("tool_usage", forbidden_tools=["a"]), {"expected_tools": []}, RUN, None),
    (of("tool_usage", forbidden_tools=[]), {}, SKIP, "expected_tools"),
    # Format
    (of("format"), {}, SKIP, "expected.format"),
    (of("format"), {"expected": {}}, SKIP, "expected.format"),
    (of("format"), {"expected": {"format": "json"}}, RUN, None),
    (of("format"), {"expected": {"format": "text"}}, VACUOUS, "expected.format"),
    (of("format", max_chars=9), {"expected": {"format": "text"}}, RUN, None),
    (of("format", format="json"), {}, RUN, None),
    (of("format", format="text"), {}, VACUOUS, None),
    (of("format", format="text", max_chars=80), {}, RUN, None),
    (of("format", max_chars=0), {}, RUN, None),
    (of("format", required_keys=["a"]), {}, RUN, None),
    (of("format", required_keys=[]), {}, SKIP, "expected.format"),
    # Facts
    (FACTS, {}, SKIP, "expected_facts"),
    (FACTS, {"expected_facts": []}, VACUOUS, "expected_facts"),
    (FACTS, {"expected_facts": [" ", "\t"]}, VACUOUS, "expected_facts"),
    (FACTS, {"expected_facts": [" ", "left"]}, RUN, None),
    (FACTS, MAP, RUN, None),
    (of("fact_match", facts=["left"]), {}, RUN, None),
    (of("fact_match", facts=[]), MAP, VACUOUS, None),
    (of("fact_match", facts=[" "]), MAP, VACUOUS, None),
    (
        of("fact_match", min_recall=0, judge_prompt_ref="judge/nobody@1.0.0"),
        MAP,
        UNAVAILABLE,
        None,
    ),
    (of("fact_match", min_recall=0), MAP, VACUOUS, None),
    (of("fact_match", min_recall=0.5), MAP, RUN, None),
    (of("fact_match", judge_prompt_ref="judge/plain@1.0.0"), MAP, RUN, None),
    (of("fact_match", judge_prompt_ref="judge/plain@1.0.0"), {}, SKIP, "expected_facts"),
    (of("fact_match", judge_prompt_ref="judge/contextual@1.0.0"), MAP, SKIP, "context"),
    (of("fact_match", judge_prompt_ref="judge/nobody@1.0.0"), MAP, UNAVAILABLE, None),
    (of("fact_match", judge_prompt_ref="judge/expecting@1.0.0"), MAP, RUN, None),
    # Judges
    (judged("plain"), {}, RUN, None),
    (judged("contextual"), {}, SKIP, "context"),
    (judged("contextual"), {"context": None}, SKIP, "context"),
    (judged("contextual"), {"context": ""}, VACUOUS, "context"),
    (judged("contextual"), {"context": " \n"}, VACUOUS, "context"),
    (judged("contextual"), {"context": 0}, RUN, None),
    ({**judged("plain"), "threshold": 0}, {}, VACUOUS, None),
    ({**judged("plain"), "threshold": 0.1}, {}, RUN, None),
    ({**judged("nobody"), "threshold": 0}, {}, UNAVAILABLE, None),
    ({**judged("plain", "section"), "threshold": 0.0}, {}, VACUOUS, None),
    (judged("contextual"), {"context": False}, RUN, None),
    (judged("contextual"), {"context": {"city": "Ghent"}}, RUN, None),
    (judged("dotted"), {}, SKIP, "context"),
    (judged("by_criteria"), {}, SKIP, "criteria"),
    (judged("by_criteria"), {"criteria": " "}, VACUOUS, "criteria"),
    (judged("by_criteria"), {"criteria": "Names Paris"}, RUN, None),
    (judged("formatted"), {}, SKIP, "expected"),
    (judged("formatted"), {"expected": {"format": "text"}}, RUN, None),
    (judged("formatted"), {"expected": {"format": ""}}, RUN, None),
    (judged("section"), {}, RUN, None),
    (judged("inverted"), {}, RUN, None),
    (judged("expecting"), {}, SKIP, "expected"),
    (judged("expecting"), {"expected": {}}, VACUOUS, "expected"),
    (judged("expecting"), {"expected": {"answer": 1}}, RUN, None),
    (judged("both"), {"expected": {"answer": 1}}, SKIP, "context"),
    (judged("nobody"), {}, UNAVAILABLE, None),
    (judged("empty"), {}, UNAVAILABLE, None),
    (judged("plain", "contextual"), {}, SKIP, "context"),
    (judged("plain", "contextual"), {"context": "a"}, RUN, None),
    (judged("plain", "nobody"), {}, UNAVAILABLE, None),
    (judged("section", "inverted"), {}, RUN, None),
    # Another rubric
    (other("idle"), {}, VACUOUS, None),
    ({**other("half"), "threshold": 0}, {}, VACUOUS, None),
    (other("broken"), {}, UNAVAILABLE, None),
    (other("json"), {}, SKIP, "expected.format"),
    (other("json"), {"expected": {"format": "json"}}, RUN, None),
    (other("bare"), {}, UNAVAILABLE, None),
    (other("nowhere"), {}, UNAVAILABLE, None),
    (other("deep"), MAP, UNAVAILABLE, None),
    (other("circle"), {}, UNAVAILABLE, None),
    # What no kind can be told of
    (of("regex", patern="a"), {}, UNAVAILABLE, None),
    (of("regexp", pattern="a"), {}, UNAVAILABLE, None),
    (of("must_contain_any", values=[]), {}, UNAVAILABLE, None),
]

#: A composite, what a row has besides id and input, and what becomes of the checks inside.
INSIDE: list[tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = [
    (other("two"), {}, {"facts": SKIP, "tools": SKIP}),
    (other("two"), MAP, {"facts": RUN, "tools": SKIP}),
    (other("two"), ORDER, {"facts": SKIP, "tools": RUN}),
    (other("two"), {"expected_facts": []}, {"facts": VACUOUS, "tools": SKIP}),
    (other("half"), {}, {"regex[0]": VACUOUS, "must_contain_any[1]": RUN}),
]


def test_the_kinds_are_those_of_the_schema() -> None:
    enum = load("rubric")["$defs"]["check"]["properties"]["kind"]["enum"]
    assert sorted(KINDS) == sorted(enum)
    assert all(name == kind.name for name, kind in KINDS.items())


@pytest.fixture
def without_regex(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take a kind out of the table; what is in use is looked up again before and after."""
    with monkeypatch.context() as patch:
        others = {name: kind for name, kind in KINDS.items() if name != "regex"}
        patch.setattr("evalcontract.checks.KINDS", others)
        kinds_in_use.cache_clear()
        yield
    kinds_in_use.cache_clear()


@pytest.mark.usefixtures("without_regex")
def test_a_kind_of_the_schema_alone_is_unavailable() -> None:
    made = plan(of("regex", pattern="a"))
    ((_, outlook),) = outlooks(made, {})
    assert outlook.reason == "there is no executor for the kind `regex`"
    assert not made.is_complete


def test_the_kinds_are_those_of_the_folder() -> None:
    modules = {each.stem for each in Path(_kind.__file__).parent.glob("[!_]*.py")}
    assert {OTHER_NAMES.get(each, each) for each in modules - NO_KINDS} == set(KINDS)
    assert modules >= NO_KINDS


def test_every_kind_is_in_the_table() -> None:
    assert {check["kind"] for check, *_ in OUTLOOKS} >= set(KINDS)


@every_case(("check", "row", "state", "field"), OUTLOOKS, ids=json.dumps)
def test_outlook(check: Any, row: dict[str, Any], state: str, field: str | None) -> None:
    ((_, outlook),) = outlooks(plan(check), {"id": "a", "input": "b", **row})
    assert (str(outlook.state), outlook.field) == (state, field)
    assert (outlook.reason is None) is (state == RUN)
    assert outlook.runs is (state == RUN)


@every_case(("check", "row", "states"), INSIDE, ids=json.dumps)
def test_outlook_inside_a_composite(
    check: Any, row: dict[str, Any], states: dict[str, str]
) -> None:
    """The checks of the other rubric stand in place of the composite."""
    whole = {"id": "a", "input": "b", **row}
    made = plan({"id": "of", **check}, WORDS)
    states_by_name = {name: str(outlook.state) for name, outlook in outlooks(made, whole)}
    inside = {f"of/{name}": state for name, state in states.items()}
    assert states_by_name == {**inside, "must_contain_any[1]": RUN}


def test_what_a_composite_forbids() -> None:
    """A row that expects what only the other rubric forbids cannot pass either."""
    checks = [TOOLS, {"id": "of", **other("no_lookup")}]
    row = {"id": "a", "input": "b", **ORDER}
    (conflict,) = plan(*checks).conflicts.of(row)
    assert (conflict.path, conflict.other[:2]) == (("expected_tools", 0), ("checks", 1))
    forbidding = {"kind": "tool_usage", "forbidden_tools": ["lookup"]}
    (inside,) = plan(forbidding, other("two")).conflicts.of(row)
    assert inside.path == ("expected_tools", 0)
    assert list(plan({**other("no_lookup"), "threshold": 0}, TOOLS).conflicts.of(row)) == []


@pytest.mark.slow
@every_case(("check", "row", "state", "field"), OUTLOOKS, ids=json.dumps)
def test_what_is_asked_of_a_row(
    check: Any, row: dict[str, Any], state: str, field: str | None
) -> None:
    """A row that has all has nothing to blame; one that is to blame has not all."""
    made = plan(check)
    whole = {"id": "a", "input": "b", **row}
    schema = {"$schema": load("dataset")["$schema"], "allOf": [rows_with_all(made)]}
    if field is not None:
        assert not native_for(schema).is_valid(whole), state
    asked = needed_keys(made)
    assert field is None or field in asked or check["kind"] == "composite"


@pytest.mark.parametrize("php", [True, False])
def test_php(*, php: bool) -> None:
    ((_, outlook),) = outlooks(plan(of("php_lint"), php=php), {})
    assert str(outlook.state) == (RUN if php else UNAVAILABLE)
    assert outlook.reason == (None if php else "no `php` on this machine")
    assert outlook.is_tried, "`on_no_code` decides on outputs without PHP"


@every_case(
    ("check", "words"),
    [
        (of("regex", pattern="[0-9]*"), "`[0-9]*` matches every text, so it always passes"),
        (of("regex", pattern="x?", negate=True), "`x?` matches every text, so it always fails"),
        (of("json_schema", schema_ref="nowhere.json"), "the schema `nowhere.json` is not there"),
        (judged("nobody"), "there is no `judge/nobody@1.0.0`"),
        (judged("empty"), "`judge/empty@1.0.0` has no template"),
        (other("nowhere"), "there is no `rubric/nowhere@1.0.0`"),
        (other("json"), "the row has no `expected.format`"),
        (FACTS, "the row has no `expected_facts`"),
        (of("regex", patern="a"), "the check is malformed"),
    ],
    ids=json.dumps,
)
def test_reason(check: Any, words: str) -> None:
    ((_, outlook),) = outlooks(plan(check), {"id": "a", "input": "b"})
    assert outlook.reason == words


@every_case(
    ("check", "reads"),
    [
        (WORDS, set()),
        (FACTS, {"expected_facts"}),
        (of("fact_match", facts=["a"]), set()),
        (
            of("fact_match", judge_prompt_ref="judge/expecting@1.0.0"),
            {"expected_facts", "expected"},
        ),
        (TOOLS, {"expected_tools"}),
        (of("tool_usage", max_calls=1), {"expected_tools"}),
        (of("tool_usage", expected_tools=["a"]), set()),
        (of("format"), {"expected.format"}),
        (of("format", format="json"), set()),
        (judged("section"), {"context"}),
        (judged("both"), {"expected.answer", "context"}),
        (judged("misspelled"), {"criteria", "expected", "context"}),
        (judged("dotted"), {"context.city"}),
        (judged("by_criteria"), {"criteria"}),
        (judged("inverted", "plain"), {"context"}),
        (of("must_contain_any"), {"must_contain_any"}),
        (of("must_not_contain"), {"must_not_contain"}),
        (of("must_not_contain", values=["a"]), set()),
        (other("two"), {"expected_facts", "expected_tools"}),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else None,
)
def test_what_a_check_reads(check: Any, reads: set[str]) -> None:
    assert plan(check).reads == reads


@every_case(
    ("check", "known"),
    [
        (WORDS, True),
        (of("regex", pattern="("), True),
        (of("regex", patern="a"), False),
        (judged("nobody"), False),
        (other("nowhere"), False),
        (other("broken"), False),
        (other("deep"), False),
        (other("two"), True),
        (of("json_schema", schema_ref="nowhere.json"), True),
    ],
    ids=json.dumps,
)
def test_whether_all_is_known_that_a_rubric_reads(check: Any, *, known: bool) -> None:
    assert plan(check, WORDS).is_complete is known


def test_an_ill_formed_check_keeps_its_name() -> None:
    """It cannot be told what it does, and it is not lost."""
    made = plan(WORDS, {"id": "broken", "kind": "regex"}, 7, {"kind": "regex"}, {"id": 5})
    assert [step.name for step in made.steps.each()] == [
        "must_contain_any[0]",
        "broken",
        "?[2]",
        "regex[3]",
        "5",
    ]
    assert [str(outlook.state) for _, outlook in outlooks(made, {})] == [RUN, *[UNAVAILABLE] * 4]
    assert not made.is_complete


@pytest.mark.parametrize("checks", [None, 5, "a", {}, []], ids=repr)
def test_a_rubric_without_a_list_of_checks(checks: Any) -> None:
    value = {"id": "own", "version": "1.0.0", "checks": checks}
    made = plan_of(artifact(Kind.RUBRIC, value), around())
    assert ([*made.steps.each()], made.is_complete) == ([], False)


@every_case(
    ("checks", "asked"),
    [
        ([WORDS], []),
        ([FACTS, TOOLS, of("format")], ["expected.format", "expected_facts", "expected_tools"]),
        ([of("tool_usage", match="exact")], ["expected_tools"]),
        ([other("two")], ["expected_facts", "expected_tools"]),
        ([other("half")], []),
        ([other("idle")], []),
        ([judged("both"), of("regex", patern="a")], ["context", "expected", "expected.answer"]),
    ],
    ids=json.dumps,
)
def test_what_a_rubric_asks_of_rows(checks: list[Any], asked: list[str]) -> None:
    assert needed_keys(plan(*checks)) == asked
