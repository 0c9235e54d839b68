"""The pages of `explain` on kinds of checks, keys and artifacts: as text, Markdown and JSON."""

from __future__ import annotations

import json
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: What a program can rely on; docs/versioning.md says when it changes.
VERSION = "1.0"
#: The longest example that stands beside a key, in characters.
_SHORT = 50


class Key(NamedTuple):
    """A key that a schema describes.

    `path` leads to it from the top of its file, as in `checks[].threshold`, or is its name alone in
    a list of keys. `kinds` are the kinds of checks that have it, if only some do; `read_by` those
    that read it, for a key of rows. `allowed` says what its value may be.
    """

    path: str
    description: str
    allowed: str
    required: bool = False
    default: Any = None
    example: Any = None
    artifact: str = ""
    kinds: tuple[str, ...] = ()
    read_by: tuple[str, ...] = ()


class Topic(NamedTuple):
    """A page: of a kind of check, of a key, or of an artifact or a part of it.

    `what` is one of these words. `notes` are pairs of a heading and a text. `example` is YAML.
    """

    name: str
    what: str
    description: str
    keys: tuple[Key, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    example: str = ""


def write_text(topics: Iterable[Topic], width: int) -> Iterator[str]:
    """Yield pages as text of a width."""
    for number, topic in enumerate(topics):
        yield ("\n\n" if number else "") + f"{topic.name} ({topic.what})\n"
        if topic.description:
            yield f"\n{fill(topic.description, width)}\n"
        for heading, text in topic.notes:
            yield "\n" + fill(f"{heading}: {text}", width, subsequent_indent="  ") + "\n"
        if topic.keys:
            yield "\n" if topic.what == "key" else "\nKeys:\n"
        for key in topic.keys:
            yield from _key_as_text(key, width)
        if topic.example:
            yield f"\nExample:\n\n{indent(topic.example, '    ')}"


def _key_as_text(key: Key, width: int) -> Iterator[str]:
    where = f"{key.artifact}: {key.path}" if key.artifact else key.path
    facts = [key.allowed, *(["required"] if key.required else []), *_facts(key)]
    deep = "      "
    yield fill(f"  {where}{_of_kinds(key)}", width, subsequent_indent=deep) + "\n"
    yield fill("; ".join(facts), width, initial_indent=deep, subsequent_indent=deep) + "\n"
    yield fill(key.description, width, initial_indent=deep, subsequent_indent=deep) + "\n"


def _facts(key: Key) -> Iterator[str]:
    if key.default is not None:
        yield f"default: {_json(key.default)}"
    elif key.example is not None and len(shown := _json(key.example)) <= _SHORT:
        yield f"such as {shown}"
    if key.read_by:
        yield f"read by: {', '.join(key.read_by)}"


def _of_kinds(key: Key) -> str:
    return f" (of {', '.join(key.kinds)})" if key.kinds else ""


def write_markdown(topics: Iterable[Topic]) -> Iterator[str]:
    """Yield pages as Markdown, each with a heading of the first level."""
    for number, topic in enumerate(topics):
        yield ("\n" if number else "") + f"# `{topic.name}` ({topic.what})\n"
        if topic.description:
            yield f"\n{topic.description}\n"
        for heading, text in topic.notes:
            yield f"\n**{heading}**: {text}\n"
        if topic.keys:
            yield "\n| key | value | required | default | what |\n|---|---|---|---|---|\n"
        yield from map(_key_as_row, topic.keys)
        if topic.example:
            yield f"\n```yaml\n{topic.example}```\n"


def _key_as_row(key: Key) -> str:
    where = f"{key.artifact}: `{key.path}`" if key.artifact else f"`{key.path}`"
    default = "" if key.default is None else f"`{_json(key.default)}`"
    required = "yes" if key.required else "no"
    cells = [where + _of_kinds(key), key.allowed, required, default, key.description]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n"


def write_json(topics: Iterable[Topic]) -> Iterator[str]:
    """Yield pages as one JSON object."""
    pages = [
        {**topic._asdict(), "keys": [key._asdict() for key in topic.keys],
         "notes": dict(topic.notes)}
        for topic in topics
    ]  # fmt: skip
    yield json.dumps({"version": VERSION, "topics": pages}, ensure_ascii=False) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
