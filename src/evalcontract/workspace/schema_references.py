"""Check the schema that a file names for editors: in a modeline, or under the key `$schema`."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from evalcontract.model.span import Span
from evalcontract.source import SourceProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.source import Document

_CODE = "workspace/schema-reference"
_MODELINE = re.compile(r"^#\s*yaml-language-server:.*?\$schema=(?P<target>\S+)", re.MULTILINE)
_NAME = re.compile(r"(?P<kind>dataset|rubric|judge|target)\.schema\.json")


def check_schema_reference(
    kind: str, document: Document, value: Any, root: Path, is_missing: Callable[[Path], bool]
) -> Iterator[SourceProblem]:
    """Yield the problems of the schema that a file names.

    `value` has the keys of its root. `is_missing` is asked about the path of a schema; one
    outside of the workspace is not looked for.
    """
    head = document.head
    if "yaml-language-server" in head and (match := _MODELINE.search(head)):
        start = match.start("target") - head.rfind("\n", 0, match.start("target"))
        line = head.count("\n", 0, match.start()) + 1
        span = Span(line, start, line, start + len(match["target"]))
        yield from _problems(kind, match["target"], span, document.file, root, is_missing)
    target = value.get("$schema") if isinstance(value, dict) else None
    if isinstance(target, str):
        place = document.place(("$schema",))
        yield from _problems(kind, target, place.span, document.file, root, is_missing)


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
