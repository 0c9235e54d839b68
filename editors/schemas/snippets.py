"""What an editor inserts as a whole: a file, a row, a check of each kind.

A snippet is an example of the canonical schema in which each value is a place to be filled in.
References and paths are invalid until they are: those of an example would lead to nothing.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

from evalcontract.source.yaml.writing import flow
from evalcontract.structure import schemas
from evalcontract.structure.parts import follow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Schema = dict[str, Any]
_REFERENCE = re.compile(r"(rubric|judge)/\w+@[\w.]+")
_SPECIAL = re.compile(r"[$}\\]")
_PARTS = {"row", "check"}


def add_snippets(name: str, edition: Schema) -> None:
    """Add to the edition of a schema: the whole file, a row, a check of each kind."""
    root = schemas.load(name)
    whole = [(f"new {name}", root, example) for example in root["examples"]]
    _offer(edition, whole, root)
    for definition in _PARTS & root.get("$defs", {}).keys():
        _offer(edition["$defs"][definition], _examples(definition, root), root)


def _offer(part: Schema, examples: Iterable[tuple[str, Schema, Any]], root: Schema) -> None:
    """Offer snippets where nothing of what every value needs is written yet."""
    keys = part.get("required") or list(part["properties"])
    begun = {"type": "object", "anyOf": [{"required": [key]} for key in keys]}
    snippets = [_snippet(*each, root) for each in examples]
    # Without `allOf`, yaml-language-server takes it for a scalar, and offers each a second time.
    condition = {"if": begun, "else": {"allOf": [{}], "defaultSnippets": snippets}}
    part["allOf"] = [*part.get("allOf", ()), condition]


def _examples(definition: str, root: Schema) -> Iterator[tuple[str, Schema, Any]]:
    """Yield the name, the schema and the value of each example of a definition or its kinds."""
    part = root["$defs"][definition]
    for example in part.get("examples", ()):
        yield f"new {definition}", part, example
    for kind in part["properties"].get("kind", {}).get("enum", ()):
        branch = root["$defs"][f"check_{kind}"]
        first, *others = branch["examples"]
        yield f"{kind} check", branch, first
        for other in others:
            own = next(key for key in other if key not in first)
            yield f"{kind} check with {own}", branch, other


def _snippet(label: str, part: Schema, example: Any, root: Schema) -> Schema:
    body = _Body(root).of(example, part)
    return {"label": label, "description": part["description"], "body": body}


class _Body:
    """Numbers the places of one snippet, in the syntax of the language server protocol."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._numbers = count(1)

    def of(self, value: Any, part: Schema) -> Any:
        definition = part.get("$ref", "").rpartition("/")[2]
        part = follow(part, self._root)
        if isinstance(value, dict):
            known = schemas.known_keys(part, value, self._root)
            return {key: self.of(each, known.get(key, {})) for key, each in value.items()}
        if isinstance(value, list):
            return [self.of(each, part.get("items", {})) for each in value]
        if isinstance(value, str) and "const" not in part:
            return self._text(value, part, definition)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return f"^${{{next(self._numbers)}:{value}}}"
        return value

    def _text(self, value: str, part: Schema, definition: str) -> str:
        if "enum" in part:
            return f"${{{next(self._numbers)}|{','.join(part['enum'])}|}}"
        if match := _REFERENCE.fullmatch(value):
            return f"{match[1]}/${{{next(self._numbers)}:ID}}@${{{next(self._numbers)}:VERSION}}"
        if definition == "relative_path":
            return f"${next(self._numbers)}"
        if "\n" in value:
            value = next(each for each in part["examples"] if "\n" not in each)
        escaped = _SPECIAL.sub(r"\\\g<0>", value)
        place = f"${{{next(self._numbers)}:{escaped}}}"
        # `^` is not inserted: it says that the quotes are those of the file, in JSON as in YAML.
        return place if flow(value) == value and definition != "version" else f'^"{place}"'
