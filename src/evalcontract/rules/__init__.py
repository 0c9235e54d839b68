"""Judgements of meaning, one a file. The tables name every built-in rule; a test compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.rules import (
    duplicate_check_id,
    duplicate_id,
    duplicate_version,
    file_name,
    future_validation,
    impossible_date,
    invalid_json_schema,
    invalid_regex,
    no_rows,
    stale_validation,
    threshold_unused,
    unknown_bundle,
    unknown_weight,
    unnamed_check,
    unvalidated,
)

if TYPE_CHECKING:
    from evalcontract.rules._dataset_rule import DatasetRule
    from evalcontract.rules._rule import Rule

ARTIFACT_RULES: tuple[Rule, ...] = (
    unnamed_check.RULE,
    duplicate_check_id.RULE,
    invalid_regex.RULE,
    invalid_json_schema.RULE,
    unknown_weight.RULE,
    threshold_unused.RULE,
    *file_name.RULES,
    *duplicate_version.RULES,
    stale_validation.RULE,
    future_validation.RULE,
    impossible_date.RULE,
    unvalidated.RULE,
)

DATASET_RULES: tuple[DatasetRule, ...] = (
    duplicate_id.RULE,
    unknown_bundle.RULE,
    no_rows.RULE,
)
