"""A query of Evret as a row of ours and back, and what each keeps of the other.

What a query has beyond that stands in our row below `metadata.evret`: `keys` are those that the
query's values stood below, where they are not the usual ones, and `values` what cannot be derived
at all. What our row has beyond the query stands in the query below `metadata.evalcontract`, key by
key; null is there for a key that our row has not. What is kept counts only while it still says
the same as what stands in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._findings import mapping_at
from evalcontract.formats._residual import Form, Residual, applied, difference, is_row
from evalcontract.formats.evret.faults import query_faults
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    Query,
    items_of,
    label_of,
    parsed,
    text_of,
)
from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.path import Path

#: The key below our `metadata` under which is kept what Evret has and we have not.
THEIRS = "evret"
# What stands below each key, as a place in a `Query`.
_ROLES = {
    **{key: place for place, names in enumerate(NAMES) for key in names},
    **dict.fromkeys(ID_KEYS, 2),
    ANSWERS: 3,
}
_PLACED = ("id", "input", "expected_documents", "expected_facts")
# What reading may add to a row that had none of it.
_ADDED = ("bundle", "metadata")
_FORM = Form("values", "absent")


def parts_of(metadata: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return what `metadata` says to anybody, and what is kept in it of ours.

    None where it cannot become our `metadata`, and has to be kept as it is.
    """
    if not isinstance(metadata, dict) or not metadata or THEIRS in metadata:
        return None
    kept = metadata.get(OURS, {})
    if not isinstance(kept, dict) or (OURS in metadata and not kept):
        return None
    return {key: part for key, part in metadata.items() if key != OURS}, kept


def contents_of(documents: Any) -> dict[str, str]:
    """Return the texts of documents by the labels of their ids; the last one that is not blank."""
    found: dict[str, str] = {}
    for each in documents if isinstance(documents, list) else ():
        text = each.get("text") if isinstance(each, dict) else None
        if text and each.get("doc_id") and text_of(text):
            found[label_of(text_of(each["doc_id"]))] = str(text)
    return found


class QueryMapping:
    """Turns queries of a release into rows and back.

    `contents` are the texts of the documents of the file, by the labels of their ids. A table
    keeps nothing: it has texts and lists alone.
    """

    def __init__(
        self, release: Release, contents: dict[str, str], *, is_table: bool = False
    ) -> None:
        self._release = release
        self._contents = contents
        self._is_table = is_table

    def read(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a sound query as a row of ours."""
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
        """Return a row of ours as a query, and what of it has no place there of its own."""
        whole = mapping_at(ours, "metadata", THEIRS).get("row")
        if not self._is_table and isinstance(whole, dict) and self._is_whole(whole, ours):
            return {**whole}, {}
        row = self._built(ours)
        rest = _kept(difference(self.read(row), ours))
        if rest and not self._is_table:
            parts = parts_of(row.pop("metadata", None))
            if parts is None:
                rest = _kept(difference(self.read(row), ours))
            row["metadata"] = {**(parts[0] if parts else {}), OURS: rest}
        return row, rest

    def whole(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row of ours that keeps a query as a whole."""
        return {**self._ours(parsed(row, self._release)), "metadata": {THEIRS: {"row": row}}}

    def _is_whole(self, row: dict[str, Any], ours: dict[str, Any]) -> bool:
        return not any(query_faults(row, (), self._release)) and json_equal(self.whole(row), ours)

    def query_of(self, ours: dict[str, Any]) -> Query:
        """Return the query that our row stands for."""
        documents = ours.get("expected_documents")
        found = documents if isinstance(documents, list) and self._release.ids else []
        ids = [each.get("id") if isinstance(each, dict) else None for each in found]
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
            ours["expected_documents"] = [self._document(each) for each in query.ids]
        if query.answers:
            ours["expected_facts"] = query.answers
        return ours

    def _document(self, id_: str) -> dict[str, str]:
        content = self._contents.get(label_of(id_))
        return {"id": id_, "content": content} if content else {"id": id_}

    def _plain(self, query: Query) -> dict[str, Any]:
        """Return a query below its usual keys."""
        row: dict[str, Any] = {"query_id": query.id, "query_text": query.text}
        if query.ids:
            row[self._release.instead] = query.ids
        if query.answers:
            row[ANSWERS] = query.answers
        return row

    def _residual(self, row: dict[str, Any], query: Query, *, is_open: bool) -> dict[str, Any]:
        """Return what of a query cannot be derived from our row."""
        plain = self._plain(query)
        bare = {key: part for key, part in row.items() if not (key == "metadata" and is_open)}
        if json_equal(bare, plain):
            return {}
        keys = [key for key in bare if key in _ROLES and json_equal(bare[key], query[_ROLES[key]])]
        residual: dict[str, Any] = {} if set(keys) == plain.keys() else {"keys": keys}
        return {**residual, **_FORM.written(difference(_under(keys, query), bare))}

    def _restored(self, own: dict[str, Any], kept: dict[str, Any], query: Query) -> dict[str, Any]:
        """Return our row with what is kept of it, as far as that says the same."""
        absent = [[key] for key in _ADDED if key in kept and kept[key] is None]
        left = {key: part for key, part in kept.items() if [key] not in absent}

        def fits(path: Path, value: Any, _: Any) -> bool:
            key = str(path[0])
            if not is_row({key: value}):
                return False  # somebody else has written here
            return key not in _PLACED or self.query_of({**own, key: value}) == query

        return applied(own, Residual(left, absent), fits=fits)

    def _says(self, row: dict[str, Any], query: Query) -> bool:
        """Whether the loader takes a row, and makes this query of it."""
        is_sound = not any(query_faults(row, (), self._release))
        return is_sound and parsed(row, self._release) == query

    def _built(self, ours: dict[str, Any]) -> dict[str, Any]:
        """Return our row as a query that keeps nothing yet."""
        query = self.query_of(ours)
        residual = mapping_at(ours, "metadata", THEIRS)
        keys, values = residual.get("keys"), mapping_at(residual, "values")
        values = {} if self._is_table else values
        row = self._plain(query)
        if isinstance(keys, list):
            row = _under(keys, query)
        row |= values
        if (values or isinstance(keys, list)) and not self._says(row, query):
            row = {**{k: v for k, v in values.items() if k not in _ROLES}, **self._plain(query)}
        metadata = {k: v for k, v in mapping_at(ours, "metadata").items() if k != THEIRS}
        if metadata and OURS not in metadata and "metadata" not in values and not self._is_table:
            row["metadata"] = metadata
        return row


def _under(keys: list[Any], query: Query) -> dict[str, Any]:
    """Return what a query says below some keys."""
    return {key: query[_ROLES[key]] for key in keys if str(key) in _ROLES}


def _kept(residual: Residual) -> dict[str, Any]:
    """Return a residual as a query keeps it: null stands for what our row has not."""
    return {**residual.set, **dict.fromkeys(key for (key,) in residual.absent)}
