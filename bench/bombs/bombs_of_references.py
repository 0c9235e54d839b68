"""Bombs in the references between artifacts."""

from __future__ import annotations

from typing import Any

from bomb import (
    CHECK,
    COVERAGE,
    JSON,
    Bomb,
    Files,
    composite,
    contains,
    dataset,
    facts,
    judge,
    numbered,
    rubric,
)

UNSAFE_FIXES = ("fix", "--diff", "--unsafe-fixes", ".")
LAYERS = 12


def layers_of_composites(size: int) -> Files:
    """Rubrics in each of twelve layers; each refers to all of the next layer."""
    rubrics = {}
    for layer in range(LAYERS):
        below = [composite(f"c{to}", f"l{layer + 1}_{to}") for to in range(size)]
        for at in range(size):
            name = f"l{layer}_{at}"
            checks = below if layer < LAYERS - 1 else [contains()]
            rubrics[f"rubrics/{name}.json"] = rubric(*checks, id_=name)
    return {**dataset(*numbered(1, rubric_ref="rubric/l0_0@1.0.0")), **rubrics}


def composites_of_one_rubric(size: int) -> Files:
    """Composites of one rubric that all refer to the same other one."""
    outer = rubric(*(composite(f"c{at}", "leaf") for at in range(size)))
    return {**dataset(*numbered(1)), **_leaf(40), "rubrics/a.json": outer}


def rubrics_with_one_composite(size: int) -> Files:
    """Rubrics that all refer to the same other one."""
    rubrics = {
        f"rubrics/a{at}.json": rubric(composite("c", "leaf"), id_=f"a{at}") for at in range(size)
    }
    return {**dataset(*numbered(1, rubric_ref="rubric/a1@1.0.0")), **_leaf(40), **rubrics}


def rubrics_by_checks(size: int) -> Files:
    """Rubrics with a row each, which all refer to one rubric of 4,000 checks."""
    rubrics = {
        f"rubrics/a{at}.json": rubric(composite("c", "leaf"), id_=f"a{at}") for at in range(size)
    }
    rows = [
        {"id": f"a{at}", "input": "b", "rubric_ref": f"rubric/a{at}@1.0.0"} for at in range(size)
    ]
    return {**dataset(*rows), **_leaf(4000), **rubrics}


