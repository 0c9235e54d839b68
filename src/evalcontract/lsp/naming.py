"""The names of one document at one moment, in its workspace."""

from __future__ import annotations

import io
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.lsp.kinds import kind_of
from evalcontract.lsp.names import (
    ARTIFACT,
    BUNDLE,
    CHECK,
    FILE,
    ROW,
    Name,
    Use,
    name_at,
    rows_of,
    targets_of,
    uses_of,
    uses_of_check,
)
from evalcontract.model.diagnostic import Place
from evalcontract.source import read_stream
from evalcontract.source.document import value_at
from evalcontract.workspace import Workspace, display_name, find_root, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.lsp.context import Context
    from evalcontract.lsp.documents import Open, Snapshot
    from evalcontract.source import Source

    #: The last document that was read, by its path, its state and the hash of its content.
    Kept = dict[tuple[Path, int, int], Source]


class Naming:
    """What the names in a document mean; the workspace is read when it is needed.

    `kept` keeps the last document that was read, for the next request on it.
    """

    def __init__(self, document: Open, snapshot: Snapshot, kept: Kept | None = None) -> None:
        self._path = document.real
        self._state = snapshot.states.get(document.real, 0)
        self._kept = {} if kept is None else kept
        self._data = snapshot.texts.get(document.real, b"")
        self._snapshot = snapshot

    @property
    def kind(self) -> str | None:
        """The kind of the document."""
        return kind_of(self._path, self._snapshot.files())

    @property
    def file(self) -> str:
        """The name of the file in findings."""
        return display_name(self._path)

    @property
    def source(self) -> Source:
        """The document, as it is read by checks; the last one that was read is kept."""
        key = self._path, self._state, hash(self._data)
        source = self._kept.get(key)
        if source is None:
            source = read_stream(io.BytesIO(self._data), self.file, quick=True)
            self._kept.clear()
            self._kept[key] = source
        return source

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace of the document.

        Raises:
            ConfigurationError: its configuration cannot be used.

        """
        files = self._snapshot.files()
        return open_workspace(find_root(self._path, files), (), files)

    def name(self, context: Context) -> Name | None:
        """Return the name at a position."""
        return name_at(context)

    def definitions(self, name: Name) -> list[Place]:
        """Return where a name is defined."""
        if name.role == ARTIFACT:
            found = targets_of(name, self.workspace, self.file)
            return [artifact.document.place(("id",)) for artifact in found]
        if name.role == CHECK:
            return [use.place for use in self._checks(name.text) if use.path[0] == "checks"]
        if name.role == ROW:
            return [use.place for use in self._rows(name.text)][:1]
        if name.role == BUNDLE:
            source = self.workspace.bundle_files.get(name.text)
            return [Place(source.file)] if source else []
        return list(self._file(name))

    def uses(self, name: Name) -> Iterator[Place]:
        """Yield where a name is used, besides its definition."""
        if name.role == ARTIFACT and name.reference:
            targets = targets_of(name, self.workspace, self.file)
            kind, id_, _ = name.reference
            for use, reference in uses_of(self.workspace, kind, id_):
                meant = targets_of(Name(ARTIFACT, "", reference), self.workspace, "")
                if not targets or meant == targets:
                    yield use.place
        elif name.role == CHECK:
            yield from (use.place for use in self._checks(name.text) if use.path[0] != "checks")

    def check_ids(self, line: int) -> list[str]:
        """Return the ids of the checks of a rubric; without a line that cannot be parsed."""
        value = self._value_without(None) or self._value_without(line)
        checks = value_at(value, ("checks",))
        ids = [check.get("id") for check in checks or () if isinstance(check, dict)]
        return [id_ for id_ in ids if isinstance(id_, str)]

    def _value_without(self, line: int | None) -> Any:
        data = self._data
        if line is not None:
            lines = data.split(b"\n")
            lines[line : line + 1] = [b""]
            data = b"\n".join(lines)
        document = read_stream(io.BytesIO(data), self.file).document
        return document.value if document else None

    def _checks(self, id_: str) -> list[Use]:
        document = self.source.document
        return uses_of_check(document, id_) if document else []

    def _rows(self, id_: str) -> Iterator[Use]:
        for rows, path, row in rows_of(self.source):
            if isinstance(row, dict) and row.get("id") == id_:
                yield Use(rows, (*path, "id"), id_)

    def _file(self, name: Name) -> Iterator[Place]:
        if name.role != FILE:
            return
        path = Path(self.workspace.root) / name.text
        if self.workspace.contains(path) and self.workspace.files.is_file(path):
            yield Place(display_name(path))
