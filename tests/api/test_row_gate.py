"""The gate of rows with a rubric is sound: what passes has nothing that any row rule would find."""

from __future__ import annotations

import io
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples, some, tries
from hypothesis import example, given
from hypothesis import strategies as st
from mixed_rows import ANYTHING, MixedRows
from tables import every_case

from evalcontract.checks import EvalContext
from evalcontract.datasets import gates as extra_keys
from evalcontract.datasets import gates as gates_module
from evalcontract.datasets import row_check as dataset_check
from evalcontract.datasets.gates import Gates, refs_of_rows
from evalcontract.datasets.plans import GradingPlans, row_schema
from evalcontract.datasets.row_check import DatasetCheck, RowContext
from evalcontract.library.library import Artifact, Library, read_artifact
from evalcontract.model.diagnostic import Span
from evalcontract.model.reference import Kind
from evalcontract.rules import ROW_RULES as NAMES
from evalcontract.rules import load_rules
from evalcontract.rules._rule import RowGroup, RowSubject
from evalcontract.source import Document, read_stream
from evalcontract.source.document import Node
from evalcontract.source.rows import DocumentRows
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.gate import Gate
from evalcontract.structure.native import native_for
from evalcontract.workspace.catalogue import RulesInUse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.diagnostic import Problem

ROW_RULES = load_rules(NAMES)
Row = dict[str, Any]
Checks = list[Any]


def use_rows(monkeypatch: pytest.MonkeyPatch, rules: tuple[Any, ...]) -> None:
    """Put other row rules in the place of the built-in ones."""
    used = RulesInUse()
    used.row = rules
    monkeypatch.setattr(dataset_check, "rules_in_use", lambda: used)


BUNDLES: dict[str, Any] = {
    "tours": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"tour": {"enum": ["dutch", "french"]}},
    },
    "open": {},
}

#: Checks of every kind, some that never run, some that say nothing, some ill-formed.
POOL: Checks = [
    {"kind": "must_contain_any", "values": ["left"]},
    {"kind": "must_not_contain", "values": ["stupid"]},
    {"kind": "must_contain_any"},
    {"kind": "must_not_contain"},
    {"kind": "must_not_contain", "case_sensitive": True},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/critical@1.0.0"},
    {"kind": "regex", "pattern": "[0-9]+"},
    {"kind": "regex", "pattern": "[0-9]*"},
    {"kind": "regex", "pattern": "("},
    {"kind": "json_schema", "schema": {"type": "object"}},
    {"kind": "json_schema", "schema": {}},
    {"kind": "json_schema", "schema_ref": "nowhere.json"},
    {"kind": "php_lint"},
    {"kind": "markdown_structure", "min_headings": 1},
    {"kind": "markdown_structure", "min_headings": 0},
    {"kind": "tool_usage"},
    {"kind": "tool_usage", "match": "exact"},
    {"kind": "tool_usage", "max_calls": 2},
    {"kind": "tool_usage", "max_calls": 1, "match": "any"},
    {"kind": "tool_usage", "forbidden_tools": ["left"]},
    {"kind": "must_not_contain", "values": ["EFT"]},
    {"kind": "must_not_contain", "values": ["Lookup"], "case_sensitive": True},
    {"kind": "fact_match", "min_recall": 0.5},
    {"kind": "format", "max_chars": 3},
    {"kind": "markdown_structure", "forbidden_patterns": ["("], "min_headings": 1},
    {"kind": "tool_usage", "expected_tools": ["lookup"]},
    {"kind": "tool_usage", "expected_tools": []},
    {"kind": "format"},
    {"kind": "format", "format": "json"},
    {"kind": "format", "format": "text"},
    {"kind": "format", "max_chars": 80},
    {"kind": "fact_match"},
    {"kind": "fact_match", "facts": ["left"]},
    {"kind": "fact_match", "facts": []},
    {"kind": "fact_match", "min_recall": 0},
    {"kind": "fact_match", "judge_prompt_ref": "judge/contextual@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/plain@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/contextual@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/expecting@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/section@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/formatted@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/deep@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/nobody@1.0.0"},
    {
        "kind": "llm_judge",
        "jury": {
            "judges": [
                {"judge_prompt_ref": "judge/contextual@1.0.0"},
                {"judge_prompt_ref": "judge/expecting@1.0.0"},
            ]
        },
    },
    {"kind": "composite", "rubric_ref": "rubric/first@1.0.0"},
    {"kind": "composite", "rubric_ref": "rubric/second@1.0.0"},
    {"kind": "composite", "rubric_ref": "rubric/nowhere@1.0.0"},
    {"kind": "regex", "patern": "a"},
    {"kind": "must_contain_any", "values": []},
    {"kind": "nothing"},
    7,
]
TEMPLATES = {
    "plain": "{{ output }}",
    "contextual": "{{ output }} {{ context }}",
    "expecting": "{{ output }} {{ expected.answer }}",
    "deep": "{{ output }} {{ expected.answer.text }} {{ context.0 }}",
    "critical": "{{ output }} {{ criteria }}",
    "formatted": "{{ output }} {{ expected.format }}",
    "section": "{{ output }}{{#context}} of {{ context }}{{/context}}",
}


