"""The classes of fields are what they say: wording changes no score, and what is breaking can.

Everything is graded by the code that `grade` runs; a judge is a function that reads its messages.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from writing import write

from evalcontract.api.grader import Grader
from evalcontract.checks.outcome import Verdict
from evalcontract.datasets.run import Run, today
from evalcontract.grading.rows import RowGrader
from evalcontract.judging.client import Reply
from evalcontract.judging.questions import ready_judge
from evalcontract.judging.settings import Settings
from evalcontract.meaning.changes import changes_of, rank_of
from evalcontract.meaning.view import FIELDS, UNORDERED, ChangeClass, view_of
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.structure.schemas import load
from evalcontract.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.library.library import Artifact

Values = dict[str, Any]


def model(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
    """Ask a judge over a model that answers with what stands behind `ANSWER=` in its messages.

    The model `grumpy`, and every one of the provider `nobody`, answers what is no verdict.
    """
    ready = ready_judge(judge, Settings("http://model.invalid", model="kind"))
    if isinstance(ready, Verdict):
        return ready
    question = ready.question(variables)
    if isinstance(question, Verdict):
        return question
    text = "".join(str(message["content"]) for message in question.messages)
    answer = text.partition("ANSWER=")[2].partition(";")[0] or '"fail"'
    named = judge.document.value.get("model", {})
    if "grumpy" in str(named.get("name")) or named.get("provider") == "nobody":
        answer = "none"
    return question.verdict(Reply(f'{{"verdict": {answer}}}'))


def results(files: Mapping[str, object], rows: list[Values], outputs: list[Values]) -> list[Any]:
    """Grade outputs of rows in a workspace, and return of each what counts."""
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "rubrics").mkdir()
        write(folder, files)
        grader = Grader(folder)
        run = Run(open_workspace(folder), None, today(), ask=model)
        grader._grader = RowGrader(run)  # noqa: SLF001 - one that asks the model
        return [result(grader, row, output) for row in rows for output in outputs]
    finally:
        shutil.rmtree(folder)


def result(grader: Grader, row: Values, output: Values) -> Any:
    try:
        graded = grader.grade(row, {"id": row["id"], **output})
    except UsageError as error:
        return str(error)
    checks = sorted(map(repr, (leaf(check) for check in graded.checks)))
    return graded.id, graded.outcome, graded.score, graded.bounds, checks


def leaf(check: Any) -> Any:
    """Return what counts of a check: those without an id are called by their places."""
    return check.kind, check.outcome, check.score, sorted(map(repr, map(leaf, check.checks)))


# What is wording only

CHECKS: list[Values] = [
    {"kind": "must_contain_any", "values": ["a", "b", "left"]},
    {"kind": "must_contain_any", "values": ["A", "C"], "case_sensitive": True},
    {"kind": "must_not_contain", "values": ["bad", "left"]},
    {"kind": "regex", "pattern": "l.ft", "flags": ["s", "i"], "match": "full"},
    {"kind": "regex", "pattern": "[0-9]", "negate": True},
    {"kind": "json_schema", "schema": {"type": "object", "required": ["a"]}},
    {"kind": "json_schema", "schema": {"type": "object"}, "extract": "first_fence"},
    {"kind": "php_lint", "on_no_code": "fail"},
    {"kind": "markdown_structure", "min_headings": 1, "required_sections": ["Left", "A"]},
    {"kind": "markdown_structure", "forbidden_patterns": ["bad", "b"], "min_paragraphs": 1},
    {"kind": "tool_usage", "expected_tools": ["look", {"name": "buy", "arguments": {"n": 1.0}}]},
    {"kind": "tool_usage", "forbidden_tools": ["pay", "buy"], "max_calls": 1},
    {"kind": "format", "format": "json", "required_keys": ["a", "b"]},
    {"kind": "format", "format": "text", "max_chars": 8},
    {"kind": "fact_match", "facts": ["left", "a"], "min_recall": 0.5},
    {"kind": "fact_match"},
    {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"},
]
ROWS: list[Values] = [
    {"id": "a", "input": "Where?", "rubric_ref": "rubric/tone@1.0.0"},
    {"id": "b", "input": "x", "rubric_ref": "rubric/tone@1.0.0", "expected_facts": ["left", "c"]},
]
OUTPUTS: list[Values] = [
    {"output": "left"},
    {"output": "# Left\n\nA b bad 7\n"},
    {"output": '{"a": 1, "b": 2}'},
    {"output": "```json\n{}\n```", "tool_calls": [{"name": "buy", "arguments": {"n": 1}}]},
    {"output": "", "tool_calls": [{"name": "look"}, {"name": "pay"}]},
]


@st.composite
def rubrics(draw: Any, id_: str = "tone") -> Values:
    kinds = [check for check in CHECKS if id_ == "tone" or check["kind"] != "composite"]
    drawn: list[Values] = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5))
    checks = copy.deepcopy(drawn)
    for number, check in enumerate(checks):
        if draw(st.booleans()):
            check["id"] = f"c{number}"
    named = [check["id"] for check in checks if "id" in check]
    combine = draw(st.sampled_from(["all_pass", "any_pass", "weighted_avg", "min", "median"]))
    scoring: Values = {"combine": combine}
    if draw(st.booleans()):
        scoring["threshold"] = draw(st.sampled_from([0.3, 0.5, 1]))
    if named and draw(st.booleans()):
        weights = st.sampled_from([0.1, 0.2, 1, 2, 3])
        scoring["weights"] = {name: draw(weights) for name in named}
    return {"id": id_, "version": "1.0.0", "checks": checks, "scoring": scoring}


def reworded(rubric: Values, chance: random.Random) -> Values:
    """Return a rubric that says the same in other words, in another order and layout."""
    new = copy.deepcopy(rubric)
    new["label"] = "Tone"
    new["metadata"] = {"owner": "me", "values": [2, 1]}
    scoring = new["scoring"]
    named = [check["id"] for check in new["checks"] if "id" in check]
    if named and scoring["combine"] == "weighted_avg":
        scoring["weights"] = dict.fromkeys(named, 1) | scoring.get("weights", {})
    for check in new["checks"]:
        branch = load("rubric")["$defs"][f"check_{check['kind']}"]["properties"]
        defaults = {key: part["default"] for key, part in branch.items() if "default" in part}
        check |= {key: value for key, value in defaults.items() if key not in check}
        check["description"] = "x"
        for key, value in check.items():
            if f"checks[].{key}" in UNORDERED:
                chance.shuffle(value)
            if key == "rubric_ref":
                check[key] = "rubric/inner@1.0"
    chance.shuffle(new["checks"])
    shuffled: Values = shuffled_keys(new, chance)
    return shuffled


def shuffled_keys(value: Any, chance: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled_keys(part, chance) for part in value]
    if isinstance(value, dict):
        items = [(key, shuffled_keys(part, chance)) for key, part in value.items()]
        chance.shuffle(items)
        return dict(items)
    return value


@pytest.mark.slow
@examples(150)
@given(rubrics(), rubrics("inner"), st.integers(0, 2**32))
def test_another_wording_changes_no_score(outer: Values, inner: Values, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    old = {"rubrics/tone.json": outer, "rubrics/inner.json": inner}
    new: dict[str, Any] = {name: reworded(rubric, chance) for name, rubric in old.items()}
    for name, rubric in old.items():
        views = view_of(Kind.RUBRIC, rubric), view_of(Kind.RUBRIC, new[name])
        assert views[0].digest == views[1].digest
        assert rank_of(changes_of(*views)) is ChangeClass.WORDING
    written = {name: json.dumps(rubric, indent=3) for name, rubric in new.items()}
    assert results(old, ROWS, OUTPUTS) == results(written, ROWS, OUTPUTS)


# Fields that break scores


def tone(*checks: Values, **scoring: Any) -> Values:
    return {
        "id": "tone",
        "version": "1.0.0",
        "checks": [*checks],
        "scoring": {"combine": "weighted_avg", "threshold": 0.5, **scoring},
    }


def one(kind: str, key: str, old: Any, new: Any, **rest: Any) -> tuple[Values, Values]:
    """Return two rubrics of a check that differ in one parameter; None is one without it."""
    sides = [{"kind": kind, **rest, **({} if part is None else {key: part})} for part in (old, new)]
    return tone(sides[0]), tone(sides[1])


def jury(**changes: Any) -> Values:
    judges = [{"judge_prompt_ref": f"judge/{name}@1.0.0"} for name in ("yes", "no")]
    return tone({"kind": "llm_judge", "jury": {"judges": judges} | changes})


def jurors(*names: str, weights: tuple[int, ...] = (1, 1)) -> list[Values]:
    return [
        {"judge_prompt_ref": f"judge/{name}@1.0.0", "weight": weight}
        for name, weight in zip(names, weights, strict=True)
    ]


A, B = {"id": "a", "kind": "regex", "pattern": "a"}, {"id": "b", "kind": "regex", "pattern": "b"}
#: The fields of rubrics: two rubrics that differ in one, and an output of which scores differ.
OF_RUBRICS: dict[str, tuple[Values, Values, str]] = {
    "checks": (tone(A), tone(B), "a"),
    "checks[].kind": (
        tone({"kind": "must_contain_any", "values": ["a"]}),
        tone({"kind": "must_not_contain", "values": ["a"]}),
        "a",
    ),
    "checks[].values": (*one("must_contain_any", "values", ["a"], ["b"]), "a"),
    "checks[].case_sensitive": (
        *one("must_contain_any", "case_sensitive", False, True, values=["A"]),
        "a",
    ),
    "checks[].pattern": (*one("regex", "pattern", "a", "b"), "a"),
    "checks[].flags": (*one("regex", "flags", None, ["i"], pattern="A"), "a"),
    "checks[].match": (*one("regex", "match", None, "full", pattern="a"), "ab"),
    "checks[].negate": (*one("regex", "negate", None, True, pattern="a"), "a"),
    "checks[].schema": (*one("json_schema", "schema", {"type": "object"}, {"type": "null"}), "{}"),
    "checks[].schema_ref": (*one("json_schema", "schema_ref", "o.json", "n.json"), "{}"),
    "checks[].extract": (
        *one("json_schema", "extract", None, "first_fence", schema={"type": "object"}),
        "```json\n{}\n```",
    ),
    "checks[].on_no_code": (*one("php_lint", "on_no_code", "pass", "fail"), "no code"),
    "checks[].timeout_seconds": (*one("php_lint", "timeout_seconds", 10, 0.2), "```php\n1\n```"),
    "checks[].min_headings": (*one("markdown_structure", "min_headings", 1, 2), "# a\n"),
    "checks[].max_heading_level": (
        *one("markdown_structure", "max_heading_level", 1, 3), "### a\n",
    ),
    "checks[].required_sections": (
        *one("markdown_structure", "required_sections", ["A"], ["B"]), "# A\n",
    ),
    "checks[].forbidden_patterns": (
        *one("markdown_structure", "forbidden_patterns", ["a"], ["b"]), "a",
    ),
    "checks[].min_code_blocks": (*one("markdown_structure", "min_code_blocks", 1, None), "a"),
    "checks[].min_paragraphs": (*one("markdown_structure", "min_paragraphs", 1, 2), "a"),
    "checks[].no_h1": (*one("markdown_structure", "no_h1", True, False), "# a\n"),
    "checks[].expected_tools": (*one("tool_usage", "expected_tools", ["x"], ["z"]), ""),
    "checks[].expected_tools[].name": (
        *one("tool_usage", "expected_tools", [{"name": "x"}], [{"name": "z"}]), "",
    ),
    "checks[].expected_tools[].arguments": (
        *one(
            "tool_usage",
            "expected_tools",
            [{"name": "x", "arguments": {"n": 1}}],
            [{"name": "x", "arguments": {"n": 2}}],
        ),
        "",
    ),
    "checks[].forbidden_tools": (*one("tool_usage", "forbidden_tools", ["x"], ["z"]), ""),
    "checks[].order": (
        *one("tool_usage", "order", None, "sequence", expected_tools=["y", "x"]), "",
    ),
    "checks[].max_calls": (*one("tool_usage", "max_calls", 1, 2), ""),
    "checks[].format": (*one("format", "format", "json", None, max_chars=5), "x"),
    "checks[].max_chars": (*one("format", "max_chars", 1, 5), "abc"),
    "checks[].required_keys": (
        *one("format", "required_keys", ["a"], ["b"], format="json"), '{"a": 1}',
    ),
    "checks[].facts": (*one("fact_match", "facts", ["a"], ["z"]), "a"),
    "checks[].min_recall": (*one("fact_match", "min_recall", 0.5, 1, facts=["a", "z"]), "a"),
    "checks[].judge_prompt_ref": (
        *one("llm_judge", "judge_prompt_ref", "judge/yes@1.0.0", "judge/no@1.0.0"), "",
    ),
    "checks[].threshold": (
        *one("llm_judge", "threshold", 0.5, 0.7, judge_prompt_ref="judge/scale@1.0.0"),
        "ANSWER=3;",
    ),
    "checks[].jury": (
        jury(judges=jurors("yes", "yes")), jury(judges=jurors("no", "no")), "",
    ),
    "checks[].jury.judges": (
        jury(judges=jurors("yes", "yes")), jury(judges=jurors("no", "yes")), "",
    ),
    "checks[].jury.judges[].judge_prompt_ref": (
        jury(judges=jurors("yes", "no"), tie_break="pass"),
        jury(judges=jurors("no", "no"), tie_break="pass"),
        "",
    ),
    "checks[].jury.judges[].weight": (
        jury(judges=jurors("yes", "no", weights=(3, 1)), aggregation="weighted_average"),
        jury(judges=jurors("yes", "no", weights=(1, 3)), aggregation="weighted_average"),
        "",
    ),
    "checks[].jury.aggregation": (jury(), jury(aggregation="average"), ""),
    "checks[].jury.tie_break": (jury(tie_break="pass"), jury(tie_break="fail"), ""),
    "checks[].rubric_ref": (
        *one("composite", "rubric_ref", "rubric/inner@1.0.0", "rubric/inner@2.0.0"), "a",
    ),
    "scoring": (tone(A, B), tone(A, B, threshold=0.6), "a"),
    "scoring.combine": (tone(A, B), tone(A, B, combine="all_pass"), "a"),
    "scoring.weights": (tone(A, B), tone(A, B, weights={"a": 3}), "a"),
    "scoring.threshold": (tone(A, B), tone(A, B, threshold=0.6), "a"),
}  # fmt: skip
CALLS = [{"name": "x", "arguments": {"n": 1}}, {"name": "y"}]


def judge(id_: str = "polite", **keys: Any) -> Values:
    return {"id": id_, "version": "1.0.0", "template": "Polite?\n{{ output }}", **keys}


def scale(**keys: Any) -> Values:
    given = {"min_score": 0, "max_score": 5, "pass_threshold": 3}
    return judge(score_type="continuous", **{**given, **keys})


def levels(names: list[str], values: list[float]) -> Values:
    return judge(score_type="levels", level_names=names, level_values=values, pass_threshold=0.5)


#: The fields of judges: two judges that differ in one, and an output of which scores differ.
OF_JUDGES: dict[str, tuple[Values, Values, str]] = {
    "template": (judge(), judge(template="Polite?\n{{ input }}\n{{ output }}"), ""),
    "score_type": (judge(), judge(score_type="continuous", min_score=0, max_score=1), "ANSWER=1;"),
    "level_names": (levels(["x", "y"], [0, 1]), levels(["y", "x"], [0, 1]), 'ANSWER="y";'),
    "level_values": (levels([*"xyz"], [0, 1, 2]), levels([*"xyz"], [0, 1, 9]), 'ANSWER="y";'),
    "min_score": (scale(), scale(min_score=1), "ANSWER=3;"),
    "max_score": (scale(), scale(max_score=10), "ANSWER=3;"),
    "pass_threshold": (scale(), scale(pass_threshold=4), "ANSWER=3;"),
    "model": (judge(), judge(model={"name": "grumpy"}), 'ANSWER="pass";'),
    "model.name": (
        judge(model={"name": "kind"}), judge(model={"name": "grumpy"}), 'ANSWER="pass";',
    ),
    "model.provider": (
        judge(model={"name": "m", "provider": "any"}),
        judge(model={"name": "m", "provider": "nobody"}),
        'ANSWER="pass";',
    ),
}  # fmt: skip


def rows(old: Values, new: Values) -> tuple[Values, Values]:
    base = {"id": "a", "input": "ANSWER=0;"}
    return {"questions": [{**base, **old}]}, {"questions": [{**base, **new}]}


def shown(key: str) -> Values:
    """Refer to the rubric whose judge is shown one key of a row."""
    return {"rubric_ref": f"rubric/shows_{key}@1.0.0"}


PASS, FAIL = 'ANSWER="pass";', 'ANSWER="fail";'
#: The fields of datasets: two datasets that differ in one, and an output of which scores differ.
OF_DATASETS: dict[str, tuple[Values, Values, str]] = {
    "bundle": (
        {"bundle": "any", **rows({"must_contain_any": ["a"]}, {})[0]},
        {"bundle": "closed", **rows({"must_contain_any": ["a"]}, {})[0]},
        "a",
    ),
    "questions": (rows({}, {})[0], {"questions": []}, "a"),
    "questions[].input": (
        *rows({**shown("input"), "input": PASS}, {**shown("input"), "input": FAIL}), "",
    ),
    "questions[].criteria": (
        *rows({**shown("criteria"), "criteria": PASS}, {**shown("criteria"), "criteria": FAIL}), "",
    ),
    "questions[].context": (
        *rows({**shown("context"), "context": PASS}, {**shown("context"), "context": FAIL}), "",
    ),
    "questions[].expected": (*rows({"expected": {"format": "json"}}, {}), "x"),
    "questions[].expected.format": (
        *rows({"expected": {"format": "json"}}, {"expected": {"format": "text"}}), "x",
    ),
    "questions[].expected.reference": (
        *rows(
            {**shown("reference"), "expected": {"reference": PASS}},
            {**shown("reference"), "expected": {"reference": FAIL}},
        ),
        "",
    ),
    "questions[].expected_facts": (
        *rows({"expected_facts": ["a"]}, {"expected_facts": ["b"]}), "a",
    ),
    "questions[].expected_tools": (*rows({"expected_tools": ["x"]}, {"expected_tools": ["z"]}), ""),
    "questions[].expected_tools[].name": (
        *rows({"expected_tools": [{"name": "x"}]}, {"expected_tools": [{"name": "z"}]}), "",
    ),
    "questions[].expected_tools[].arguments": (
        *rows(
            {"expected_tools": [{"name": "x", "arguments": {"n": 1}}]},
            {"expected_tools": [{"name": "x", "arguments": {"n": 2}}]},
        ),
        "",
    ),
    "questions[].rubric_ref": (
        *rows({"rubric_ref": "rubric/inner@1.0.0"}, {"rubric_ref": "rubric/inner@2.0.0"}), "a",
    ),
    "questions[].bundle": (
        *rows(
            {"must_contain_any": ["a"], "bundle": "any"},
            {"must_contain_any": ["a"], "bundle": "closed"},
        ),
        "a",
    ),
    "questions[].must_contain_any": (
        *rows({"must_contain_any": ["a"]}, {"must_contain_any": ["b"]}), "a",
    ),
    "questions[].must_not_contain": (
        *rows({"must_not_contain": ["a"]}, {"must_not_contain": ["b"]}), "a",
    ),
}  # fmt: skip


def asking(id_: str, of: str) -> Values:
    return {**tone({"kind": "llm_judge", "judge_prompt_ref": f"judge/{of}@1.0.0"}), "id": id_}


SHOWN = {"input": "input", "criteria": "criteria", "context": "context",
         "reference": "expected.reference"}  # fmt: skip
#: What the examples refer to.
AROUND: dict[str, object] = {
    "o.json": {"type": "object"},
    "n.json": {"type": "null"},
    "bundles/any.schema.json": {"type": "object"},
    "bundles/closed.schema.json": {"type": "object", "required": ["context"]},
    "rubrics/inner1.json": {**tone(A), "id": "inner"},
    "rubrics/inner2.json": {**tone(B), "id": "inner", "version": "2.0.0"},
    "judges/yes.json": judge("yes", template=f"{PASS} {{{{ output }}}}"),
    "judges/no.json": judge("no", template=f"{FAIL} {{{{ output }}}}"),
    "judges/scale.json": {**scale(), "id": "scale"},
    **{
        f"judges/shows_{key}.json": judge(f"shows_{key}", template=f"{{{{{name}}}}} {{{{output}}}}")
        for key, name in SHOWN.items()
    },
    **{
        f"rubrics/shows_{key}.json": asking(f"shows_{key}", f"shows_{key}") for key in SHOWN
    },
}  # fmt: skip
EXAMPLES = {Kind.RUBRIC: OF_RUBRICS, Kind.JUDGE: OF_JUDGES, Kind.DATASET: OF_DATASETS}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_score_breaking_field_has_an_example(kind: Kind) -> None:
    breaking = {field for field, rank in FIELDS[kind].items() if rank is ChangeClass.BREAKING}
    assert EXAMPLES[kind].keys() == breaking


def graded(kind: Kind, value: Values, text: str) -> list[Any]:
    """Grade an output of each row by an artifact."""
    output: Values = {"output": text, "tool_calls": CALLS}
    if kind is Kind.DATASET:
        root = {key: part for key, part in value.items() if key == "bundle"}
        return results(AROUND, [{**root, **row} for row in value["questions"]], [output])
    name = "judges/polite.json" if kind is Kind.JUDGE else "rubrics/tone.json"
    files = {**AROUND, "rubrics/tone.json": asking("tone", "polite"), name: value}
    return results(files, [{"id": "a", "input": PASS, "rubric_ref": "rubric/tone@1.0.0"}], [output])


def changed_fields(kind: Kind, old: Values, new: Values) -> Iterator[str]:
    views = [dict(view_of(kind, value).flat()) for value in (old, new)]
    for name in {**views[0], **views[1]}:
        if views[0].get(name) != views[1].get(name):
            yield next(view[name].field for view in views if name in view)


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_score_breaking_change_can_change_a_score(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each example changes the field that it is for, or a part of it, and a score or verdict."""
    php = tmp_path / "php"
    php.write_text('#!/bin/sh\n[ "$1" = --version ] && echo PHP 8.3.0 || sleep 1\n')
    php.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for field, (old, new, text) in EXAMPLES[kind].items():
        views = view_of(kind, old), view_of(kind, new)
        assert rank_of(changes_of(*views)) is ChangeClass.BREAKING, field
        assert graded(kind, old, text) != graded(kind, new, text), field
        parts = {*changed_fields(kind, old, new)}
        is_meant = (part.startswith(field) or field.startswith(part) for part in parts)
        # The bundle of a dataset is that of its rows.
        assert any(is_meant) or parts == {f"questions[].{field}"}, field
