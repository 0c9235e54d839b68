"""Whether a file can only be one of Evret's, and of which release."""

from __future__ import annotations

from typing import Any

from evalcontract.formats.evret.releases import ANSWERS, ID_KEYS, NAMES, RELEASES

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
