"""Build the documentation as a site, from `docs/`, the schemas, the codes and the docstrings.

    python docs/site/build_site.py [FOLDER]

FOLDER is `build/site` by default; it is written anew. The sources that Sphinx reads are written to
`FOLDER.pages`. A warning of Sphinx, such as a link that leads nowhere, is an error.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from command_pages import command_pages
from finishing import finish
from navigation import add_search_words, contents
from pictures import FOLDER as PICTURES
from pictures import pictures, placed
from python_pages import python_pages
from rule_pages import rule_pages
from schema_pages import schema_pages
from staging import DOCS, ROOT, SCHEMAS, stage, write_page
from tool_pages import tool_pages

from evalcontract.structure.schemas import names as schema_names

FOLDER = ROOT / "build" / "site"


def write_sources(folder: Path) -> None:
    """Write what Sphinx reads: the pages of the repository, those that are generated, the order."""
    shutil.rmtree(folder, ignore_errors=True)
    names = stage(folder)
    generated = [
        *schema_pages(schema_names()),
        *command_pages(),
        *python_pages(),
        *rule_pages(),
        *tool_pages(),
    ]
    for name, text in generated:
        write_page(folder, name, text)
        names.append(name.removesuffix(".md"))
    # Pages of commands and codes are listed by an index of their own.
    listed = {name for name in names if not name.startswith(("rules/", "reference/commands/"))}
    listed |= {"rules/index", "reference/commands/index"}
    add_search_words(DOCS / "navigation.toml", folder)
    order = contents(DOCS / "navigation.toml", listed - {"index"})
    home = folder / "index.md"
    text = placed(home.read_text(encoding="utf-8"), pictures(folder / PICTURES))
    home.write_text(f"{text}\n{order}", encoding="utf-8")


def build(folder: Path) -> int:
    """Build the site, and return the exit code of Sphinx."""
    from sphinx.cmd.build import build_main  # slow to import

    pages = folder.with_name(f"{folder.name}.pages")
    write_sources(pages)
    shutil.rmtree(folder, ignore_errors=True)
    strict = ["--fail-on-warning", "--keep-going", "--quiet"]
    places = ["-c", str(Path(__file__).parent), "-d", str(pages / ".doctrees")]
    status = build_main(["-b", "dirhtml", *strict, *places, str(pages), str(folder)])
    finish(folder)
    for schema in (ROOT / "schema").rglob("*.json"):
        target = folder / SCHEMAS / schema.relative_to(ROOT / "schema")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(schema, target)
    shutil.copytree(pages / PICTURES, folder / PICTURES)
    return int(status)


def main() -> int:
    """Build it, and say where it is."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    status = build(folder)
    if status == 0:
        print(f"the site is in {folder}")
    return status


if __name__ == "__main__":
    sys.exit(main())
