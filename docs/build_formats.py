"""Write the tables of fields in `docs/formats.md` from those that conversions use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._fields import Field
    from evalcontract.formats._format import Format

PAGE = Path(__file__).parent / "formats.md"
BEGIN, END = "<!-- fields, by docs/build_formats.py -->\n", "<!-- end -->\n"


def tables() -> str:
    """Return the table of all systems, and the table of each."""
    own = dict.fromkeys(
        each.ours for format_ in FORMATS for each in format_.fields if each.theirs and each.ours
    )
    head = ["evalcontract", *(format_.title for format_ in FORMATS)]
    rows = [[_code(ours), *(_cell(format_, ours) for format_ in FORMATS)] for ours in own]
    parts = [_table(head, rows)]
    for format_ in FORMATS:
        parts.append(f"\n#### {format_.title}\n\n")
        parts.append(_table([format_.title, "evalcontract", ""], [*_rows(format_)]))
    return "".join(parts)


def _cell(format_: Format, ours: str | None) -> str:
    """Return the fields of a system that mean the same as one of evalcontract."""
    cells = [_theirs(each) for each in format_.fields if each.theirs and each.ours == ours]
    return ", ".join(dict.fromkeys(cells)) or "-"


def _rows(format_: Format) -> Iterator[list[str]]:
    for each in format_.fields:
        note = each.note if each.theirs and each.ours else f"a loss: {each.note}"
        yield [_theirs(each), _code(each.ours), note]


def _theirs(field: Field) -> str:
    variants = f" ({', '.join(field.variants)})" if field.variants else ""
    return f"{_code(field.theirs)}{variants}"


def _code(name: str | None) -> str:
    return "-" if name is None else f"`{name}`"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page() -> str:
    """Return the page with the tables anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
