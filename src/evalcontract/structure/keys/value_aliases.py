"""Values named as in other tools: check kinds, aggregation methods, scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.nearest import normalise

if TYPE_CHECKING:
    from collections.abc import Container

_USE_REGEX = "use a `regex` check with `match: full` to compare the whole output"
_USE_JUDGE = "no built-in check measures this; use an `llm_judge`"


def _by_name(table: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return a table with an entry for each word of its keys."""
    return {name: value for names, value in table.items() for name in names.split()}


# The evalcontract values for a value of another tool; the first one that the key allows is used.
_VALUES = _by_name(
    {
        "icontains contains_any icontains_any includes include substring string_contains": (
            "must_contain_any",
        ),
        "not_contains not_icontains not_contains_any not_icontains_any not_contain excludes": (
            "must_not_contain",
        ),
        "is_json contains_json json valid_json json_correctness": ("json_schema",),
        (
            "llm_rubric model_graded_closedqa model_graded_factuality model_graded_qa g_eval geval"
            " llm judge score_model label_model closedqa llm_as_a_judge llm_as_judge llm_grader"
        ): ("llm_judge",),
        "contains_all icontains_all factuality facts factual_correctness": ("fact_match",),
        "tool_call tool_calls tools tool_correctness tool_call_f1": ("tool_usage",),
        "assert_set rubric multi": ("composite",),
        "matches match regexp pattern matches_regex": ("regex",),
        "average avg mean sum": (
            "weighted_avg",
            "average",
        ),
        "weighted weighted_mean weighted_sum weighted_average weighted_avg": (
            "weighted_avg",
            "weighted_average",
        ),
        "minimum lowest worst": ("min",),
        "maximum highest best": ("max",),
        "all and every": (
            "all_pass",
            "all",
        ),
        "any or some": (
            "any_pass",
            "any",
        ),
        "majority vote": ("majority_vote",),
        "numeric number float score percentage": ("continuous",),
        "boolean bool pass_fail yes_no": ("binary",),
        "categorical category label labels ordinal likert level": ("levels",),
        "strict ordered sequential": ("sequence",),
        "unordered any_order": ("any",),
        "find partial": ("search",),
        "contains": ("must_contain_any", "search"),
        "fullmatch full_match whole exact": ("full",),
        "fence first_block code_block": ("first_fence",),
        "raw full": ("whole",),
        "ignorecase ignore_case case_insensitive": ("i",),
        "multiline": ("m",),
        "dotall": ("s",),
        "verbose": ("x",),
    }
)
# Advice for the check kinds of other tools that have no direct counterpart.
_KIND_ADVICE = {
    **dict.fromkeys(("equals", "exact_match", "exact", "string_check", "equal"), _USE_REGEX),
    **dict.fromkeys(("starts_with", "ends_with"), "use a `regex` check with `^` or `$`"),
    **dict.fromkeys(("similar", "similarity", "rouge_n", "bleu", "levenshtein"), _USE_JUDGE),
    **dict.fromkeys(("python", "javascript", "webhook"), _USE_JUDGE),
}


def advice_for_value(value: str, allowed: Container[str]) -> str | None:
    """Return the advice for a value named as in another tool; None if there is none."""
    if name := canonical_value(value, allowed):
        return f"use `{name}`"
    return _KIND_ADVICE.get(normalise(value)) if "llm_judge" in allowed else None


def canonical_value(value: str, allowed: Container[str]) -> str | None:
    """Return the allowed value that corresponds to a value of another tool; None if none does."""
    return next((name for name in _VALUES.get(normalise(value), ()) if name in allowed), None)
