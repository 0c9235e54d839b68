"""Convert queries of Evret, in documents and in tables, to rows of evalcontract and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import BUNDLES, OURS, Loss, OurRow, Reader, TheirRow, Writer
from evalcontract.formats._fields import reason_against
from evalcontract.formats._findings import mapping_at
from evalcontract.formats.evret.mapping import FIELDS, THEIRS, QueryMapping, contents_of, parts_of
from evalcontract.formats.evret.releases import (
    ID_KEYS,
    NAMES,
    RejectedCell,
    ids_key,
    items_of,
    label_of,
    text_of,
)
from evalcontract.formats.evret.table import Header
from evalcontract.model.diagnostic import Problem
from evalcontract.model.values import json_equal
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats.evret.releases import Release
    from evalcontract.source.external import ExternalFile

#: The key in `metadata.evalcontract` of a file that was converted to Evret: whether its queries
#: have their document ids under both names.
BOTH_NAMES = "both_names"
# The keys that every release reads, beside lists; `metadata` has what conversions preserve.
_NAMES = ("query_id", "id", "query_text", "query", "metadata")


class DocumentReader(Reader):
    """Reads the queries of a JSON file with a value."""

    def __init__(self, value: dict[str, Any], release: Release) -> None:
        self._value = value
        self._release = release
        both_names = mapping_at(value, "metadata", OURS).get(BOTH_NAMES)
        self._is_ours = both_names is not None
        self._is_double = both_names is True
        self._rows = QueryMapping(release, contents_of(value.get("documents")))

    @property
    def root(self) -> dict[str, Any]:
        """What the file has beside its queries: above all the documents."""
        parts = parts_of(self._value.get("metadata"))
        if parts and "metadata" in parts[1] and not self._is_ours:
            parts = None  # it would replace what is preserved of this file
        free, kept = parts or ({}, {})
        values = {
            key: part
            for key, part in self._value.items()
            if key not in ("queries", "documents") and not (key == "metadata" and parts)
        }
        theirs: dict[str, Any] = {} if self._is_ours else {"release": self._release.version}
        if "documents" in self._value:
            documents = self._documents()
            if documents or not self._is_ours:
                theirs["documents"] = documents
        if values:
            theirs["values"] = values
        metadata = {**free, **({THEIRS: theirs} if theirs else {})}
        root = {"metadata": metadata} if metadata else {}
        return {**root, **{key: part for key, part in kept.items() if key != BOTH_NAMES}}

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return what the file loses beside its queries if their metadata are lost."""
        if loss.path != ("metadata",):
            return (loss,)
        keys = [key for key in self._value if key not in ("queries", "documents")]
        losses = [loss._replace(path=(key,)) for key in keys]
        if left := len(self._left_documents()):
            reason = f"the target has no place for documents that no query expects ({left:,})"
            losses.append(loss._replace(path=("documents",), reason=reason))
        return losses

    def read(self, row: Any, index: int) -> OurRow:
        """Convert a valid query."""
        if self._is_double:
            row = without_twin(row, self._release)
        ours = self._rows.read(row)
        if "metadata" not in row and "metadata" not in ours:
            return OurRow(ours)  # the row represents all of it
        read = {*_NAMES, *self._release.lists}
        reason = f"{self._release.title} does not read it, and rows have no key for it"
        losses = tuple(Loss((key,), reason, is_kept=True) for key in row if key not in read)
        back = self._rows.write(ours)[0]
        if json_equal(back, row):
            return OurRow(ours, losses=losses)
        if json_equal(_bare(back), _bare(row)):
            stale = Loss(("metadata", OURS), "it contradicts the query", is_kept=False)
            return OurRow(ours, losses=(*losses, stale))
        return OurRow(self._rows.whole(row), losses=losses)

    def _documents(self) -> list[Any]:
        """Return the documents to preserve: all, or those of a converted file that no row has."""
        return self._left_documents() if self._is_ours else self._value["documents"]

    def _left_documents(self) -> list[Any]:
        """Return the documents that the rows do not hold."""
        # What is no list or no row is reported, and the rest of the file is read even so.
        lists = (self._value.get("documents"), self._value.get("queries"))
        documents, rows = (part if isinstance(part, list) else [] for part in lists)
        expected = {
            label_of(id_)
            for row in rows
            if isinstance(row, dict) and (key := ids_key(row, self._release))
            for id_ in items_of(row[key])
        }
        return [part for part in documents if not _is_expected(part, expected)]


