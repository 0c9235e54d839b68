"""Queries of Evret, in documents and in tables, and rows of evalcontract: how they correspond."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss
from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats._lens import At, Cells, Lens
from evalcontract.formats._residual import Residual, Row
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    RELEASES,
    Header,
    Query,
    RejectedCell,
    first_non_empty,
    ids_key,
    items_of,
    label_of,
    parsed,
    query_faults,
    text_of,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.values import json_equal
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The name of the system, below `metadata`.
THEIRS = "evret"
#: What a row notes of its query: the keys that it has instead of the usual ones.
_KEYS = "keys"
#: The key in `metadata.evalcontract` of a file that was converted to Evret: whether its queries
#: have their document ids under both names.
BOTH_NAMES = "both_names"
_SPACE = "Evret removes the white space around it"
_REASONS = {
    "id": _SPACE,
    "input": _SPACE,
    "expected_facts": "Evret removes duplicates and the white space around each text",
}
_NO_TEXTS = "a table has the distinct ids of documents, not their texts"
_REJECTED = "Evret would reject the cell, but does not read it"
_LEFT = "the target has no place for documents that no query expects ({:,})"
# The most characters that Python's CSV reader accepts in a cell.
_MAX_CELL = 131_072


class QueryLens(Lens):
    """Keeps everything else of a query in `metadata.evret`, and of ours in its metadata.

    A table has no metadata: what it has no column for is lost.
    """

    repeated = "it contradicts the query"

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        release = RELEASES[self.variant]
        self._release = replace(release, ids=release.columns) if self.is_table else release
        self.quiet = frozenset({*NAMES[0], *NAMES[1], *self._release.lists, "metadata"})
        self._usual = (NAMES[0][0], NAMES[1][0], self._release.preferred)
        self.keeps_ours = not self.is_table
        if self.is_table:
            self.ways.clear()  # there is no column for metadata
        #: The document that is read, and the table.
        self._value: Row = {}
        self._table: CsvTable | None = None
        #: The cells of the last row that Evret would reject if it read them.
        self._rejected: list[str] = []
        #: The texts and ids of the documents of the file, by the labels of their ids.
        self._contents: dict[str, str] = {}
        self._names: dict[str, str] = {}
        #: Rows that expect a document without a text, which a later row may have.
        self._bare: list[tuple[Row, list[Any], set[str]]] = []
        #: Whether the row that is written keeps something, and expects a document without a text.
        self._is_kept_in_row = self._has_bare = False

    def begin(self, file: ExternalFile) -> None:
        """Take the documents of the file."""
        if isinstance(file.source, CsvTable):
            self._table = file.source
        value = getattr(file.source, "value", None)
        self._value = value if isinstance(value, dict) else {}
        self._contents = contents_of(self._value.get("documents"))
        super().begin(file)

    @property
    def _both_names(self) -> Any:
        """Whether the queries have their ids under both names; None if the file is not ours."""
        return mapping_at(self._value, "metadata", OURS).get(BOTH_NAMES)

    def root_of(self, file: ExternalFile) -> Row:
        """Return what the file has beside its queries: above all the documents."""
        if self._table:
            return {}
        is_ours = self._both_names is not None
        parts = _parts_of(self._value.get("metadata"))
        if parts and "metadata" in parts[1] and not is_ours:
            parts = None  # it would replace what is preserved of this file
        free, kept = parts or ({}, {})
        theirs: Row = {} if is_ours else {"release": self._release.version}
        documents = self._left_documents() if is_ours else self._value.get("documents")
        if "documents" in self._value and (documents or not is_ours):
            theirs["documents"] = documents
        read = {"queries", "documents", *(("metadata",) if parts else ())}
        if values := {key: part for key, part in self._value.items() if key not in read}:
            theirs["values"] = values
        metadata = {**free, **({THEIRS: theirs} if theirs else {})}
        root = {"metadata": metadata} if metadata else {}
        return {**root, **{key: part for key, part in kept.items() if key != BOTH_NAMES}}

    @property
    def losses(self) -> Sequence[Loss]:
        """The columns that are not read, and the cells without a column."""
        if self._table is None:
            return ()
        header = tuple(self._table.header)
        known = Header(header, header, RELEASES[self.variant]).known
        unread = [name for name in dict.fromkeys(header) if name not in known]
        lost = [Loss((name,), "Evret does not read this column", False) for name in unread]
        for number, cells in enumerate(self._table.records):
            if any(cell.strip() for cell in cells[len(header) :]):
                lost.append(Loss((number,), "Evret does not read cells without a column", False))
        return lost

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return what the file loses beside its queries if their metadata are lost."""
        if loss.path != ("metadata",) or self._table:
            return (loss,)
        keys = [key for key in self._value if key not in ("queries", "documents")]
        losses = [loss._replace(path=(key,)) for key in keys]
        if left := len(self._left_documents()):
            losses.append(loss._replace(path=("documents",), reason=_LEFT.format(left)))
        return losses

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

    def plain(self, row: Row) -> Row:
        """Return a query without a second name for its ids, or without the empty cells."""
        if self._both_names is True and _has_twins(row):
            others = [key for key in ID_KEYS[:2] if key != self._release.preferred]
            return {key: part for key, part in row.items() if key not in others}
        if not self._table:
            return row
        self._rejected = [key for key, cell in row.items() if isinstance(cell, RejectedCell)]
        return {key: cell for key, cell in row.items() if cell and key not in self._rejected}

    def place_of(self, row: Row, index: int) -> At:
        used = (*(first_non_empty(row, names) for names in NAMES), ids_key(row, self._release))
        keys = [key for key in used if key and key not in self._usual]
        return At(index, hints={_KEYS: keys} if keys else {})

    def are_hints(self, hints: Row) -> bool:
        keys = hints.get(_KEYS, [ID_KEYS[0]])
        names = [*(name for names in NAMES for name in names), *ID_KEYS]
        is_of_names = is_list_of(keys, str) and all(key in names for key in keys)
        return hints.keys() <= {_KEYS} and bool(keys) and is_of_names

    def to_ours(self, row: Row, at: At) -> Row:
        query = parsed(row, self._release)
        ours: Row = {"id": query.id, "input": query.text}
        if query.ids:
            ours |= {"bundle": "rag", "expected_documents": [*map(self._document, query.ids)]}
        if query.answers:
            ours["expected_facts"] = query.answers
        return ours

    def _document(self, id_: str) -> dict[str, str]:
        content = self._contents.get(label_of(id_))
        return {"id": id_, "content": content} if content else {"id": id_}

    def to_theirs(self, row: Row, at: At) -> Row:
        query, noted = self._query_of(row), at.hints.get(_KEYS, ())
        theirs = self._under(query, noted)
        is_same = not noted or parsed(theirs, self._release) == query
        return theirs if is_same else self._under(query, ())

    def _query_of(self, row: Row) -> Query:
        """Return the query that a row represents."""
        documents = row.get("expected_documents")
        documents = documents if self._release.ids and isinstance(documents, list) else []
        ids = [each.get("id") if isinstance(each, dict) else None for each in documents]
        return Query(
            text_of(row.get("id", "")),
            text_of(row.get("input", "")),
            [] if None in ids else items_of(ids),
            items_of(row.get("expected_facts")),
        )

    def _under(self, query: Query, noted: Sequence[str]) -> Row:
        """Return a query under the keys that a row notes, and the usual ones."""
        roles = (*NAMES, tuple(key for key in ID_KEYS if key in self._release.lists))
        keys = [
            next((key for key in noted if key in role), usual)
            for role, usual in zip(roles, self._usual, strict=True)
        ]
        parts = (query.id, query.text, query.ids)
        theirs = {key: part for key, part in zip(keys, parts, strict=True) if part != []}
        return {**theirs, ANSWERS: query.answers} if query.answers else theirs

    def settled(self, theirs: Row, at: At) -> Row:
        """Return a query without what its row keeps, if Evret would reject it with that."""
        is_rejected = self._is_kept_in_row and any(query_faults(theirs, (), self._release))
        return self._theirs({**at.row}, at) if is_rejected else theirs

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield the cells that cannot be read, which nothing reads."""
        yield from (Loss((key,), _REJECTED, is_kept=False) for key in self._rejected)

    def says_messages(self, row: Row, again: Row) -> bool:
        return row["messages"] in ([], [{"role": "user", "content": row.get("input")}])

    def reason_against(self, path: Path, row: Row) -> str:
        if path == ("expected_documents",) and self._release.ids:
            return _NO_TEXTS if self.is_table else f"{self._release.title} reads only distinct ids"
        return _REASONS.get(str(path[0])) or super().reason_against(path, row)

    def problems(self, theirs: Row, at: At) -> Iterator[Problem]:
        for key in ("id", "input"):
            if not text_of(at.row.get(key, "")):
                message = f"`{key}` is blank, which Evret rejects"
                yield Problem("evret/empty-value", message, (key,), "fill it in")

    def taken(self, residual: Residual | None, at: At) -> tuple[Residual | None, list[Loss]]:
        """Take the texts of the documents that a row expects; what it keeps stays as it is."""
        are_written = bool(self._release.ids) and not self.is_table
        documents = at.row.get("expected_documents") if are_written else None
        self._is_kept_in_row, self._has_bare = bool(residual), not are_written
        for each in documents if isinstance(documents, list) else ():
            content = each.get("content") if isinstance(each, dict) else None
            name = text_of(each.get("id", "")) if isinstance(content, str) else ""
            if name and str(content).strip():
                label = label_of(name)
                self._contents.setdefault(label, str(content))
                self._names.setdefault(label, name)
            else:
                self._has_bare = True
        return super().taken(residual, at)

    def joined(self, theirs: Row, rest: Residual, at: At) -> Row:
        query = super().joined(theirs, rest, at)
        if not self._has_bare:
            return query
        labels = {*map(label_of, self._query_of({**at.row}).ids)} - self._contents.keys()
        if labels:
            self._bare.append((query, at.row["expected_documents"], labels))
        return query

    def wrap(self, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return the file: queries, documents, and metadata that preserve the root."""
        if self.is_table:
            return super().wrap(rows, root)
        metadata = mapping_at(root, "metadata")
        theirs = mapping_at(metadata, THEIRS)
        value: Row = {"queries": [row for row in rows if row is not None]}
        documents = self._documents(theirs.get("documents"))
        if documents or "documents" in theirs:
            value["documents"] = documents
            self._keep_bare(contents_of(documents))
        kept = {key: part for key, part in root.items() if key != "metadata"}
        losses = [Loss((key,), self.reason_against((key,), root), is_kept=True) for key in kept]
        free = {key: part for key, part in metadata.items() if key != THEIRS}
        if OURS in free or root.get("metadata") == {}:
            kept["metadata"] = metadata
            free = {}
        if "release" not in theirs:
            kept[BOTH_NAMES] = bool(self._release.ids) and not any(
                map(_has_twins, value["queries"])
            )
            if kept[BOTH_NAMES]:
                value["queries"] = [*map(_with_twin, value["queries"])]
        value |= mapping_at(theirs, "values")
        if free or kept:
            value["metadata"] = {**free, **({OURS: kept} if kept else {})}
        return value, losses

    def _keep_bare(self, contents: dict[str, str]) -> None:
        """Keep in queries that their rows have no text of a document whose text is in the file."""
        for query, documents, labels in self._bare:
            if labels & contents.keys():
                bare, kept = self.in_theirs.split(query, self.is_written)
                residual = self.form.read(kept or {}) or Residual({}, [])
                residual.set["expected_documents"] = documents
                query.update(self.in_theirs.joined(bare, self.form.written(residual)))

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

    def cells_of(self, row: Row) -> Cells:
        """Return a query as cells; lists are written as JSON."""
        cells = {
            key: part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
            for key, part in row.items()
        }
        return Cells(cells, (), [*_long_cells(cells)])

    def table_of(self, rows: list[Row]) -> tuple[list[str], list[Row], Sequence[Loss]]:
        header, rows, losses = super().table_of([row for row in rows if row is not None])
        return header or [names[0] for names in NAMES], rows, losses


