"""The checker of links finds what is broken, in a small site with every fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from built_pages import broken_links, is_external, loaded_from_elsewhere, read_pages
from tables import every_case
from writing import write

from evalcontract.model.codes import SITE

if TYPE_CHECKING:
    from pathlib import Path


@every_case(
    "body, broken",
    [
        ('<a href="../b/">b</a>', []),
        ('<a href="../b/#there">b</a>', []),
        ('<a href="#here">here</a><p id="here">', []),
        ('<a href="../file.json">a file</a>', []),
        (f'<a href="{SITE}/b/#there">by its address</a>', []),
        ('<a href="https://elsewhere.example/">out</a>', []),
        (f'<a href="{SITE}/source/v1/README.md">a source</a>', []),
        ('<a href="../c/">c</a>', ["/a/: ../c/"]),
        ('<a href="../b/#nowhere">b</a>', ["/a/: ../b/#nowhere: no such anchor"]),
        ('<a href="#nowhere">b</a>', ["/a/: #nowhere: no such anchor"]),
        (f'<a href="{SITE}/c/">c</a>', [f"/a/: {SITE}/c/"]),
    ],
)
def test_links(body: str, broken: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"a/index.html": body, "b/index.html": '<p id="there">', "file.json": "{}"})
    assert [*broken_links(read_pages(tmp_path), tmp_path)] == broken


@every_case(
    "body, found",
    [
        ('<script src="../own.js"></script>', []),
        ('<link rel="canonical" href="https://evalcontract.example/">', []),
        ('<script src="https://cdn.example/a.js"></script>', ["/a/: https://cdn.example/a.js"]),
        ('<script src="//cdn.example/a.js"></script>', ["/a/: //cdn.example/a.js"]),
        ('<link rel="stylesheet" href="https://fonts.example/">', ["/a/: https://fonts.example/"]),
        ('<img src="../gone.png">', ["/a/: ../gone.png"]),
    ],
)
def test_what_is_loaded(body: str, found: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"a/index.html": body, "own.js": ""})
    assert [*loaded_from_elsewhere(read_pages(tmp_path), tmp_path)] == found


def test_style_sheets(tmp_path: Path) -> None:
    text = "@import 'https://fonts.example/css'; b {src: url(own.woff2)}"
    text += "a {background: url(//cdn.example/a.png)}"
    write(tmp_path, {"s.css": text})
    assert [*loaded_from_elsewhere({}, tmp_path)] == [
        "s.css: https://fonts.example/css",
        "s.css: //cdn.example/a.png",
    ]


@every_case(
    "link, external",
    [
        ("https://elsewhere.example/", True),
        (f"{SITE}.evil.example/", True),
        ("mailto:a@b.example", True),
        (SITE, False),
        (f"{SITE}/rules/", False),
        ("../judges/", False),
        ("#here", False),
    ],
)
def test_what_is_external(link: str, external: bool) -> None:  # noqa: FBT001
    assert is_external(link) == external
