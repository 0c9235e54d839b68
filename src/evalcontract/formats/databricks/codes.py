"""The codes of findings on evaluation sets of Databricks."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "databricks",
    silently_accepted=("two-expectations",),
    guesses=("undocumented",),
    notes=("data-frame",),
)
