"""Datasets of other systems: how they are read and judged, and how ours become theirs.

The table names every built-in format; a test compares it with the folder. What is said of a file
is a `Problem`; the schema of a dialect is `schema/formats/NAME[-VARIANT].schema.json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.formats._format import Dialect, dialects_of
from evalcontract.formats.databricks import DATABRICKS
from evalcontract.formats.evret import EVRET
from evalcontract.formats.mlflow import MLFLOW
from evalcontract.formats.northstar import NORTHSTAR
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from evalcontract.formats._format import Format

FORMATS: tuple[Format, ...] = (DATABRICKS, EVRET, MLFLOW, NORTHSTAR)

#: What a dataset of ours is called where a dialect is asked for.
OURS = "evalcontract"

__all__ = ["FORMATS", "OURS", "Dialect", "dialect_of", "dialects"]


def dialects() -> list[Dialect]:
    """List every dialect, each format's default first."""
    return dialects_of(FORMATS)


def dialect_of(name: str) -> Dialect:
    """Return the dialect of a name such as `evret:0.0.1`; without a variant, the default one.

    Raises:
        UsageError: there is none; the message says which there are.

    """
    found: dict[str, Dialect] = {str(each): each for each in reversed(dialects())}
    found |= {each.format.name: each for each in reversed(dialects())}
    if name in found:
        return found[name]
    format_, _, variant = name.partition(":")
    there = [each for each in dialects() if each.format.name == format_]
    names = [str(each) for each in there or dialects()]
    if there and variant and there[0].variant is None:
        raise UsageError(f"`{format_}` has no variants")
    near = nearest(name, [*found, OURS])
    advice = f"did you mean `{near}`? " if near else ""
    listed = ", ".join(f"`{each}`" for each in names)
    raise UsageError(f"there is no dialect `{name}`; {advice}there are {listed}")