class TableReader(Reader):
    """Reads the queries of a CSV table; columns that Evret does not read are lost."""

    def __init__(self, table: CsvTable, release: Release) -> None:
        self._table = table
        self._release = release
        self._rows = QueryMapping(replace(release, ids=release.columns), {}, is_table=True)

    @property
    def losses(self) -> Sequence[Loss]:
        """The columns that are not read, and the cells without a column."""
        return tuple(self._lost())

    def read(self, row: Any, index: int) -> OurRow:
        """Convert a valid query; empty cells are absent."""
        given = {key: cell for key, cell in row.items() if cell}
        unread = [key for key, cell in given.items() if isinstance(cell, RejectedCell)]
        reason = "Evret would reject the cell, but does not read it"
        losses = tuple(Loss((key,), reason, is_kept=False) for key in unread)
        read = {key: cell for key, cell in given.items() if key not in unread}
        return OurRow(self._rows.read(read), losses=losses)

    def _lost(self) -> Iterator[Loss]:
        header = tuple(self._table.header)
        known = Header(header, header, self._release).known
        for name in dict.fromkeys(header):
            if name not in known:
                yield Loss((name,), "Evret does not read this column", is_kept=False)
        for number, cells in enumerate(self._table.records):
            if any(cell.strip() for cell in cells[len(header) :]):
                reason = "Evret does not read cells without a column"
                yield Loss((number,), reason, is_kept=False)


def has_twins(row: dict[str, Any]) -> bool:
    """Whether a query has the same ids under both names."""
    first, second = ID_KEYS[:2]
    return first in row and second in row and json_equal(row[first], row[second])


def without_twin(row: dict[str, Any], release: Release) -> dict[str, Any]:
    """Return a query with its ids under one name if it has them under both."""
    if not has_twins(row):
        return row
    others = [key for key in ID_KEYS[:2] if key != release.preferred]
    return {key: part for key, part in row.items() if key not in others}


def _bare(row: dict[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in row.items() if key != "metadata"}


def _is_expected(document: dict[str, Any], expected: set[str]) -> bool:
    """Whether a document is fully represented by the rows that expect it."""
    is_plain = document.keys() == {"doc_id", "text"}
    is_text = is_plain and all(isinstance(part, str) and part.strip() for part in document.values())
    return is_text and label_of(document["doc_id"]) in expected


def reader_of(read: ExternalFile, release: Release) -> DocumentReader | TableReader:
    """Start reading a file whose queries are valid."""
    if isinstance(read.source, CsvTable):
        return TableReader(read.source, release)
    value = getattr(read.source, "value", None)
    return DocumentReader(value if isinstance(value, dict) else {}, release)


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
        losses = [Loss((key,), reason_against(FIELDS, (key,)), is_kept=True) for key in kept]
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
    return _REASONS.get(key) or reason_against(FIELDS, (key,))


def _with_twin(row: dict[str, Any]) -> dict[str, Any]:
    """Return a query with its ids under both names, for 0.0.1 and 0.0.3."""
    first, second = ID_KEYS[:2]
    given = row.get(first) or row.get(second)
    return {**row, first: given, second: given} if given else row


def writer_of(medium: str, release: Release) -> DocumentWriter | TableWriter:
    """Start writing a file of a medium."""
    return TableWriter(release) if medium == "csv" else DocumentWriter(release)
