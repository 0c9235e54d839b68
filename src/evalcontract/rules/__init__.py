"""The rules, one per file. The tables list every built-in rule; a test compares them.

The tables hold module names, so that a run imports only the rules it needs.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.reference import Kind

#: Modules with rules for rubrics, in the order in which they run.
RUBRIC_RULES = (
    "unnamed_check",
    "duplicate_check_id",
    "invalid_regex",
    "misread_regex",
    "invalid_json_schema",
    "unknown_weight",
    "threshold_unused",
    "zero_weights",
    "missing_weight",
    "weights_unused",
    "threshold_always_reached",
    "unreachable_threshold",
    "contradiction",
    "vacuous_regex",
    "unmatchable_regex",
    "slow_regex",
    "vacuous_schema",
    "vacuous_check",
    "unsatisfiable_schema",
    "near_miss_keyword",
    "near_miss_required",
    "outdated_keyword",
    "other_draft",
    "ignored_keyword",
    "untyped_schema",
    "unasserted_format",
    "no_facts",
    "tiny_recall",
    "tied_jury",
    "judge_not_applicable",
    "same_check",
    "repeated_value",
    "blank_item",
    "quoted_item",
    "literal_pattern",
    "artifact_cut_text",
    "repeated_judge",
    "heading_marks",
    "required_keys_unused",
    "file_name",
    "duplicate_version",
)

#: Rules for judges. Three modules have a rule for each kind of artifact.
JUDGE_RULES = (
    "file_name",
    "duplicate_version",
    "stale_validation",
    "undated_validation",
    "unmeasured_validation",
    "future_validation",
    "impossible_date",
    "unvalidated",
    "template_tag",
    "template_json",
    "key_in_template",
    "artifact_cut_text",
    "output_unused",
    "input_unused",
    "level_values",
    "score_range",
    "incomplete_scale",
    "scale_unused",
    "ineffective_threshold",
    "validation_disagrees",
    "one_sided_validation",
    "no_better_than_chance",
    "small_sample",
    "validated_other_version",
    "validated_other_template",
    "validated_other_model",
    "validated_without_cutoff",
)

#: Rules for rows.
ROW_RULES = (
    "check_never_runs",
    "check_always_passes",
    "nothing_runs",
    "nothing_to_grade",
    "unread_expectation",
    "blank_value",
    "repeated_row_value",
    "bundle_not_applicable",
    "row_contradiction",
    "quoted_value",
    "row_literal_pattern",
    "unnormalized_id",
    "split_text",
)

#: Rules for a whole dataset.
DATASET_RULES = (
    "duplicate_id",
    "unknown_bundle",
    "no_rows",
    "cut_text",
)


def load_rules(modules: Iterable[str], kind: Kind | None = None) -> tuple[Any, ...]:
    """Import modules and return their rules: `RULE`, or those of `RULES` for the given kind."""
    return tuple([rule for name in modules for rule in _rules_of(name, kind)])


def rules_named_for(code: str) -> tuple[Any, ...]:
    """Import the rules of the module named after a code, if there is one."""
    name = code.partition("/")[2].replace("-", "_")
    tables = (RUBRIC_RULES, JUDGE_RULES, ROW_RULES, DATASET_RULES)
    return load_rules([name]) if any(name in table for table in tables) else ()


@cache
def _rules_of(name: str, kind: Kind | None) -> tuple[Any, ...]:
    module = import_module(f"{__name__}.{name}")
    if hasattr(module, "RULE"):
        return (module.RULE,)
    return tuple(rule for rule in module.RULES if kind is None or kind in rule.kinds)
