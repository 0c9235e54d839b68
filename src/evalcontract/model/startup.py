"""Patterns and named tuples that take no time at a start.

Compiling the patterns of all modules takes a fifth of the time that a small file takes; most are
needed only where something is wrong.
"""

from __future__ import annotations

import re
from collections import namedtuple
from functools import partial
from typing import TYPE_CHECKING, Any, AnyStr, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Record = TypeVar("Record", bound=tuple[Any, ...])
_METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")


class _LazyPattern(partial[Any]):
    """Stands for a pattern: has its attributes and methods, from the first use on."""

    def __getattr__(self, name: str) -> Any:
        compiled = self()
        for method in _METHODS:  # later uses find them without this method
            self.__dict__[method] = getattr(compiled, method)
        return getattr(compiled, name)

    def __repr__(self) -> str:
        return repr(self())


if TYPE_CHECKING:

    def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """Return what `re.compile` returns, compiled at its first use.

        It is for the constants of modules. It is not an instance of `re.Pattern`, so the functions
        of `re` do not take it: use its methods.

        Raises:
            re.error: at its first use: the pattern is not valid.

        """
        ...

else:
    lazy_pattern = partial(_LazyPattern, re.compile)


def made_of(kind: type[Record]) -> Callable[[Iterable[Any]], Record]:
    """Return what makes a named tuple of the values of all of its fields.

    It takes half the time of a call, which counts where every row has one.
    """
    return partial(tuple.__new__, kind)


__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    _OF_NAMEDTUPLE = frozenset({"__module__", "__name__", "__annotations__"})

    class _RecordType(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = []
            for field in fields:
                if field in body:
                    defaults.append(body[field])  # noqa: PERF401 - a comprehension is a call more
            tuple_type = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024
            tuple_type.__annotations__ = tuple_type.__new__.__annotations__ = fields
            for key, value in body.items():
                if key not in _OF_NAMEDTUPLE and key not in fields:
                    setattr(tuple_type, key, value)
            return tuple_type

    class NamedTuple(metaclass=_RecordType):
        """See `typing.NamedTuple`; a field without a default must not follow one that has one."""