def composites_by_checks(size: int) -> Files:
    """Composites to one rubric with as many checks that the rows lack a key for."""
    leaf = rubric(*(facts(f"x{at}") for at in range(size)), id_="leaf")
    outer = rubric(*(composite(f"c{at}", "leaf") for at in range(size)))
    rows = numbered(size * 3 // 5)
    return {**dataset(*rows), "rubrics/leaf.json": leaf, "rubrics/a.json": outer}


def ring_of_composites(size: int) -> Files:
    """Rubrics that each refer to the next one, and the last to the first."""
    return {
        f"rubrics/a{at}.json": rubric(composite("c", f"a{(at + 1) % size}"), id_=f"a{at}")
        for at in range(size)
    }


def dangling_pins(size: int) -> Files:
    """Versions of a rubric, and as many references to versions that do not exist."""
    versions = {
        f"rubrics/x@1.0.{at}.json": rubric(contains(), id_="x", version=f"1.0.{at}")
        for at in range(size)
    }
    return {**dataset(*_rows(f"x@2.0.{at}" for at in range(size))), **versions}


def malformed_pins(size: int) -> Files:
    """Malformed references to versions that do not exist, of a rubric with a thousand versions."""
    versions = {
        f"rubrics/x@1.0.{at}.json": rubric(contains(), id_="x", version=f"1.0.{at}")
        for at in range(1000)
    }
    rows = [
        {"id": f"a{at}", "input": "b", "rubric_ref": f"rubrics/x@v2.0.{at}"} for at in range(size)
    ]
    return {**dataset(*rows), **versions}


def dangling_ids(size: int) -> Files:
    """References to a thousand rubrics by nearly their names."""
    names = [f"longer_name_{at}" for at in range(1000)]
    rubrics = {f"rubrics/{name}.json": rubric(contains(), id_=name) for name in names}
    return {**dataset(*_rows(f"longer_nmae_{at}x@2.0.0" for at in range(size))), **rubrics}


def nearly_named_rubrics(size: int) -> Files:
    """References to 1,500 rubrics by nearly their names, and with their version."""
    names = [f"longer_name_{at}" for at in range(1500)]
    rubrics = {f"rubrics/{name}.json": rubric(contains(), id_=name) for name in names}
    targets = (f"{names[at % 1500]}{'abcdefgh'[at // 1500 % 8]}@1.0.0" for at in range(size))
    return {**dataset(*_rows(targets)), **rubrics}


def repeated_versions(size: int) -> Files:
    """Rubrics with the same id and version."""
    rubrics = {f"rubrics/x{at}.json": rubric(contains(), id_="x") for at in range(size)}
    return {**dataset(*numbered(1, rubric_ref="rubric/x@1.0.0")), **rubrics}


def dangling_judges(size: int) -> Files:
    """Checks with a judge that does not exist."""
    return {"rubrics/a.json": rubric(*(_judged(f"a{at}", at) for at in range(size)))}


def judges_with_the_same_needs(size: int) -> Files:
    """Checks of a rubric of a thousand rows, with a judge each that the same key is missing for."""
    return _judges(size, ["{{ output }}{{ input }}{{ expected.x }}"] * size, numbered(1000))


def judges_with_their_own_needs(size: int) -> Files:
    """Checks of a rubric of many rows, with a judge each that a key of its own is missing for."""
    templates = [f"{{{{ output }}}}{{{{ expected.x{at} }}}}" for at in range(size)]
    return _judges(size, templates, numbered(size, expected={"y": 1}))


def _judges(size: int, templates: list[str], rows: list[dict[str, Any]]) -> Files:
    judges = {
        f"judges/j{at}.json": judge(template, id_=f"j{at}") for at, template in enumerate(templates)
    }
    checks = rubric(*(_judged(f"j{at}", at) for at in range(size)))
    return {**dataset(*rows), **judges, "rubrics/a.json": checks}


def _judged(name: str, number: int) -> dict[str, Any]:
    return {"id": f"p{number}", "kind": "llm_judge", "judge_prompt_ref": f"judge/{name}@1.0.0"}


def _leaf(checks: int) -> Files:
    leaf = rubric(*(contains(f"x{at}", f"a b{at}") for at in range(checks)), id_="leaf")
    return {"rubrics/leaf.json": leaf}


def _rows(targets: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"a{at}", "input": f"b{at}", "rubric_ref": f"rubric/{target}"}
        for at, target in enumerate(targets)
    ]


BOMBS = (
    Bomb(layers_of_composites, 12, (CHECK, COVERAGE)),
    Bomb(composites_of_one_rubric, 2500, (CHECK, COVERAGE)),
    Bomb(rubrics_with_one_composite, 2500),
    Bomb(rubrics_by_checks, 1500, (CHECK, COVERAGE)),
    Bomb(composites_by_checks, 5000, (CHECK, COVERAGE)),
    Bomb(ring_of_composites, 4000),
    Bomb(dangling_pins, 1000, (CHECK, JSON)),
    Bomb(malformed_pins, 10_000, (CHECK, JSON)),
    Bomb(dangling_ids, 5000, (CHECK, JSON)),
    Bomb(nearly_named_rubrics, 7000, (CHECK, UNSAFE_FIXES)),
    Bomb(repeated_versions, 4000, (CHECK, JSON)),
    Bomb(dangling_judges, 9000, (CHECK, JSON)),
    Bomb(judges_with_the_same_needs, 3000, (CHECK, COVERAGE)),
    Bomb(judges_with_their_own_needs, 1000, (CHECK, COVERAGE)),
)
