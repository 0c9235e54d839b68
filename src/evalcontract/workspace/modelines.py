"""The comment that names the schema of a YAML file for editors, and the schema that it names."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path, PurePath

from evalcontract.source import SCHEMA_SUFFIX, read_text
from evalcontract.source import installed as shipped
from evalcontract.source.comments import comments_of
from evalcontract.source.text import LINE_END
from evalcontract.structure import schemas

#: What a modeline begins with, after the `#`.
MODELINE = "yaml-language-server:"
#: The folder in a workspace that `schema export` writes, by the name that migrations give it.
FOLDER = "schema"


class Modelines:
    """The modelines of the files in one folder; `files` are the schemas that they need.

    They work without a network and without this package: a modeline is a path in the folder. A
    schema that is there already is left alone, so that an own one stays.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.abspath(root))  # noqa: PTH100 - links are not followed
        self.files: dict[Path, bytes] = {}
        self._known: dict[tuple[str, str], list[str]] = {}

    def of(self, path: Path, name: str) -> list[str]:
        """Return the modeline of a file as comment lines, by the name of the schema.

        There is none for a schema that editors have no edition of, as that of a plugin.
        """
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - as above
        known = self._known.get((folder, name))  # there may be thousands of files in a folder
        if known is None:
            known = self._known[folder, name] = self._made(Path(folder), name)
        return known

    def _made(self, folder: Path, name: str) -> list[str]:
        edition = schemas.edition_of(name)
        if edition is None:
            return []
        base = self._root if self._root in (folder, *folder.parents) else folder
        schema = base / FOLDER / f"{edition}{SCHEMA_SUFFIX}"
        if not isinstance(read_text(schema, schema.name), str):
            self.files[schema] = shipped.text_of(f"{edition}{SCHEMA_SUFFIX}").encode()
        target = PurePath(os.path.relpath(schema, folder)).as_posix()
        return [f"# {MODELINE} $schema={target}"]


def without_modelines(comments: list[str]) -> list[str]:
    """Return comment lines without modelines."""
    return [comment for comment in comments if MODELINE not in comment]


def with_modeline(text: str, modeline: list[str]) -> str:
    """Return a YAML text below a modeline, without the lines of other modelines."""
    ends = [match.end() for match in LINE_END.finditer(text)]
    lines = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
    old = {comment.line - 1 for comment in comments_of(text) if MODELINE in comment.text}
    kept = [
        line
        for number, line in enumerate(lines)
        if number not in old or not line.lstrip().startswith("#")
    ]
    match = LINE_END.search(text)
    line_end = match[0] if match else "\n"
    return "".join([*(f"{line}{line_end}" for line in modeline), *kept])
