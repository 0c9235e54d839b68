"""Templates of testing criteria: texts with `{{ item.KEY }}` and `{{ sample.KEY }}`."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

_TAG = lazy_pattern(r"\{\{([^{}]*)\}\}")
_NAME = lazy_pattern(r"[\w-]+(?:\.[\w-]+)*")
#: The answer of the model, as a whole.
OUTPUT = ("sample", "output_text")
_SPACES = ("item", "sample")


class Variable(NamedTuple):
    """A variable as it is `written` between braces.

    `path` begins with `item` or `sample`; it is empty if it cannot be followed key by key.
    """

    written: str
    path: tuple[str, ...]

    @property
    def is_known(self) -> bool:
        """Whether it has a namespace that templates have."""
        return self.written.partition(".")[0].partition("[")[0] in _SPACES


@lru_cache(maxsize=1024)
def variables(text: str) -> tuple[Variable, ...]:
    """Return the variables of a template, in order."""
    return tuple(_variable(match[1]) for match in _TAG.finditer(text))


def whole(text: str) -> tuple[str, ...]:
    """Return the path of the variable that a template consists of; empty if it has more."""
    match = _TAG.fullmatch(text.strip())
    return _variable(match[1]).path if match else ()


def filled(text: str, item: Any) -> str | None:
    """Fill a template with the values of an item; None if it reads anything else."""
    values = [_value(each.path, item) for each in variables(text)]
    if any(value is None for value in values):
        return None
    rest = iter(values)
    return _TAG.sub(lambda _: str(next(rest)), text)


def has_value(path: tuple[str, ...], item: Any) -> bool:
    """Whether an item has a value for a variable."""
    return _value(path, item) is not None


def translated(text: str, name_of: Callable[[tuple[str, ...]], str | None]) -> str | None:
    """Return a template in Mustache, given the names of variables there; None if one has none."""
    names = [name_of(each.path) if each.path else None for each in variables(text)]
    literal = _TAG.sub("", text)
    if None in names or "{{" in literal or "}}" in literal:
        return None
    rest = iter(names)
    return _TAG.sub(lambda _: f"{{{{ {next(rest)} }}}}", text)


def text_of(value: Any) -> str:
    """Return a value as a text: texts as they are, others as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(path: tuple[str, ...], item: Any) -> str | None:
    if not path or path[0] != "item":
        return None
    part = item
    for key in path[1:]:
        if not isinstance(part, dict) or key not in part:
            return None
        part = part[key]
    return None if part is None else text_of(part)


def _variable(inside: str) -> Variable:
    written = inside.strip()
    path = tuple(written.split(".")) if _NAME.fullmatch(written) else ()
    is_path = len(path) > 1 and path[0] in _SPACES
    return Variable(written, path if is_path else ())
