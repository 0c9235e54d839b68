"""What other tools call the values of ours: kinds of checks, ways to combine, scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.nearest import normalise

if TYPE_CHECKING:
    from collections.abc import Container

_WHOLE = "a `regex` check with `match: full` compares the whole output"
_NONE_LIKE_IT = "no check of ours measures that; an `llm_judge` can"


def _each(names: str, *ours: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), ours)


# Values of ours by those of other tools; the first that a key takes is meant.
_VALUES = {
    **_each(
        "icontains contains_any icontains_any includes include substring string_contains",
        "must_contain_any",
    ),
    **_each(
        "not_contains not_icontains not_contains_any not_icontains_any not_contain excludes",
        "must_not_contain",
    ),
    **_each("is_json contains_json json valid_json json_correctness", "json_schema"),
    **_each(
        "llm_rubric model_graded_closedqa model_graded_factuality model_graded_qa g_eval geval llm"
        " judge score_model label_model closedqa llm_as_a_judge llm_as_judge llm_grader",
        "llm_judge",
    ),
    **_each("contains_all icontains_all factuality facts factual_correctness", "fact_match"),
    **_each("tool_call tool_calls tools tool_correctness tool_call_f1", "tool_usage"),
    **_each("assert_set rubric multi", "composite"),
    **_each("matches match regexp pattern matches_regex", "regex"),
    **_each("average avg mean sum", "weighted_avg", "average"),
    **_each(
        "weighted weighted_mean weighted_sum weighted_average weighted_avg",
        "weighted_avg",
        "weighted_average",
    ),
    **_each("minimum lowest worst", "min"),
    **_each("maximum highest best", "max"),
    **_each("all and every", "all_pass", "all"),
    **_each("any or some", "any_pass", "any"),
    **_each("majority vote", "majority_vote"),
    **_each("numeric number float score percentage", "continuous"),
    **_each("boolean bool pass_fail yes_no", "binary"),
    **_each("categorical category label labels ordinal likert level", "levels"),
    **_each("strict ordered sequential", "sequence"),
    **_each("unordered any_order", "any"),
    **_each("find partial", "search"),
    "contains": ("must_contain_any", "search"),
    **_each("fullmatch full_match whole exact", "full"),
    **_each("fence first_block code_block", "first_fence"),
    **_each("raw full", "whole"),
    **_each("ignorecase ignore_case case_insensitive", "i"),
    **_each("multiline", "m"),
    **_each("dotall", "s"),
    **_each("verbose", "x"),
}
# Kinds for which there is something to say, but no one kind of ours.
_KINDS = {
    **dict.fromkeys(("equals", "exact_match", "exact", "string_check", "equal"), _WHOLE),
    **dict.fromkeys(("starts_with", "ends_with"), "a `regex` check with `^` or `$` does that"),
    **dict.fromkeys(("similar", "similarity", "rouge_n", "bleu", "levenshtein"), _NONE_LIKE_IT),
    **dict.fromkeys(("python", "javascript", "webhook"), _NONE_LIKE_IT),
}


def our_value(value: str, allowed: Container[str]) -> str | None:
    """Say what we call a value of another tool; None where there is nothing to say."""
    if ours := our_name(value, allowed):
        return f"here it is `{ours}`"
    return _KINDS.get(normalise(value)) if "llm_judge" in allowed else None


def our_name(value: str, allowed: Container[str]) -> str | None:
    """Return what we call a value of another tool; None where no one of ours is like it."""
    return next((each for each in _VALUES.get(normalise(value), ()) if each in allowed), None)
