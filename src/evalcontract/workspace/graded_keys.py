"""`row_keys_graded`: the keys of rows that the graders of a runner read, besides the rubric."""

from __future__ import annotations

from typing import Any

from evalcontract.model.nearest import nearest

#: The key of a target and of the configuration.
GRADED = "row_keys_graded"


def graded_keys(value: Any) -> frozenset[str]:
    """Return the keys that a list names; none if it is malformed."""
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        return frozenset()
    return frozenset(value)


def meant_row_key(key: str) -> str | None:
    """Return the known key of rows that a key misspells, or None: it may be one of a bundle."""
    from evalcontract.structure.keys.names import EVERYDAY_WORDS  # rarely needed, both
    from evalcontract.structure.schemas import definition, properties

    known = properties(definition("row", of="dataset"))
    if key in known or key in EVERYDAY_WORDS or key.startswith("x_"):
        return None
    return nearest(key, known)
