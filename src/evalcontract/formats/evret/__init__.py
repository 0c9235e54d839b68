"""Datasets of Evret, an evaluator of retrievers, in the JSON and CSV of three releases.

Measured on the published packages 0.0.1, 0.0.2 and 0.0.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._findings import FirstRows, SystemChecker, bom_rejected
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    NO_QUERIES,
    RELEASES,
    Release,
    are_filled,
    document_faults,
    first_non_empty,
    ids_key,
    items_of,
    kind_of,
    label_of,
    name_of,
    parsed,
    query_faults,
    read_by_others,
    release_of,
    rows_of_table,
    shown,
    text_of,
)
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.nearest import nearest
from evalcontract.model.values import quoted
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.source.external import ExternalFile

# Most queries have exactly a name, a text and a list.
_PLAIN_KEYS = 3
_EXPLAINED = ("evret/near-miss-key", "evret/other-release")


class QueryChecker(SystemChecker):
    """Reports what the release rejects in each query, and what it ignores."""

    def __init__(self, *started: Any) -> None:
        super().__init__(*started)
        self._release = RELEASES[self._variant]

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
        values = row.get(self._release.preferred) or row.get(ANSWERS)
        if values.__class__ is not list or not values or not are_filled(values):
            return False
        # Different items may be equal for the evaluation.
        if len(values) > 1 and len(set(map(label_of, values))) < len(values):
            return False
        return self._names.before(name.strip(), path) is None

    def _check(self, row: Any, path: Path, *, is_clean: bool) -> list[Problem]:
        faults = list(query_faults(row, path, self._release))
        if not isinstance(row, dict):
            return faults
        unread = [] if is_clean else self._unread(row, path, faults)
        if faults:
            return [*faults, *unread]
        problems = [*unread, *_warnings(row, path, self._release)]
        problems += self._duplicate(row, path)
        return [*problems, *self._nothing_expected(row, path, problems)]

    def _unread(self, row: dict[str, Any], path: Path, faults: list[Problem]) -> list[Problem]:
        """Return the keys that no release reads and that no fault reports."""
        known = {key: value for key, value in row.items() if key not in ID_KEYS}
        known |= {key: row[key] for key in self._release.lists if key in row}
        reported = {fault.path for fault in faults}
        return [p for p in self._schema.unread(known, path) if p.path not in reported]

    def _duplicate(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        key = first_non_empty(row, NAMES[0])
        if key is not None and (first := self._names.before(text_of(row[key]), path)):
            message = f"duplicate query id `{text_of(row[key])}`"
            related = (Related("first used here", first),)
            where, advice = (*path, key), "query ids must be unique"
            yield Problem("evret/duplicate-id", message, where, advice, related=related)

    def _nothing_expected(
        self, row: dict[str, Any], path: Path, problems: list[Problem]
    ) -> Iterator[Problem]:
        """Yield that a query has no expectations, unless another problem explains it."""
        query = parsed(row, self._release)
        # A missing column is reported once for the table.
        has_no_column = len(path) == 1 and row.keys().isdisjoint(self._release.list_columns)
        is_explained = has_no_column or any(problem.code in _EXPLAINED for problem in problems)
        if not query.ids and not query.answers and not is_explained:
            message = "the query has no expectations: every metric is 0.0, whatever is retrieved"
            advice = f"write {quoted((*self._release.ids[:1], ANSWERS), ' or ')}"
            yield Problem("evret/nothing-expected", message, path, advice)


def _warnings(row: dict[str, Any], path: Path, release: Release) -> Iterator[Problem]:
    for first, second in NAMES:
        if row.get(first) and row.get(second) and text_of(row[first]) != text_of(row[second]):
            yield _shadowed(first, second, path)
        yield from _not_text(row, first_non_empty(row, (first, second)), path)
    yield from _shadowed_ids(row, path, release)
    yield from _unread_ids(row, path, release)
    for key in (ids_key(row, release), ANSWERS):
        if key:
            yield from _item_problems(row.get(key), (*path, key))
    for key in release.lists:
        yield from _read_as_missing(row, key, path, plain=(None, []), instead="an empty list")
    query = parsed(row, release)
    if query.ids and query.answers:
        message = f"`{ANSWERS}` is ignored: {release.title} scores this query by document ids"
        advice = f"remove one of `{ids_key(row, release)}` and `{ANSWERS}`"
        yield Problem("evret/ignored-answers", message, (*path, ANSWERS), advice)


def _unread_ids(row: dict[str, Any], path: Path, release: Release) -> Iterator[Problem]:
    """Yield the keys that only other releases read, unless another key has the same items."""
    read = items_of(row.get(ids_key(row, release) or ""))
    for key in ID_KEYS:
        if row.get(key) and key not in release.lists and items_of(row[key]) != (read or None):
            yield read_by_others(key, (*path, key), release)


def _not_text(row: dict[str, Any], key: str | None, path: Path) -> Iterator[Problem]:
    if key is not None and not isinstance(row[key], str):
        yield _converted(row[key], f"`{key}`", (*path, key))


def _read_as_missing(
    row: dict[str, Any], key: str, path: Path, plain: tuple[Any, ...], instead: str
) -> Iterator[Problem]:
    """Yield a warning if an empty value of a wrong type is read as missing."""
    value = row.get(key)
    if not value and not any(value == empty and type(value) is type(empty) for empty in plain):
        message = f"`{key}` is {kind_of(value)} (`{shown(value)}`), which is read as {instead}"
        yield Problem("evret/taken-for-absent", message, (*path, key), "remove it")


def _converted(value: Any, name: str, path: Path) -> Problem:
    text = shown(text_of(value))
    message = f"{name} is {kind_of(value)}, which is converted to the text `{text}`"
    advice = "write a text, or remove it" if value is None else "write it as a text, in quotes"
    return Problem("evret/not-text", message, path, advice)


def _shadowed_ids(row: dict[str, Any], path: Path, release: Release) -> Iterator[Problem]:
    used = ids_key(row, release)
    read = items_of(row.get(used)) if used else []
    for key in (*release.ids, *release.last):
        given = row.get(key)
        if key == used or not given or (isinstance(given, list) and items_of(given) in ([], read)):
            continue
        if used is not None and (read or key not in release.last):
            yield _shadowed(used, key, path)
        elif key in release.last:
            yield _shadowed(ANSWERS, key, path)


def _shadowed(first: str, second: str, path: Path) -> Problem:
    code, message = "evret/shadowed-key", f"`{second}` is ignored because of `{first}`"
    related = (Related("this one is read", (*path, first), on_key=True),)
    where, advice = (*path, second), "remove one of them"
    return Problem(code, message, where, advice, on_key=True, related=related)


def _item_problems(values: Any, path: Path) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for index, value in enumerate(values if isinstance(values, list) else ()):
        text = text_of(value)
        where = (*path, index)
        if not text:
            yield Problem("evret/blank-item", "a blank item is dropped", where, "remove it")
            continue
        if not isinstance(value, str):
            yield _converted(value, "an item", where)
        first = seen.setdefault(label_of(text), index)
        if first != index:
            message = f"duplicate item `{shown(text)}` in `{path[-1]}` counts once"
            related = (Related("first here", (*path, first)),)
            yield Problem("evret/repeated-item", message, where, "remove it", related=related)


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
        problems.append(NO_QUERIES._replace(path=("queries",) if "queries" in value else ()))
        if meant:
            advice = f"`{meant}` is not read: rename it to `queries`"
            problems[-1] = NO_QUERIES._replace(path=(meant,), help=advice, on_key=True)
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
        unread: list[Problem] = []
        if not document.keys() <= _KEYS:
            reported = {fault.path for fault in faults}
            unread = [
                problem
                for problem in schema.unread(document, path, of="document")
                if problem.path not in reported
            ]
            yield from unread
        if not faults:
            yield from _document_warnings(document, path)
            if not any(problem.code in _EXPLAINED for problem in unread):
                yield from _no_text(document, path)
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
                yield _unknown(text, (*path, key, number), known, row=parsed(row, release).id)
            seen.add(text)


def _is_plain(document: Any) -> bool:
    """Whether a document surely has no problems of its own."""
    return (
        document.__class__ is dict
        and document.keys() <= _KEYS
        and document.get("metadata", _NOTHING).__class__ is dict
        and are_filled((document.get("doc_id"), document.get("text")))
    )


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
    message = f"no document of this file has the id `{text}`"
    advice = f"did you mean `{meant}`?" if meant else "write the `doc_id` of a document, or add it"
    code, index = "evret/unknown-document", int(path[1])
    return Problem(code, message, path, advice, row=row, row_index=index)


def _document_warnings(document: dict[str, Any], path: Path) -> Iterator[Problem]:
    yield from _not_text(document, "doc_id", path)
    if document.get("text"):
        yield from _not_text(document, "text", path)
    else:
        yield from _read_as_missing(
            document, "text", path, plain=(None, ""), instead="an empty text"
        )
    yield from _read_as_missing(document, "metadata", path, plain=(None, {}), instead="no metadata")


def _no_text(document: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield that a document has no text, by which answers are found in it."""
    text = document.get("text")
    if text is None or (isinstance(text, str) and not text.strip()):
        message = "the document has no text: Evret loads it, and the evaluation leaves it out"
        where = (*path, "text") if "text" in document else path
        yield Problem("evret/blank-item", message, where, "write its `text`")


