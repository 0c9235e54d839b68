"""Every code that can be reported: of the packages, of the rules and of other dataset formats.

Each package declares the codes that it reports. A finding of a rule has its `Code`; any other
finding has the name of a code, which is looked up here, fast-loading modules first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity
from evalcontract.source.installed import entry_points
from evalcontract.workspace.rules_in_use import rules_in_use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.code import CodeTable


class KnownCodes(Mapping[str, Code]):
    """The codes by name: those of evalcontract, sorted, then those of other dataset formats.

    Looking up one code does not load the others.

    Raises:
        PluginError: on any lookup, if a rule of another package does not load or is not a rule.

    """

    def __getitem__(self, name: str) -> Code:
        code = _without_rule(name) or _code_of_format(name) or rules_in_use().code(name)
        if code is None:
            raise KeyError(name)
        return code

    def __iter__(self) -> Iterator[str]:
        yield from sorted({*chain.from_iterable(_tables()), *rules_in_use().codes})
        yield from sorted(_of_formats())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def code_named(name: str) -> Code:
    """Return the code with a name; an undeclared code has the default severities."""
    return name if isinstance(name, Code) else KnownCodes().get(name) or Code(name)


def url_of(name: str) -> str | None:
    """Return the address of the page of a code; for a code of another package, the one it gives.

    Returns None if there is none, as for all of our codes while their pages are not published.
    """
    from evalcontract.model.code import is_published, page_url  # slow to import

    code = KnownCodes().get(name)
    if code is None or code.url is not None:
        return code and code.url
    return page_url(name) if is_published() and name not in _of_others() else None


@cache
def _of_others() -> frozenset[str]:
    """Return the codes of other packages."""
    dialects = entry_points("dialects").values()
    return frozenset(
        [*rules_in_use().other_codes, *(code for each in dialects for code in each.codes)]
    )


def _without_rule(name: str) -> Code | None:
    """Return a code that belongs to no rule."""
    return next((table[name] for table in _tables() if name in table), None)


def _tables() -> Iterator[CodeTable]:
    """Yield the tables of codes that belong to no rule, the most frequent ones first.

    A table is imported when it is reached. Add the module `codes` of a new package here.
    """
    from evalcontract.model.codes import OF_VALUES as OF_STRUCTURE

    yield OF_STRUCTURE
    from evalcontract.model.codes import OF_REFERENCES as OF_LIBRARY

    yield OF_LIBRARY
    from evalcontract.model.codes import OF_SOURCES as OF_SOURCE

    yield OF_SOURCE
    from evalcontract.model.codes import OF_FILES as OF_WORKSPACE

    yield OF_WORKSPACE
    from evalcontract.model.codes import OF_OUTPUTS as OF_SCORING

    yield OF_SCORING
    from evalcontract.model.codes import OF_LABELS

    yield OF_LABELS


@cache
def _code_of_format(name: str) -> Code | None:
    if kind_of(name) in set(map(kind_of, chain.from_iterable(_tables()))):
        return None  # not a dialect, and the formats are slow to import
    return _of_formats().get(name)


@cache
def _of_formats() -> Mapping[str, Code]:
    """Return the codes of every other dataset format."""
    from evalcontract.formats import formats_in_use  # slow to import

    return {code: code for form in formats_in_use() for code in form.codes}


def is_rejection(name: str) -> bool:
    """Whether another system's loader rejects what a code reports: an error in both modes."""
    code = _of_formats().get(name)
    return code is not None and code.severities.soft is Severity.ERROR


def kind_of(name: str) -> str:
    """Return the first part of a code: the kind of thing that has the fault."""
    return name.partition("/")[0]
