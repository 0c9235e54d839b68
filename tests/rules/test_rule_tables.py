"""What holds of the built-in rules for rows, and of a prefilter that knows the runner's graders."""

from __future__ import annotations

import io
import json
from typing import Any

from tables import every_case

from evalcontract.checks import EvalContext
from evalcontract.checks.plan import plan_of
from evalcontract.library.artifact import read_artifact
from evalcontract.library.library import Library
from evalcontract.model.reference import Kind
from evalcontract.rules import ROW_RULES, load_rules
from evalcontract.rules._rule import RowGroup
from evalcontract.rules.rows import check_always_passes
from evalcontract.source import Document, read_stream
from evalcontract.structure.authored.analyses import SchemaAnalyses
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
