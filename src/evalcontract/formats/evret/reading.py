"""Convert queries of Evret to rows of evalcontract."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, OurRow, Reader
from evalcontract.formats._findings import mapping_at
from evalcontract.formats.evret.faults import RejectedCell
from evalcontract.formats.evret.header import Header
from evalcontract.formats.evret.mapping import THEIRS, QueryMapping, contents_of, parts_of
from evalcontract.formats.evret.releases import ID_KEYS, ids_key, items_of, label_of
from evalcontract.model.values import json_equal
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

    def read(self, row: Any, index: int) -> OurRow:  # noqa: ARG002 - each query has an id
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

    def read(self, row: Any, index: int) -> OurRow:  # noqa: ARG002 - each query has an id
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
