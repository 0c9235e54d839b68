"""What makes the loader refuse a query or a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import clipped
from evalcontract.formats.evret.releases import ANSWERS, NAMES, first_given, ids_key, text_of
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.path import Path

_KINDS = {str: "text", list: "a list", dict: "a mapping", bool: "true or false"}
_SAID = {"query_id": "a query needs a name", "query_text": "a query needs a text"}
_MOST = 40


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """A cell of a table at which the loader stops, in place of the list that it asks for."""

    fault: str
    message: str
    help: str


def kind_of(value: Any) -> str:
    """Return the word for what a value is."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number")


def shown(value: Any) -> str:
    """Return a value in few characters."""
    return clipped(str(value) or "''", _MOST)


def query_faults(row: Any, path: Path, release: Release) -> Iterator[Problem]:
    """Yield what the loader refuses in a query."""
    if not isinstance(row, dict):
        yield _not_a_mapping("query", row, path)
        return
    for names in NAMES:
        yield from _name(row, names, path)
    yield from _list(row, ANSWERS, path)
    chosen = first_given(row, release.ids)
    if chosen:
        yield from _list(row, chosen, path)
    last = ids_key(row, release)
    if last and last != chosen:
        yield from _list(row, last, path)


def document_faults(item: Any, path: Path) -> Iterator[Problem]:
    """Yield what the loader refuses in a document."""
    if not isinstance(item, dict):
        yield _not_a_mapping("document", item, path)
        return
    yield from _name(item, ("doc_id",), path)
    metadata = item.get("metadata")
    if metadata and not isinstance(metadata, dict):
        yield Problem(
            "evret/wrong-type",
            f"`metadata` must be a mapping, not {kind_of(metadata)}",
            (*path, "metadata"),
            'write a mapping, such as {"source": "returns.md"}',
        )


def meant_by(name: str, row: dict[str, Any]) -> str | None:
    """Return the key of a row that may have been meant as one that is missing."""
    if name == "doc_id" and "id" in row:
        return "id"
    others = [key for key in row if key not in {each for pair in NAMES for each in pair}]
    return nearest(name, others)


def _not_a_mapping(what: str, value: Any, path: Path) -> Problem:
    needs = "`query_id` and `query_text`" if what == "query" else "`doc_id`"
    message = f"a {what} must be a mapping, not {kind_of(value)}"
    return Problem("evret/wrong-type", message, path, f"write a mapping with {needs}")


def _name(row: dict[str, Any], names: tuple[str, ...], path: Path) -> Iterator[Problem]:
    """Yield the fault of what names a query or a document, or of the query's text."""
    key = first_given(row, names)
    if key is not None:
        if not text_of(row[key]):
            hides = "".join(f", and it hides `{each}`" for each in names[1:] if row.get(each))
            hides = "" if key != names[0] else hides
            message = f"`{key}` is blank{hides}"
            yield Problem("evret/empty-value", message, (*path, key), "write something, or nothing")
        return
    there = next((each for each in names if each in row), None)
    if there is not None:
        empty = f" (`{shown(row[there])}`)" if row[there] not in (None, "") else ""
        message = f"`{there}` is empty{empty}, which is read as missing"
        yield Problem("evret/empty-value", message, (*path, there), "write a text")
        return
    meant = meant_by(names[0], row)
    message, advice = f"`{names[0]}` is missing", _SAID.get(names[0])
    if meant is None:
        yield Problem("evret/missing-key", message, path, advice)
    else:
        advice = f"`{meant}` is not read: call it `{names[0]}`"
        yield Problem("evret/missing-key", message, (*path, meant), advice, on_key=True)


def _list(row: dict[str, Any], key: str, path: Path) -> Iterator[Problem]:
    value = row.get(key)
    if isinstance(value, RefusedCell):
        yield Problem(f"evret/{value.fault}", value.message, (*path, key), value.help)
    elif value and not isinstance(value, list):
        message = f"`{key}` must be a list, not {kind_of(value)}"
        advice = f'write a list: ["{value}"]' if isinstance(value, str) else "write a list of texts"
        yield Problem("evret/wrong-type", message, (*path, key), advice)
