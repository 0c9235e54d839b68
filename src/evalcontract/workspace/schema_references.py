"""Check the schema that a file names for editors: in a modeline, or under the key `$schema`."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern
from evalcontract.source import SourceProblem
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.source import Document

_CODE = "workspace/schema-reference"
_MODELINE = lazy_pattern(r"#\s*yaml-language-server:.*?\$schema=(?P<target>\S+)")
_NAME = lazy_pattern(r"(?P<kind>dataset|rubric|judge|target)\.schema\.json")


def check_schema_reference(
    kind: str, document: Document, value: Any, root: Path, is_missing: Callable[[Path], bool]
) -> Iterator[SourceProblem]:
    """Yield the problems of the schema that a file names.

    `value` has the keys of its root. `is_missing` is asked about the path of a schema; one
    outside of the workspace is not looked for.
    """
    if modeline := _modeline(document.head):
        line, match = modeline
        span = Span(line, match.start("target") + 1, line, match.end("target") + 1)
        yield from _problems(kind, match["target"], span, document.file, root, is_missing)
    target = value.get("$schema") if isinstance(value, dict) else None
    if isinstance(target, str):
        place = document.place(("$schema",))
        yield from _problems(kind, target, place.span, document.file, root, is_missing)


def _modeline(head: str) -> tuple[int, re.Match[str]] | None:
    """Return the first modeline in the beginning of a text, and the number of its line."""
    if "yaml-language-server" in head:  # a fast test
        for number, line in enumerate(split_lines(head), 1):
            if match := _MODELINE.match(line):
                return number, match
    return None


def _problems(
    kind: str,
    target: str,
    span: Span | None,
    file: str,
    root: Path,
    is_missing: Callable[[Path], bool],
) -> Iterator[SourceProblem]:
    location = re.split(r"[?#]", target, maxsplit=1)[0]
    name = PurePosixPath(location).name
    match = _NAME.fullmatch(name)
    if match and match["kind"] != kind:
        message = f"this is a {kind}, but the schema is that of a {match['kind']}"
        right = target.replace(name, f"{kind}.schema.json")
        yield SourceProblem(_CODE, message, span, f"write `{right}`")
    elif location and "://" not in location and "\0" not in location:
        path = Path(os.path.abspath(Path(file).parent / location))  # noqa: PTH100 - not resolved
        if root in path.parents and is_missing(path):
            message = f"there is no file `{location}`, so that editors check nothing here"
            advice = "`evalcontract schema export FOLDER` writes the schemas"
            yield SourceProblem(_CODE, message, span, advice)
