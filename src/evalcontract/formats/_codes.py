"""The codes of formats: how each declares its own, in the module `codes` of its package.

What the system's own loader rejects is an error in both modes; what it accepts in silence is a
warning, and strict mode's error.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from evalcontract.formats import FORMATS
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: What every loader may reject.
_REJECTED = ("rejected", "unread-medium", "missing-key", "wrong-type")
#: What every loader accepts in silence.
_SILENTLY_ACCEPTED = ("duplicate-key", "not-finite", "duplicate-id")


def codes_of_system(
    system: str,
    *,
    rejected: Iterable[str] = (),
    silently_accepted: Iterable[str] = (),
    guesses: Iterable[str] = (),
) -> tuple[Code, ...]:
    """Return the codes of a system: those that every system has, and its own.

    `guesses` are accepted in silence too, and rest on what the author probably meant.
    """

    def declared() -> Iterator[Code]:
        for fault in (*_REJECTED, *rejected):
            yield Code(f"{system}/{fault}", soft=Severity.ERROR)
        for fault in (*_SILENTLY_ACCEPTED, *silently_accepted):
            yield Code(f"{system}/{fault}")
        for fault in ("near-miss-key", *guesses):
            yield Code(f"{system}/{fault}", guess=True)
        # An unknown key may well be meant for somebody else, so it never fails a run.
        yield Code(f"{system}/ignored-key", strict=Severity.WARNING)
        note = Severity.NOTE
        yield Code(f"{system}/detected", soft=note, strict=note, guess=True)

    return tuple(declared())


@cache
def codes_of_formats() -> Mapping[str, Code]:
    """Return the codes of every format, by name."""
    modules = [import_module(f"evalcontract.formats.{each.name}.codes") for each in FORMATS]
    return {code: code for module in modules for code in module.CODES}


def is_rejection(name: str) -> bool:
    """Whether a code is of what a system's own loader rejects: an error in every mode."""
    code = codes_of_formats().get(name)
    return code is not None and code.severities.soft is Severity.ERROR