def artifact(kind: Kind, id_: str, **more: Any) -> Artifact:
    text = json.dumps({"id": id_, "version": "1.0.0", **more}).encode()
    document = read_stream(io.BytesIO(text), f"{kind}s/{id_}.json")
    assert isinstance(document, Document)
    return read_artifact(kind, document)


JUDGES = [artifact(Kind.JUDGE, name, template=text) for name, text in TEMPLATES.items()]


def rubric(id_: str, checks: Checks, bundles: Any = None) -> Artifact:
    more = {} if bundles is None else {"applicable_bundles": bundles}
    return artifact(Kind.RUBRIC, id_, checks=checks, scoring={"combine": "all_pass"}, **more)


def read_json(name: str) -> Any:
    raise LookupError(f"there is no {name}")


def around(*rubrics: Artifact, graded: frozenset[str] = frozenset()) -> RowContext:
    library = Library([*JUDGES, *rubrics])
    checks = EvalContext(library, has_php=True, read_json=read_json, schemas=SchemaAnalyses())
    return RowContext(checks, BUNDLES, frozenset(BUNDLES), {}, graded=graded)


def gates_of(given_: RowContext, default: str | None) -> Gates:
    return Gates(grading_of(given_, default), ROW_RULES)


def grading_of(given_: RowContext, default: str | None) -> GradingPlans:
    return GradingPlans(given_.checks, given_.bundles, default, graded=given_.graded)


def pass_all(gates: Gates, rows: list[Row]) -> bool:
    words = refs_of_rows(rows)
    return words is not None and gates.pass_all(rows, words)


def rows_of(values: list[Any]) -> DocumentRows:
    """Return rows that stand in no file."""
    document = Document("data.yaml", values, "{}", b"", lambda: nodes_of(values))
    return DocumentRows(document, ())


def nodes_of(value: Any) -> Node:
    """Return the nodes of a value in which every null is one without a text."""
    if isinstance(value, dict):
        parts = {key: (Span.point(), nodes_of(part)) for key, part in value.items()}
        return Node(Span.point(), parts)
    if isinstance(value, list):
        return Node(Span.point(), [nodes_of(part) for part in value])
    return Node(Span.point(), None, "" if value is None else str(value))


def found_in(rows: list[Row], given_: RowContext, default: str | None) -> list[Problem]:
    """Return what the check of a dataset finds in its rows, each row by itself."""
    root = {} if default is None else {"bundle": default}
    found: list[Problem] = []
    for row in rows:
        check = DatasetCheck(rows_of([row]), root, given_)
        found += [problem for _, problems, *_ in check.batches() for problem in problems]
    return found


