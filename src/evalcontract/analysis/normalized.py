"""How texts are compared: normalised, and without regard to case unless a check asks for it.

Checks compare outputs so, and rules what a rubric and its rows say.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize


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
