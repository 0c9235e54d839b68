"""The pages of what is wrong with the structure of a file, one module a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.structure.pages import bundle, dataset, judge, keys, rubric, target

if TYPE_CHECKING:
    from evalcontract.model.page import Page

PAGES: tuple[Page, ...] = (
    *dataset.PAGES,
    *bundle.PAGES,
    *rubric.PAGES,
    *judge.PAGES,
    *target.PAGES,
    *keys.PAGES,
)
