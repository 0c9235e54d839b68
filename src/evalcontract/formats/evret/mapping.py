"""Convert a query of Evret to a row of evalcontract and back, and preserve the rest.

A row preserves the rest of a query in `metadata.evret`: `keys` are the keys of the query if they
are not the usual ones, and `values` what the row does not imply. A query preserves the rest of a
row in `metadata.evalcontract`, key by key, with null for keys that the row lacks. What is preserved
counts only while it agrees with what it was preserved beside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._fields import Field
from evalcontract.formats._findings import mapping_at
from evalcontract.formats._residual import Form, Residual, applied, difference, is_row
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    Query,
    items_of,
    label_of,
    parsed,
    query_faults,
    text_of,
)
from evalcontract.model.diagnostic import Path
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.formats.evret.releases import Release

#: The metadata key under which a row preserves what it cannot represent of a query.
THEIRS = "evret"
# The index in a `Query` of what each key holds.
_ROLES = {
    **{key: index for index, names in enumerate(NAMES) for key in names},
    **dict.fromkeys(ID_KEYS, 2),
    ANSWERS: 3,
}
_PLACED = ("id", "input", "expected_documents", "expected_facts")
# Keys that reading may add to a row.
_ADDED = ("bundle", "metadata")
_FORM = Form("values", "absent")


def parts_of(metadata: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Split metadata into that of the author and what it preserves of a row.

    None if it cannot be metadata of a row, and must be preserved as it is.
    """
    if not isinstance(metadata, dict) or not metadata or THEIRS in metadata:
        return None
    kept = metadata.get(OURS, {})
    if not isinstance(kept, dict) or (OURS in metadata and not kept):
        return None
    return {key: part for key, part in metadata.items() if key != OURS}, kept


def contents_of(documents: Any) -> dict[str, str]:
    """Return the last text of each document that is not blank, by the label of its id."""
    contents: dict[str, str] = {}
    for document in documents if isinstance(documents, list) else ():
        text = document.get("text") if isinstance(document, dict) else None
        if text and document.get("doc_id") and text_of(text):
            contents[label_of(text_of(document["doc_id"]))] = str(text)
    return contents


