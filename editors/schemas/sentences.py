"""What an editor says of a value, made of the titles, descriptions and examples of a schema."""

from __future__ import annotations

from typing import Any

from evalcontract.source.yaml.writing import flow
from evalcontract.structure.key_messages import noun_of

_LONGEST = 60


def not_a(part: dict[str, Any]) -> str:
    """Return what is said of a text that a `pattern` refuses."""
    noun = noun_of(part.get("title", "value").lower())
    example = _shown(part)
    such = f", such as {example}" if example else ""
    first, *_ = part.get("description", "").split(". ")
    return plain(f"This is not {noun}{such}. {first.removesuffix('.')}.")


def not_text(part: dict[str, Any]) -> str:
    """Return what is said of a value that is no text, where only some texts are valid."""
    examples = part.get("examples")
    return "Write a text in quotes" + (f', such as "{examples[0]}".' if examples else ".")


def example_of(part: dict[str, Any]) -> str | None:
    """Return a short example as Markdown, as it is written in YAML."""
    example = _shown(part)
    if example is None:
        return None
    return f"`{example}`" if "`" not in example else f"`` {example} ``"


def either(keys: list[str]) -> str:
    """Return keys as "a, b or c"."""
    *others, last = keys
    return f"{', '.join(others)} or {last}" if others else last


def plain(text: str) -> str:
    """Return Markdown as plain text: our texts have no other markup than code."""
    return text.replace("`", "")


def _shown(part: dict[str, Any]) -> str | None:
    shown = (flow(example) for example in part.get("examples", ()))
    return next((text for text in shown if len(text) <= _LONGEST and "\n" not in text), None)
