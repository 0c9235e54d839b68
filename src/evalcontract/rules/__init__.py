"""Judgements of meaning, one a file. The tables name every built-in rule; a test compares.

They are names, since a run imports only the rules on what it looks at: a rule takes longer to
import than to find nothing in a small file.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.reference import Kind

#: Modules of this folder with rules on rubrics, in the order in which they speak, and the words of
#: which one must stand in a rubric, or they have nothing to say: keys of the rubric, of its checks
#: or of `scoring`, and kinds of checks. Without words they look at every rubric.
RUBRIC_RULES: dict[str, tuple[str, ...]] = {
    "unnamed_check": (),
    "duplicate_check_id": (),
    "invalid_regex": ("regex",),
    "misread_regex": ("regex",),
    "invalid_json_schema": ("json_schema",),
    "unknown_weight": ("weights",),
    "threshold_unused": ("threshold",),
    "zero_weights": ("weights", "jury"),
    "missing_weight": ("weights",),
    "weights_unused": ("weights", "jury"),
    "threshold_always_reached": ("threshold", "min_recall"),
    "unreachable_threshold": ("threshold", "min_recall"),
    "contradiction": (),
    "vacuous_regex": ("regex",),
    "slow_regex": ("regex", "json_schema"),
    "vacuous_schema": ("json_schema",),
    "unsatisfiable_schema": ("json_schema",),
    "near_miss_keyword": ("json_schema",),
    "near_miss_required": ("json_schema",),
    "outdated_keyword": ("json_schema",),
    "no_facts": ("facts",),
    "tied_jury": ("jury",),
    "judge_not_applicable": ("judge_prompt_ref", "rubric_ref", "jury"),
    "same_check": (),
    "repeated_value": (),
    "repeated_judge": ("jury",),
    "heading_marks": ("required_sections",),
    "required_keys_unused": ("required_keys",),
    "file_name": (),
    "duplicate_version": (),
}

#: On judges; two modules have a rule on either.
JUDGE_RULES = (
    "file_name",
    "duplicate_version",
    "stale_validation",
    "future_validation",
    "impossible_date",
    "unvalidated",
    "template_tag",
    "template_json",
    "output_unused",
    "input_unused",
    "level_values",
    "score_range",
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

#: On rows.
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
)

#: On a dataset as a whole.
DATASET_RULES = (
    "duplicate_id",
    "unknown_bundle",
    "no_rows",
)


def rubric_rules_for(rubric: dict[str, Any]) -> tuple[str, ...]:
    """Return the modules of which a rule may speak of a rubric, whatever is wrong with that."""
    checks, scoring = rubric.get("checks"), rubric.get("scoring")
    parts = [rubric, scoring, *(checks if isinstance(checks, list) else ())]
    mappings = [part for part in parts if isinstance(part, dict)]
    words = {key for part in mappings for key in part}
    words |= {part["kind"] for part in mappings if isinstance(part.get("kind"), str)}
    return tuple(
        name for name, reads in RUBRIC_RULES.items() if not reads or not words.isdisjoint(reads)
    )


def load_rules(modules: Iterable[str], kind: Kind | None = None) -> tuple[Any, ...]:
    """Import the rules of some modules: the `RULE` of each, or what its `RULES` has on a kind."""
    return tuple(rule for name in modules for rule in _rules_of(name, kind))


@cache
def _rules_of(name: str, kind: Kind | None) -> tuple[Any, ...]:
    module = import_module(f"{__name__}.{name}")
    if hasattr(module, "RULE"):
        return (module.RULE,)
    return tuple(rule for rule in module.RULES if kind in rule.kinds)
