"""Contradictions with the checks that a composite reaches, and where they are not certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from doors import Options, check_workspaces
from tables import every_case
from texts import facts
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

MUST = {"kind": "must_contain_any", "values": ["refund"]}
NEVER = {"kind": "must_not_contain", "values": ["refund"]}
INNER = {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"}
OWN = {"kind": "composite", "rubric_ref": "rubric/own@1.0.0"}
OTHER = {"kind": "regex", "pattern": "a"}


ELSEWHERE = {"kind": "composite", "rubric_ref": "rubric/own"}
BROKEN = {"kind": "regex", "patern": "a"}


def rubric(combine: str, *checks: dict[str, Any]) -> dict[str, Any]:
    named = [{"id": f"c{number}", **check} for number, check in enumerate(checks)]
    return {"version": "1.0.0", "checks": named, "scoring": {"combine": combine}}


def inner(combine: str, *checks: dict[str, Any]) -> dict[str, Any]:
    """Return a rubric whose checks have no ids: they are named by their number."""
    return {**rubric(combine, *checks), "checks": [*checks]}


NEVER_INSIDE = inner("all_pass", NEVER)
FIRST = "$.checks[0].values[0] refund c1/check 1"
SECOND = "$.checks[1].values[0] refund c0/check 1"


@every_case(
    ("own", "within", "expected"),
    [
        (rubric("all_pass", MUST, INNER), NEVER_INSIDE, [FIRST]),
        (rubric("min", MUST, INNER), NEVER_INSIDE, [FIRST]),
        (rubric("all_pass", INNER, MUST), NEVER_INSIDE, [SECOND]),
        # One of the rubric's checks is enough, or all have to pass: both rubrics must agree.
        (rubric("any_pass", MUST, INNER), inner("max", NEVER), ["$.checks[0].values c1/check 1"]),
        (rubric("max", MUST, INNER), inner("any_pass", NEVER), ["$.checks[0].values c1/check 1"]),
        (rubric("any_pass", MUST, INNER), NEVER_INSIDE, []),
        (rubric("all_pass", MUST, INNER), inner("any_pass", NEVER), []),
        (rubric("nope", INNER, MUST), NEVER_INSIDE, []),
        (rubric("all_pass", INNER, MUST), inner("nope", NEVER), []),
        (rubric("all_pass", INNER, MUST) | {"scoring": 5}, NEVER_INSIDE, []),
        (rubric("all_pass", INNER, MUST), NEVER_INSIDE | {"scoring": 5}, []),
        # A composite that every score passes decides nothing.
        (rubric("all_pass", MUST, {**INNER, "threshold": 0}), NEVER_INSIDE, []),
        (rubric("all_pass", MUST, {**INNER, "threshold": 0.1}), NEVER_INSIDE, [FIRST]),
        (rubric("all_pass", MUST, {**INNER, "threshold": 1}), NEVER_INSIDE, [FIRST]),
        # What is wrong inside of a rubric is told there.
        (rubric("all_pass", INNER), inner("all_pass", NEVER, MUST), []),
        (rubric("all_pass", INNER, OTHER), inner("all_pass", OTHER), []),
        # A rubric is reached once, and never itself.
        (rubric("all_pass", INNER, INNER, MUST), NEVER_INSIDE,
         ["$.checks[2].values[0] refund c0/check 1"]),
        (rubric("all_pass", OWN, MUST), NEVER_INSIDE, []),
        (rubric("all_pass", OWN, NEVER), NEVER_INSIDE, []),
        (rubric("all_pass", OWN, MUST, NEVER), NEVER_INSIDE, ["$.checks[1].values[0] refund c2"]),
        # What is malformed, missing or nested is left out.
        (rubric("all_pass", INNER, MUST), [], []),
        (rubric("all_pass", INNER, MUST), NEVER_INSIDE | {"checks": 5}, []),
        (rubric("all_pass", {**INNER, "rubric_ref": "rubric/nobody"}, MUST), NEVER_INSIDE, []),
        (rubric("all_pass", {**INNER, "rubric_ref": "judge/inner"}, MUST), NEVER_INSIDE, []),
        (rubric("all_pass", INNER, MUST), inner("all_pass", ELSEWHERE, NEVER),
         ["$.checks[1].values[0] refund c0/check 2"]),
        (rubric("all_pass", INNER, MUST), inner("all_pass", BROKEN, NEVER),
         ["$.checks[1].values[0] refund c0/check 2"]),
    ],
    ids=range(26),
)  # fmt: skip
def test_where_checks_contradict_those_inside(
    own: Any, within: Any, expected: list[str], tmp_path: Path
) -> None:
    if isinstance(within, dict):
        within = {"id": "inner", **within}
    files = {"rubrics/own.json": {"id": "own", **own}, "rubrics/inner.json": within}
    write(tmp_path, files)
    diagnostics = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    assert "internal/rule-crashed" not in [finding.code for finding in diagnostics]
    contradictions = [
        " ".join([finding.pointer, *facts(finding.message)])
        for finding in diagnostics
        if finding.code == "rubric/contradiction" and finding.place.file.endswith("own.json")
    ]
    assert contradictions == expected
