"""How texts are compared: normalised, and without regard to case unless a check asks for it."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize

from evalcontract.model.listing import clipped


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


def collapsed(text: str) -> str:
    """Return a text as facts are compared: case-folded, each run of white space as one space."""
    return " ".join(normalized(text, case_sensitive=False).split())


def quoted(text: str) -> str:
    """Return a text for a reason: in one line, clipped, in backticks."""
    return f"`{clipped(' '.join(text.split()))}`"
