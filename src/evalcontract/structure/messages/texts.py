"""How it is said that a text is not what its key takes, and what to type instead."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import nearest, normalise
from evalcontract.structure.keys.value_aliases import our_value
from evalcontract.structure.messages.keys import VALUES, listed
from evalcontract.structure.native import native_for

if TYPE_CHECKING:
    from evalcontract.structure.messages.keys import Message
    from evalcontract.structure.native import SchemaViolation

_MOST = 60
_VERSION = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?")
# What a file is called, around the id of what it holds.
_FILE = re.compile(r"^.*/|(?:\.schema)?\.(?:json|ya?ml)$")
_REFERENCE = re.compile(
    r"(?:(?:rubric|judge)s?/)?(?P<id>[a-z][a-z0-9_]*?)(?:@(?P<version>[^/]*?))?(?:\.ya?ml|\.json)?"
)
# What a thing is called in a sentence, where its title says it of a place in a file.
_NOUNS = {
    "validated at": "a date",
    "identifier": "an id in snake_case",
    "check id": "an id in snake_case",
}


def clipped(text: str, most: int = _MOST) -> str:
    """Return a text, cut where it is long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def short(value: Any) -> str:
    """Return a value in one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clipped(text.split("\n")[0])


def quoted_version(text: str) -> str | None:
    """Return the version in three parts that a text stands for; None where it is none."""
    found = _VERSION.fullmatch(text.strip())
    return ".".join(str(int(part or 0)) for part in found.groups()) if found else None


def malformed(error: SchemaViolation, name: str, _: str | None) -> Message:
    """Say that a text does not have its form."""
    text = str(error.instance)
    title = str(error.schema.get("title", "")).lower()
    examples = error.schema.get("examples", [])
    shape = f"such as {listed(short(each) for each in examples[:2])}" if examples else None
    if not text.strip():
        return f"{name} is empty", shape or "write something"
    article = "an" if title[:1] in set("aeiou") else "a"
    better = _better(text, str(error.schema.get("pattern", ""))) or shape or pattern_of(error)
    if not title:
        return f"{name} cannot be `{short(text)}`", better
    return f"`{short(text)}` is not {_NOUNS.get(title) or f'{article} {title}'}", better


def pattern_of(error: SchemaViolation) -> str | None:
    """Return the advice to match the pattern, where one is what failed."""
    if error.validator != "pattern":
        return None
    return f"it has to match `{clipped(str(error.validator_value))}`"


def _better(text: str, pattern: str) -> str | None:
    """Return how a text is written rightly, where that is certain."""
    kind = next((each for each in ("rubric", "judge") if pattern.startswith(f"^{each}/")), None)
    if kind is not None:
        return _reference(kind, text)
    for form in (quoted_version(text), normalise(_FILE.sub("", text))):
        if form and pattern and native_for({"pattern": pattern}).is_valid(form):
            return f'write "{form}"' if form[0].isdigit() else f"write `{form}`"
    return None


def _reference(kind: str, text: str) -> str | None:
    other = "judge" if kind == "rubric" else "rubric"
    if text.startswith(f"{other}/"):
        return f"a {kind} is asked for here, not a {other}: `{kind}/`, its id, `@` and its version"
    found = _REFERENCE.fullmatch(text.strip())
    if found is None:
        return None
    if found["version"] is None:
        return f"write `{kind}/{found['id']}@` and the version behind it"
    version = quoted_version(found["version"])
    if version is None:
        return f"a version is exact, such as `{kind}/{found['id']}@1.0.0`"
    return f"write `{kind}/{found['id']}@{version}`"


def unknown_value(error: SchemaViolation, name: str, _: str | None) -> Message:
    """Say that a value is none of those that its key takes."""
    value, allowed = error.instance, [short(each) for each in error.validator_value]
    what = "a list" if isinstance(value, list) else "a mapping"
    shown = f"`{short(value)}`" if not isinstance(value, dict | list) else what
    message = f"{name} is empty" if value == "" else f"{name} cannot be {shown}"
    if isinstance(value, str):
        if meant := nearest(value, allowed):
            return message, f"did you mean `{meant}`?"
        if known := our_value(value, allowed):
            return message, known
    return message, f"one of {listed(allowed, VALUES)}"
