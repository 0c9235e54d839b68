"""One pass over the queries of a dataset of Evret."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, bom_rejected
from evalcontract.formats._format import RowChecker, RowLayout
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    NO_QUERIES,
    are_filled,
    document_faults,
    first_non_empty,
    ids_key,
    kind_of,
    label_of,
    parsed,
    query_faults,
    text_of,
)
from evalcontract.formats.evret.warnings import (
    missing_expectation,
    not_text,
    query_warnings,
    read_as_missing,
)
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release

# Most queries have exactly a name, a text and a list.
_PLAIN_KEYS = 3
_EXPLAINED = ("evret/near-miss-key", "evret/other-release")


class QueryChecker(RowChecker):
    """Reports what the release rejects in each query, and what it ignores."""

    def __init__(self, release: Release, schema: SchemaChecker) -> None:
        self._release = release
        self._schema = schema
        self._ids = release.ids[0] if release.ids else ANSWERS
        self._first = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next query."""
        if is_clean and self._is_plain(row, path):
            return ()
        return self._check(row, path, is_clean=is_clean)

    def _is_plain(self, row: dict[str, Any], path: Path) -> bool:
        """Whether a row that satisfies the schema surely has no problems."""
        name = row.get("query_id")
        if len(row) != _PLAIN_KEYS or name.__class__ is not str:
            return False
        if row.get("query_text").__class__ is not str:
            return False
        values = row.get(self._ids) or row.get(ANSWERS)
        if values.__class__ is not list or not values or not are_filled(values):
            return False
        # Different items may be equal for the evaluation.
        if len(values) > 1 and len(set(map(label_of, values))) < len(values):
            return False
        return self._first.before(name.strip(), path) is None

    def _check(self, row: Any, path: Path, *, is_clean: bool) -> list[Problem]:
        faults = list(query_faults(row, path, self._release))
        if not isinstance(row, dict):
            return faults
        unread = [] if is_clean else self._unread(row, path, faults)
        if faults:
            return [*faults, *unread]
        problems = [*unread, *query_warnings(row, path, self._release)]
        problems += self._duplicate(row, path)
        lacking = missing_expectation(row, path, self._release)
        if lacking and not self._is_explained(lacking, row, path, problems):
            problems.append(lacking)
        return problems

    def _unread(self, row: dict[str, Any], path: Path, faults: list[Problem]) -> list[Problem]:
        """Return the keys that no release reads and that no fault reports."""
        known = {key: value for key, value in row.items() if key not in ID_KEYS}
        known |= {key: row[key] for key in self._release.lists if key in row}
        reported = {fault.path for fault in faults}
        return [p for p in self._schema.unread(known, path) if p.path not in reported]

    def _duplicate(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        key = first_non_empty(row, NAMES[0])
        if key is not None and (first := self._first.before(text_of(row[key]), path)):
            message = f"duplicate query id `{text_of(row[key])}`"
            related = (Related("first used here", first),)
            where, advice = (*path, key), "query ids must be unique"
            yield Problem("evret/duplicate-id", message, where, advice, related=related)

    def _is_explained(
        self, lacking: Problem, row: dict[str, Any], path: Path, problems: list[Problem]
    ) -> bool:
        """Whether another problem explains why a query has no expectations."""
        if lacking.code != "evret/nothing-expected":
            return False
        if any(problem.code in _EXPLAINED for problem in problems):
            return True
        # A missing column is reported once for the table.
        return len(path) == 1 and not any(key in row for key in self._release.list_columns)


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
