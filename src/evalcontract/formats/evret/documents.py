"""Find and check the queries and documents of a JSON file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, bom_rejected
from evalcontract.formats._format import RowLayout
from evalcontract.formats.evret.faults import (
    NO_QUERIES,
    are_filled,
    document_faults,
    kind_of,
    query_faults,
)
from evalcontract.formats.evret.releases import ids_key, label_of, parsed, text_of
from evalcontract.formats.evret.warnings import not_text, read_as_missing
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.diagnostic import Path

_LISTS = ("queries", "documents")


def rows_of_document(
    value: Any, release: Release, schema: SchemaChecker, *, has_mark: bool
) -> RowLayout:
    """Find the queries of a file by its value; `has_mark` means that it starts with a BOM."""
    if has_mark:
        message = "the file begins with a byte order mark, which Evret's parser rejects"
        return RowLayout.without_rows(bom_rejected("evret", message))
    if not isinstance(value, dict):
        message = f"the file must be a mapping with `queries`, not {kind_of(value)}"
        advice = 'write {"queries": …} around it' if isinstance(value, list) else None
        return RowLayout.without_rows(Problem("evret/wrong-type", message, (), advice))
    shallow = {key: [] if key in _LISTS else part for key, part in value.items()}
    problems = [*_wrong_lists(value), *schema.unread(shallow, (), of="file")]
    queries, documents = value.get("queries", []), value.get("documents", [])
    if isinstance(documents, list):
        problems += document_problems(documents, schema)
    if not isinstance(queries, list):
        return RowLayout.without_rows(*problems)
    if not queries:
        meant = None if "queries" in value else _meant_as_queries(value)
        problems = [problem for problem in problems if problem.path != (meant,)]
        problems.append(_no_queries(("queries",) if "queries" in value else (), meant))
    if isinstance(documents, list):
        problems += unknown_documents(queries, documents, release)
    return RowLayout(queries, ("queries",), tuple(problems))


def _meant_as_queries(value: dict[str, Any]) -> str | None:
    """Return the key that probably means `queries`: a similar one, or the only list of mappings."""
    others = [key for key in value if key not in ("documents", "metadata")]
    lists = [
        key
        for key in others
        if isinstance(value[key], list) and value[key] and isinstance(value[key][0], dict)
    ]
    return nearest("queries", others, limit=2) or (lists[0] if len(lists) == 1 else None)


def _wrong_lists(value: dict[str, Any]) -> Iterator[Problem]:
    for key in _LISTS:
        if not isinstance(value.get(key, []), list):
            message = f"`{key}` must be a list, not {kind_of(value[key])}"
            advice = "remove it, or write a list" if value[key] is None else "write a list"
            yield Problem("evret/wrong-type", message, (key,), advice)


def _no_queries(path: Path, meant: str | None) -> Problem:
    if meant is None:
        return NO_QUERIES._replace(path=path)
    advice = f"`{meant}` is not read: rename it to `queries`"
    return NO_QUERIES._replace(path=(meant,), help=advice, on_key=True)


_KEYS = {"doc_id", "text", "metadata"}
_NOTHING: dict[str, Any] = {}
# Misspelled ids are looked for among no more documents than these.
_MAX_COMPARED = 2_000


def document_problems(documents: list[Any], schema: SchemaChecker) -> Iterator[Problem]:
    """Yield the problems of the documents of a file."""
    first = FirstRows()
    for index, document in enumerate(documents):
        path: Path = ("documents", index)
        if _is_plain(document):
            yield from _duplicate(document, path, first)
            continue
        faults = list(document_faults(document, path))
        yield from faults
        if not isinstance(document, dict):
            continue
        if not document.keys() <= _KEYS:
            reported = {fault.path for fault in faults}
            unread = schema.unread(document, path, of="document")
            yield from (problem for problem in unread if problem.path not in reported)
        if not faults:
            yield from _document_warnings(document, path)
            yield from _duplicate(document, path, first)


def unknown_documents(
    queries: list[Any], documents: list[Any], release: Release
) -> Iterator[Problem]:
    """Yield the expected ids that no document has, if the file has documents."""
    known = {
        label_of(text_of(document["doc_id"])): text_of(document["doc_id"])
        for document in documents
        if isinstance(document, dict) and document.get("doc_id")
    }
    names = frozenset(known.values())
    for index, row in enumerate(queries if known else ()):
        path: Path = ("queries", index)
        if _expects_only(row, release, names):
            continue
        if any(query_faults(row, path, release)) or not (key := ids_key(row, release)):
            continue
        seen: set[str] = set()
        for number, value in enumerate(row[key]):
            text = text_of(value)
            # Values that are converted to texts are reported as such.
            if text and text not in seen and label_of(text) not in known and isinstance(value, str):
                yield _unknown(text, (*path, key, number), known, parsed(row, release).id)
            seen.add(text)


def _is_plain(document: Any) -> bool:
    """Whether a document surely has no problems of its own."""
    if document.__class__ is not dict or not document.keys() <= _KEYS:
        return False
    is_text = document.get("text", "").__class__ is str
    is_mapping = document.get("metadata", _NOTHING).__class__ is dict
    return is_text and is_mapping and are_filled((document.get("doc_id"),))


def _expects_only(row: Any, release: Release, names: frozenset[str]) -> bool:
    """Whether all expected ids of a row are surely among some names."""
    if row.__class__ is not dict or not release.ids:
        return False
    values = row.get(release.ids[0])
    if values.__class__ is not list or not values:
        return False
    return all(value.__class__ is str and value in names for value in values)


def _unknown(text: str, path: Path, known: dict[str, str], row: str) -> Problem:
    meant = nearest(text, known.values()) if len(known) <= _MAX_COMPARED else None
    return Problem(
        "evret/unknown-document",
        f"no document of this file has the id `{text}`",
        path,
        f"did you mean `{meant}`?" if meant else "write the `doc_id` of a document, or add it",
        row=row,
        row_index=int(path[1]),
    )


def _document_warnings(document: dict[str, Any], path: Path) -> Iterator[Problem]:
    yield from not_text(document, "doc_id", path)
    if document.get("text"):
        yield from not_text(document, "text", path)
    else:
        yield from read_as_missing(document, "text", path, (None, ""), "an empty text")
    yield from read_as_missing(document, "metadata", path, (None, {}), "no metadata")


def _duplicate(document: dict[str, Any], path: Path, first: FirstRows) -> Iterator[Problem]:
    name = text_of(document["doc_id"])
    if before := first.before(label_of(name), path):
        message = f"duplicate document id `{name}`: the last text counts"
        related = (Related("first used here", (*before, "doc_id")),)
        where, advice = (*path, "doc_id"), "document ids must be unique, ignoring case"
        yield Problem("evret/duplicate-document", message, where, advice, related=related)
