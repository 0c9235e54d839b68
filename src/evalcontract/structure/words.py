"""The words that no schema can tell: names of other tools, and words that are no near miss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container

#: Ordinary words, one edit away from a known key of the contract, that authors use for their
#: own ends.
ORDINARY = frozenset(
    {
        "content",
        "contest",
        "fnr",
        "fpr",
        "labels",
        "level",
        "libel",
        "mode",
        "modes",
        "motel",
        "stage",
        "stags",
        "tabs",
        "taps",
        "versions",
    }
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """What other tools call keys of ours; the first of `ours` that a mapping knows is meant.

    `distinct` names are nobody's own word.
    """

    ours: tuple[str, ...]
    distinct: bool = False


#: Keys that authors bring from other tools, by what we call them.
FOREIGN = {
    "question": Foreign(("input",)),
    "prompt": Foreign(("input", "template")),
    "prompt_template": Foreign(("template",), distinct=True),
    "query": Foreign(("input",)),
    "user_input": Foreign(("input",), distinct=True),
    "request": Foreign(("input",)),
    "vars": Foreign(("input",), distinct=True),
    "expected_output": Foreign(("expected",), distinct=True),
    "expected_response": Foreign(("expected",), distinct=True),
    "expected_answer": Foreign(("expected",), distinct=True),
    "ground_truth": Foreign(("expected",), distinct=True),
    "groundtruth": Foreign(("expected",), distinct=True),
    "reference": Foreign(("expected",)),
    "reference_answer": Foreign(("expected",), distinct=True),
    "answer": Foreign(("expected",)),
    "target": Foreign(("expected",)),
    "ideal": Foreign(("expected",)),
    "expectations": Foreign(("expected",), distinct=True),
    "assert": Foreign(("rubric_ref", "checks"), distinct=True),
    "asserts": Foreign(("rubric_ref", "checks"), distinct=True),
    "assertions": Foreign(("rubric_ref", "checks"), distinct=True),
    "graders": Foreign(("rubric_ref", "checks")),
    "evaluators": Foreign(("rubric_ref", "checks")),
    "guidelines": Foreign(("criteria",)),
    "tool_calls": Foreign(("expected_tools",)),
    "expected_tool_calls": Foreign(("expected_tools",), distinct=True),
    "retrieved_context": Foreign(("context",), distinct=True),
    "retrieval_context": Foreign(("context",), distinct=True),
}
#: Keys that authors try in a target, by what we call them. It is closed: none is their own.
OF_TARGET = {
    "strict": "strict_validation",
    "strict_mode": "strict_validation",
    "strictness": "strict_validation",
    "max_age": "max_validation_age_days",
    "max_age_days": "max_validation_age_days",
    "max_validation_age": "max_validation_age_days",
    "data": "dataset",
    "dataset_file": "dataset",
    "dataset_path": "dataset",
    "file": "dataset",
    "path": "dataset",
}
_HOW = {
    "expected": "`expected_facts` (a list) or `criteria` (prose), or below `expected`",
    "rubric_ref": "`rubric_ref`, and the checks go into a rubric",
}
# Where one of these is set, the row says what it expects, and an ordinary word is its own.
_EXPECTATIONS = ("criteria", "expected", "expected_facts", "rubric_ref")


def our_key(
    key: str, known: Container[str], value: dict[str, Any], missing: Container[str]
) -> str | None:
    """Return what we call a key of another tool; None where it is rather the author's own word.

    An ordinary word counts only where what it would mean is missing.
    """
    foreign = FOREIGN.get(key)
    ours = next((each for each in foreign.ours if each in known), None) if foreign else None
    if foreign is None or ours is None or ours in value:
        return None
    silent = ours in _EXPECTATIONS and not any(each in value for each in _EXPECTATIONS)
    return ours if foreign.distinct or ours in missing or silent else None


def key_of_target(key: str, known: Container[str], value: dict[str, Any]) -> str | None:
    """Return the key of a target that another word stands for; None elsewhere."""
    ours = OF_TARGET.get(key)
    return ours if ours in known and ours not in value else None


def how_to_write(ours: str) -> str:
    """Say where an author writes what another tool's key holds."""
    return f"here it is {_HOW.get(ours, f'`{ours}`')}"
