"""What a position in a document means: its kind, its place in the schema, and its workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.lsp.cursor import Cursor, Step, cursor_in_yaml
from evalcontract.lsp.cursor_json import cursor_in_json, open_bracket
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.parts import follow
from evalcontract.structure.schemas import described, edition_of, known_keys, load, properties

if TYPE_CHECKING:
    from evalcontract.lsp.documents import Open
    from evalcontract.lsp.text import Point, Text
    from evalcontract.structure.parts import Schema
    from evalcontract.workspace import Workspace

_ROWS = "questions"
#: The keys that hold a reference, and the kind that it leads to.
REFERENCES = {"rubric_ref": Kind.RUBRIC, "judge_prompt_ref": Kind.JUDGE}


class Context(NamedTuple):
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
        """What is around the position, as a value of the schema."""
        return {_ROWS: self._rows(self.cursor.value)} if self._before else self.cursor.value

    def _rows(self, value: Any) -> Any:
        return [value] if self.form == "jsonl" else value

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

    def keys(self) -> dict[str, Schema]:
        """Return the keys that the schema knows in the mapping at the position."""
        return self._keys(self.root)

    def _keys(self, root: Schema) -> dict[str, Schema]:
        try:
            return described(root, self.value, self.path)
        except (LookupError, TypeError):  # the text has something else than the schema
            return {}

    def takes(self, key: str) -> bool:
        """Whether the schema knows a key in the mapping at the position."""
        return key in self.keys()

    def bundle_keys(self) -> dict[str, Schema]:
        """Return the keys that the bundle of a row adds."""
        if not self.is_row or self.workspace is None:
            return {}
        name = self.cursor.siblings.get("bundle") or self._default_bundle
        bundle = self.workspace.usable_bundles.get(name)
        return properties(bundle) if isinstance(bundle, dict) else {}

    @property
    def _default_bundle(self) -> str:
        steps = self.cursor.steps
        return steps[0].siblings.get("bundle", "") if steps else ""

    def schema_of_value(self) -> Schema:
        """Return the schema of the value at the position."""
        return self._schema_of_value(self.root)

    def texts_of_values(self) -> dict[str, str]:
        """Return what each of several values means that the schema allows at the position."""
        edition = edition_of(self.kind)
        schema = self._schema_of_value(load(edition)) if edition else {}
        return dict(
            zip(schema.get("enum", ()), schema.get("markdownEnumDescriptions", ()), strict=False)
        )

    def _schema_of_value(self, root: Schema) -> Schema:
        if self.cursor.key is not None:
            return follow(self._keys(root).get(self.cursor.key, {}), root)
        if self.path and self.path[-1] == 0:
            return self._item_schema(root)
        return {}

    def _item_schema(self, root: Schema) -> Schema:
        """Return the schema of the items of the list at the position."""
        *outer, key, _ = ("", *self.path)
        try:
            keys = described(root, self.value, tuple(outer[1:]))
        except (LookupError, TypeError):
            return {}
        holder = follow(keys.get(str(key), {}), root)
        return follow(holder.get("items", {}), root)

    def mapping_schema(self) -> Schema:
        """Return the schema of the mapping at the position."""
        schema, value = follow(self.root, self.root), self.value
        for step in self.path:
            if isinstance(step, int):
                schema = follow(schema.get("items", {}), self.root)
            else:
                schema = follow(known_keys(schema, value, self.root).get(step, {}), self.root)
            value = value[step]
        return schema


def context_at(
    document: Open, kind: str | None, point: Point, workspace: Workspace | None
) -> Context | None:
    """Return what a place of a document means; None in a comment, or if its kind has no schema."""
    if kind not in tuple(Kind):
        return None
    form = document.format
    cursor = _cursor(document.text, form, point)
    before = document.text.line(point.line)[: point.character].lstrip()
    if form == "yaml" and before.startswith("#") and not cursor.is_block:
        return None
    return Context(Kind(str(kind)), cursor, form, workspace, str(document.path))


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
    between = (Step(outer.key, outer.siblings),) if outer.key is not None else ()
    return inner._replace(steps=(*outer.steps, *between, *inner.steps))
