"""The pages of what the stages before the rules find: reading, structure and references."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.model.page import Page

STAGE_PAGES: tuple[Page, ...] = ()
