"""The codes of a system: those that every system has, and its own.

What the system's own loader rejects is an error in both modes. What it silently accepts is a
warning, and an error in strict mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: What every loader may reject.
_REJECTED = ("rejected", "unread-medium", "missing-key", "wrong-type")
#: What every loader silently accepts, unless the system says that it is rejected.
_SILENTLY_ACCEPTED = ("duplicate-key", "not-finite", "duplicate-id")


def codes_of_system(
    system: str,
    *,
    rejected: Iterable[str] = (),
    silently_accepted: Iterable[str] = (),
    guesses: Iterable[str] = (),
    notes: Iterable[str] = (),
    page: str | None = None,
) -> tuple[Code, ...]:
    """Return the codes of a system: those that every system has, and its own.

    `guesses` are silently accepted too, and depend on what the author probably meant. `notes` are
    no faults: they say what the system will do, in both modes. `page` is the manual page that the
    codes of another package share.
    """
    rejected = (*_REJECTED, *rejected)

    def declared() -> Iterator[Code]:
        for fault in rejected:
            yield Code(f"{system}/{fault}", soft=Severity.ERROR, page=page)
        for fault in (*_SILENTLY_ACCEPTED, *silently_accepted):
            if fault not in rejected:
                yield Code(f"{system}/{fault}", page=page)
        for fault in ("near-miss-key", *guesses):
            yield Code(f"{system}/{fault}", guess=True, page=page)
        # An unknown key may be meant for another tool, so it never fails a run.
        yield Code(f"{system}/ignored-key", strict=Severity.WARNING, page=page)
        note = Severity.NOTE
        for fault in notes:
            yield Code(f"{system}/{fault}", soft=note, strict=note, page=page)
        yield Code(f"{system}/detected", soft=note, strict=note, guess=True, page=page)

    return tuple(declared())
