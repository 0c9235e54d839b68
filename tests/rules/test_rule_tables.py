"""What holds of all built-in rules for rows."""

from __future__ import annotations

from evalcontract.rules import ROW_RULES, load_rules


def test_clean_rows_never_reach_a_rule() -> None:
    """A rule without a prefilter is right, and runs on every row of every dataset."""
    assert [rule.code for rule in load_rules(ROW_RULES) if rule.silent is None] == []
