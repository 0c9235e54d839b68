"""The pages of a built site as a browser reads them: anchors, links, and what is loaded."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from evalcontract.model.codes import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Addresses of the project that are no pages of the site.
APART = (f"{SITE}/source/", f"{SITE}/issues/", f"{SITE}/evalcontract.git")
#: Elements and the attribute by which each makes a browser load something.
_LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
#: Links that are not followed until somebody asks for it.
_NOT_LOADED = {"index", "search", "next", "prev", "canonical", "author", "copyright", "top"}
_CSS_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(NamedTuple):
    """The anchors, the links and what is loaded, of a page at an address such as `/judges/`."""

    address: str
    anchors: frozenset[str]
    links: tuple[str, ...]
    loads: tuple[str, ...]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        loaded = given.get(_LOADS.get(tag, ""))
        if loaded and given.get("rel") not in _NOT_LOADED:
            self.loads.append(loaded)


def read_pages(site: Path) -> dict[str, Page]:
    """Read all pages, by their addresses."""
    read = (_read(path, site) for path in sorted(site.rglob("*.html")))
    return {page.address: page for page in read}


def _read(path: Path, site: Path) -> Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    address = f"/{path.relative_to(site).as_posix()}".removesuffix("index.html")
    return Page(address, frozenset(reader.anchors), tuple(reader.links), tuple(reader.loads))


def broken_links(pages: dict[str, Page], site: Path) -> Iterator[str]:
    """Yield each link within the site whose page, file or anchor does not exist."""
    for page in pages.values():
        for link in page.links:
            if is_external(link):
                continue
            parts = urlsplit(link.removeprefix(SITE))
            path = posixpath.normpath(posixpath.join(page.address, unquote(parts.path)))
            target = (
                page
                if not parts.path
                else pages.get(path) or pages.get(f"{path}/".replace("//", "/"))
            )
            if target is None and not (site / path.lstrip("/")).is_file():
                yield f"{page.address}: {link}"
            elif target and parts.fragment and unquote(parts.fragment) not in target.anchors:
                yield f"{page.address}: {link}: no such anchor"


def is_external(link: str) -> bool:
    """Whether a link leads out of the site."""
    if link.startswith(APART):
        return True
    return bool(re.match(r"[a-z][a-z+.-]*:|//", link)) and not f"{link}/".startswith(f"{SITE}/")


def loaded_from_elsewhere(pages: dict[str, Page], site: Path) -> Iterator[str]:
    """Yield what a page or a style sheet loads from another host, or that is not there."""
    for page in pages.values():
        for target in page.loads:
            path = posixpath.normpath(posixpath.join(page.address, urlsplit(target).path))
            if re.match(r"[a-z]+:|//", target) or not (site / path.lstrip("/")).is_file():
                yield f"{page.address}: {target}"
    for sheet in site.rglob("*.css"):
        for match in _CSS_URL.finditer(sheet.read_text(encoding="utf-8")):
            target = match[1] or match[2]
            if re.match(r"https?:|//", target):
                yield f"{sheet.name}: {target}"
