"""The queries and documents of a JSON file: where they stand, and what is wrong around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows
from evalcontract.formats._format import RowLayout
from evalcontract.formats.evret.faults import document_faults, kind_of, query_faults
from evalcontract.formats.evret.releases import ids_key, label_of, parsed, text_of
from evalcontract.formats.evret.warnings import not_text, taken_for_absent
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.path import Path

_LISTS = ("queries", "documents")


def rows_of_document(
    value: Any, release: Release, schema: SchemaChecker, *, has_mark: bool
) -> RowLayout:
    """Find the queries of a file's value; `has_mark` says that a byte order mark is before it."""
    if has_mark:
        message = "the file begins with a byte order mark, at which the parser of Evret stops"
        problem = Problem("evret/rejected", message, (), "save it as UTF-8 without a mark")
        return RowLayout(problems=(problem,), is_lost=True)
    if not isinstance(value, dict):
        message = f"the file must be a mapping with `queries`, not {kind_of(value)}"
        advice = 'write {"queries": …} around it' if isinstance(value, list) else None
        return RowLayout(problems=(Problem("evret/wrong-type", message, (), advice),), is_lost=True)
    wrong = list(_wrong_lists(value))
    shallow = {key: [] if key in _LISTS else part for key, part in value.items()}
    unread = schema.unread(shallow, (), of="file")
    queries, documents = value.get("queries", []), value.get("documents", [])
    problems = [*wrong, *unread]
    if isinstance(documents, list):
        problems += document_problems(documents, schema)
    if not isinstance(queries, list):
        return RowLayout(problems=tuple(problems), is_lost=True)
    if not queries:
        meant = None if "queries" in value else _meant_as_queries(value)
        problems = [each for each in problems if each.path != (meant,)]
        problems.append(_no_queries(("queries",) if "queries" in value else (), meant))
    if isinstance(documents, list):
        problems += unknown_documents(queries, documents, release)
    return RowLayout(queries, ("queries",), tuple(problems))


def _meant_as_queries(value: dict[str, Any]) -> str | None:
    """Return the key that was meant as `queries`: by its name, or as the one list of mappings."""
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
    message = "there are no queries: Evret loads the file, and refuses to evaluate it"
    if meant is None:
        return Problem("evret/no-queries", message, path, "add a query")
    advice = f"`{meant}` is not read: call it `queries`"
    return Problem("evret/no-queries", message, (meant,), advice, on_key=True)


_KEYS = {"doc_id", "text", "metadata"}
_NOTHING: dict[str, Any] = {}
# Names are compared by how they are spelled while there are no more than these.
_MOST_NAMES = 2_000


def document_problems(documents: list[Any], schema: SchemaChecker) -> Iterator[Problem]:
    """Yield what is wrong with the documents of a file."""
    first = FirstRows()
    for index, item in enumerate(documents):
        path: Path = ("documents", index)
        if _is_plain(item):
            yield from _again(item, path, first)
            continue
        faults = list(document_faults(item, path))
        yield from faults
        if not isinstance(item, dict):
            continue
        if not item.keys() <= _KEYS:
            told = {each.path for each in faults}
            unread = schema.unread(item, path, of="document")
            yield from (each for each in unread if each.path not in told)
        if not faults:
            yield from _traps(item, path)
            yield from _again(item, path, first)


def unknown_documents(
    queries: list[Any], documents: list[Any], release: Release
) -> Iterator[Problem]:
    """Yield the ids that a query expects and no document has, where there are documents."""
    there = {
        label_of(text_of(each["doc_id"])): text_of(each["doc_id"])
        for each in documents
        if isinstance(each, dict) and each.get("doc_id")
    }
    names = frozenset(there.values())
    for index, row in enumerate(queries if there else ()):
        path: Path = ("queries", index)
        if _expects_only(row, release, names):
            continue
        if any(query_faults(row, path, release)) or not (key := ids_key(row, release)):
            continue
        texts = {text_of(each): n for n, each in reversed([*enumerate(row[key])])}
        for text, number in sorted(texts.items(), key=lambda each: each[1]):
            # What was turned into a text is told as such.
            if text and label_of(text) not in there and isinstance(row[key][number], str):
                yield _unknown(text, (*path, key, number), there, parsed(row, release).id)


def _is_plain(item: Any) -> bool:
    """Whether a document is one of which nothing can be said by itself."""
    if item.__class__ is not dict or not item.keys() <= _KEYS:
        return False
    name = item.get("doc_id")
    is_named = name.__class__ is str and bool(name) and not name.isspace()
    is_text = item.get("text", "").__class__ is str
    return is_named and is_text and item.get("metadata", _NOTHING).__class__ is dict


def _expects_only(row: Any, release: Release, names: frozenset[str]) -> bool:
    """Whether the ids that count in a row are surely among some names, to the letter."""
    if row.__class__ is not dict or not release.ids:
        return False
    values = row.get(release.ids[0])
    if values.__class__ is not list or not values:
        return False
    return all(each.__class__ is str and each in names for each in values)


def _unknown(text: str, path: Path, there: dict[str, str], row: str) -> Problem:
    meant = nearest(text, there.values()) if len(there) <= _MOST_NAMES else None
    return Problem(
        "evret/unknown-document",
        f"no document of this file has the id `{text}`",
        path,
        f"did you mean `{meant}`?" if meant else "write the `doc_id` of a document, or add it",
        row=row,
        row_index=int(path[1]),
    )


def _traps(item: dict[str, Any], path: Path) -> Iterator[Problem]:
    yield from not_text(item, "doc_id", path)
    if item.get("text"):
        yield from not_text(item, "text", path)
    else:
        yield from taken_for_absent(item, "text", path, (None, ""), "an empty text")
    yield from taken_for_absent(item, "metadata", path, (None, {}), "no metadata")


def _again(item: dict[str, Any], path: Path, first: FirstRows) -> Iterator[Problem]:
    name = text_of(item["doc_id"])
    if before := first.before(label_of(name), path):
        message = f"another document has the id `{name}` already; the last text counts"
        there = Related("first used here", (*before, "doc_id"))
        advice = "give each document an id of its own; case does not tell them apart"
        yield Problem(
            "evret/duplicate-document", message, (*path, "doc_id"), advice, related=(there,)
        )
