"""The texts of a row that people read: which they are, and whether one has anything to see."""

from __future__ import annotations

import re

from evalcontract.checks.row_needs import VISIBLE

#: The texts of a row that must not be blank, and its lists of texts that hold none twice.
TEXTS = ("id", "input", "criteria")
LISTS = ("expected_facts", "must_not_contain", "tags")


def is_blank(text: str) -> bool:
    """Whether a text has nothing to see."""
    return re.search(VISIBLE, text) is None