def contents_of(documents: Any) -> dict[str, str]:
    """Return the last text of each document that is not blank, by the label of its id."""
    contents: dict[str, str] = {}
    for document in documents if isinstance(documents, list) else ():
        text = document.get("text") if isinstance(document, dict) else None
        if text and document.get("doc_id") and text_of(text):
            contents[label_of(text_of(document["doc_id"]))] = str(text)
    return contents


def _parts_of(metadata: Any) -> tuple[Row, Row] | None:
    """Split metadata of a file into that of the author and what it preserves of a root.

    None if it cannot be metadata of a root, and must be preserved as it is.
    """
    if not isinstance(metadata, dict) or not metadata or THEIRS in metadata:
        return None
    kept = metadata.get(OURS, {})
    if not isinstance(kept, dict) or (OURS in metadata and not kept):
        return None
    return {key: part for key, part in metadata.items() if key != OURS}, kept


def _is_expected(document: Row, expected: set[str]) -> bool:
    """Whether a document is fully represented by the rows that expect it."""
    is_plain = document.keys() == {"doc_id", "text"}
    is_text = is_plain and all(isinstance(part, str) and part.strip() for part in document.values())
    return is_text and label_of(document["doc_id"]) in expected


def _has_twins(row: Row) -> bool:
    """Whether a query has the same ids under both names."""
    first, second = ID_KEYS[:2]
    return first in row and second in row and json_equal(row[first], row[second])


def _with_twin(row: Row) -> Row:
    """Return a query with its ids under both names, for 0.0.1 and 0.0.3."""
    first, second = ID_KEYS[:2]
    given = row.get(first) or row.get(second)
    return {**row, first: given, second: given} if given else row


def _long_cells(cells: dict[str, str]) -> Iterator[Problem]:
    for key, cell in cells.items():
        if len(cell) > _MAX_CELL:
            message = f"`{key}` has {len(cell):,} characters, but a CSV cell at most {_MAX_CELL:,}"
            yield Problem("evret/malformed-cell", message, (), "write JSON instead")
