"""Every code that can be reported: those of each room, of each rule, of other systems' datasets.

A code is declared where it is reported. A finding of a rule carries its code; for all others it is
looked for here by its name, the rooms that cost least first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.workspace.rules_in_use import rules_in_use

if TYPE_CHECKING:
    from collections.abc import Iterator


class KnownCodes(Mapping[str, Code]):
    """The codes by name: ours sorted, then those of other systems' datasets.

    One alone is found without loading all of them.

    Raises:
        PluginError: at any use, if a rule of another package does not load, or is none.

    """

    def __getitem__(self, name: str) -> Code:
        code = _of_rooms().get(name) or _of_format(name) or rules_in_use().code(name)
        if code is None:
            raise KeyError(name)
        return code

    def __iter__(self) -> Iterator[str]:
        from evalcontract.formats._codes import codes_of_formats  # slow to import

        yield from sorted({**_of_rooms(), **rules_in_use().codes})
        yield from sorted(codes_of_formats())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def code_named(name: str) -> Code:
    """Return the code that a finding names; one that nobody declares is a warning, or an error."""
    return name if isinstance(name, Code) else KnownCodes().get(name) or Code(name)


@cache
def _of_rooms() -> Mapping[str, Code]:
    """Return the codes that belong to no rule; the module `codes` of a new room is added here."""
    from evalcontract.library.codes import CODES as OF_LIBRARY  # a clean run needs none of them
    from evalcontract.source.codes import CODES as OF_SOURCE
    from evalcontract.structure.codes import CODES as OF_STRUCTURE
    from evalcontract.workspace.codes import CODES as OF_WORKSPACE

    codes = (*OF_SOURCE, *OF_STRUCTURE, *OF_LIBRARY, *OF_WORKSPACE)
    return {code: code for code in codes}


@cache
def _of_format(name: str) -> Code | None:
    if kind_of(name) in set(map(kind_of, _of_rooms())):
        return None  # no system is called so, and the formats are slow to import
    from evalcontract.formats._codes import codes_of_formats

    return codes_of_formats().get(name)


def kind_of(name: str) -> str:
    """Return the first word of a code: what the fault is in."""
    return name.partition("/")[0]
