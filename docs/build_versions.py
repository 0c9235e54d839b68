"""Write the tables of fields and their classes in `docs/versions.md` from the table of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcontract.meaning.view import FIELDS, IDENTITY, UNORDERED, ChangeClass
from evalcontract.structure.parts import follow
from evalcontract.structure.schemas import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/versions.md"
BEGIN, END = "<!-- fields, by docs/build_versions.py -->\n", "<!-- end -->\n"


def tables() -> str:
    """Return a table for each kind of artifact, the score-breaking fields first."""
    parts = []
    for kind, fields in FIELDS.items():
        titles = dict(_titles(load(kind), load(kind)))
        rows = [_row(field, rank, titles) for field, rank in sorted(fields.items(), key=_order)]
        head = "| field | | class |\n|---|---|---|\n"
        parts.append(f"### Fields of a {kind}\n\n{head}{''.join(rows)}")
    return "\n".join(parts)


def _order(item: tuple[str, ChangeClass]) -> tuple[int, str]:
    field, rank = item
    return -rank, field


def _row(field: str, rank: ChangeClass, titles: Mapping[str, str]) -> str:
    order = "; the order makes no difference" if field in UNORDERED else ""
    return f"| `{field}` | {titles[field]}{order} | {rank.title} |\n"


def _titles(
    schema: Any, root: Any, above: str = "", seen: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    """Yield the fields that a schema describes, each with its title."""
    if not isinstance(schema, dict):
        return
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name and name not in seen:
        yield from _titles(root["$defs"][name], root, above, seen | {name})
    for key, part in schema.get("properties", {}).items():
        path = f"{above}.{key}" if above else key
        title = part.get("title") or follow(part, root).get("title")
        if path not in IDENTITY and title:
            yield path, title
        yield from _titles(part, root, path, seen)
    yield from _titles(schema.get("items"), root, f"{above}[]", seen)
    for part in schema.get("allOf", ()):
        yield from _titles(part, root, above, seen)
        yield from _titles(part.get("then"), root, above, seen)


def page() -> str:
    """Return the page with the tables anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