@pytest.fixture
def no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing pass, so that every row is looked at closely."""
    monkeypatch.setattr(
        dataset_check, "Gates", type("Shut", (Gates,), {"pass_all": lambda *_: False})
    )


# What is drawn

CHECKS = st.lists(st.sampled_from(POOL), min_size=1, max_size=4)
BUNDLE = st.sampled_from(["tours", "open", "undeclared"])
NAMED = st.lists(BUNDLE, max_size=2, unique=True) | st.none() | st.just(5)
RUBRICS = st.tuples(CHECKS, NAMED, CHECKS, NAMED).map(
    lambda drawn: (rubric("first", *drawn[:2]), rubric("second", *drawn[2:]))
)
EMPTY: st.SearchStrategy[Any] = st.sampled_from([[], {}, "", None, 0, False])
BLANK = ["", " ", "\t\n", "\u2009", "\x1c\x85", "\u200b"]
WORDS = st.lists(st.sampled_from(["left", "lookup", *BLANK]), max_size=2)
EXPECTED = st.fixed_dictionaries(
    {}, optional={"format": st.sampled_from(["json", "text", "", None]), "answer": WORDS}
)
ROWS: st.SearchStrategy[Row] = st.fixed_dictionaries(
    {"id": st.just("a"), "input": st.just("b")},
    optional={
        "rubric_ref": st.sampled_from(
            [
                *["rubric/first@1.0.0", "rubric/second@1.0", "rubric/second"],
                *["rubric/nowhere@1.0.0", "judge/plain@1.0.0", ""],
            ]
        ),
        "criteria": st.sampled_from(["Names Paris", *BLANK]),
        "tags": WORDS,
        "expected": EXPECTED | EMPTY,
        "expected_facts": WORDS | EMPTY,
        "expected_tools": WORDS | EMPTY,
        "must_contain_any": WORDS | EMPTY,
        "must_not_contain": WORDS | EMPTY,
        "context": WORDS | EMPTY | st.just({"city": "Ghent"}),
        "bundle": BUNDLE | EMPTY,
        "tour": st.sampled_from(["dutch", "latin"]),
        "expected_fact": WORDS,
    },
)
#: Rows that have a chance to pass.
LIKELY: st.SearchStrategy[Row] = st.fixed_dictionaries(
    {
        "id": st.sampled_from(
            ["a", "a", "a ", "\xa0a", "cafe\u0301", "q\u0307", "“a”", "“", "a b"]
        ),
        "input": st.sampled_from(["b", "b", *BLANK]),
    },
    optional={
        "rubric_ref": st.sampled_from(["rubric/first@1.0.0", "rubric/second@1.0"]),
        "criteria": st.sampled_from(["Names Paris", "\xa0x", *BLANK]),
        "tags": WORDS,
        "expected": st.sampled_from([{"format": "json"}, {"format": "text"}, {"answer": 1}, {}]),
        "expected_facts": st.sampled_from(
            [["left"], ["Left"], [" ", "a (b)"], ["a   b"], [], ["left", "left"], [" "]]
        ),
        "expected_tools": st.sampled_from(
            [["lookup"], ["lookup", {"name": "left"}], [], ["lookup", "lookup"], [{"name": " "}]]
        ),
        "must_contain_any": st.sampled_from([["left"], ["Left", "a b"], [" "], [], ["a", "a"]]),
        "must_not_contain": st.sampled_from(
            [["stupid"], ["a", "a"], ["\u200b"], ["“stupid”"], ["a”"], ["“"], ["LEFT"], []]
        ),
        "how are you?": st.none() | st.just("a"),
        "context": st.sampled_from(["Ghent", "", None]),
        "bundle": BUNDLE,
    },
)
DEFAULT = st.none() | BUNDLE
GRADED_KEYS = ["criteria", "expected", "expected_tools", "must_contain_any", "tags", "context"]
GRADED = st.frozensets(st.sampled_from(GRADED_KEYS), max_size=3) | st.just(frozenset[str]())
OFTEN = examples(600)
WHOLE = {"id": "a", "input": "b"}


@pytest.mark.usefixtures("no_gate")
@OFTEN
@given(rubrics=RUBRICS, row=LIKELY | ROWS, default=DEFAULT, graded=GRADED)
@example(
    rubrics=(rubric("first", [{"kind": "tool_usage", "match": "exact"}]),),
    row={**WHOLE, "rubric_ref": "rubric/first@1.0.0", "expected_tools": []},
    default=None,
    graded=frozenset(),
)
@example(
    rubrics=(rubric("first", [7]),),
    row={**WHOLE, "rubric_ref": "rubric/first@1.0.0", "expected_tools": ["lookup"]},
    default=None,
    graded=frozenset(),
)
def test_what_passes_the_gate_has_no_finding(
    rubrics: tuple[Artifact, ...], row: Row, default: str | None, graded: frozenset[str]
) -> None:
    """A row that passes is left alone, so nothing may be found in it, by any rule."""
    given_ = around(*rubrics, graded=graded)
    if pass_all(gates_of(given_, default), [row]):
        found = found_in([row], given_, default)
        assert [(each.code, each.message) for each in found] == []


class Watched(dict[str, Any]):
    """A mapping that notes which keys are asked for, here and in mappings below."""

    def __init__(self, value: Row, seen: set[str], at: str = "") -> None:
        parts = {key: _watched(part, seen, f"{at}{key}.") for key, part in value.items()}
        super().__init__(parts)
        self._seen, self._at = seen, at

    def get(self, key: str, default: Any = None) -> Any:
        """As `dict.get`."""
        self._seen.add(f"{self._at}{key}")
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self._seen.add(f"{self._at}{key}")
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._seen.add(f"{self._at}{key}")
        return super().__contains__(key)


def _watched(value: Any, seen: set[str], at: str) -> Any:
    return Watched(value, seen, at) if isinstance(value, dict) else value


def values_named(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the values that a schema names, each as that of a key of the row."""
    if isinstance(schema, list):
        for part in schema:
            yield from values_named(part, path)
    if not isinstance(schema, dict):
        return
    for keyword, part in schema.items():
        if keyword in ("const", "enum") and path:
            for value in part if keyword == "enum" else [part]:
                for step in reversed(path[1:]):
                    value = [value] if step == "[]" else {step: value}  # noqa: PLW2901
                yield path[0], value
        elif keyword == "properties":
            for key, below in part.items():
                yield from values_named(below, (*path, key))
        else:
            yield from values_named(part, (*path, "[]") if keyword == "items" else path)


