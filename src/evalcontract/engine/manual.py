"""Every code with its page: those of the rules, and those of the stages before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.engine.pages import PAGES as OF_ITSELF
from evalcontract.engine.rules_in_use import rules_in_use
from evalcontract.formats.databricks.pages import PAGES as OF_DATABRICKS
from evalcontract.formats.evret.pages import PAGES as OF_EVRET
from evalcontract.formats.mlflow.pages import PAGES as OF_MLFLOW
from evalcontract.formats.northstar.pages import PAGES as OF_NORTHSTAR
from evalcontract.library.pages import PAGES as OF_LIBRARY
from evalcontract.source.pages import PAGES as OF_SOURCE
from evalcontract.structure.pages import PAGES as OF_STRUCTURE
from evalcontract.workspace.pages import PAGES as OF_WORKSPACE

if TYPE_CHECKING:
    from evalcontract.model.page import Page


def every_page() -> list[Page]:
    """Return the pages of all codes."""
    return [
        *(rule.page for rule in rules_in_use().every),
        *OF_SOURCE,
        *OF_STRUCTURE,
        *OF_LIBRARY,
        *OF_WORKSPACE,
        *OF_DATABRICKS,
        *OF_EVRET,
        *OF_NORTHSTAR,
        *OF_ITSELF,
        *OF_MLFLOW,
    ]


def manual() -> dict[str, Page]:
    """Return the pages by code, sorted."""
    return {page.code: page for page in sorted(every_page(), key=lambda page: page.code)}
