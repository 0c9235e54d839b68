"""Bombs for `grade`: rubrics, recorded outputs and earlier results that multiply each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bomb import CHECK, Bomb, Files, composite, contains, facts, judge, numbered, rubric

if TYPE_CHECKING:
    from collections.abc import Iterable

GRADE = ("grade", "datasets/a.json", "--outputs", "outputs.jsonl", "--results", "results.jsonl")
RESULTS = ("grade", "datasets/a.json", "--outputs", "outputs.jsonl", "--output-format", "jsonl")
COMPARE = ("grade", "datasets/a.json", "--outputs", "outputs.jsonl", "--compare", "old.jsonl")
REF = "rubric/a@1.0.0"


def recorded(rows: Iterable[dict[str, Any]], *checks: dict[str, Any], **output: Any) -> Files:
    """Return a dataset, the same output for each of its rows, and the rubric `a`."""
    made = [*rows]
    lines = [json.dumps({"id": row["id"], "output": "o", **output}) for row in made]
    rubrics = {"rubrics/a.json": rubric(*checks)} if checks else {}
    return {
        "datasets/a.json": {"questions": made},
        "outputs.jsonl": "".join(f"{line}\n" for line in lines),
        **rubrics,
    }


def short_rows(many: int) -> list[dict[str, Any]]:
    """Return rows that are as small as rows of a rubric can be."""
    return [{"id": f"{at}", "input": "b", "rubric_ref": REF} for at in range(many)]


def outputs_by_checks(size: int) -> Files:
    """Rows with an output, and as many checks of their rubric."""
    return recorded(short_rows(size), *(contains(f"x{at}", "a") for at in range(size)))


def outputs_by_values(size: int) -> Files:
    """Rows with an output, and ten times as many texts that it must not contain."""
    check = {"id": "x", "kind": "must_not_contain", "values": [f"w{at}" for at in range(10 * size)]}
    return recorded(short_rows(size), check)


def outputs_by_facts(size: int) -> Files:
    """Rows with an output, and ten times as many facts that it lacks."""
    check = {**facts("x"), "facts": [f"w{at}" for at in range(10 * size)]}
    return recorded(short_rows(size), check)


def output_by_values(size: int) -> Files:
    """Texts that one long output must not contain."""
    check = {"id": "x", "kind": "must_not_contain", "values": [f"w{at}" for at in range(size)]}
    return recorded(short_rows(1), check, output="o w" * (size * 5))


def output_by_facts(size: int) -> Files:
    """Checks of the facts of one long output."""
    checks = ({**facts(f"x{at}"), "facts": [f"w{at}"]} for at in range(size))
    return recorded(short_rows(1), *checks, output="o w " * (size * 15))


def output_by_formats(size: int) -> Files:
    """Checks that one long output is JSON."""
    checks = ({"id": f"x{at}", "kind": "format", "format": "json"} for at in range(size))
    return recorded(short_rows(1), *checks, output=json.dumps([1] * size * 15))


def output_by_schemas(size: int) -> Files:
    """Checks that one long output, in which a block is, fits a schema."""
    checks = (
        {
            "id": f"x{at}",
            "kind": "json_schema",
            "schema": {"minItems": at},
            "extract": "first_fence",
        }
        for at in range(size)
    )
    return recorded(short_rows(1), *checks, output=f"```\n{json.dumps([1] * size * 20)}\n```\n")


def outputs_by_look_ahead(size: int) -> Files:
    """Characters of each of five outputs, which their schema looks ahead in from each of them."""
    schema = {"properties": {"a": {"pattern": "(?=a*b)c"}}}
    check = {"id": "x", "kind": "json_schema", "schema": schema}
    return recorded(short_rows(5), check, output=json.dumps({"a": "a" * size}))


def output_by_structures(size: int) -> Files:
    """Checks of the structure of one long output."""
    checks = (
        {
            "id": f"x{at}",
            "kind": "markdown_structure",
            "min_headings": size * 10 + at,
            "required_sections": ["x"],
        }
        for at in range(size)
    )
    return recorded(short_rows(1), *checks, output="# a\n" * (size * 20))


def outputs_of_markdown(size: int) -> Files:
    """Nested quotes of an output in Markdown."""
    check = {"id": "x", "kind": "markdown_structure", "min_headings": 1}
    return recorded(short_rows(1), check, output=("> " * 200 + "a\n") * size)


def tools_by_calls(size: int) -> Files:
    """Calls with arguments that are expected, and as many that were made, of which none fits."""
    expected = [{"name": "t", "arguments": {"a": at}} for at in range(size)]
    check = {"id": "x", "kind": "tool_usage", "expected_tools": expected}
    calls = [{"name": "t", "arguments": {"a": at + 0.5}} for at in range(size)]
    return recorded(short_rows(1), check, tool_calls=calls)


def tools_that_compete(size: int) -> Files:
    """Calls that are expected, each of which fits the same calls as the ones before it."""
    keys = [f"k{at}" for at in range(40)]
    expected = [{"name": "t", "arguments": {keys[at % 40]: 1}} for at in range(size)]
    check = {"id": "x", "kind": "tool_usage", "expected_tools": expected}
    calls = [
        {"name": "t", "arguments": dict.fromkeys(keys[: 1 + at % 40], 1)} for at in range(size)
    ]
    return recorded(short_rows(1), check, tool_calls=calls)


def tools_by_checks(size: int) -> Files:
    """Checks of many calls, each of whose arguments is the text of a JSON object."""
    checks = (
        {
            "id": f"x{at}",
            "kind": "tool_usage",
            "expected_tools": [{"name": "t", "arguments": {"a": at}}],
        }
        for at in range(size)
    )
    calls = [{"name": "t", "arguments": json.dumps({"b": at})} for at in range(size)]
    return recorded(short_rows(1), *checks, tool_calls=calls)


def composites_of_one_rubric(size: int) -> Files:
    """Composites that all refer to the same rubric, which has as many checks."""
    many = [contains(f"x{at}", "a") for at in range(size)]
    files = recorded(short_rows(1), *(composite(f"c{at}", "b") for at in range(size)))
    return {**files, "rubrics/b.json": rubric(*many, id_="b")}


def rubrics_by_tables(size: int) -> Files:
    """Rows with an output, and a rubric of its own each."""
    rows = [
        {"id": f"{at}", "input": "b", "rubric_ref": f"rubric/a{at}@1.0.0"} for at in range(size)
    ]
    rubrics = {f"rubrics/a{at}.json": rubric(contains(), id_=f"a{at}") for at in range(size)}
    return {**recorded(rows), **rubrics}


def jurors(size: int) -> Files:
    """Judges of a jury, of which a rubric has two checks."""
    names = [{"judge_prompt_ref": f"judge/j{at}@1.0.0"} for at in range(size)]
    checks = ({"id": f"x{at}", "kind": "llm_judge", "jury": {"judges": names}} for at in range(2))
    judges = {f"judges/j{at}.json": judge("{{output}}", f"j{at}") for at in range(size)}
    return {**recorded(short_rows(20), *checks), **judges}


def regexes_of_outputs(size: int) -> Files:
    """Rows with an output, and a tenth as many patterns."""
    checks = (
        {"id": f"x{at}", "kind": "regex", "pattern": f"(a|b)+c{at}"} for at in range(size // 10)
    )
    return recorded(short_rows(size), *checks, output="ab" * 6)


def unmatched_outputs(size: int) -> Files:
    """Outputs of rows that the dataset does not have."""
    lines = "".join(f'{{"id":"x{at}"}}\n' for at in range(size))
    return {**recorded(numbered(1), contains()), "outputs.jsonl": lines}


def faulty_outputs(size: int) -> Files:
    """Lines of outputs that are no mappings."""
    return {**recorded(numbered(1), contains()), "outputs.jsonl": "1\n" * size}


def repeated_outputs(size: int) -> Files:
    """Outputs of the same row."""
    return {**recorded(short_rows(1), contains()), "outputs.jsonl": '{"id":"0"}\n' * size}


def _earlier(*rows: dict[str, Any]) -> str:
    manifest = {
        "version": "1.0",
        "tool": {"name": "evalcontract", "version": "1"},
        "dataset": {"file": "a"},
        "outputs": {"file": "b"},
        "artifacts": {},
    }
    return "".join(json.dumps(line) + "\n" for line in ({"manifest": manifest}, *rows))


def _row(id_: str, *checks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"id": id_, "rubric": REF, "outcome": "passed", "score": 1, "checks": checks, **keys}


def _check(id_: str, **keys: Any) -> dict[str, Any]:
    return {"id": id_, "kind": "k", "outcome": "passed", "score": 1, **keys}


def compared_checks(size: int) -> Files:
    """Checks that failed on two rows and passed before."""
    checks = [contains(f"x{at}", "a") for at in range(size)]
    before = [_row(f"{at}", *(_check(f"x{at}") for at in range(size))) for at in range(2)]
    return {**recorded(short_rows(2), *checks), "old.jsonl": _earlier(*before)}


def compared_rows(size: int) -> Files:
    """Rows on which ten checks failed and passed before."""
    checks = [contains(f"x{at}", "a") for at in range(10)]
    before = [_row(f"{at}", *(_check(f"x{at}") for at in range(10))) for at in range(size)]
    return {**recorded(short_rows(size), *checks), "old.jsonl": _earlier(*before)}


def compared_versions(size: int) -> Files:
    """Rows that were graded by a rubric of their own before."""
    before = [_row(f"{at}", rubric=f"rubric/r{at}@1") for at in range(size)]
    return {**recorded(short_rows(size), contains()), "old.jsonl": _earlier(*before)}


def compared_composites(size: int) -> Files:
    """Composites inside of each other, in earlier results."""
    check = _check("a")
    text = '{"id":"a","kind":"k","outcome":"passed","score":1,"checks":['
    nested = text * size + json.dumps(check) + "]}" * size
    row = f'{{"id":"0","rubric":null,"outcome":null,"score":null,"checks":[{nested}]}}\n'
    return {**recorded(short_rows(1), contains()), "old.jsonl": _earlier() + row}


BOMBS = (
    Bomb(outputs_by_checks, 5500, (CHECK, GRADE)),
    Bomb(outputs_by_values, 3000, (CHECK, GRADE)),
    Bomb(outputs_by_facts, 3000, (CHECK, RESULTS)),
    Bomb(output_by_values, 27_000, (CHECK, GRADE)),
    Bomb(output_by_facts, 6500, (CHECK, GRADE)),
    Bomb(output_by_formats, 6500, (CHECK, GRADE)),
    Bomb(output_by_schemas, 4500, (CHECK, GRADE)),
    Bomb(outputs_by_look_ahead, 190_000, (GRADE,)),
    Bomb(output_by_structures, 4000, (CHECK, GRADE)),
    Bomb(outputs_of_markdown, 2000, (CHECK, GRADE)),
    Bomb(tools_by_calls, 10_000, (CHECK, GRADE)),
    Bomb(tools_that_compete, 2000, (CHECK, GRADE)),
    Bomb(tools_by_checks, 5000, (CHECK, GRADE)),
    Bomb(composites_of_one_rubric, 5000, (CHECK, GRADE)),
    Bomb(rubrics_by_tables, 2500, (CHECK, GRADE)),
    Bomb(jurors, 4000, (CHECK, GRADE)),
    Bomb(regexes_of_outputs, 4500, (CHECK, GRADE)),
    Bomb(unmatched_outputs, 50_000, (CHECK, GRADE)),
    Bomb(faulty_outputs, 400_000, (CHECK, RESULTS)),
    Bomb(repeated_outputs, 80_000, (CHECK, GRADE)),
    Bomb(compared_checks, 5000, (CHECK, COMPARE)),
    Bomb(compared_rows, 1000, (CHECK, COMPARE)),
    Bomb(compared_versions, 3500, (CHECK, COMPARE)),
    Bomb(compared_composites, 6000, (CHECK, COMPARE)),
)
