"""Between which scores a threshold lies."""

from __future__ import annotations

from typing import Any

from library_artifacts import artifact, composite
from tables import every_case

from evalcontract.library.library import Library
from evalcontract.library.scores import thresholds


def judge(id_: str, **fields: Any) -> dict[str, Any]:
    """Return a judge of levels between 0.2 and 0.8 of its range."""
    levels = {"score_type": "levels", "level_values": [3, 1.5, 2], "min_score": 1, "max_score": 3.5}
    return {"id": id_, "version": "1.0.0", **levels, **fields}


JUDGES = [
    judge("levels"),
    judge("high", level_values=[3.5, 3]),
    judge("whole", level_values=[1, 3.5]),
    judge("binary", score_type="binary"),
    judge("none", level_values=[]),
    judge("words", level_values=["a"]),
    judge("truths", level_values=[True, 2]),
    judge("endless", level_values=[float("inf")]),
    judge("no_range", min_score=None),
    judge("backwards", min_score=4),
    judge("empty", min_score=2, max_score=2, level_values=[2]),
    judge("below", level_values=[0.5, 2]),
    judge("above", level_values=[2, 4]),
    judge("wide", min_score=-1e308, max_score=1e308, level_values=[0]),
    judge("huge", max_score=10**400),
]
LEVELS, HIGH = {"judge_prompt_ref": "judge/levels"}, {"judge_prompt_ref": "judge/high@1.0.0"}


def by(reference: object, **more: Any) -> dict[str, Any]:
    return {"id": "j", "kind": "llm_judge", "judge_prompt_ref": reference, **more}


def jury(*judges: Any, **more: Any) -> dict[str, Any]:
    return {"id": "j", "kind": "llm_judge", "jury": {"judges": [*judges], **more}}


def by_rubric(reference: object) -> dict[str, Any]:
    return {"id": "c", "kind": "composite", "rubric_ref": reference}


WEIGHTED = {"combine": "weighted_avg"}
RUBRICS = {
    "one": ([by("judge/levels")], WEIGHTED),
    "two": ([by("judge/levels"), by("judge/high")], {"combine": "avg"}),
    "all": ([by("judge/levels")], {"combine": "all_pass"}),
    "any": ([by("judge/levels")], {"combine": "any_pass"}),
    "broken": ([by("judge/levels"), 5], WEIGHTED),
    "no_checks": ([], WEIGHTED),
    "no_combine": ([by("judge/levels")], {}),
    "outer": ([by_rubric("rubric/one")], WEIGHTED),
}
LIBRARY = Library(
    [
        *(artifact(f"judges/{value['id']}.yaml", **value) for value in JUDGES),
        *(
            composite(id_)._replace(
                document=artifact("rubrics/x.yaml", checks=checks, scoring=scoring).document
            )
            for id_, (checks, scoring) in RUBRICS.items()
        ),
    ]
)
ALL, NARROW, UP = (0.0, 1.0), (0.2, 0.8), (0.8, 1.0)


def bounds_of(scoring: dict[str, Any], *checks: dict[str, Any], written: int | None = None) -> Any:
    """Return the rounded bounds of each threshold, by its path."""
    paths = [(("checks", number), check) for number, check in enumerate(checks)]
    told = thresholds(scoring, paths, len(checks) if written is None else written, LIBRARY)
    return {
        ".".join(map(str, threshold.path)): (
            threshold.value,
            (round(threshold.bounds.low, 9), round(threshold.bounds.high, 9)),
        )
        for threshold in told
    }


