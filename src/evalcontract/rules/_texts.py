"""The texts of a row that must not be blank."""

from __future__ import annotations

import re

from evalcontract.checks.coverage import VISIBLE

#: Keys whose text must not be blank, and keys whose list of texts must not have duplicates.
TEXTS = ("id", "input", "criteria")
LISTS = ("expected_facts", "must_contain_any", "must_not_contain", "tags")


def is_blank(text: str) -> bool:
    """Whether a text has no visible character."""
    return re.search(VISIBLE, text) is None
