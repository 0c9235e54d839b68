"""Where the queries of a JSON file stand, and what is wrong around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import RowLayout
from evalcontract.formats.evret.documents import document_problems, unknown_documents
from evalcontract.formats.evret.faults import kind_of
from evalcontract.model.diagnostic import Problem
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
