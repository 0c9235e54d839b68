"""Bombs in the checks of one rubric."""

from __future__ import annotations

from bomb import (
    CHECK,
    COVERAGE,
    FIX,
    JSON,
    Bomb,
    Files,
    contains,
    dataset,
    facts,
    judge,
    numbered,
    rubric,
)


def near_weights(size: int) -> Files:
    """Checks, and as many weights of misspelled checks."""
    checks = [contains(f"check_number_{at}", f"a b{at}") for at in range(size)]
    weights = {f"chekc_number_{at}": 1 for at in range(size)}
    scoring = {"combine": "weighted_avg", "weights": weights}
    return {"rubrics/a.json": rubric(*checks, scoring=scoring)}


def weights_of_no_check(size: int) -> Files:
    """Checks, and four times as many weights of checks that do not exist."""
    checks = [contains(f"x{at}", f"a{at}") for at in range(size)]
    scoring = {"combine": "weighted_avg", "weights": {f"y{at}": 1 for at in range(4 * size)}}
    return {"rubrics/a.json": rubric(*checks, scoring=scoring)}


def weights_of_no_check_in_yaml(size: int) -> Files:
    """Checks of a rubric in YAML, and four times as many weights of checks that do not exist."""
    checks = (f"- {{id: x{at}, kind: must_contain_any, values: [a{at}]}}\n" for at in range(size))
    weights = (f"    y{at}: 1\n" for at in range(4 * size))
    scoring = f"scoring:\n  combine: weighted_avg\n  weights:\n{''.join(weights)}"
    return {"rubrics/a.yaml": f"id: a\nversion: 1.0.0\nchecks:\n{''.join(checks)}{scoring}"}


def near_check_ids(size: int) -> Files:
    """Checks with similar ids."""
    checks = [contains(f"check_number_{at}", f"a b{at}") for at in range(size)]
    return {"rubrics/a.json": rubric(*checks)}


def repeated_check_ids(size: int) -> Files:
    """Checks with the same id."""
    return {"rubrics/a.json": rubric(*[contains()] * size)}


def repeated_values(size: int) -> Files:
    """Values of a check that all are the same."""
    return {"rubrics/a.json": rubric(contains("x", *["a b"] * size))}


def faulty_values(size: int) -> Files:
    """Values of a check that all have the wrong type."""
    check = {"id": "x", "kind": "must_contain_any", "values": [1] * size}
    return {"rubrics/a.json": rubric(check)}


def contradicting_values(size: int) -> Files:
    """Texts that the output should contain, and as many that it should not."""
    banned = {
        "id": "y",
        "kind": "must_not_contain",
        "values": [f"word {at}" for at in range(size)],
    }
    wanted = contains("x", *(f"text {at}" for at in range(size)))
    return {"rubrics/a.json": rubric(wanted, banned)}


def contradicting_checks(size: int) -> Files:
    """Checks that the output contains a text, and as many that it does not."""
    banned = [
        {"id": f"y{at}", "kind": "must_not_contain", "values": [f"word {at}"]} for at in range(size)
    ]
    wanted = [contains(f"x{at}", f"text {at}") for at in range(size)]
    return {"rubrics/a.json": rubric(*wanted, *banned)}


def long_check_id(size: int) -> Files:
    """Characters of the id of a check, which 1,500 rows lack a key for."""
    checks = [facts("x" * size), *(facts(f"y{at}") for at in range(50))]
    return {**dataset(*numbered(1500)), "rubrics/a.json": rubric(*checks)}


def judges_of_a_jury(size: int) -> Files:
    """Judges of a jury that all are the same."""
    members = [{"judge_prompt_ref": "judge/a@1.0.0"}] * size
    jury = {"aggregation": "median", "judges": members}
    return {
        "judges/a.json": judge("{{ output }}{{ input }}"),
        "rubrics/a.json": rubric({"id": "p", "kind": "llm_judge", "jury": jury}),
    }


BOMBS = (
    Bomb(near_weights, 5000, (CHECK, JSON, FIX)),
    Bomb(weights_of_no_check, 7500, (CHECK, FIX)),
    Bomb(weights_of_no_check_in_yaml, 6000, (CHECK, FIX)),
    Bomb(near_check_ids, 9000),
    Bomb(repeated_check_ids, 12_000, (CHECK, JSON)),
    Bomb(repeated_values, 100_000),
    Bomb(faulty_values, 200_000, (CHECK, JSON)),
    Bomb(contradicting_values, 16_000, (CHECK, JSON)),
    Bomb(contradicting_checks, 4000),
    Bomb(long_check_id, 300_000, (CHECK, COVERAGE)),
    Bomb(judges_of_a_jury, 20_000),
)
