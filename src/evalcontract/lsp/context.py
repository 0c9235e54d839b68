"""What a position means: its kind, schema and workspace, and what a hover says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalcontract.library.library import Artifact, Library
from evalcontract.lsp.cursor import Cursor, CursorStep, cursor_in_json, cursor_in_yaml, open_bracket
from evalcontract.lsp.documents import OpenDocument
from evalcontract.lsp.text import Point, Text, code, escaped
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import (
    branches,
    edition_of,
    known_keys,
    load,
    part_at,
    properties,
)
from evalcontract.workspace import Workspace

_ROWS = "questions"
#: The keys that hold a reference, and the kind that it leads to.
REFERENCES = {"rubric_ref": Kind.RUBRIC, "judge_prompt_ref": Kind.JUDGE}


class CursorContext(NamedTuple):
    """A position in a document of a kind that has a schema; `file` is the name of the document."""

    kind: Kind
    cursor: Cursor
    form: str
    workspace: Workspace | None
    file: str = ""

    @property
    def root(self) -> Schema:
        """The schema of the document."""
        return load(self.kind)

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the mapping or list at the position; rows are always below `questions`."""
        return (*self._before, *self.cursor.path)

    @property
    def value(self) -> Any:
        """The mapping or list around the position, as far as it can be read, as a value."""
        value = self.cursor.value
        if not self._before:
            return value
        return {_ROWS: [value] if self.form == "jsonl" else value}

    @property
    def _before(self) -> tuple[str | int, ...]:
        if self.kind is not Kind.DATASET:
            return ()
        if self.form == "jsonl":
            return (_ROWS, 0)
        return (_ROWS,) if self.cursor.path[:1] == (0,) else ()

    @property
    def is_row(self) -> bool:
        """Whether the mapping at the position is a row of a dataset."""
        return self.kind is Kind.DATASET and self.path == (_ROWS, 0)

    def part(self, root: Schema | None = None) -> tuple[Schema, Any]:
        """Return the schema of the mapping or list at the position, and what it has so far.

        Without a `root`, by the schema of the document. Both are empty where the text has something
        else than the schema.
        """
        try:
            return part_at(root or self.root, self.value, self.path)
        except (LookupError, TypeError):
            return {}, {}

    def own_keys(self, root: Schema | None = None) -> dict[str, Schema]:
        """Return the keys that the schema knows in the mapping at the position."""
        return known_keys(*self.part(root), root or self.root)

    def bundle_keys(self) -> dict[str, Schema]:
        """Return the keys that the bundle of a row adds."""
        if not self.is_row or self.workspace is None:
            return {}
        of_dataset = self.cursor.steps[0].siblings if self.cursor.steps else {}
        name = self.cursor.siblings.get("bundle") or of_dataset.get("bundle", "")
        bundle = self.workspace.usable_bundles.get(name)
        return properties(bundle) if isinstance(bundle, dict) else {}

    def texts_of_values(self) -> dict[str, str]:
        """Return what each of several values means that the schema allows at the position."""
        edition = edition_of(self.kind)
        schema = self.schema_of_value(load(edition)) if edition else {}
        return dict(
            zip(schema.get("enum", ()), schema.get("markdownEnumDescriptions", ()), strict=False)
        )

    def schema_of_value(self, root: Schema | None = None) -> Schema:
        """Return the schema of the value, or of the item of a list, at the position."""
        if self.cursor.key is not None:
            return follow(self.own_keys(root).get(self.cursor.key, {}), root or self.root)
        return self.part(root)[0] if self.path[-1:] == (0,) else {}


def context_at(
    document: OpenDocument, kind: str | None, point: Point, workspace: Workspace | None
) -> CursorContext | None:
    """Return what a place of a document means; None in a comment, or if its kind has no schema."""
    if kind not in tuple(Kind):
        return None
    form = document.format
    cursor = _cursor(document.text, form, point)
    before = document.text.line(point.line)[: point.character].lstrip()
    if form == "yaml" and before.startswith("#") and not cursor.is_block:
        return None
    return CursorContext(Kind(str(kind)), cursor, form, workspace, str(document.path))


