"""Put the page together: the template, the style, the scripts and the data, in one text.

Nothing is loaded from elsewhere. The content security policy allows exactly this style and this
script, by their digests, so that nothing in the data can run even if it were taken for markup.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from evalcontract.model.errors import InstallationError
from evalcontract.model.startup import lazy_pattern
from evalcontract.page.content import HtmlReport
from evalcontract.page.data import page_data
from evalcontract.source.writing import StagedFiles
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import open_staged, write_error


@contextmanager
def page_file(path: Path, *, force: bool) -> Iterator[Callable[[Iterable[str]], str]]:
    """Open the file of a page before it is made; what it gives writes the page, and names the file.

    Raises:
        UsageError: the file exists, and `force` is false, or it cannot be written.

    """
    with StagedFiles() as staged:
        stream = open_staged(staged, path, replace=force)

        def write(pieces: Iterable[str]) -> str:
            try:
                stream.writelines(piece.encode() for piece in pieces)
                staged.put()
            except OSError as error:  # for example because the disk is full
                raise write_error(path, error) from None
            return display_name(path)

        yield write


#: The modules of the page, each behind those that it imports.
MODULES = (
    "dom", "data", "state", "theme", "virtual", "tabs", "findings", "legend", "heatmap", "coverage",
    "graph", "charts", "row", "marks", "results", "judges", "changes", "overview", "keys", "main",
)  # fmt: skip
_IMPORT = lazy_pattern(r"^import \{[^}]*\} from \"\./\w+\.js\";\n", re.MULTILINE)
_EXPORT = lazy_pattern(r"^export ((?:function|const) (\w+))", re.MULTILINE)
# What could end the element of the data or begin another, what some readers take for line ends,
# and what UTF-8 cannot encode.
_ESCAPED = lazy_pattern("[<>&\u2028\u2029\ud800-\udfff]")
_PLACE = lazy_pattern(r"\{\{ (\w+) \}\}")


def write_page(report: HtmlReport) -> Iterator[str]:
    """Yield the page as pieces of text."""
    style, script = text_of("page.css"), linked_script()
    parts = {
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "data": data_text(page_data(report)),
    }
    for at, piece in enumerate(_PLACE.split(text_of("page.html"))):
        yield parts[piece] if at % 2 else piece


def linked_script() -> str:
    """Return all modules as one script that imports nothing: each a function, called once.

    What a module exports is visible in those behind it; other names are its own.
    """
    return "\n".join(_link(text_of(f"{name}.js")) for name in MODULES)


def _link(text: str) -> str:
    names = ", ".join(match[2] for match in _EXPORT.finditer(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub("", text))
    return f"const {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();"


def data_text(value: Any) -> str:
    """Return JSON that can stand in an element of HTML."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def text_of(name: str) -> str:
    """Return the text of a file of the page.

    Raises:
        InstallationError: the file is missing.

    """
    from importlib.resources import files  # slow to import

    try:
        path = files("evalcontract") / "report" / "page" / name
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InstallationError(f"`report/page/{name}` is not installed") from error


def _policy(style: str, script: str) -> str:
    allowed = [
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(allowed)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