def keys_looked_at(rule: Any, group: RowGroup, rows: Iterable[Row]) -> set[str]:
    """Return the keys that a rule asks rows for, as dotted paths."""
    seen: set[str] = set()
    for row in rows:
        list(rule.check(subject_of(Watched(row, seen), group, row)))
    return seen


def subject_of(row: Row, group: RowGroup, written: Row) -> RowSubject:
    plan, bundle, graded, *_ = group
    return RowSubject((0,), row, plan, bundle, graded=graded, source=rows_of([written]))


def groups_of_rows(chance: Random, *, has_all: bool) -> Iterator[RowGroup]:
    """Yield what rows may have in common: rubrics of all kinds of checks, bundles, graders.

    Each check is the only one of a rubric, too, and one of two of which the other always runs:
    beside others, much of what is wrong with a row is no longer wrong.
    """
    runs = {"kind": "regex", "pattern": "[0-9]+"}
    alone = [checks for check in POOL for checks in ([check], [check, runs])]
    alone = alone if has_all else some(alone, times=2)
    mixed = (
        chance.sample(POOL, chance.choice((2, 4, 8))) for _ in range(200 if has_all else tries(200))
    )
    for number, checks in enumerate((*alone, *mixed)):
        is_alone = number < len(alone)
        keys = 0 if is_alone else chance.choice((0, 0, 1, 3))
        graded = frozenset(chance.sample([*GRADED_KEYS, "owner"], keys))
        bundle = chance.choice([None, "tours", "open"])
        bundles = chance.choice([None, ["tours"], ["open", "tours"]])
        own = rubric("first", checks, bundles)
        has_plan = is_alone or number % 3
        plan = grading_of(around(own, graded=graded), None).plan(own) if has_plan else None
        yield RowGroup(plan, bundle, graded, has_bare_keys=True)


