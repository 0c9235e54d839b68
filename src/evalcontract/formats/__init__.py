"""Dataset formats of other systems: how they are read, checked and converted.

`FORMATS` lists every built-in format; a test compares it with the folder. Findings are `Problem`s.
The schema of a dialect is `schema/formats/NAME[-VARIANT].schema.json`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._findings import quoted
from evalcontract.formats._format import Dialect, Format, dialects_of
from evalcontract.formats.agent_skills import AGENT_SKILLS
from evalcontract.formats.databricks import DATABRICKS
from evalcontract.formats.deepeval import DEEPEVAL
from evalcontract.formats.evret import EVRET
from evalcontract.formats.inspect import INSPECT
from evalcontract.formats.mlflow import MLFLOW
from evalcontract.formats.northstar import NORTHSTAR
from evalcontract.formats.openai import OPENAI
from evalcontract.formats.promptfoo import PROMPTFOO
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import IDENTIFIER
from evalcontract.source.installed import entry_points

FORMATS: tuple[Format, ...] = (
    AGENT_SKILLS,
    DATABRICKS,
    DEEPEVAL,
    EVRET,
    INSPECT,
    MLFLOW,
    NORTHSTAR,
    OPENAI,
    PROMPTFOO,
)

__all__ = ["FORMATS", "OURS", "Dialect", "dialect_of", "dialects", "formats_in_use"]


@cache
def formats_in_use() -> tuple[Format, ...]:
    """Return the built-in formats, and the entry points of `evalcontract.dialects`.

    Raises:
        PluginError: one does not load, or is no format that can be used.

    """
    return (*FORMATS, *entry_points("dialects", _fault_of).values())


def _fault_of(name: str, found: Any) -> str | None:
    """Say why what another package brings is no format that can be used."""
    if not isinstance(found, Format):
        return "is no Format"
    if found.name != name or not IDENTIFIER.fullmatch(name):
        return f"is called `{found.name}`; a format is named in snake_case, as its entry point"
    if name in {OURS, *(format_.name for format_ in FORMATS)}:
        return "has a name that is taken"
    if set(found.schemas) != set(found.variants or ("",)):
        return "has no JSON Schema for each of its variants"
    are_known = [code.startswith(f"{name}/") and code.docstring for code in found.codes]
    if not are_known or not all(are_known):
        return f"has no codes `{name}/…`, each with a page: declare them with `codes_of_system`"
    return None


def dialects() -> list[Dialect]:
    """List every dialect, each format's default first."""
    return dialects_of(formats_in_use())


def dialect_of(name: str) -> Dialect:
    """Return the dialect of a name such as `evret:0.0.1`; without a variant, the default one.

    Raises:
        UsageError: the name is unknown; the message lists the known ones.

    """
    known: dict[str, Dialect] = {str(dialect): dialect for dialect in reversed(dialects())}
    known |= {dialect.format.name: dialect for dialect in reversed(dialects())}
    if name in known:
        return known[name]
    format_, _, variant = name.partition(":")
    variants = [dialect for dialect in dialects() if dialect.format.name == format_]
    if variants and variant and variants[0].variant is None:
        raise UsageError(f"`{format_}` has no variants")
    near = nearest(name, [*known, OURS])
    advice = f"did you mean `{near}`? " if near else ""
    names = quoted(str(dialect) for dialect in variants or dialects())
    raise UsageError(f"there is no dialect `{name}`; {advice}there are {names}")
