"""A problem of an authored JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """A problem at a path of a schema, with its message and help.

    `also` are related paths, each with a message: the further steps of a circular reference.
    """

    message: str
    path: Path
    help: str | None = None
    on_key: bool = False
    also: tuple[tuple[str, Path], ...] = ()