def broken_silence(rule: Any, *, has_all: bool = False) -> Iterator[tuple[Row, list[Problem]]]:
    """Yield well-formed rows that a rule's prefilter accepts, with what it says nevertheless.

    Rows have the values that the schema names and the keys that the rule looks at, with others
    beside them.
    """
    chance = Random(str(rule.code))  # noqa: S311 - the same rows every time
    accepted = 0
    for group in groups_of_rows(chance, has_all=has_all):
        silence = {"$schema": row_schema()["$schema"], "allOf": [rule.silent(group)]}
        is_silent = native_for(silence).is_valid
        more: dict[str, list[Any]] = {}
        for key, value in values_named(silence):
            more.setdefault(key, []).append(value)
        structure = grading_of(around(), group.bundle).structure(None)
        some = list(MixedRows(chance, ["open"], [""], more).rows(30))
        some = [row for row in some if not structure.check(row)]
        for key in sorted(keys_looked_at(rule, group, some)):
            top, _, below = key.partition(".")
            more.setdefault(top, []).extend({below: part} if below else part for part in ANYTHING)
        for row in MixedRows(chance, ["open"], ["rubric/first@1.0.0"], more).rows(100):
            if structure.check(row):
                continue
            is_suspected = rule.suspects is not None and rule.suspects(row, group)
            if is_silent(row) and not is_suspected:
                accepted += 1
                if found := list(rule.check(subject_of(row, group, row))):
                    yield row, found
    assert accepted


@pytest.mark.slow
@every_case("rule", ROW_RULES, ids=lambda rule: rule.code)
def test_each_rule_keeps_its_own_silence(rule: Any) -> None:
    assert next(broken_silence(rule), None) is None


@pytest.mark.slow
@every_case("rule", ROW_RULES, ids=lambda rule: rule.code)
def test_a_prefilter_that_accepts_too_much_is_noticed(rule: Any) -> None:
    """However few groups of rows the test above tries: the first broken one ends the search."""
    careless = rule._replace(silent=lambda _: True, suspects=None)
    assert next(broken_silence(careless, has_all=True), None) is not None


#: Keys of an author's own, and keys that only look like some.
KEYS = st.sampled_from(
    [
        *["min_words", "answer", "owner", "label", "x_tag", "tour", "tuor", "content"],
        *["tag", "fact", "facts", "format", "formt", "expected_fact", "expected_facts", "contex"],
        *["question", "reference", "ground_truth", "assert", "rubric", "questions", "idd", "i"],
    ]
)
OWN_KEYS = st.dictionaries(KEYS, st.none() | st.just("a"), max_size=3)


@pytest.mark.usefixtures("no_gate")
@examples(400)
@given(
    rubrics=RUBRICS,
    drawn=st.lists(st.tuples(LIKELY, OWN_KEYS, OWN_KEYS, st.booleans()), min_size=1, max_size=4),
    default=DEFAULT,
)
def test_what_the_gate_learns_is_harmless(
    rubrics: tuple[Artifact, ...],
    drawn: list[tuple[Row, Row, Row, bool]],
    default: str | None,
) -> None:
    """A key that one row taught may stand in any other row, and still nothing is found there."""
    rows = []
    for row, own, inner, without_input in drawn:
        expected = row.get("expected")
        nested = {"expected": {**inner, **expected}} if isinstance(expected, dict) else {}
        whole = {**own, **row, **nested}
        rows.append({k: v for k, v in whole.items() if not (without_input and k == "input")})
    given_ = around(*rubrics)
    gates = gates_of(given_, default)
    for row in rows:
        gates.learn(row)
    for row in rows:
        if pass_all(gates, [row]):
            found = found_in([row], given_, default)
            assert [(each.code, each.message) for each in found] == []


def test_own_keys_pass() -> None:
    gates = gates_of(around(), None)
    row = {**WHOLE, "criteria": "c", "owner": 1, "expected": {"min_words": 3, "format": "json"}}

    assert pass_all(gates, [row, {**row, "owner": 2}])
    assert not pass_all(gates, [{**row, "exspected": 1}])
    assert not gates.learn(row)