def _cursor(text: Text, form: str, point: Point) -> Cursor:
    line = text.line(point.line)
    if form == "jsonl":
        return cursor_in_json(line, point.character, point.character)
    if form == "json":
        before = sum(map(len, text.lines[: point.line]))
        return cursor_in_json(text.whole, before + point.character, point.character)
    at = open_bracket(line, point.character)
    if at is None:
        return cursor_in_yaml(text, point.line, point.character)
    outer = cursor_in_yaml(text, point.line, at)
    inner = cursor_in_json(line[at:], point.character - at, point.character)
    between = (CursorStep(outer.key, outer.siblings),) if outer.key is not None else ()
    return inner._replace(steps=(*outer.steps, *between, *inner.steps))


_MOST = 20


def describe_artifact(artifact: Artifact) -> str:
    """Return what a rubric or a judge is: its name, what it checks, and how it was validated."""
    value = artifact.document.value
    value = value if isinstance(value, dict) else {}
    lines = [f"**{code(artifact.name)}**"]
    lines += [escaped(text) for key in ("label", "description") if (text := _text(value, key))]
    parts = _of_rubric(value) if artifact.kind is Kind.RUBRIC else _of_judge(value)
    lines.append("\n".join(f"- {part}" for part in parts))
    lines.append(f"*{escaped(artifact.file)}*")
    return "\n\n".join(line for line in lines if line)


def _of_rubric(value: dict[str, Any]) -> Iterator[str]:
    checks = value.get("checks")
    checks = checks if isinstance(checks, list) else []
    for check in checks[:_MOST]:
        if isinstance(check, dict):
            name = code(check["id"]) if isinstance(check.get("id"), str) else "a check"
            refers = _text(check, "judge_prompt_ref") or _text(check, "rubric_ref")
            to = f" → {code(refers)}" if refers else ""
            yield f"{name}: {code(check.get('kind'))}{to}"
    if len(checks) > _MOST:
        yield f"… and {len(checks) - _MOST:,} more checks"
    yield from _scalars(value.get("scoring"), "scoring")


def _of_judge(value: dict[str, Any]) -> Iterator[str]:
    for key in ("score_type", "pass_threshold", "applicable_to"):
        if key in value:
            yield f"{key}: {_shown(value[key])}"
    yield from _scalars(value.get("model"), "model")
    if not isinstance(value.get("validation"), dict):
        yield "not validated"
    yield from _scalars(value.get("validation"), "validation")


def _scalars(value: Any, name: str) -> Iterator[str]:
    """Yield a line with the scalars of a mapping."""
    if isinstance(value, dict):
        shown = [
            f"{escaped(str(key))} {_shown(part)}"
            for key, part in list(value.items())[:_MOST]
            if not isinstance(part, dict)
        ]
        if shown:
            yield f"{name}: {', '.join(shown)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return listed([code(part) for part in value])
    return code(str(value).lower() if isinstance(value, bool) else value)


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def describe_missing(reference: Reference, library: Library) -> str:
    """Return that a reference leads nowhere, and where it might."""
    versions = library.sorted_versions(reference.kind, reference.id)
    if versions:
        known = listed([code(f"{reference.kind}/{reference.id}@{each}") for each in versions])
        return f"There is no {code(reference)}. Versions: {known}"
    near = library.nearest_id(reference.kind, reference.id)
    meant = f" Did you mean {code(f'{reference.kind}/{near}')}?" if near else ""
    return f"There is no {code(reference)}.{meant}"


def describe_key(key: str, schema: Schema, root: Schema, *, is_ours: bool = True) -> str:
    """Return what a key means, by its schema; what other packages and files say is escaped."""
    full = follow(schema, root)
    text = full.get("description") or full.get("title") or ""
    text = str(text) if is_ours else escaped(str(text))
    facts = [f"`{_type(full)}`"] if _type(full) else []
    if values := full.get("enum"):
        facts.append(" · ".join(code(value) for value in values))
    if "default" in full:
        facts.append(f"default {_shown(full['default'])}")
    head = f"**{code(key)}** {' — '.join(facts)}".strip()
    return f"{head}\n\n{text}".strip()


def _type(schema: Schema) -> str:
    types = schema.get("type", "")
    return " or ".join(map(str, types)) if isinstance(types, list) else str(types)


def describe_value(
    schema: Schema, root: Schema, key: str, value: str, texts: Mapping[str, str]
) -> str:
    """Return what one of several values of a key means.

    `texts` are those of the schema for editors. The kinds of checks of other packages have the
    text of the branch of the schema that they select.
    """
    of_branches = (
        str(branch["description"])
        for branch in branches(schema, {key: value}, root)
        if branch is not schema and "description" in branch
    )
    text = texts.get(value) or next(of_branches, "")
    return f"**{code(value)}**\n\n{text}" if text else ""
