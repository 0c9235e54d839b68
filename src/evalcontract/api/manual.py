"""Every code with its page: those of the rules, and those of the stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.rules import ARTIFACT_RULES, DATASET_RULES
from evalcontract.rules.stages import STAGE_PAGES

if TYPE_CHECKING:
    from evalcontract.model.page import Page


def manual() -> dict[str, Page]:
    """Return the pages by code, sorted."""
    pages = [rule.page for rule in (*ARTIFACT_RULES, *DATASET_RULES)] + list(STAGE_PAGES)
    return {page.code: page for page in sorted(pages, key=lambda page: page.code)}