def test_keys_that_differ_in_every_row_make_no_further_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No row is looked at by itself, more keys than are remembered are judged, too."""
    monkeypatch.setattr(extra_keys, "_REMEMBERED", 50)
    made: list[Any] = []

    def make(*of: Any) -> Gate:
        made.append(of)
        return Gate(*of)

    monkeypatch.setattr(gates_module, "Gate", make)
    monkeypatch.setattr(DatasetCheck, "_problems_of", None)
    rows = [
        {**WHOLE, "id": f"r{n}", "expected_facts": ["a"], f"c{n}": n, "expected": {f"d{n}": None}}
        for n in range(300)
    ]
    check = DatasetCheck(rows_of(rows), {}, around())
    assert [problem for _, problems, *_ in check.batches() for problem in problems] == []
    assert len(made) == 1


@examples(200)
@given(
    rubrics=RUBRICS,
    rows=st.lists(LIKELY | ROWS, min_size=2, max_size=5),
    default=DEFAULT,
)
def test_a_batch_passes_as_its_rows_do(
    rubrics: tuple[Artifact, ...], rows: list[Row], default: str | None
) -> None:
    """One call for rows of several rubrics says what one call for each says."""
    gates = gates_of(around(*rubrics), default)
    assert pass_all(gates, rows) is all(pass_all(gates, [row]) for row in rows)
    anew = gates_of(around(*rubrics), default)
    assert pass_all(anew, rows) is pass_all(gates, rows)


@examples(200)
@given(
    rubrics=RUBRICS,
    rows=st.lists(LIKELY | ROWS, min_size=1, max_size=4),
    default=DEFAULT,
    graded=GRADED,
)
def test_the_gate_changes_no_finding(
    rubrics: tuple[Artifact, ...], rows: list[Row], default: str | None, graded: frozenset[str]
) -> None:
    """What is found in a batch is what is found in its rows without any gate."""
    given_ = around(*rubrics, graded=graded)
    root = {} if default is None else {"bundle": default}
    check = DatasetCheck(rows_of(rows), root, given_)
    whole = [each for _, problems, *_ in check.batches() for each in problems if is_of_row(each)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Gates, "pass_all", lambda *_: False)
        alone = [
            moved(problem, index)
            for index, row in enumerate(rows)
            for problem in found_in([row], given_, default)
        ]
    assert whole == alone


def moved(problem: Problem, index: int) -> Problem:
    """Return the problem of a row that stands alone as that of a row in its place."""
    related = tuple(
        each._replace(path=(index, *each.path[1:])) if each.file is None else each
        for each in problem.related
    )
    whole = problem.relocated(lambda path: (index, *path[1:]))
    return whole._replace(related=related, row_index=index)


def is_of_row(problem: Problem) -> bool:
    """Whether a problem is of a row alone; that an id is used twice is of the dataset."""
    return problem.code != "dataset/duplicate-id"


GOOD: list[tuple[Checks, Row]] = [
    ([{"kind": "must_contain_any", "values": ["left"]}], {}),
    ([{"kind": "fact_match"}], {"expected_facts": ["left"]}),
    ([{"kind": "fact_match"}, {"kind": "tool_usage"}],
     {"expected_facts": ["left"], "expected_tools": ["lookup"]}),
    ([{"kind": "tool_usage", "match": "exact"}], {"expected_tools": []}),
    ([{"kind": "format"}], {"expected": {"format": "json"}}),
    ([{"kind": "llm_judge", "judge_prompt_ref": "judge/contextual@1.0.0"}], {"context": "a"}),
    ([{"kind": "llm_judge", "judge_prompt_ref": "judge/section@1.0.0"}], {}),
    ([{"kind": "composite", "rubric_ref": "rubric/other@1.0.0"}],
     {"expected_facts": ["left"], "expected_tools": ["lookup"]}),
    ([{"kind": "must_contain_any"}], {"must_contain_any": ["left"]}),
    ([{"kind": "must_not_contain"}], {"must_not_contain": ["left"]}),
    ([{"kind": "llm_judge", "judge_prompt_ref": "judge/critical@1.0.0"}], {"criteria": "a"}),
    ([{"kind": "fact_match"}, 7], {"expected_facts": ["left"], "expected_tools": ["lookup"]}),
]  # fmt: skip


def good_rows() -> Iterator[tuple[RowContext, Row]]:
    other = rubric("other", [{"kind": "fact_match"}, {"kind": "tool_usage"}])
    for checks, more in GOOD:
        given_ = around(rubric("own", checks), other)
        yield given_, {**WHOLE, "rubric_ref": "rubric/own@1.0.0", **more}
    for more in (
        {"expected_facts": ["Paris"]},
        {"expected_facts": ["left"]},
        {"bundle": "open", "must_contain_any": ["left"]},
    ):
        yield around(), {**WHOLE, **more}


@pytest.mark.slow
@every_case("case", list(good_rows()), ids=lambda case: str(case[1]))
def test_a_row_that_passes_costs_no_rule(
    case: tuple[RowContext, Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate is worth having: what is good and common passes, and no rule is called."""

    def called(*_: Any) -> Iterator[Problem]:
        raise AssertionError("a rule was called")

    use_rows(monkeypatch, tuple(rule._replace(check=called) for rule in ROW_RULES))
    given_, row = case
    assert pass_all(gates_of(given_, None), [row])
    assert found_in([row], given_, None) == []
    (crash, *_) = found_in([WHOLE], given_, None)
    assert crash.code == "internal/rule-crashed"


