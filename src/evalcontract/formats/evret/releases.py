"""What each release of Evret reads of a query, and what becomes of it there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWERS = "expected_answers"
#: Pairs of keys for one thing; the second is read where the first is missing or empty.
NAMES = (("query_id", "id"), ("query_text", "query"))
#: The keys that document ids stand below, in any release.
ID_KEYS = ("expected_doc_ids", "relevant_doc_ids", "relevant_docs")
#: Which releases read each of them, for people.
READ_BY = {
    "expected_doc_ids": "0.0.3",
    "relevant_doc_ids": "0.0.1 (and 0.0.3, from JSON)",
    "relevant_docs": "0.0.1",
}


@dataclass(frozen=True, slots=True)
class Release:
    """One release. `ids` are the keys of JSON that it reads document ids from, the first first.

    `columns` are those of CSV. `last` is read where the others and the answers hold nothing.
    """

    version: str
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    last: str | None = None

    @property
    def title(self) -> str:
        """What people call it."""
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
    def instead(self) -> str:
        """The key to write expectations below, rather than one that it does not read."""
        return self.ids[0] if self.ids else ANSWERS


RELEASES: dict[str, Release] = {
    "0.0.3": Release("0.0.3", ("expected_doc_ids", "relevant_doc_ids"), ("expected_doc_ids",)),
    "0.0.2": Release("0.0.2"),
    "0.0.1": Release("0.0.1", ("relevant_doc_ids",), ("relevant_doc_ids",), "relevant_docs"),
}


class Query(NamedTuple):
    """A query as the loader makes it."""

    id: str
    text: str
    ids: list[str]
    answers: list[str]


def first_given(row: dict[str, Any], keys: Iterable[str]) -> str | None:
    """Return the first key whose value is not empty; None where all are."""
    return next((key for key in keys if row.get(key)), None)


def text_of(value: Any) -> str:
    """Return the text that the loader makes of a value."""
    return str(value).strip()


def items_of(values: Any) -> list[str]:
    """Return the texts that the loader makes of a list: none blank, each once.

    Of an empty value, and of what is no list, there are none.
    """
    if not isinstance(values, list):
        return []
    return list(dict.fromkeys(filter(None, map(text_of, values))))


def label_of(text: str) -> str:
    """Return a text as the evaluation compares it: case and the width of blanks do not count."""
    return " ".join(text.lower().split())


def parsed(row: dict[str, Any], release: Release) -> Query:
    """Return what the loader makes of a sound row."""
    id_, text = (row[first_given(row, names) or names[0]] for names in NAMES)
    answers = items_of(row.get(ANSWERS))
    key = ids_key(row, release)
    return Query(text_of(id_), text_of(text), items_of(row.get(key)) if key else [], answers)


def ids_key(row: dict[str, Any], release: Release) -> str | None:
    """Return the key that the document ids of a query are taken from; None where there are none."""
    key = first_given(row, release.ids)
    ids = items_of(row[key]) if key else []
    if release.last and not ids and not items_of(row.get(ANSWERS)):
        return release.last if row.get(release.last) else key
    return key


# Keys of a query that hardly anybody else has.
_TELLING = {"query_text", ANSWERS, *ID_KEYS}
_NAMED = {*NAMES[0], ANSWERS, *ID_KEYS}


def release_of(value: dict[str, Any]) -> str | None:
    """Return the release that a whole document, or a first row, can be of; None for none.

    That is the newest one, unless the query holds what only 0.0.1 reads.
    """
    queries = value.get("queries")
    is_document = isinstance(queries, list)
    first = next((each for each in queries or () if isinstance(each, dict)), None)
    row = first if is_document else value
    if row is None or _TELLING.isdisjoint(row) or _NAMED.isdisjoint(row):
        return None
    if not any(isinstance(row.get(key), str) and row[key].strip() for key in NAMES[1]):
        return None
    newest, *_, oldest = RELEASES
    read = RELEASES[newest].lists if is_document else RELEASES[newest].list_columns
    wants = [key for key in (*ID_KEYS, ANSWERS) if row.get(key)]
    return oldest if wants and not set(wants) & set(read) else newest
