"""The same rows as YAML, in the eight ways that people and programs lay it out."""

from __future__ import annotations

import json
import random
import textwrap
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import yaml
from rows import SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rows import Row

WIDTH = 72
_ROWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Style:
    """How the text of a key is written at an indent, and which lists and mappings in brackets."""

    text: Callable[[str, str, int], str]
    in_brackets: Callable[[str], bool] = lambda _: False


def pyyaml(rows: Iterable[Row]) -> Iterator[str]:
    """As `yaml.dump` writes it, keys in their order."""
    yield "questions:\n"
    every = iter(rows)
    while some := list(islice(every, _ROWS_AT_ONCE)):
        yield yaml.dump(some, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)


def left_empty(rows: Iterable[Row]) -> Iterator[str]:
    """As `yaml.dump` writes it, but with nothing for a null."""
    return (piece.replace(": null\n", ":\n") for piece in pyyaml(rows))


def plain(rows: Iterable[Row]) -> Iterator[str]:
    """A value a line; quotes only where a colon asks for them."""
    return _file(rows, _PLAIN)


def folded(rows: Iterable[Row]) -> Iterator[str]:
    """The long texts as `>-`."""
    return _file(rows, _long_as(_folded))


def literal(rows: Iterable[Row]) -> Iterator[str]:
    """The long texts as `|`, of several lines."""
    return _file(map(_with_steps, rows), _long_as(_literal))


def quoted(rows: Iterable[Row]) -> Iterator[str]:
    """Every text in double quotes, with escapes."""
    return _file(map(_with_escapes, rows), Style(lambda _, value, __: json.dumps(value)))


def multiline(rows: Iterable[Row]) -> Iterator[str]:
    """Plain texts that go on in the next lines."""
    return _file(rows, _long_as(_wrapped))


def mixed(rows: Iterable[Row]) -> Iterator[str]:
    """Each value in another style, lists and mappings in brackets or in blocks."""
    chance = random.Random(SEED)
    short = (_scalar, _single, lambda value, _: json.dumps(value))
    every = (*short, _folded, _wrapped)

    def written(_: str, value: str, indent: int) -> str:
        return chance.choice(every if len(value) > WIDTH else short)(value, indent)

    return _file(rows, Style(written, lambda _: chance.random() < 0.5))


def by_hand(rows: Iterable[Row]) -> Iterator[str]:
    """With comments, blank lines, and what else stands in files that people keep."""
    yield "# yaml-language-server: $schema=https://example.org/dataset.schema.json\n"
    yield "# What customers ask.\n---\n"
    yield 'id: support\nversion: "1.2.0"\nlabel: Support # all regions\n\n'

    def written(key: str, value: str, indent: int) -> str:
        comment = " # pinned" if key == "rubric_ref" else ""
        return f"{(_folded if key == 'input' else _scalar)(value, indent)}{comment}"

    style = Style(written, lambda key: key in ("expected", "expected_tools", "tags", "reviewer"))
    for index, piece in enumerate(_file(rows, style)):
        if index % 10 == 1:
            yield f"\n  # --- from the logs of week {index % 52} ---\n"
        yield piece.replace("    metadata:", "    # who asked\n    metadata:")
        yield "\n"


LAYOUTS: dict[str, Callable[[Iterable[Row]], Iterator[str]]] = {
    "PyYAML's dump": pyyaml,
    "plain": plain,
    "folded `>-`": folded,
    "literal `|`": literal,
    "quoted with escapes": quoted,
    "multi-line plain": multiline,
    "mixed": mixed,
    "by hand, with comments": by_hand,
}


def _file(rows: Iterable[Row], style: Style) -> Iterator[str]:
    """Yield the head, then row by row."""
    yield "questions:\n"
    for row in rows:
        yield _list([row], 2, style)


def _list(values: list[Any], indent: int, style: Style) -> str:
    pieces = []
    for value in values:
        if isinstance(value, dict):
            written = _mapping(value, indent + 2, style)[indent + 2 :]
        else:
            written = f"{_value('', value, indent + 2, style)}\n"
        pieces.append(f"{' ' * indent}- {written}")
    return "".join(pieces)


def _mapping(values: dict[str, Any], indent: int, style: Style) -> str:
    pieces = []
    for key, value in values.items():
        if not isinstance(value, list | dict) or style.in_brackets(key):
            written = f" {_value(key, value, indent + 2, style)}\n"
        else:
            written = f"\n{_block(value, indent + 2, style)}"
        pieces.append(f"{' ' * indent}{key}:{written}")
    return "".join(pieces)


def _block(value: list[Any] | dict[str, Any], indent: int, style: Style) -> str:
    if isinstance(value, list):
        return _list(value, indent, style)
    return _mapping(value, indent, style)


def _value(key: str, value: Any, indent: int, style: Style) -> str:
    return style.text(key, value, indent) if isinstance(value, str) else _flow(value)


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_flow(item)}' for key, item in value.items())}}}"
    return _scalar(value) if isinstance(value, str) else json.dumps(value)


def _scalar(value: str, _: int = 0) -> str:
    return json.dumps(value) if ": " in value else value


def _single(value: str, _: int) -> str:
    return "'{}'".format(value.replace("'", "''"))


def _wrapped(value: str, indent: int) -> str:
    lines = textwrap.wrap(value.replace(": ", " - "), WIDTH)
    return f"\n{' ' * indent}".join(lines)


def _folded(value: str, indent: int) -> str:
    return f"\n{' ' * indent}".join([">-", *textwrap.wrap(value, WIDTH)])


def _literal(value: str, indent: int) -> str:
    lines = value.removesuffix("\n").split("\n")
    return "\n".join(["|", *(f"{' ' * indent}{line}" if line else "" for line in lines)])


_PLAIN = Style(lambda _, value, indent: _scalar(value, indent))


def _long_as(write: Callable[[str, int], str]) -> Style:
    """Return the plain style, but for the two long texts of a row."""
    long = {"input": write, "criteria": write}
    return Style(lambda key, value, indent: long.get(key, _scalar)(value, indent))


def _with_steps(row: Row) -> Row:
    tried = "\n".join(f"  {number}. {fact}" for number, fact in enumerate(row["expected_facts"]))
    longer = {"input": f"{row['input']}\n\nI tried:\n{tried}\n"}
    return {**row, **longer, **({"criteria": f"{row['criteria']}\n"} if "criteria" in row else {})}


def _with_escapes(row: Row) -> Row:
    said = f'{row["input"]}\n\tIt says "caf\u00e9" in C:\\logs, \u2013 na\u00efve or not.'
    return {**row, "input": said}