@every_case("rule", ROW_RULES, ids=lambda rule: rule.code)
def test_every_row_rule_has_rows_that_its_prefilter_holds_back(rule: Any) -> None:
    """Whatever a rule finds was held back or suspected; a rule without a case is untested."""
    given_, row = FOUND[rule.code]
    gates = gates_of(given_, None)
    is_suspected = rule.suspects is not None and rule.suspects(row, gates.group_of(row))
    assert is_suspected or not pass_all(gates, [row])
    assert {each.code for each in found_in([row], given_, None)} == {rule.code}


OWN = {**WHOLE, "rubric_ref": "rubric/own@1.0.0"}
FACTS_AND_WORDS: Checks = [{"kind": "fact_match"}, {"kind": "regex", "pattern": "a"}]
FOUND: dict[str, tuple[RowContext, Row]] = {
    "dataset/check-never-runs": (around(rubric("own", FACTS_AND_WORDS)), OWN),
    "dataset/check-always-passes": (
        around(rubric("own", FACTS_AND_WORDS)),
        {**OWN, "expected_facts": []},
    ),
    "dataset/nothing-runs": (around(rubric("own", FACTS_AND_WORDS[:1])), OWN),
    "dataset/nothing-to-grade": (around(), WHOLE),
    "dataset/unread-expectation": (
        around(rubric("own", FACTS_AND_WORDS[1:])),
        {**OWN, "expected_tools": ["lookup"]},
    ),
    "dataset/blank-value": (around(), {**WHOLE, "expected_facts": ["a"], "input": " "}),
    "dataset/repeated-value": (around(), {**WHOLE, "expected_facts": ["a"], "tags": ["b", "b"]}),
    "dataset/quoted-value": (around(), {**WHOLE, "expected_facts": ["a"], "tags": ["“b”"]}),
    "dataset/unnormalized-id": (around(), {**WHOLE, "expected_facts": ["a"], "id": "a "}),
    "dataset/literal-pattern": (around(), {**WHOLE, "must_contain_any": [r"\d+ days"]}),
    "dataset/split-text": (around(), {**WHOLE, "how are you?": None, "expected_facts": ["a"]}),
    "dataset/bundle-not-applicable": (
        around(rubric("own", FACTS_AND_WORDS[1:], ["tours"])),
        {**OWN, "bundle": "open"},
    ),
    "dataset/contradiction": (
        around(rubric("own", [{"kind": "tool_usage", "max_calls": 1}])),
        {**OWN, "expected_tools": ["lookup", "left"]},
    ),
}


@pytest.mark.slow
@every_case("crashing", ROW_RULES, ids=lambda rule: rule.code)
def test_a_crashing_row_rule_is_named(crashing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so itself, and the others still run."""

    def boom(_: Any) -> Iterator[Problem]:
        raise ZeroDivisionError("a plain bug")

    rules = tuple(each._replace(check=boom) if each is crashing else each for each in ROW_RULES)
    use_rows(monkeypatch, rules)
    for code, (given_, row) in FOUND.items():
        found = {each.code: each for each in found_in([row], given_, None)}
        assert crashing.code in found["internal/rule-crashed"].message
        assert (code in found) is (code != crashing.code)
