"""Copy the Markdown of the repository into the sources of the site, with links that lead there.

Pages of `docs/` keep their names: `docs/judges.md` is published as `/judges/`. Some files of other
folders are pages, too. A link to a schema leads to its published address, and a link to
any other file to the source of this version.
"""

from __future__ import annotations

import html
import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract import __version__
from evalcontract.model.codes import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Where the schemas are published, relative to the site: the path of their `$id`.
SCHEMAS = "schema/1.0"
#: Where the files of this version can be read.
SOURCE = f"{SITE}/source/v{__version__}"
#: Pages that are not in `docs/`, each with its name on the site.
ELSEWHERE = {
    "README.md": "tour.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "schema/README.md": f"{SCHEMAS}/index.md",
}
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^ *(`{3,}|~{3,})")
_CODE = re.compile(r"`([^`]+)`")


def stage(folder: Path) -> list[str]:
    """Write all pages below a folder, and return their names, without `.md`."""
    pages = ELSEWHERE | {f"docs/{name}": name for name in _docs()}
    for source, name in pages.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        write_page(folder, name, "".join(_with_links(text, source, pages)))
    for path in DOCS.glob("*.py"):
        shutil.copy(path, folder / path.name)
    return [name.removesuffix(".md") for name in pages.values()]


def write_page(folder: Path, name: str, text: str) -> None:
    """Write a page, and the folders above it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def schema_link(name: str, page: str, text: str) -> str:
    """Return a link from a page to a schema, which is a file of the site, but no page of it."""
    address = page.removesuffix(".md").removesuffix("index").rstrip("/")
    href = posixpath.relpath(f"{SCHEMAS}/{name}", address or ".")
    shown = _CODE.sub(r"<code>\1</code>", html.escape(text))
    return f'<a href="{href}">{shown}</a>'


def _docs() -> Iterator[str]:
    for path in sorted(DOCS.rglob("*.md")):
        yield path.relative_to(DOCS).as_posix()


def _with_links(text: str, source: str, pages: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a file, with each link outside of code blocks as it is on the site."""

    def replaced(match: re.Match[str]) -> str:
        shown, target, anchor = match.groups(default="")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        page = pages[source]
        if path in pages:
            return f"[{shown}]({posixpath.relpath(pages[path], posixpath.dirname(page))}{anchor})"
        if path.startswith("schema/") and path.endswith(".schema.json"):
            return schema_link(path.removeprefix("schema/"), page, shown)
        if path.startswith("docs/") and (ROOT / path).is_file():
            return match[0]
        return f"[{shown}]({SOURCE}/{path}{anchor})"

    fence = None
    for block in re.split(r"(?<=\n)(?=\n)", text):
        lines = block.splitlines(keepends=True)
        out: list[str] = []
        plain: list[str] = []
        for line in lines:
            mark = _FENCE.match(line)
            if fence is None and mark is None:
                plain.append(line)
                continue
            out += [_LINK.sub(replaced, "".join(plain)), line]
            plain = []
            if mark and fence is None:
                fence = mark[1]
            elif mark and fence and mark[1].startswith(fence):
                fence = None
        yield "".join([*out, _LINK.sub(replaced, "".join(plain))])
