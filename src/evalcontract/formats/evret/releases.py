"""What each release of Evret reads of a query, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWERS = "expected_answers"
#: Pairs of equivalent keys; the second is read if the first is missing or empty.
NAMES = (("query_id", "id"), ("query_text", "query"))
#: The keys of document ids, in any release.
ID_KEYS = ("expected_doc_ids", "relevant_doc_ids", "relevant_docs")
#: The releases that read each of them, for messages.
READ_BY = {
    "expected_doc_ids": "0.0.3",
    "relevant_doc_ids": "0.0.1 (and 0.0.3, from JSON)",
    "relevant_docs": "0.0.1",
}


@dataclass(frozen=True, slots=True)
class Release:
    """One release: the keys that it reads document ids from, in order.

    `ids` are keys of JSON, `columns` those of CSV. `last` is read if the others and the answers
    have no items.
    """

    version: str
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    last: str | None = None

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"Evret {self.version}"

    @property
    def lists(self) -> tuple[str, ...]:
        """The keys of JSON that it reads as lists."""
        return (*self.ids, ANSWERS, *((self.last,) if self.last else ()))

    @property
    def list_columns(self) -> tuple[str, ...]:
        """The columns of CSV that it reads as lists."""
        return (*self.columns, ANSWERS, *((self.last,) if self.last else ()))

    @property
    def preferred(self) -> str:
        """The key to use instead of one that it does not read."""
        return self.ids[0] if self.ids else ANSWERS


RELEASES: dict[str, Release] = {
    "0.0.3": Release("0.0.3", ("expected_doc_ids", "relevant_doc_ids"), ("expected_doc_ids",)),
    "0.0.2": Release("0.0.2"),
    "0.0.1": Release("0.0.1", ("relevant_doc_ids",), ("relevant_doc_ids",), "relevant_docs"),
}


class Query(NamedTuple):
    """A query as the loader reads it."""

    id: str
    text: str
    ids: list[str]
    answers: list[str]


def first_non_empty(row: dict[str, Any], keys: Iterable[str]) -> str | None:
    """Return the first key whose value is not empty; None if all are."""
    return next((key for key in keys if row.get(key)), None)


def text_of(value: Any) -> str:
    """Convert a value to a text as the loader does."""
    return str(value).strip()


def items_of(values: Any) -> list[str]:
    """Convert a list to texts as the loader does: without blanks and duplicates.

    Anything but a list has no items.
    """
    if not isinstance(values, list):
        return []
    return list(dict.fromkeys(filter(None, map(text_of, values))))


def label_of(text: str) -> str:
    """Normalize case and white space of a text as the evaluation does before comparing it."""
    return " ".join(text.lower().split())


def parsed(row: dict[str, Any], release: Release) -> Query:
    """Return what the loader makes of a valid row."""
    id_, text = (row[first_non_empty(row, names) or names[0]] for names in NAMES)
    answers = items_of(row.get(ANSWERS))
    key = ids_key(row, release)
    return Query(text_of(id_), text_of(text), items_of(row.get(key)) if key else [], answers)


def ids_key(row: dict[str, Any], release: Release) -> str | None:
    """Return the key that the document ids of a query are read from; None if there are none."""
    key = first_non_empty(row, release.ids)
    ids = items_of(row[key]) if key else []
    if release.last and not ids and not items_of(row.get(ANSWERS)):
        return release.last if row.get(release.last) else key
    return key


def name_of(row: Any) -> str | None:
    """Return the name of a query; None if it has none."""
    key = first_non_empty(row, NAMES[0]) if isinstance(row, dict) else None
    return text_of(row[key]) or None if key else None


# Keys of a query that other systems hardly have.
_DISTINCT = {"query_text", ANSWERS, *ID_KEYS}
_NAMED = {*NAMES[0], ANSWERS, *ID_KEYS}


def release_of(value: dict[str, Any]) -> str | None:
    """Detect the release of a whole document or a first row; None if it is of another system.

    It is the newest release, unless the query has what only 0.0.1 reads.
    """
    queries = value.get("queries")
    is_document = isinstance(queries, list)
    rows = queries if isinstance(queries, list) else [value]
    row = next((row for row in rows if isinstance(row, dict)), None)
    if row is None or _DISTINCT.isdisjoint(row) or _NAMED.isdisjoint(row):
        return None
    if not any(isinstance(row.get(key), str) and row[key].strip() for key in NAMES[1]):
        return None
    newest, *_, oldest = RELEASES
    read = RELEASES[newest].lists if is_document else RELEASES[newest].list_columns
    given = [key for key in (*ID_KEYS, ANSWERS) if row.get(key)]
    return oldest if given and not set(given) & set(read) else newest
