"""What is shown for the word under the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.library import Resolved
from evalcontract.lsp.context import REFERENCES
from evalcontract.lsp.describing import (
    describe_artifact,
    describe_key,
    describe_missing,
    describe_value,
)
from evalcontract.lsp.markdown import code, escaped
from evalcontract.lsp.names import BUNDLE, name_at

if TYPE_CHECKING:
    from evalcontract.lsp.context import Context


def hover(context: Context) -> str:
    """Return what the word at a position means, as Markdown; nothing if it has no meaning."""
    cursor = context.cursor
    if cursor.is_block or not cursor.word:
        return ""
    name = name_at(context)
    if cursor.key in REFERENCES and name and name.reference and context.workspace:
        library = context.workspace.library
        found = library.resolve(name.reference)
        if isinstance(found, Resolved):
            return describe_artifact(found.artifact)
        return describe_missing(name.reference, library)
    if name and name.role == BUNDLE and context.workspace:
        bundle = context.workspace.bundles.get(name.text)
        if isinstance(bundle, dict):
            text = str(bundle.get("description") or bundle.get("title") or "")
            return f"**{code(name.text)}**\n\n{escaped(text)}".strip()
    if cursor.key is None:
        return _of_key(context)
    return _of_value(context, cursor.key) if context.keys() else ""


def _of_value(context: Context, key: str) -> str:
    schema, texts = context.mapping_schema(), context.texts_of_values()
    return describe_value(schema, context.root, key, context.cursor.word, texts)


def _of_key(context: Context) -> str:
    word = context.cursor.word
    own = context.keys()
    if word in own:
        return describe_key(word, own[word], context.root)
    others = context.bundle_keys()
    if word in others:
        return describe_key(word, others[word], {}, is_ours=False)
    return ""