@every_case(
    ("check", "bounds"),
    [
        (by("judge/levels"), NARROW),
        (by("judge/levels@1.0"), NARROW),
        (by("judge/high"), UP),
        (by("judge/whole"), ALL),
        *((by(f"judge/{id_}"), ALL) for id_ in ("binary", "none", "words", "truths", "endless")),
        *(
            (by(f"judge/{id_}"), ALL)
            for id_ in ("no_range", "backwards", "empty", "below", "above")
        ),
        *((by(f"judge/{id_}"), ALL) for id_ in ("wide", "huge", "gone", "levels@2.0", "LEVELS")),
        (by(5), ALL),
        (by("rubric/one"), ALL),
        (jury(LEVELS, HIGH, aggregation="mean"), (0.2, 1.0)),
        (jury(LEVELS, LEVELS, aggregation="mean"), NARROW),
        (jury(LEVELS), ALL),
        (jury(LEVELS, aggregation="majority_vote"), ALL),
        (jury(LEVELS, 5, aggregation="mean"), ALL),
        (jury(LEVELS, {}, aggregation="mean"), ALL),
        (jury(aggregation="mean"), ALL),
        (by_rubric("rubric/one"), NARROW),
        (by_rubric("rubric/two"), (0.2, 1.0)),
        *((by_rubric(f"rubric/{id_}"), ALL) for id_ in ("all", "any", "broken", "no_checks")),
        *((by_rubric(f"rubric/{id_}"), ALL) for id_ in ("no_combine", "outer", "gone")),
        (by_rubric("judge/levels"), ALL),
        ({"id": "f", "kind": "fact_match"}, ALL),
    ],
)
def test_a_check(check: dict[str, Any], bounds: tuple[float, float]) -> None:
    assert bounds_of({}, {**check, "threshold": 0.5}) == {"checks.0.threshold": (0.5, bounds)}
    assert bounds_of({}, check) == {}


def test_a_check_of_facts() -> None:
    check = {"id": "f", "kind": "fact_match", "min_recall": 0.7}
    assert bounds_of({}, check) == {"checks.0.min_recall": (0.7, ALL)}
    assert bounds_of({}, {**check, "facts": ["a"]}) == {"checks.0.min_recall": (0.7, ALL)}
    assert bounds_of({}, {**check, "facts": []}) == {}


FIRST, SECOND = {**by("judge/levels"), "id": "a"}, {**by("judge/high"), "id": "b"}


@every_case(
    ("scoring", "checks", "bounds"),
    [
        ({"combine": "avg"}, [FIRST], NARROW),
        ({"combine": "avg"}, [FIRST, SECOND], (0.2, 1.0)),
        ({"combine": "avg"}, [SECOND], UP),
        ({"combine": "avg"}, [], ALL),
        ({"combine": "avg", "weights": {"b": 0}}, [FIRST, SECOND], (0.2, 1.0)),
        ({**WEIGHTED, "weights": {"b": 0}}, [FIRST, SECOND], NARROW),
        ({**WEIGHTED, "weights": {"a": 0, "b": 2}}, [FIRST, SECOND], UP),
        ({**WEIGHTED, "weights": {"a": 0, "b": 0}}, [FIRST, SECOND], ALL),
        ({**WEIGHTED, "weights": [0]}, [FIRST], NARROW),
        (WEIGHTED, [{**FIRST, "id": ["a"]}], NARROW),
        (WEIGHTED, [by_rubric("rubric/two")], (0.2, 1.0)),
    ],
)
def test_a_rubric(
    scoring: dict[str, Any], checks: list[dict[str, Any]], bounds: tuple[float, float]
) -> None:
    asked = {**scoring, "threshold": 0.5}
    assert bounds_of(asked, *checks) == {"scoring.threshold": (0.5, bounds)}
    assert bounds_of(asked, *checks, written=len(checks) + 1) == {"scoring.threshold": (0.5, ALL)}
    assert bounds_of(scoring, *checks) == {}


@every_case("combine", ["all_pass", "any_pass", None])
def test_a_threshold_without_an_effect(combine: str | None) -> None:
    scoring = {"threshold": 0.5, **({"combine": combine} if combine else {})}
    assert bounds_of(scoring, FIRST) == {}
