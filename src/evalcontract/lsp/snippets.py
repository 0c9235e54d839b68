"""Whole rows, checks and files to begin with: the snippets of the schemas for editors.

The schemas have them as `defaultSnippets`, whose bodies are values with the tab stops of the
protocol in their texts; a text that begins with `^` is written as it is, and others as strings.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.library.artifact import promised
from evalcontract.lsp.context import REFERENCES
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.parts import follow
from evalcontract.structure.schemas import edition_of, known_keys, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.lsp.context import Context
    from evalcontract.structure.parts import Schema

_RAW = "^"
_STOP = lazy_pattern(r"\$\{?(?P<number>\d+)")
#: What ends a choice of a snippet, or parts it.
_OF_CHOICES = lazy_pattern(r"[\\,|}$]")
#: The most references that a snippet offers to choose from.
_MOST = 50


class Snippet(NamedTuple):
    """A text with tab stops, its name, and what it is for; lines after the first have no indent."""

    label: str
    text: str
    description: str


def snippets(context: Context) -> Iterator[Snippet]:
    """Yield what can be begun at a position where nothing of it is written yet."""
    if context.cursor.key is not None or context.cursor.quote or context.cursor.is_block:
        return
    edition = edition_of(context.kind)
    root = load(edition) if edition else {}
    schema, value = _at(context, root)
    is_list = "items" in schema
    if is_list:
        schema, value = follow(schema["items"], root), {}
    for offered in _offered(schema, value):
        body = offered["body"]
        if isinstance(body, dict):
            if not context.path:
                body = _named(body, context)
            text = _Writer(context).text(body, is_item=is_list)
            yield Snippet(offered["label"], text, offered.get("description", ""))


def _at(context: Context, root: Schema) -> tuple[Schema, Any]:
    """Return the schema and the value of the mapping or list at a position."""
    schema, value = follow(root, root), context.value
    for step in context.path:
        if isinstance(step, int):
            schema = follow(schema.get("items", {}), root)
        else:
            schema = follow(known_keys(schema, value, root).get(step, {}), root)
        try:
            value = value[step]
        except (LookupError, TypeError):
            return {}, {}
    return schema, value


def _offered(schema: Schema, value: Any) -> Iterator[dict[str, Any]]:
    """Yield the snippets of a mapping that has none of the keys with which it has begun."""
    for part in schema.get("allOf", ()):
        begun = part.get("if", {}).get("anyOf", ())
        if not any(key in value for one in begun for key in one.get("required", ())):
            yield from part.get("else", {}).get("defaultSnippets", ())


def _named(body: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return the body of a file with the id that the name of the file promises."""
    id_, _ = promised(context.file, context.kind)
    stop = _STOP.search(str(body.get("id")))
    return {**body, "id": f"${{{stop['number']}:{id_}}}"} if id_ and stop else body


class _Writer:
    """Writes the body of a snippet at a position, in the format of the document."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._is_yaml = context.form == "yaml" and not context.cursor.bracket

    def text(self, body: dict[str, Any], *, is_item: bool) -> str:
        """Return the keys of a mapping; of an item of a list, with what makes it one."""
        if self._is_yaml:
            return "\n".join(self._block([body] if is_item else body))
        members = self._flow(body)
        is_inside = self._context.cursor.bracket == "{"
        return members[1:-1] if is_inside else members

    def _block(self, value: Any) -> list[str]:
        lines: list[str] = []
        entries = value.items() if isinstance(value, dict) else ((None, each) for each in value)
        for key, part in entries:
            head = "-" if key is None else f"{key}:"
            if not isinstance(part, dict | list):
                lines.append(f"{head} {self._scalar(key, part)}")
            elif key is None:
                first, *others = self._block(part)
                lines += [f"- {first}", *(f"  {line}" for line in others)]
            else:
                lines += [head, *(f"  {line}" for line in self._block(part))]
        return lines

    def _flow(self, value: Any, key: str | None = None) -> str:
        if isinstance(value, dict):
            parts = (
                f"{json.dumps(name)}: {self._flow(part, name)}" for name, part in value.items()
            )
            return f"{{{', '.join(parts)}}}"
        if isinstance(value, list):
            return f"[{', '.join(self._flow(each) for each in value)}]"
        text = self._scalar(key, value)
        is_plain = isinstance(value, str) and not value.startswith(_RAW)
        return f'"{text}"' if is_plain else text

    def _scalar(self, key: str | None, value: Any) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        stop = _STOP.search(value)
        names = self._references(key) if key in REFERENCES and stop else []
        if names and stop:
            return f"${{{stop['number']}|{','.join(names)}|}}"
        return value.removeprefix(_RAW)

    def _references(self, key: str | None) -> list[str]:
        """Return what a reference can lead to, in the words of a snippet."""
        workspace = self._context.workspace
        if workspace is None or key is None:
            return []
        kind, library, value = REFERENCES[key], workspace.library, self._context.value
        is_own = kind is self._context.kind and isinstance(value, dict)
        own = value.get("id") if is_own else None  # a rubric cannot refer to itself
        names = [
            library.versions(kind, id_)[version][0].name
            for id_ in library.ids(kind)
            if id_ != own
            for version in reversed(library.sorted_versions(kind, id_))
        ]
        return [name for name in names if not _OF_CHOICES.search(name)][:_MOST]