class QueryMapping:
    """Converts queries of a release to rows and back.

    `contents` are the texts of the documents of the file, by the labels of their ids. A table
    preserves nothing: it has only texts and lists.
    """

    def __init__(
        self, release: Release, contents: dict[str, str], *, is_table: bool = False
    ) -> None:
        self._release = release
        self._contents = contents
        self._is_table = is_table

    def read(self, row: dict[str, Any]) -> dict[str, Any]:
        """Convert a valid query to a row."""
        query = parsed(row, self._release)
        own = self._ours(query)
        parts = parts_of(row.get("metadata"))
        free, kept = parts or ({}, {})
        residual = self._residual(row, query, is_open=parts is not None)
        metadata = {**free, **({THEIRS: residual} if residual else {})}
        if metadata:
            own["metadata"] = metadata
        return self._restored(own, kept, query)

    def write(self, ours: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Convert a row to a query; return the keys that the query does not represent, too."""
        whole = mapping_at(ours, "metadata", THEIRS).get("row")
        if not self._is_table and isinstance(whole, dict) and self._is_whole(whole, ours):
            return {**whole}, {}
        row = self._to_query(ours)
        rest = _residual_fields(difference(self.read(row), ours))
        if rest and not self._is_table:
            parts = parts_of(row.pop("metadata", None))
            if parts is None:
                rest = _residual_fields(difference(self.read(row), ours))
            row["metadata"] = {**(parts[0] if parts else {}), OURS: rest}
        return row, rest

    def whole(self, row: dict[str, Any]) -> dict[str, Any]:
        """Convert a query to a row that preserves the whole query."""
        return {**self._ours(parsed(row, self._release)), "metadata": {THEIRS: {"row": row}}}

    def _is_whole(self, row: dict[str, Any], ours: dict[str, Any]) -> bool:
        return not any(query_faults(row, (), self._release)) and json_equal(self.whole(row), ours)

    def query_of(self, ours: dict[str, Any]) -> Query:
        """Return the query that a row represents."""
        documents = ours.get("expected_documents")
        documents = documents if isinstance(documents, list) and self._release.ids else []
        ids = [doc.get("id") if isinstance(doc, dict) else None for doc in documents]
        return Query(
            text_of(ours.get("id", "")),
            text_of(ours.get("input", "")),
            [] if None in ids else items_of(ids),
            items_of(ours.get("expected_facts")),
        )

    def _ours(self, query: Query) -> dict[str, Any]:
        ours: dict[str, Any] = {"id": query.id, "input": query.text}
        if query.ids:
            ours["bundle"] = "rag"
            ours["expected_documents"] = [self._document(id_) for id_ in query.ids]
        if query.answers:
            ours["expected_facts"] = query.answers
        return ours

    def _document(self, id_: str) -> dict[str, str]:
        content = self._contents.get(label_of(id_))
        return {"id": id_, "content": content} if content else {"id": id_}

    def _plain(self, query: Query) -> dict[str, Any]:
        """Return a query under its usual keys."""
        row: dict[str, Any] = {"query_id": query.id, "query_text": query.text}
        if query.ids:
            row[self._release.preferred] = query.ids
        if query.answers:
            row[ANSWERS] = query.answers
        return row

    def _residual(self, row: dict[str, Any], query: Query, *, is_open: bool) -> dict[str, Any]:
        """Return what a row does not imply of a query."""
        plain = self._plain(query)
        bare = {key: part for key, part in row.items() if not (key == "metadata" and is_open)}
        if json_equal(bare, plain):
            return {}
        keys = [key for key in bare if key in _ROLES and json_equal(bare[key], query[_ROLES[key]])]
        residual: dict[str, Any] = {} if set(keys) == plain.keys() else {"keys": keys}
        return {**residual, **_FORM.written(difference(_under(keys, query), bare))}

    def _restored(self, own: dict[str, Any], kept: dict[str, Any], query: Query) -> dict[str, Any]:
        """Restore what a query preserves of a row, as far as it agrees with the query."""
        absent = [[key] for key in _ADDED if key in kept and kept[key] is None]
        left = {key: part for key, part in kept.items() if [key] not in absent}

        def fits(path: Path, value: Any, _: Any) -> bool:
            key = str(path[0])
            if not is_row({key: value}):
                return False  # the value is foreign
            return key not in _PLACED or self.query_of({**own, key: value}) == query

        return applied(own, Residual(left, absent), fits=fits)

    def _reads(self, row: dict[str, Any], query: Query) -> bool:
        """Whether the loader accepts a row, and reads this query."""
        return not any(query_faults(row, (), self._release)) and parsed(row, self._release) == query

    def _to_query(self, ours: dict[str, Any]) -> dict[str, Any]:
        """Convert a row to a query that preserves nothing yet."""
        query = self.query_of(ours)
        residual = mapping_at(ours, "metadata", THEIRS)
        values = {} if self._is_table else mapping_at(residual, "values")
        keys = residual.get("keys")
        row = (_under(keys, query) if isinstance(keys, list) else self._plain(query)) | values
        if (values or isinstance(keys, list)) and not self._reads(row, query):
            row = {**{k: v for k, v in values.items() if k not in _ROLES}, **self._plain(query)}
        metadata = {k: v for k, v in mapping_at(ours, "metadata").items() if k != THEIRS}
        if metadata and OURS not in metadata and "metadata" not in values and not self._is_table:
            row["metadata"] = metadata
        return row


def _under(keys: list[Any], query: Query) -> dict[str, Any]:
    """Return the values of a query under some keys."""
    return {key: query[_ROLES[key]] for key in keys if str(key) in _ROLES}


def _residual_fields(residual: Residual) -> dict[str, Any]:
    """Return a residual as a query preserves it: with null for keys that the row lacks."""
    return {**residual.set, **dict.fromkeys(key for (key,) in residual.absent)}


_NO_ANSWERS = "Evret scores retrieval, not answers"
_NO_PLACE = "Evret has no place for it"
_WITH_IDS = ("0.0.3", "0.0.1")

FIELDS = (
    Field("query_id", "id"),
    Field("query_text", "input"),
    Field("expected_doc_ids", "expected_documents", "in JSON with their texts", ("0.0.3",)),
    Field("relevant_doc_ids", "expected_documents", "in JSON with their texts", _WITH_IDS),
    Field("relevant_docs", "expected_documents", "", ("0.0.1",)),
    Field("expected_answers", "expected_facts", "what the retrieved texts should state"),
    Field("metadata", "metadata", "not in CSV"),
    Field("*", None, "Evret does not read it, and rows have no key for it"),
    Field(None, "expected_documents", "Evret 0.0.2 reads no document ids", ("0.0.2",)),
    Field(None, "rubric_ref", "Evret scores retrieval, and has no rubrics"),
    Field(None, "criteria", _NO_ANSWERS),
    Field(None, "expected", _NO_ANSWERS),
    Field(None, "expected_tools", "Evret scores retrieval, and has no tools"),
    Field(None, "must_contain_any", _NO_ANSWERS),
    Field(None, "must_not_contain", _NO_ANSWERS),
    Field(None, "recorded_output", _NO_ANSWERS),
    Field(None, "retrieved_documents", "Evret runs the retriever itself"),
    Field(None, "*", _NO_PLACE),
)
