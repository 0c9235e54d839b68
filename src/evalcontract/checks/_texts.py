"""How texts are compared: normalised, and without regard to case unless a check asks for it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from evalcontract.model.listing import clipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Wanted(NamedTuple):
    """A text that a check looks for, as it is written and as it is compared."""

    written: str
    normal: str


@lru_cache(maxsize=4)  # the checks of a rubric ask for the same text, one after the other
def normalized(text: str, *, case_sensitive: bool = True) -> str:
    """Return a text as checks compare it: in normalisation form C.

    If case does not matter, it is case-folded and then normalised again, since a folded letter may
    have another composed form.
    """
    if text.isascii():  # then it is in form C, and its folded letters are its small ones
        return text if case_sensitive else text.lower()
    text = normalize("NFC", text)
    return text if case_sensitive else normalize("NFC", text.casefold())


def texts_of(check: Mapping[str, Any], key: str) -> Callable[[Mapping[str, Any]], list[Wanted]]:
    """Return a function that gives the texts a check looks for, for a row.

    They are the `values` of the check, which are normalised once, or else the row's list `key`.
    `check` has its defaults.
    """
    sensitive = check["case_sensitive"]

    def wanted(texts: Iterable[str]) -> list[Wanted]:
        return [Wanted(text, normalized(text, case_sensitive=sensitive)) for text in texts]

    if "values" not in check:
        return lambda row: wanted(row[key])
    own = wanted(check["values"])
    return lambda _: own


def collapsed(text: str) -> str:
    """Return a text as facts are compared: case-folded, each run of white space as one space."""
    return " ".join(normalized(text, case_sensitive=False).split())


def quoted(text: str) -> str:
    """Return a text for a reason: in one line, clipped, in backticks."""
    return f"`{clipped(' '.join(text.split()))}`"
