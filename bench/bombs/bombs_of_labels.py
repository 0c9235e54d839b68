"""Bombs for `calibrate-judge` and `migrate`: labels, and files of other tools."""

from __future__ import annotations

import json
from typing import Any

from bomb import CHECK, Bomb, Files, judge

CALIBRATE = ("calibrate-judge", "judges/a.json", "--labels", "labels.csv")
SWEEP = (*CALIBRATE, "--threshold", "auto", "--output-format", "json")
MIGRATE = ("migrate", "evals.json", "-o", "out")
GRADERS = ("migrate", "graders.json", "moved.json", "-o", "out")


def labels(lines: list[str], head: str = "id,human,judge", **keys: Any) -> Files:
    """Return a judge and its labels."""
    return {
        "judges/a.json": {**judge("{{ output }}"), **keys},
        "labels.csv": "".join(f"{line}\n" for line in (head, *lines)),
    }


def labelled(size: int) -> Files:
    """Labels of a judge that agrees with half of them."""
    return labels([f"{at},{at % 2},{at % 3 and 1}" for at in range(size)])


def scores(size: int) -> Files:
    """Labels with a score of its own each."""
    lines = [f"{at},{at % 2},{at / size:.6f}" for at in range(size)]
    return labels(lines, score_type="continuous", pass_threshold=0.5)


def annotators(size: int) -> Files:
    """People who all labelled the same output."""
    return labels([f"a,{at % 2},1,p{at}" for at in range(size)], "id,human,judge,annotator")


def groups_of_annotators(size: int) -> Files:
    """Outputs that 40 people of their own labelled each."""
    lines = [f"{at // 40},{at % 2},1,{at}" for at in range(size)]
    return labels(lines, "id,human,judge,annotator")


def unknown_labels(size: int) -> Files:
    """Labels that are neither pass nor fail."""
    return labels([f"{at},x,1" for at in range(size)])


def conflicting_labels(size: int) -> Files:
    """Labels of one output, half of them pass."""
    return labels([f"a,{at % 2},{at % 2}" for at in range(size)])


def splits_of_labels(size: int) -> Files:
    """Labels with a split and a model of their own each."""
    lines = [f"{at},{at % 2},1,s{at},m{at}" for at in range(size)]
    return labels(lines, "id,human,judge,split,model")


def levels(size: int) -> Files:
    """Levels of a judge, and as many verdicts that resemble them."""
    names = [f"level{at}" for at in range(size)]
    lines = [f"{at},{at % 2},levle{at}" for at in range(size)]
    return labels(lines, score_type="levels", level_names=names, pass_threshold=0.5)


def columns(size: int) -> Files:
    """Columns of labels that are not read."""
    return labels(["a,1,1"], "id,human,judge," + ",".join(f"humna{at}" for at in range(size)))


def cases(many: int, **keys: Any) -> dict[str, Any]:
    """Return a file of ai_best_practices."""
    return {"evals": [{"prompt": "p", **keys} for _ in range(many)]}


def moved_cases(size: int) -> Files:
    """Cases of ai_best_practices."""
    return {"evals.json": cases(size, must_contain_any=["a"])}


def moved_rules(size: int) -> Files:
    """Cases with a rule of their own each."""
    made = [
        {"prompt": "p", "check_markdown_structure": {"min_headings": at + 1}} for at in range(size)
    ]
    return {"evals.json": {"evals": made}}


def near_case_keys(size: int) -> Files:
    """Misspelled keys of a case."""
    return {"evals.json": cases(1, **{f"must_contain_anx{at}": 1 for at in range(size)})}


def faulty_cases(size: int) -> Files:
    """Cases that are no mappings."""
    return {"evals.json": {"evals": [1] * size}}


def same_cases(size: int) -> Files:
    """Cases with the same id."""
    return {"evals.json": cases(size, id="a")}


def texts_of_a_case(size: int) -> Files:
    """Texts of a case that are the same but for their case."""
    texts = [format(at, "017b").replace("1", "A").replace("0", "a") for at in range(size)]
    return {"evals.json": cases(1, must_contain_any=texts)}


def moved_graders(size: int) -> Files:
    """Graders that are not known, and settings of one that is."""
    settings: dict[str, Any] = {f"thresholb{at}": at for at in range(size)}
    graders = {**{f"g{at}": None for at in range(size)}, "accuracy": settings}
    rows = [{"id": f"{at}", "input": "b"} for at in range(size // 2)]
    return {"graders.json": {"graders": graders}, "moved.json": {"questions": rows}}


def moved_rubrics(size: int) -> Files:
    """Rows with a rubric of their own each."""
    rows = [{"id": f"{at}", "input": "b", "rubric_ref": f"rubric/r{at}@1"} for at in range(size)]
    graders = json.dumps({"graders": {"rubric_checks": {}, "accuracy": {}}})
    return {"graders.json": graders, "moved.json": {"questions": rows}}


BOMBS = (
    Bomb(labelled, 90_000, (CHECK, CALIBRATE)),
    Bomb(scores, 55_000, (CHECK, SWEEP)),
    Bomb(annotators, 77_000, (CHECK, CALIBRATE)),
    Bomb(groups_of_annotators, 60_000, (CHECK, CALIBRATE)),
    Bomb(unknown_labels, 90_000, (CHECK, CALIBRATE)),
    Bomb(conflicting_labels, 150_000, (CHECK, CALIBRATE)),
    Bomb(splits_of_labels, 40_000, (CHECK, CALIBRATE)),
    Bomb(levels, 20_000, (CHECK, CALIBRATE)),
    Bomb(columns, 80_000, (CHECK, CALIBRATE)),
    Bomb(moved_cases, 20_000, (CHECK, MIGRATE)),
    Bomb(moved_rules, 13_000, (CHECK, MIGRATE)),
    Bomb(near_case_keys, 35_000, (CHECK, MIGRATE)),
    Bomb(faulty_cases, 300_000, (CHECK, MIGRATE)),
    Bomb(same_cases, 30_000, (CHECK, MIGRATE)),
    Bomb(texts_of_a_case, 40_000, (CHECK, MIGRATE)),
    Bomb(moved_graders, 15_000, (CHECK, GRADERS)),
    Bomb(moved_rubrics, 12_000, (CHECK, GRADERS)),
)
