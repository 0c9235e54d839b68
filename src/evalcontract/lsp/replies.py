"""Answers as the protocol has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from evalcontract.lsp.completion import Suggestion
from evalcontract.lsp.cursor import Cursor
from evalcontract.lsp.documents import Documents, Publisher
from evalcontract.lsp.outline import NamedPlace, Symbol
from evalcontract.lsp.rename import RenameEdits
from evalcontract.lsp.text import Text, uri_of_path
from evalcontract.model.diagnostic import Place
from evalcontract.source import DISK

_ICONS = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "reference": types.CompletionItemKind.Reference,
    "bundle": types.CompletionItemKind.Module,
    "check": types.CompletionItemKind.Field,
    "variable": types.CompletionItemKind.Variable,
    "snippet": types.CompletionItemKind.Snippet,
}
_SYMBOLS = {
    "row": types.SymbolKind.Object,
    "check": types.SymbolKind.Function,
    "rubric": types.SymbolKind.Class,
    "judge": types.SymbolKind.Class,
    "target": types.SymbolKind.Event,
}


def takes_snippets(capabilities: types.ClientCapabilities) -> bool:
    """Whether an editor understands the tab stops of snippets."""
    path = "text_document.completion.completion_item.snippet_support"
    return bool(get_capability(capabilities, path))


def markup(text: str, capabilities: types.ClientCapabilities) -> types.MarkupContent:
    """Return Markdown, or the same as plain text for an editor that shows no Markdown."""
    formats = get_capability(capabilities, "text_document.hover.content_format")
    shows = formats is None or types.MarkupKind.Markdown in formats
    return types.MarkupContent(
        types.MarkupKind.Markdown if shows else types.MarkupKind.PlainText, text
    )


def completion_item(
    item: Suggestion, cursor: Cursor, form: str, line: int, text: Text
) -> types.CompletionItem:
    """Return what can be written in place of the word at a position, as the protocol has it."""
    at = cursor.start + len(cursor.typed)
    start = cursor.start if item.typed is None else at - item.typed
    end = at + (len(cursor.rest) if item.typed is None else 0)
    written = item.text
    is_followed = text.line(line)[end:].lstrip('"').lstrip().startswith((":", "="))
    if item.role in ("key", "check") and is_followed:
        written = item.label if not written.startswith('"') else f'"{item.label}"'
    elif item.role in ("key", "check") and cursor.quote == '"' and form != "yaml":
        written = item.label
    is_snippet = item.role == "snippet"
    if is_snippet:
        before = text.line(line)[:start]
        indent = " " * len(before.lstrip())
        written = written.replace("\n", f"\n{indent}")
    return types.CompletionItem(
        item.label,
        kind=_ICONS[item.role],
        detail=item.detail or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, item.documentation),
        sort_text=f"{item.sort:02}{item.label}",
        filter_text=item.label,
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else None,
        insert_text_mode=types.InsertTextMode.AdjustIndentation if is_snippet else None,
        text_edit=types.TextEdit(text.range(line, start, end), written),
    )


def locations(places: Sequence[Place], publisher: Publisher) -> list[types.Location]:
    """Return places as the protocol has them, each once."""
    unique: list[types.Location] = []
    for place in places:
        location = publisher.location(place)
        if location not in unique[-1:]:
            unique.append(location)
    return unique


def document_symbols(symbols: Iterable[Symbol], text: Text) -> list[types.DocumentSymbol]:
    """Return an outline as the protocol has it."""
    outline = []
    for symbol in symbols:
        first, last = symbol.first - 1, max(symbol.last, symbol.first) - 1
        line = text.range(first, 0, len(text.line(first)))
        range_ = types.Range(line.start, text.range(last, 0, len(text.line(last))).end)
        parts = document_symbols(symbol.parts, text)
        outline.append(
            types.DocumentSymbol(
                symbol.name,
                _SYMBOLS.get(symbol.role, types.SymbolKind.File),
                range_,
                line,
                symbol.detail or None,
                children=parts or None,
            )
        )
    return outline


def workspace_symbols(
    names: Iterable[NamedPlace], publisher: Publisher
) -> list[types.WorkspaceSymbol]:
    """Return names of a workspace as the protocol has them."""
    return [
        types.WorkspaceSymbol(
            publisher.location(each.place),
            each.name,
            _SYMBOLS[each.role],
            container_name=each.container,
        )
        for each in names
    ]


def workspace_edit(
    renamed: RenameEdits, documents: Documents, capabilities: types.ClientCapabilities
) -> types.WorkspaceEdit:
    """Return changes of files; they are renamed only in an editor that can do that."""
    changes: dict[str, list[types.TextEdit]] = {}
    versions: dict[str, int | None] = {}
    for path, edits in renamed.edits.items():
        if not edits:
            continue
        uri, version = _address(path, documents)
        changes.setdefault(uri, []).extend(edits)
        versions[uri] = version
    can = "workspace.workspace_edit"
    operations = get_capability(capabilities, f"{can}.resource_operations") or ()
    renames = types.ResourceOperationKind.Rename in operations  # Neovim says this, not the other
    if not renames and not get_capability(capabilities, f"{can}.document_changes"):
        return types.WorkspaceEdit(changes=changes)
    edits_and_renames: list[Any] = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), list(edits)
        )
        for uri, edits in changes.items()
    ]
    if renames:
        edits_and_renames += [
            types.RenameFile(_address(old, documents)[0], uri_of_path(new))
            for old, new in renamed.files
        ]
    return types.WorkspaceEdit(document_changes=edits_and_renames)


def _address(path: Path, documents: Documents) -> tuple[str, int | None]:
    for document in documents.at(DISK.real(path)):
        return document.uri, document.version
    return uri_of_path(path), None


def overlaps(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges have a place in common; they may just touch."""
    return _at(one.start) <= _at(other.end) and _at(other.start) <= _at(one.end)


def _at(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
