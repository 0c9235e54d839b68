"""What is wrong with a JSON Schema that somebody wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.model.path import Path


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """What is wrong at a place of a schema, and what to write instead.

    `also` are further places that belong to it: the hops of a circle.
    """

    message: str
    path: Path
    help: str | None = None
    on_key: bool = False
    also: tuple[tuple[str, Path], ...] = ()
