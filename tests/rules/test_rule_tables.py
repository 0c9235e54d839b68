"""What holds of the built-in rules for rows, and of a prefilter that knows the runner's graders."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tables import every_case

from evalcontract.checks import EvalContext
from evalcontract.checks.plan import plan_of
from evalcontract.library.library import Library, read_artifact
from evalcontract.model.reference import Kind
from evalcontract.rules import ROW_RULES, load_rules
from evalcontract.rules._rule import Code, Problems, RowGroup, row_rule, rule
from evalcontract.rules.rows import check_always_passes
from evalcontract.source import Document, read_stream
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.native import native_for


def test_clean_rows_never_reach_a_rule() -> None:
    """A rule without a prefilter is right, and runs on every row of every dataset."""
    assert [rule.code for rule in load_rules(ROW_RULES) if rule.silent is None] == []


@every_case(
    ("row", "is_silent"),
    [({"notes": "n"}, True), ({}, True), ({"notes": ""}, False), ({"notes": []}, False)],
)
def test_an_empty_key_that_the_runner_grades(row: dict[str, Any], *, is_silent: bool) -> None:
    checks = [{"id": "a", "kind": "must_contain_any", "values": ["b"]}]
    value = {"id": "a", "version": "1.0.0", "checks": checks, "scoring": {"combine": "all_pass"}}
    document = read_stream(io.BytesIO(json.dumps(value).encode()), "rubrics/a.json")
    assert isinstance(document, Document)
    context = EvalContext(Library([]), has_php=True, read_json=json.loads, schemas=SchemaAnalyses())
    plan = plan_of(read_artifact(Kind.RUBRIC, document), context).beside(frozenset({"notes"}))
    silent = check_always_passes.RULE.silent
    assert silent is not None
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [silent(RowGroup(plan, graded=plan.graded))],
    }
    assert native_for(schema).is_valid({"id": "a", "input": "b", **row}) is is_silent


def test_a_rule_is_for_the_kind_that_its_code_names() -> None:
    def check(*_: object) -> Problems:
        return iter(())

    assert rule(Code("judge/a"))(check).kinds == (Kind.JUDGE,)
    assert rule(Code("acme/a"), Kind.RUBRIC, Kind.JUDGE)(check).kinds == (Kind.RUBRIC, Kind.JUDGE)
    with pytest.raises(ValueError, match="acme"):
        rule(Code("acme/a"))(check)


def test_a_prefilter_that_is_no_function_is_the_same_for_all_rows() -> None:
    def check(_: object) -> Problems:
        return iter(())

    made = row_rule(Code("dataset/a"), silent={"required": ["id"]})(check)
    assert made.silent is not None
    assert made.silent(RowGroup()) == {"required": ["id"]}
    assert row_rule(Code("dataset/a"))(check).silent is None
