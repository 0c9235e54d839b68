"""The table of contents and the words of the search, by `docs/navigation.toml`."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def contents(order: Path, pages: Iterable[str]) -> str:
    """Return a `toctree` for each section that has pages.

    Raises:
        ValueError: a title is given to a page that does not exist.

    """
    settings = tomllib.loads(order.read_text(encoding="utf-8"))
    left = sorted(set(pages))
    titles: dict[str, str] = settings["titles"]
    if unknown := titles.keys() - set(left):
        raise ValueError(f"{order}: no such page: {', '.join(sorted(unknown))}")
    trees = []
    for title, names in _sections(settings["section"], left):
        entries = (f"{titles[name]} <{name}>" if name in titles else name for name in names)
        trees.append(
            "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *entries, "```"])
        )
    return "\n\n".join(trees) + "\n"


def add_search_words(order: Path, folder: Path) -> None:
    """Add to pages the words by which the search finds them first, below their titles.

    Raises:
        ValueError: words are given to a page that does not exist, or has no title.

    """
    words: dict[str, list[str]] = tomllib.loads(order.read_text(encoding="utf-8"))["search"]
    for name, phrases in words.items():
        page = folder / f"{name}.md"
        entries = "".join(f"\n```{{index}} ! single: {phrase}\n```\n" for phrase in phrases)
        text = page.read_text(encoding="utf-8") if page.is_file() else ""
        title = re.search(r"^# .*\n", text, re.MULTILINE)
        if title is None:
            raise ValueError(f"{order}: no such page: {name}")
        page.write_text(f"{text[: title.end()]}{entries}{text[title.end() :]}", encoding="utf-8")


def _sections(sections: list[dict[str, Any]], pages: list[str]) -> Iterator[tuple[str, list[str]]]:
    named = {name for section in sections for name in section["pages"]}
    chosen: dict[str, list[str]] = {}
    left = list(pages)
    for section in sections:
        mine: list[str] = []
        for pattern in section["pages"]:
            found = [
                page
                for page in left
                if page == pattern or (page not in named and fnmatchcase(page, pattern))
            ]
            mine += found
            left = [page for page in left if page not in found]
        chosen[section["title"]] = mine
    for section in sections:
        if section.get("others"):
            chosen[section["title"]] += left
    yield from ((title, names) for title, names in chosen.items() if names)
