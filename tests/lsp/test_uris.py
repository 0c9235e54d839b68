"""Addresses of documents, and the files that they mean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.lsp.text import code, escaped, path_of_uri, unsaved_name, uri_of_path


@pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")
@every_case(
    ("uri", "path"),
    [
        ("file:///a/b.yaml", "/a/b.yaml"),
        ("file:///a%20b/c%23d.yaml", "/a b/c#d.yaml"),
        ("file:///a#b?c.yaml", "/a#b?c.yaml"),
        ("file://localhost/a.yaml", "/a.yaml"),
        ("file:/a.yaml", "/a.yaml"),
        ("file:///a/../b.yaml", "/b.yaml"),
        ("file:///%E6%BC%A2.yaml", "/漢.yaml"),
        ("file:///c%3A/x.yaml", "/c:/x.yaml"),
        ("file://server/share/x.yaml", None),
        ("file:///a%00b", None),
        ("untitled:Untitled-1", None),
        ("git:/a.yaml", None),
        ("", None),
        ("http://[::1/a", None),
    ],
)
def test_paths(uri: str, path: str | None) -> None:
    assert path_of_uri(uri) == (Path(path) if path else None)


def test_names_of_files_come_back() -> None:
    for name in ("a b", "a%20b", "ü#?&", "漢 字"):
        path = Path("/folder") / name
        assert path_of_uri(uri_of_path(path)) == Path(os.path.abspath(path))  # noqa: PTH100


@given(st.text(max_size=60))
def test_a_document_without_a_file_gets_a_plain_name(text: str) -> None:
    name = unsaved_name(f"untitled:{text}", "yaml")
    assert name == Path(name).name
    assert name not in ("", ".", "..")
    assert name.isascii()


@given(st.text(st.sampled_from("ab`*_[]()<>!\n\t\\&#| "), max_size=40))
def test_texts_have_no_markup(text: str) -> None:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": True})
    plain = " ".join(text.split())
    for made, kinds in ((escaped(text), {"text"}), (code(text), {"code_inline"})):
        (_, inline, *_) = markdown.parse(f"x {made} x")
        children = [child for child in inline.children or [] if child.content.strip(" x")]
        assert {child.type for child in children} <= {*kinds, "text"}
        assert plain in "".join(child.content for child in inline.children or [])
