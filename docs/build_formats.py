"""Write the tables of fields in the documentation from those that conversions use.

`docs/formats.md` has the table of all systems. The page of a system, `docs/coming-from-NAME.md`,
has its own table, with what changes and why the rest is lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._conversion import Field
    from evalcontract.formats._format import Format

DOCS = Path(__file__).parent
BEGIN, END = "<!-- fields, by docs/build_formats.py -->\n", "<!-- end -->\n"


def pages() -> dict[Path, str]:
    """Return each page with its tables, made anew."""
    parts = {DOCS / "formats.md": _table_of_all()}
    parts |= {page_of(format_): _table_of(format_) for format_ in FORMATS}
    return {page: with_part(page, BEGIN, part) for page, part in parts.items()}


def page_of(format_: type[Format]) -> Path:
    """Return the page of a system."""
    return DOCS / f"coming-from-{format_.name.replace('_', '-')}.md"


def with_part(page: Path, begin: str, part: str) -> str:
    """Return the text of a page with a part that is made anew, from a comment to the next end."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    return f"{before}{begin}\n{part}\n{END}{rest.partition(END)[2]}"


def _table_of_all() -> str:
    own = dict.fromkeys(
        each.ours
        for format_ in FORMATS
        for each in format_.all_fields()
        if each.theirs and each.ours
    )
    head = ["evalcontract", *(f"[{each.title}]({page_of(each).name})" for each in FORMATS)]
    return table(head, [[_code(ours), *(_cell(each, ours) for each in FORMATS)] for ours in own])


def _table_of(format_: type[Format]) -> str:
    return table([format_.title, "evalcontract", ""], [*_rows(format_)])


def _cell(format_: type[Format], ours: str | None) -> str:
    """Return the fields of a system that mean the same as one of evalcontract."""
    cells = [_theirs(each) for each in format_.all_fields() if each.theirs and each.ours == ours]
    return ", ".join(dict.fromkeys(cells)) or "-"


def _rows(format_: type[Format]) -> Iterator[list[str]]:
    for each in format_.all_fields():
        note = each.note if each.theirs and each.ours else f"a loss: {each.note}"
        yield [_theirs(each), _code(each.ours), note]


def _theirs(field: Field) -> str:
    variants = f" ({', '.join(field.variants)})" if field.variants else ""
    return f"{_code(field.theirs)}{variants}"


def _code(name: str | None) -> str:
    return "-" if name is None else f"`{name}`"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
