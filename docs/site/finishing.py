"""What the pages of the theme lack for readers with a phone or with a screen reader."""

from __future__ import annotations

import html
import re
from pathlib import Path

#: Texts of the theme, and what stands in their place.
_REPAIRS = {
    ' role="heading">': ' role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    '<th class="head"><p></p></th>': "<td></td>",
    # What scrolls must be within reach of the keyboard.
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
_TABLE = re.compile(r'<table class="docutils.*?</table>', re.DOTALL)
_ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh]\b(.*?)>(.*?)</t[dh]>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
#: Tables with more columns are shown row by row on a phone.
_COLUMNS = 3


def finish(folder: Path) -> None:
    """Mend all pages of a site."""
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(finished(text), encoding="utf-8")


def finished(text: str) -> str:
    """Return a page with its roles and names, and with wide tables that say what each cell is."""
    for before, after in _REPAIRS.items():
        text = text.replace(before, after)
    return _TABLE.sub(lambda match: _labelled(match[0]), text)


def _labelled(table: str) -> str:
    head, *rows = _ROW.findall(table)
    titles = [" ".join(_TAG.sub("", cell).split()) for _, cell in _CELL.findall(head)]
    if len(titles) <= _COLUMNS:
        return table
    for row in dict.fromkeys(rows):
        table = table.replace(row, _row(row, titles))
    return table.replace('class="docutils', 'class="wide docutils', 1)


def _row(row: str, titles: list[str]) -> str:
    left = iter(titles)
    return _CELL.sub(lambda cell: _cell(cell, next(left, "")), row)


def _cell(cell: re.Match[str], title: str) -> str:
    attributes, content = cell.groups()
    return f'<td{attributes} data-title="{html.escape(html.unescape(title))}">{content}</td>'
