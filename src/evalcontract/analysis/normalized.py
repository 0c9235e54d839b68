"""How texts are compared: normalised, and without regard to case unless a check asks for it.

Checks compare outputs so, and rules what a rubric and its rows say.
"""

from __future__ import annotations

from unicodedata import normalize


def normalized(text: str, *, case_sensitive: bool = True) -> str:
    """Return a text as checks compare it, with regard to case or without."""
    return composed(text) if case_sensitive else folded(text)


def composed(text: str) -> str:
    """Return a text as checks compare it where case matters: in normalisation form C."""
    return text if text.isascii() else normalize("NFC", text)


def folded(text: str) -> str:
    """Return a text as checks compare it: without case, and in normalisation form C.

    It is normalised again after folding, since a folded letter may have another composed form.
    """
    if text.isascii():  # then it is in form C, and its folded letters are its small ones
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())
