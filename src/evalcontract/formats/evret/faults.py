"""What the loader rejects in a query or a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import missing_key
from evalcontract.formats.evret.releases import ANSWERS, NAMES, first_non_empty, ids_key, text_of
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.values import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.diagnostic import Path

_KINDS = {str: "text", list: "a list", dict: "a mapping", bool: "true or false"}
_REQUIRED = {"query_id": "a query needs a name", "query_text": "a query needs a text"}
_QUERY_KEYS = {key for keys in NAMES for key in keys}
_MAX_LENGTH = 40

#: A file without queries.
NO_QUERIES = Problem(
    "evret/no-queries",
    "there are no queries: Evret loads the file, but cannot evaluate it",
    (),
    "add a query",
)


@dataclass(frozen=True, slots=True)
class RejectedCell:
    """The value of a CSV cell that should hold a list, but that the loader rejects."""

    fault: str
    message: str
    help: str


def kind_of(value: Any) -> str:
    """Return the type of a value in words."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number")


def shown(value: Any) -> str:
    """Format a value in few characters."""
    return clipped(str(value) or "''", _MAX_LENGTH)


def are_filled(values: Iterable[Any]) -> bool:
    """Whether values are texts that are not blank."""
    return all(value.__class__ is str and value and not value.isspace() for value in values)


def query_faults(row: Any, path: Path, release: Release) -> Iterator[Problem]:
    """Yield what the loader rejects in a query."""
    if not isinstance(row, dict):
        yield _not_a_mapping("query", "`query_id` and `query_text`", row, path)
        return
    for names in NAMES:
        yield from _name_faults(row, names, path)
    yield from list_faults(row, ANSWERS, path)
    chosen = first_non_empty(row, release.ids)
    if chosen:
        yield from list_faults(row, chosen, path)
    last = ids_key(row, release)
    if last and last != chosen:
        yield from list_faults(row, last, path)


def document_faults(document: Any, path: Path) -> Iterator[Problem]:
    """Yield what the loader rejects in a document."""
    if not isinstance(document, dict):
        yield _not_a_mapping("document", "`doc_id`", document, path)
        return
    yield from _name_faults(document, ("doc_id",), path)
    metadata = document.get("metadata")
    if metadata and not isinstance(metadata, dict):
        message = f"`metadata` must be a mapping, not {kind_of(metadata)}"
        advice = 'write a mapping, such as {"source": "returns.md"}'
        yield Problem("evret/wrong-type", message, (*path, "metadata"), advice)


def _not_a_mapping(what: str, keys: str, value: Any, path: Path) -> Problem:
    message = f"a {what} must be a mapping, not {kind_of(value)}"
    return Problem("evret/wrong-type", message, path, f"write a mapping with {keys}")


def _name_faults(row: dict[str, Any], names: tuple[str, ...], path: Path) -> Iterator[Problem]:
    """Yield the fault of a name or text that is read from the first of some keys."""
    preferred = names[0]
    key = first_non_empty(row, names)
    if key is not None:
        if not text_of(row[key]):
            others = (name for name in names[1:] if key == preferred and row.get(name))
            hidden = "".join(f", and it hides `{name}`" for name in others)
            message = f"`{key}` is blank{hidden}"
            yield Problem("evret/empty-value", message, (*path, key), "fill it in, or remove it")
        return
    present = next((name for name in names if name in row), None)
    if present is not None:
        value = row[present]
        empty = f" (`{shown(value)}`)" if value not in (None, "") else ""
        message = f"`{present}` is empty{empty}, which is read as missing"
        yield Problem("evret/empty-value", message, (*path, present), "write a text")
        return
    near = "id" if preferred == "doc_id" and "id" in row else None
    near = near or nearest(preferred, [name for name in row if name not in _QUERY_KEYS])
    message = f"`{preferred}` is missing"
    yield missing_key("evret", message, path, preferred, near, _REQUIRED.get(preferred))


def list_faults(row: dict[str, Any], key: str, path: Path) -> Iterator[Problem]:
    """Yield the fault of a value that must be a list, or empty."""
    value = row.get(key)
    if isinstance(value, RejectedCell):
        yield Problem(f"evret/{value.fault}", value.message, (*path, key), value.help)
    elif value and not isinstance(value, list):
        message = f"`{key}` must be a list, not {kind_of(value)}"
        advice = f'write a list: ["{value}"]' if isinstance(value, str) else "write a list of texts"
        yield Problem("evret/wrong-type", message, (*path, key), advice)
