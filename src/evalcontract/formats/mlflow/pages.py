"""The pages of what MLflow refuses in records, and of what it stores without use."""

from __future__ import annotations

from evalcontract.formats.mlflow.pages_of_refusals import TEXTS as OF_REFUSALS
from evalcontract.formats.mlflow.pages_of_traps import TEXTS as OF_TRAPS
from evalcontract.model.page import Page, parse_page

PAGES: tuple[Page, ...] = tuple(
    parse_page(code, text) for code, text in (OF_REFUSALS | OF_TRAPS).items()
)
