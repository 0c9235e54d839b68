"""Bombs in the rows of datasets."""

from __future__ import annotations

from typing import Any

from bomb import (
    CHECK,
    COVERAGE,
    FIX,
    JSON,
    REPORT,
    ROW,
    Bomb,
    Files,
    contains,
    dataset,
    facts,
    numbered,
    rubric,
)

COVERAGE_OF_LINES = ("coverage", "datasets/a.jsonl")
GRADE_LINES = ("grade", "datasets/a.jsonl", "--outputs", "outputs.jsonl")
REPORT_OF_LINES = ("report", "datasets/a.jsonl", "-o", "report.html")


def near_row_keys(size: int) -> Files:
    """Misspelled keys of a row."""
    return dataset({**ROW, **{f"expected_facts{at}": "x" for at in range(size)}})


def rows_with_a_near_key(size: int) -> Files:
    """Rows with a misspelled key each."""
    return dataset(*({**ROW, "id": f"{at}", "expected_fact": []} for at in range(size)))


def rows_with_their_own_key(size: int) -> Files:
    """Rows with a key each that no other row has, and that nothing is said of."""
    return dataset(*({**ROW, "id": f"{at}", f"tagss{at}": "x"} for at in range(size)))


def rows_by_checks(size: int) -> Files:
    """Rows, and as many checks of their rubric."""
    checks = [contains(f"x{at}", f"a b{at}") for at in range(size)]
    return {**dataset(*numbered(size)), "rubrics/a.json": rubric(*checks)}


def rows_by_unmet_checks(size: int) -> Files:
    """Rows, and as many checks of their rubric that the rows lack a key for."""
    checks = [facts(f"x{at}") for at in range(size)]
    return {**dataset(*numbered(size)), "rubrics/a.json": rubric(*checks)}


def rows_by_rubrics(size: int) -> Files:
    """Rows with 700 rubrics in turn."""
    rows = [
        {"id": f"a{at}", "input": f"b{at}", "rubric_ref": f"rubric/a{at % 700}@1.0.0"}
        for at in range(size)
    ]
    rubrics = {
        f"rubrics/a{at}.json": rubric(*(facts(f"x{to}") for to in range(10)), id_=f"a{at}")
        for at in range(700)
    }
    return {**dataset(*rows), **rubrics}


def rows_by_banned_words(size: int) -> Files:
    """Rows with a fact each, and a rubric that forbids three times as many words."""
    banned = {
        "id": "y",
        "kind": "must_not_contain",
        "values": [f"word{at}" for at in range(3 * size)],
    }
    rows = [
        {"id": f"a{at}", "input": "b", "rubric_ref": "rubric/a@1.0.0", "expected_facts": [f"f{at}"]}
        for at in range(size)
    ]
    return {**dataset(*rows), "rubrics/a.json": rubric(banned, facts("f"))}


def faulty_items(size: int) -> Files:
    """Items of a list that all have the wrong type."""
    return dataset({"id": "a", "input": "b", "expected_facts": [1] * size})


def repeated_items(size: int) -> Files:
    """Items of a list that all are the same."""
    return dataset({"id": "a", "input": "b", "expected_facts": ["a"] * size})


def faulty_rows(size: int) -> Files:
    """Rows that are no mappings."""
    return {"rubrics/": None, "datasets/a.json": {"questions": [1] * size}}


def faulty_lines(size: int) -> Files:
    """Rows of a JSONL file that lack all keys."""
    return {"rubrics/": None, "datasets/a.jsonl": "{}\n" * size}


def distinct_faulty_lines(size: int) -> Files:
    """Rows of a JSONL file that lack all keys, and have one each that no other row has."""
    lines = "".join(f'{{"k{at}":1}}\n' for at in range(size))
    return {"rubrics/": None, "datasets/a.jsonl": lines, "outputs.jsonl": '{"id": "a"}\n'}


def contradicting_lists(size: int) -> Files:
    """Texts that a row's output should contain, and as many that it should not."""
    return dataset(
        {
            "id": "a",
            "input": "b",
            "must_contain_any": [f"text {at}" for at in range(size)],
            "must_not_contain": [f"word {at}" for at in range(size)],
            "expected_facts": [f"f {at}" for at in range(size // 4)],
        }
    )


def long_texts(size: int) -> Files:
    """Characters of each text of a row."""
    row = {"id": "a" * size, "input": "b" * size, "criteria": "c" * size}
    return dataset({**row, "expecteed_facts": []})


def rows_with_a_long_key(size: int) -> Files:
    """Rows with an unknown key of 900 characters."""
    return dataset(*({**ROW, "id": f"{at}", "e" * 900: []} for at in range(size)))


def repeated_ids(size: int) -> Files:
    """Rows with the same id."""
    return dataset(*[ROW] * size)


def keys_of_an_expectation(size: int) -> Files:
    """Keys of the free-form expectation of a row."""
    expected = {f"k{at}": {"a": at} for at in range(size)}
    row = {"id": "a", "input": "b", "rubric_ref": "rubric/a@1.0.0", "expected": expected}
    return {**dataset(row), "rubrics/a.json": rubric(contains())}


def tools(size: int) -> Files:
    """Tools that a row expects, and others that its rubric forbids."""
    expected = [f"tool_{at}" for at in range(size)]
    banned = [f"other_tool_{at}" for at in range(size * 2 // 3)]
    row: dict[str, Any] = {"id": "a", "input": "b", "rubric_ref": "rubric/a@1.0.0"}
    check = {"id": "x", "kind": "tool_usage", "forbidden_tools": banned}
    return {**dataset({**row, "expected_tools": expected}), "rubrics/a.json": rubric(check)}


BOMBS = (
    Bomb(near_row_keys, 30_000, (CHECK, JSON, REPORT)),
    Bomb(rows_with_a_near_key, 13_000, (CHECK, REPORT, FIX)),
    Bomb(rows_with_their_own_key, 14_000, (CHECK, COVERAGE, REPORT)),
    Bomb(rows_by_checks, 1500, (CHECK, COVERAGE)),
    Bomb(rows_by_unmet_checks, 3000, (CHECK, COVERAGE)),
    Bomb(rows_by_rubrics, 5000, (CHECK, COVERAGE)),
    Bomb(rows_by_banned_words, 7000, (CHECK, COVERAGE)),
    Bomb(faulty_items, 330_000, (CHECK, JSON)),
    Bomb(repeated_items, 195_000, (CHECK, JSON)),
    Bomb(faulty_rows, 300_000, (CHECK, JSON)),
    Bomb(faulty_lines, 300_000, (CHECK, JSON)),
    Bomb(distinct_faulty_lines, 75_000, (CHECK, COVERAGE_OF_LINES, GRADE_LINES, REPORT_OF_LINES)),
    Bomb(contradicting_lists, 20_000),
    Bomb(long_texts, 300_000),
    Bomb(rows_with_a_long_key, 1000, (CHECK, JSON)),
    Bomb(repeated_ids, 20_000, (CHECK, JSON)),
    Bomb(keys_of_an_expectation, 40_000, (CHECK, COVERAGE)),
    Bomb(tools, 25_000, (CHECK, COVERAGE)),
)
