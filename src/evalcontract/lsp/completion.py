"""What can be written at a position: keys, values, references, variables; and settings in TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from evalcontract.analysis.template_tags import ROOTS
from evalcontract.library.library import identity_from_name
from evalcontract.lsp.cursor import (
    REFERENCES,
    Cursor,
    CursorContext,
    CursorStep,
    describe_artifact,
    describe_key,
    describe_value,
)
from evalcontract.lsp.text import Point, Text, code, escaped
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import definition, edition_of, known_keys, load, properties
from evalcontract.workspace.catalogue import KnownCodes

_RAW = "^"
_STOP = lazy_pattern(r"\$\{?(?P<number>\d+)")
#: What ends a choice of a snippet, or parts it.
_OF_CHOICES = lazy_pattern(r"[\\,|}$]")
#: The most references that a snippet offers to choose from.
_MOST = 50


def snippets(context: CursorContext) -> Iterator[Suggestion]:
    """Yield what can be begun at a position where nothing of it is written yet."""
    if context.cursor.key is not None or context.cursor.quote or context.cursor.is_block:
        return
    edition = edition_of(context.kind)
    root = load(edition) if edition else {}
    schema, value = context.part(root)
    is_list = "items" in schema
    if is_list:
        schema, value = follow(schema["items"], root), {}
    for offered in _offers(schema, value):
        body = offered["body"]
        if isinstance(body, dict):
            if not context.path:
                body = _snippet_name(body, context)
            text = _SnippetWriter(context).text(body, is_item=is_list)
            about = escaped(offered.get("description", ""))
            yield Suggestion(offered["label"], text, "snippet", about, sort=1)


def _offers(schema: Schema, value: Any) -> Iterator[dict[str, Any]]:
    """Yield the snippets of a mapping that has none of the keys with which it has begun."""
    for part in schema.get("allOf", ()):
        begun = part.get("if", {}).get("anyOf", ())
        if not any(key in value for one in begun for key in one.get("required", ())):
            yield from part.get("else", {}).get("defaultSnippets", ())


def _snippet_name(body: dict[str, Any], context: CursorContext) -> dict[str, Any]:
    """Return the body of a file with the id that the name of the file promises."""
    id_, _ = identity_from_name(context.file, context.kind)
    stop = _STOP.search(str(body.get("id")))
    return {**body, "id": f"${{{stop['number']}:{id_}}}"} if id_ and stop else body


class _SnippetWriter:
    """Writes the body of a snippet at a position, in the format of the document."""

    def __init__(self, context: CursorContext) -> None:
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


#: The name that is being written in a tag of a template, after its braces.
_TAG = lazy_pattern(r"(?P<braces>\{\{\{?)[#^/&]?\s*(?P<name>[\w.-]*)$")
#: A key for editors alone, below all that mean something.
_OF_TOOLS = "$schema"


class Suggestion(NamedTuple):
    """Something to write: its text, which replaces the word at the position, and what it means.

    `sort` is the place in the list; items with the same one are sorted by their labels.
    """

    label: str
    text: str
    role: str
    documentation: str
    detail: str = ""
    sort: int = 0
    typed: int | None = None  # the characters before the position that it replaces


def complete(context: CursorContext, check_ids: Callable[[], list[str]]) -> Iterator[Suggestion]:
    """Yield what can be written at a position."""
    cursor = context.cursor
    yield from snippets(context)
    if context.kind is Kind.JUDGE and cursor.key == "template" and not context.path:
        yield from _variables(context)
    if cursor.is_block:
        return
    if cursor.key is None:
        yield from _keys(context)
        if context.kind is Kind.RUBRIC and context.path == ("scoring", "weights"):
            for id_ in check_ids():
                if id_ not in cursor.siblings:
                    yield Suggestion(id_, _key_text(context, id_), "check", "A check.", "check")
        if not context.path or context.path[-1] != 0:
            return
    yield from _values(context)


def _keys(context: CursorContext) -> Iterator[Suggestion]:
    siblings = context.cursor.siblings
    own = context.own_keys()
    required = set(context.part()[0].get("required", ()))
    for key, schema in own.items():
        if key not in siblings:
            about = describe_key(key, schema, context.root)
            detail = "required" if key in required else ""
            sort = 0 if detail else 3 if key == _OF_TOOLS else 1
            yield Suggestion(key, _key_text(context, key), "key", about, detail, sort)
    for key, schema in context.bundle_keys().items():
        if key not in siblings and key not in own:
            about = describe_key(key, schema, {}, is_ours=False)
            yield Suggestion(key, _key_text(context, key), "key", about, "bundle", sort=2)


def _key_text(context: CursorContext, key: str) -> str:
    """Return a key as it is written: with a colon, unless there is one."""
    if context.cursor.quote:
        return key
    if context.form == "yaml":
        return f"{key}: "
    return f"{json.dumps(key)}: "


def _values(context: CursorContext) -> Iterator[Suggestion]:
    key = context.cursor.key
    if key in REFERENCES and key in context.own_keys():
        yield from _references(context, REFERENCES[key])
        return
    list_key = context.path[-2] if len(context.path) > 1 else None
    if key == "bundle" or (key is None and list_key == "applicable_bundles"):
        yield from _bundles(context)
        return
    if context.kind is Kind.TARGET and key == "dataset" and not context.path:
        yield from _datasets(context)
        return
    if context.kind is Kind.TARGET and list_key == "row_keys_graded":
        for name, about in keys_of_rows():
            yield Suggestion(name, _value_text(context, name), "value", about)
        return
    schema = context.schema_of_value()
    holder = context.part()[0] if key is not None and schema else {}
    texts = context.texts_of_values() if schema else {}
    for number, value in enumerate(_possible(schema)):
        label = value if isinstance(value, str) else json.dumps(value)
        about = describe_value(holder, context.root, str(key), value=label, texts=texts)
        about = about or describe_key(str(key or list_key), schema, context.root)
        yield Suggestion(label, _value_text(context, value), "value", about, sort=number)


def _possible(schema: dict[str, Any]) -> list[Any]:
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    return [True, False] if schema.get("type") == "boolean" else []


def _value_text(context: CursorContext, value: Any) -> str:
    if isinstance(value, str) and (context.cursor.quote or context.form == "yaml"):
        return value
    return json.dumps(value)


def _references(context: CursorContext, kind: Kind) -> Iterator[Suggestion]:
    """Yield the pinned references to all rubrics or judges, the newest version of each first."""
    if context.workspace is None:
        return
    library = context.workspace.library
    for id_ in library.ids(kind):
        versions = library.versions(kind, id_)
        for age, version in enumerate(reversed(library.sorted_versions(kind, id_))):
            artifact = versions[version][0]
            text = _value_text(context, artifact.name)
            detail = "newest version" if not age else ""
            yield Suggestion(
                artifact.name, text, "reference", describe_artifact(artifact), detail, min(age, 99)
            )


def keys_of_rows() -> Iterator[tuple[str, str]]:
    """Yield the keys that rows have, and what each means."""
    row = definition("row", of="dataset")
    for name, described in properties(row["$defs"]["row"]).items():
        yield name, describe_key(name, described, row)


def _datasets(context: CursorContext) -> Iterator[Suggestion]:
    """Yield the datasets of the workspace, by their paths from its root."""
    workspace = context.workspace
    for path, source in workspace.scan() if workspace else ():
        if workspace and source is not None:
            name = path.relative_to(workspace.root).as_posix()
            yield Suggestion(name, _value_text(context, name), "value", "")


def _bundles(context: CursorContext) -> Iterator[Suggestion]:
    bundles = context.workspace.bundles if context.workspace else {}
    for name, schema in sorted(bundles.items()):
        described = schema if isinstance(schema, dict) else {}
        text = str(described.get("description") or described.get("title") or "")
        about = f"**{code(name)}**\n\n{escaped(text)}"
        yield Suggestion(name, _value_text(context, name), "bundle", about)


def _variables(context: CursorContext) -> Iterator[Suggestion]:
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
        described = schema or {"description": "What the system under evaluation answered."}
        about = describe_key(name, described, load("dataset"))
        typed = len(tag["name"])
        yield Suggestion(name, f"{name}{close}", "variable", about, "variable", number, typed)


_CONFIGURATION = "configuration"
_HEADER = lazy_pattern(r"\s*\[+\s*(?P<path>[^]]*)\]?")
_ENTRY = lazy_pattern(r"""\s*(?P<key>"[^"]*"|'[^']*'|[\w.-]+)\s*=(?P<value>.*)""", re.DOTALL)
_PARTS = lazy_pattern(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
#: The word that is being written: what is after the last sign that cannot be part of it.
_WORD = lazy_pattern(r"""(?P<quote>["']?)(?P<typed>[^\s"'=\[\]{},]*)$""")
_REST = lazy_pattern(r"""[^\s"'=\[\]{},]*""")
#: The settings with tables of codes, and the tables whose keys are names of somebody's own.
_IGNORES, _SEVERITY, _LIBRARIES = "per_file_ignores", "severity", "libraries"
_HYPHENATED = "per-file-ignores"


def cursor_in_toml(text: Text, point: Point) -> Cursor | None:
    """Return the cursor at a place in TOML, in the table that it belongs to; None in a comment."""
    line = text.line(point.line)
    before, after = line[: point.character], line[point.character :]
    if before.lstrip().startswith("#"):
        return None
    if before.lstrip().startswith("["):
        typed = before.lstrip().lstrip("[")
        rest = re.match(r"[^]]*", after)
        start = point.character - len(typed)
        return Cursor((), {}, None, typed, start, rest[0] if rest else "", bracket="[")
    table, siblings = _above(text, point.line)
    entry = _ENTRY.match(before)
    word, rest = _WORD.search(before), _REST.match(after)
    if word is None or rest is None:
        return None
    key = entry["key"].strip("\"'") if entry else _open_list(text, point.line)
    start = point.character - len(word["typed"])
    return Cursor(table, siblings, key, word["typed"], start, rest[0], word["quote"])


def _above(text: Text, line: int) -> tuple[tuple[CursorStep, ...], dict[str, str]]:
    """Return the table of a line, and its keys."""
    siblings: dict[str, str] = {}
    numbers = [*range(line - 1, -1, -1)]
    table: tuple[CursorStep, ...] = ()
    for number in numbers:
        above = text.line(number)
        header = _HEADER.fullmatch(above.partition("#")[0].rstrip())
        if header and above.lstrip().startswith("["):
            parts = ("".join(match.groups("")) for match in _PARTS.finditer(header["path"]))
            table = tuple(CursorStep(part, {}) for part in parts)
            break
        if entry := _ENTRY.match(above):
            siblings.setdefault(entry["key"].strip("\"'"), "")
    return table, siblings


def _open_list(text: Text, line: int) -> str | None:
    """Return the key whose list of several lines a line belongs to, if it does."""
    for number in range(line - 1, -1, -1):
        above = text.line(number).partition("#")[0]
        if entry := _ENTRY.match(above):
            opened = entry["value"].count("[") > entry["value"].count("]")
            return entry["key"].strip("\"'") if opened else None
        if "]" in above or above.lstrip().startswith("["):
            return None
    return None


def _known_settings(cursor: Cursor) -> dict[str, Schema]:
    """Return the keys that the table at a position may have, with their schemas."""
    root = load(_CONFIGURATION)
    schema: Schema = root
    for step in cursor.path:
        schema = follow(properties(schema).get(str(step), schema.get("additionalProperties")), root)
        if not isinstance(schema, dict):
            return {}
    keys = dict(properties(schema))
    for branch in schema.get("anyOf", ()):
        keys |= properties(follow(branch, root))
    return keys


def complete_setting(cursor: Cursor) -> Iterator[Suggestion]:
    """Yield what can be written at a position."""
    root = load(_CONFIGURATION)
    if cursor.bracket == "[":
        for name in (_SEVERITY, _IGNORES):
            about = describe_key(name, properties(root)[name], root)
            yield Suggestion(name, name, "key", about)
        about = describe_key(_LIBRARIES, properties(root)[_LIBRARIES], root)
        yield Suggestion(_LIBRARIES, f"{_LIBRARIES}.", "key", about)
    elif cursor.key is None:
        yield from _settings(cursor, root)
    else:
        yield from _values_of_setting(cursor, root)


def _settings(cursor: Cursor, root: Schema) -> Iterator[Suggestion]:
    if cursor.path == (_SEVERITY,):
        yield from _codes(cursor, is_key=True)
        return
    for key, schema in _known_settings(cursor).items():
        full = follow(schema, root)
        is_table = not cursor.path and full.get("type") == "object"
        if key not in cursor.siblings and key != _HYPHENATED:
            text = f"[{key}]" if is_table else f"{key} = "
            about = describe_key(key, schema, root)
            yield Suggestion(key, text, "key", about, "table" if is_table else "", int(is_table))


def _values_of_setting(cursor: Cursor, root: Schema) -> Iterator[Suggestion]:
    table = cursor.path[0] if cursor.path else None
    keys = _known_settings(cursor)
    if table == _IGNORES:
        yield from _codes(cursor, is_key=False)
    elif table == _SEVERITY:
        allowed = root["$defs"]["severity"]
        for value in allowed["enum"]:
            yield Suggestion(value, _quoted(cursor, value), "value", str(allowed["description"]))
    elif cursor.key == "row_keys_graded" and not table:
        for key, about in keys_of_rows():
            yield Suggestion(key, _quoted(cursor, key), "value", about)
    elif follow(keys.get(cursor.key or "", {}), root).get("type") == "boolean":
        for value in ("true", "false"):
            yield Suggestion(value, value, "value", "")


def _codes(cursor: Cursor, *, is_key: bool) -> Iterator[Suggestion]:
    """Yield the codes, with their severities in soft and in strict mode."""
    for name, known in KnownCodes().items():
        if name not in cursor.siblings:
            text = _quoted(cursor, name) + (" = " if is_key and not cursor.quote else "")
            soft, strict = known.severities
            yield Suggestion(name, text, "value", "", f"{soft} (soft), {strict} (strict)")


def _quoted(cursor: Cursor, text: str) -> str:
    return text if cursor.quote else json.dumps(text)


def explain_setting(cursor: Cursor) -> str:
    """Return what the word at a position means, as Markdown; nothing if it has no meaning."""
    root, word = load(_CONFIGURATION), cursor.word
    codes = KnownCodes()
    if word in codes:
        return f"**{code(word)}**\n\n{codes[word].page.what}"
    if cursor.bracket == "[":
        parts = _PARTS.search(word)
        word = "".join(parts.groups("")) if parts else ""
        found: Any = properties(root).get(word)
        return describe_key(word, found, root) if found else ""
    if cursor.key is None:
        found = _known_settings(cursor).get(word)
        return describe_key(word, found, root) if found else ""
    return ""


_ICONS = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "reference": types.CompletionItemKind.Reference,
    "bundle": types.CompletionItemKind.Module,
    "check": types.CompletionItemKind.Field,
    "variable": types.CompletionItemKind.Variable,
    "snippet": types.CompletionItemKind.Snippet,
}


def takes_snippets(capabilities: types.ClientCapabilities) -> bool:
    """Whether an editor understands the tab stops of snippets."""
    path = "text_document.completion.completion_item.snippet_support"
    return bool(get_capability(capabilities, path))


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
