"""The texts that checks look for, and facts, as they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.analysis.normalized import normalized
from evalcontract.model.listing import clipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Wanted(NamedTuple):
    """A text that a check looks for, as it is written and as it is compared."""

    written: str
    normal: str


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
