"""Write the table of settings in `docs/configuration.md` from the schema of the configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/configuration.md"
BEGIN, END = "<!-- settings, by docs/build_configuration.py -->\n", "<!-- end -->\n"


def table() -> str:
    """Return the settings as a table."""
    schema = json.loads((ROOT / "schema/configuration.schema.json").read_text(encoding="utf-8"))
    rows = [_row(name, setting, schema["$defs"]) for name, setting in schema["properties"].items()]
    return "| setting | type | default | |\n|---|---|---|---|\n" + "".join(rows)


def _row(name: str, setting: dict[str, Any], definitions: dict[str, Any]) -> str:
    resolved = definitions.get(setting.get("$ref", "").rpartition("/")[2], setting)
    default = f"`{json.dumps(setting['default'])}`" if "default" in setting else ""
    kind = {"object": "table", "array": "list"}.get(resolved["type"], resolved["type"])
    return f"| `{name}` | {kind} | {default} | {setting['description']} |\n"


def page() -> str:
    """Return the page with the table anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
