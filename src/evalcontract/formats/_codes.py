"""The codes of formats; each built-in one declares its own in the module `codes` of its package.

What the system's own loader rejects is an error in both modes. What it silently accepts is a
warning, and an error in strict mode.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from evalcontract.formats import FORMATS, formats_in_use
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: What every loader may reject.
_REJECTED = ("rejected", "unread-medium", "missing-key", "wrong-type")
#: What every loader silently accepts.
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
    """Return the codes of a system: the common ones, and its own.

    `guesses` are silently accepted too, and depend on what the author probably meant. `notes` are
    no faults: they say what the system will do, in both modes. `page` is the manual page that the
    codes of another package share; built-in codes have one each.
    """

    def declared() -> Iterator[Code]:
        for fault in (*_REJECTED, *rejected):
            yield Code(f"{system}/{fault}", soft=Severity.ERROR, page=page)
        for fault in (*_SILENTLY_ACCEPTED, *silently_accepted):
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


@cache
def codes_of_formats() -> Mapping[str, Code]:
    """Return the codes of every format, by name."""
    built_in = [import_module(f"evalcontract.formats.{form.name}.codes").CODES for form in FORMATS]
    others = [form.codes for form in formats_in_use()]
    return {code: code for codes in (*others, *built_in) for code in codes}


def is_rejection(name: str) -> bool:
    """Whether a system's own loader rejects what a code reports: an error in both modes."""
    code = codes_of_formats().get(name)
    return code is not None and code.severities.soft is Severity.ERROR
