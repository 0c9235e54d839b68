"""Write the table of keys in `docs/reports.md` from the schema of the JSON report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reports.md"
BEGIN, END = "<!-- keys, by docs/build_reports.py -->\n", "<!-- end -->\n"


def table() -> str:
    """Return the keys of a report as a table."""
    schema = json.loads((ROOT / "schema/report.schema.json").read_text(encoding="utf-8"))
    rows = "".join(_rows(schema, "", schema["$defs"]))
    return f"| key | | meaning |\n|---|---|---|\n{rows}"


def _rows(schema: dict[str, Any], above: str, definitions: dict[str, Any]) -> Iterator[str]:
    for name, key in schema.get("properties", {}).items():
        path = f"{above}{name}"
        always = "" if name in schema.get("required", ()) else "optional"
        yield f"| `{path}` | {always} | {key['description'].replace('|', chr(92) + '|')} |\n"
        below = {**_followed(key, definitions), **key}
        yield from _rows(below, f"{path}.", definitions)
        items = _followed(below.get("items", {}), definitions)
        yield from _rows(items, f"{path}[].", definitions)


def _followed(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a schema refers to, the first one that is not `null`, or itself."""
    for each in (schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if "$ref" in each:
            found: dict[str, Any] = definitions[each["$ref"].rpartition("/")[2]]
            return found
    return schema


def page() -> str:
    """Return the page with the table anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
