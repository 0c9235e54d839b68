"""Convert rows of evalcontract to queries of Evret."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import BUNDLES, OURS, Loss, TheirRow, Writer
from evalcontract.formats._fields import reason_against
from evalcontract.formats._findings import mapping_at
from evalcontract.formats.evret.fields import FIELDS
from evalcontract.formats.evret.mapping import THEIRS, QueryMapping, contents_of
from evalcontract.formats.evret.reading import BOTH_NAMES, has_twins
from evalcontract.formats.evret.releases import ID_KEYS, NAMES, label_of, text_of
from evalcontract.model.diagnostic import Problem
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.formats.evret.releases import Release

# The most characters that Python's CSV reader accepts in a cell.
_MAX_CELL = 131_072
_REASONS = {
    "id": "Evret removes the white space around it",
    "input": "Evret removes the white space around it",
    "expected_facts": "Evret removes duplicates and the white space around each text",
}


class DocumentWriter(Writer):
    """Writes a JSON file: queries, and the texts of the documents that they expect."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._contents: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._rows = QueryMapping(release, self._contents)
        # Rows that expect a document without a text, which a later row may have.
        self._bare: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row, which preserves in `metadata` what Evret has no place for."""
        del rubric, index
        if problems := tuple(_problems(row)):
            return TheirRow(None, problems=problems)
        self._collect_contents(row)
        query, rest = self._rows.write(row)
        is_kept = not rest or json_equal(self._rows.read(query), row)
        if any(label not in self._contents for label in self._labels(row)):
            self._bare.append((query, row))
        return TheirRow(query, tuple(_losses(rest, self._release, is_kept=is_kept)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the file: queries, documents, and metadata that preserve the root."""
        metadata = mapping_at(root, "metadata")
        theirs = mapping_at(metadata, THEIRS)
        rows = [row for row in rows if row is not None]
        value: dict[str, Any] = {"queries": rows}
        documents = self._documents(theirs.get("documents"))
        if documents or "documents" in theirs:
            value["documents"] = documents
            self._rewrite_bare(documents)
        kept = {key: part for key, part in root.items() if key != "metadata"}
        losses = [Loss((key,), reason_against(FIELDS, (key,), None), is_kept=True) for key in kept]
        free = {key: part for key, part in metadata.items() if key != THEIRS}
        if OURS in free or root.get("metadata") == {}:
            kept["metadata"] = metadata
            free = {}
        if "release" not in theirs:
            kept[BOTH_NAMES] = bool(self._release.ids) and not any(map(has_twins, rows))
            if kept[BOTH_NAMES]:
                value["queries"] = [_with_twin(row) for row in rows]
        value |= mapping_at(theirs, "values")
        if free or kept:
            value["metadata"] = {**free, **({OURS: kept} if kept else {})}
        return value, losses

    def _collect_contents(self, row: dict[str, Any]) -> None:
        if not self._release.ids or not isinstance(row.get("expected_documents"), list):
            return
        for document in row["expected_documents"]:
            content = document.get("content") if isinstance(document, dict) else None
            if not isinstance(content, str) or not content.strip():
                continue
            if name := text_of(document.get("id", "")):
                self._contents.setdefault(label_of(name), content)
                self._names.setdefault(label_of(name), name)

    def _labels(self, row: dict[str, Any]) -> list[str]:
        return [label_of(id_) for id_ in self._rows.query_of(row).ids]

    def _rewrite_bare(self, documents: list[Any]) -> None:
        """Preserve in rows that they have no text of a document whose text is in the file."""
        self._contents.update(contents_of(documents))
        for query, row in self._bare:
            if any(label in self._contents for label in self._labels(row)):
                again, _ = self._rows.write(row)
                query.clear()
                query.update(again)

    def _documents(self, given: Any) -> list[Any]:
        """Return the documents of the file: those preserved, with the texts of the rows."""
        documents = list(given) if isinstance(given, list) else []
        contents = contents_of(documents)
        positions = {
            label_of(text_of(document["doc_id"])): index
            for index, document in enumerate(documents)
            if isinstance(document, dict) and document.get("doc_id")
        }
        for label, name in self._names.items():
            content = self._contents[label]
            if contents.get(label) == content:
                continue
            if label in positions:
                index = positions[label]
                documents[index] = {**documents[index], "text": content}
            else:
                documents.append({"doc_id": name, "text": content})
        return documents


class TableWriter(Writer):
    """Writes a CSV table; what Evret has no column for is lost."""

    def __init__(self, release: Release) -> None:
        self._release = replace(release, ids=release.columns)
        self._rows = QueryMapping(self._release, {}, is_table=True)

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row to cells by the names of their columns; lists are written as JSON."""
        del rubric, index
        if problems := tuple(_problems(row)):
            return TheirRow(None, problems=problems)
        query, rest = self._rows.write(row)
        cells = {key: _cell(part) for key, part in query.items()}
        if problems := tuple(_long_cells(cells)):
            return TheirRow(None, problems=problems)
        return TheirRow(cells, tuple(_losses(rest, self._release, is_kept=False, is_table=True)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the header and the rows; the root is lost."""
        written = [row for row in rows if row is not None]
        header = list(dict.fromkeys(key for row in written for key in row))
        _, losses = super().wrap(rows, root)
        return (header or [names[0] for names in NAMES], written), losses


def _problems(row: dict[str, Any]) -> Iterator[Problem]:
    for key in ("id", "input"):
        if not text_of(row.get(key, "")):
            message = f"`{key}` is blank, which Evret rejects"
            yield Problem("evret/empty-value", message, (key,), "fill it in")


def _long_cells(cells: dict[str, str]) -> Iterator[Problem]:
    for key, cell in cells.items():
        if len(cell) > _MAX_CELL:
            message = f"`{key}` has {len(cell):,} characters, but a CSV cell at most {_MAX_CELL:,}"
            yield Problem("evret/malformed-cell", message, (), "write JSON instead")


def _cell(part: Any) -> str:
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)


def _losses(
    rest: dict[str, Any], release: Release, *, is_kept: bool, is_table: bool = False
) -> Iterator[Loss]:
    for key, part in rest.items():
        if key == "expected_documents":
            if is_table and release.ids:
                reason = "a table has the distinct ids of documents, not their texts"
            else:
                reads = "reads only distinct ids" if release.ids else "reads no document ids"
                reason = f"{release.title} {reads}"
            yield Loss((key,), reason, is_kept)
        elif part is not None and (key != "bundle" or part not in BUNDLES):
            yield Loss((key,), _reason(key), is_kept)


def _reason(key: str) -> str:
    return _REASONS.get(key) or reason_against(FIELDS, (key,), None)


def _with_twin(row: dict[str, Any]) -> dict[str, Any]:
    """Return a query with its ids under both names, for 0.0.1 and 0.0.3."""
    first, second = ID_KEYS[:2]
    given = row.get(first) or row.get(second)
    return {**row, first: given, second: given} if given else row


def writer_of(medium: str, release: Release) -> DocumentWriter | TableWriter:
    """Start writing a file of a medium."""
    return TableWriter(release) if medium == "csv" else DocumentWriter(release)