def _duplicate(document: dict[str, Any], path: Path, first: FirstRows) -> Iterator[Problem]:
    name = text_of(document["doc_id"])
    if before := first.before(label_of(name), path):
        message = f"duplicate document id `{name}`: the last text counts"
        related = (Related("first used here", (*before, "doc_id")),)
        where, advice = (*path, "doc_id"), "document ids must be unique, ignoring case"
        yield Problem("evret/duplicate-document", message, where, advice, related=related)


FACTS = {"by_ids": lambda query, _: bool(query["ids"])}


class Evret(Format):
    """Queries of one release."""

    name = "evret"
    title = "Evret"
    variants = tuple(RELEASES)
    media = ("json", "csv")
    basis = "the loaders of Evret 0.0.1, 0.0.2 and 0.0.3, run"
    row_checker = QueryChecker
    conversion = "evalcontract.formats.evret.conversion:QueryLens"
    codes = codes_of_system(
        "evret",
        rejected=("empty-value", "malformed-cell", "short-row"),
        silently_accepted=(
            "blank-item",
            "duplicate-column",
            "duplicate-document",
            "extra-cell",
            "hidden-column",
            "ignored-answers",
            "no-queries",
            "not-text",
            "nothing-expected",
            "other-release",
            "repeated-item",
            "taken-for-absent",
            "unknown-document",
        ),
        guesses=("cut-cell", "python-list", "shadowed-key", "misplaced-key"),
        notes=("split-answer",),
    )
    facts = FACTS

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect the release of a document or a first row."""
        release = release_of(value)
        return cls(release) if release else None

    @property
    def _release(self) -> Release:
        return RELEASES[self.variant]

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if isinstance(file.source, CsvTable):
            return rows_of_table(file.source, self._release, schema, has_mark=file.has_mark)
        value = file.document.value if file.document else None
        return rows_of_document(value, self._release, schema, has_mark=file.has_mark)

    def name_of(self, row: Any) -> str | None:
        return name_of(row)

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        query = parsed(row, self._release)
        field = ids_key(row, self._release) if query.ids else ANSWERS
        for prediction in super().predict(query._asdict(), file):
            yield prediction._replace(field=field) if prediction.field else prediction
