"""What can be written at a position: keys, values, references, variables of templates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.template_tags import ROOTS
from evalcontract.lsp.context import REFERENCES
from evalcontract.lsp.describing import describe_artifact, describe_key, describe_value
from evalcontract.lsp.markdown import code, escaped
from evalcontract.lsp.snippets import snippets
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.schemas import definition, known_keys, load, properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.lsp.context import Context

#: The name that is being written in a tag of a template, after its braces.
_TAG = lazy_pattern(r"(?P<braces>\{\{\{?)[#^/&]?\s*(?P<name>[\w.-]*)$")
#: A key for editors alone, below all that mean something.
_OF_TOOLS = "$schema"


class Item(NamedTuple):
    """Something to write: its text, which replaces the word at the position, and what it means.

    `sort` is the place in the list; items with the same one are sorted by their labels.
    """

    label: str
    text: str
    role: str
    documentation: Callable[[], str]
    detail: str = ""
    sort: int = 0
    typed: int | None = None  # the characters before the position that it replaces


def complete(context: Context, check_ids: Callable[[], list[str]]) -> Iterator[Item]:
    """Yield what can be written at a position."""
    cursor = context.cursor
    for snippet in snippets(context):
        about = escaped(snippet.description)
        yield Item(
            snippet.label,
            snippet.text,
            "snippet",
            lambda about=about: about,  # type: ignore[misc]
            sort=1,
        )
    if context.kind is Kind.JUDGE and cursor.key == "template" and not context.path:
        yield from _variables(context)
    if cursor.is_block:
        return
    if cursor.key is None:
        yield from _keys(context)
        if context.kind is Kind.RUBRIC and context.path == ("scoring", "weights"):
            for id_ in check_ids():
                if id_ not in cursor.siblings:
                    yield Item(id_, _key_text(context, id_), "check", lambda: "A check.", "check")
        if not context.path or context.path[-1] != 0:
            return
    yield from _values(context)


def _keys(context: Context) -> Iterator[Item]:
    siblings = context.cursor.siblings
    own = context.keys()
    root = context.root
    required = set(context.mapping_schema().get("required", ())) if own else set()
    for key, schema in own.items():
        if key not in siblings:
            yield Item(
                key,
                _key_text(context, key),
                "key",
                lambda key=key, schema=schema: describe_key(key, schema, root),  # type: ignore[misc]
                "required" if key in required else "",
                0 if key in required else 3 if key == _OF_TOOLS else 1,
            )
    for key, schema in context.bundle_keys().items():
        if key not in siblings and key not in own:
            yield Item(
                key,
                _key_text(context, key),
                "key",
                lambda key=key, schema=schema: describe_key(key, schema, {}, is_ours=False),  # type: ignore[misc]
                "bundle",
                2,
            )


def _key_text(context: Context, key: str) -> str:
    """Return a key as it is written: with a colon, unless there is one."""
    if context.cursor.quote:
        return key
    if context.form == "yaml":
        return f"{key}: "
    return f"{json.dumps(key)}: "


def _values(context: Context) -> Iterator[Item]:
    key = context.cursor.key
    if key in REFERENCES and context.takes(key):
        yield from _references(context, REFERENCES[key])
        return
    list_key = context.path[-2] if len(context.path) > 1 else None
    if key == "bundle" or (key is None and list_key == "applicable_bundles"):
        yield from _bundles(context)
        return
    schema = context.schema_of_value()
    holder = context.mapping_schema() if key is not None and schema else {}
    texts = context.texts_of_values() if schema else {}
    for number, value in enumerate(_possible(schema)):
        label = value if isinstance(value, str) else json.dumps(value)
        about = describe_key(str(key or list_key), schema, context.root)

        def document(label: str = label, about: str = about) -> str:
            return describe_value(holder, context.root, str(key), label, texts) or about

        yield Item(label, _value_text(context, value), "value", document, sort=number)


def _possible(schema: dict[str, Any]) -> list[Any]:
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    return [True, False] if schema.get("type") == "boolean" else []


def _value_text(context: Context, value: Any) -> str:
    if isinstance(value, str) and (context.cursor.quote or context.form == "yaml"):
        return value
    return json.dumps(value)


def _references(context: Context, kind: Kind) -> Iterator[Item]:
    """Yield the pinned references to all rubrics or judges, the newest version of each first."""
    if context.workspace is None:
        return
    library = context.workspace.library
    for id_ in library.ids(kind):
        versions = library.versions(kind, id_)
        for age, version in enumerate(reversed(library.sorted_versions(kind, id_))):
            artifact = versions[version][0]
            yield Item(
                artifact.name,
                _value_text(context, artifact.name),
                "reference",
                lambda artifact=artifact: describe_artifact(artifact),  # type: ignore[misc]
                "newest version" if not age else "",
                min(age, 99),
            )


def _bundles(context: Context) -> Iterator[Item]:
    bundles = context.workspace.bundles if context.workspace else {}
    for name, schema in sorted(bundles.items()):
        about = schema if isinstance(schema, dict) else {}
        text = str(about.get("description") or about.get("title") or "")
        yield Item(
            name,
            _value_text(context, name),
            "bundle",
            lambda name=name, text=text: f"**{code(name)}**\n\n{escaped(text)}",  # type: ignore[misc]
        )


def _variables(context: Context) -> Iterator[Item]:
    """Yield the variables of a judge's template inside of a tag."""
    tag = _TAG.search(context.cursor.typed)
    if tag is None:
        return
    close = "" if "}}" in context.cursor.rest else " " + "}" * len(tag["braces"])
    row = definition("row", of="dataset")
    keys = known_keys(row["$defs"]["row"], {}, row)
    below = properties(definition("expected", of="dataset"))
    names = {name: keys.get(name, {}) for name in ROOTS}
    names |= {f"expected.{name}": schema for name, schema in below.items()}
    for number, (name, schema) in enumerate(names.items()):
        about = schema or {"description": "What the system under evaluation answered."}
        yield Item(
            name,
            f"{name}{close}",
            "variable",
            lambda name=name, about=about: describe_key(name, about, load("dataset")),  # type: ignore[misc]
            "variable",
            number,
            len(tag["name"]),
        )
