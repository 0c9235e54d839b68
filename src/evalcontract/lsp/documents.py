"""The documents that are open in the editor."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.lsp.text import Text
from evalcontract.lsp.uris import path_of_uri, unsaved_name
from evalcontract.model.startup import NamedTuple
from evalcontract.source import DISK, format_of
from evalcontract.source.files import guess_format
from evalcontract.source.overlays import OpenFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lsprotocol import types


class Open:
    """An open document. `path` is that of its file, or the one that it would have in `folder`.

    `version` is the editor's number of the text, which begins again when a document is closed and
    opened; `state` is another for each text that the server was ever sent.
    """

    def __init__(
        self, item: types.TextDocumentItem, folder: Path, encoding: str, states: Iterator[int]
    ) -> None:
        self.uri = item.uri
        self.version = item.version
        self._states = states
        self.state = next(states)
        path = path_of_uri(item.uri)
        self.path = path or folder / unsaved_name(item.uri, item.language_id)
        self.real = DISK.real(self.path)
        self.text = Text(item.text, encoding)
        self._data: bytes | None = None

    @property
    def data(self) -> bytes:
        """The text as the bytes of a file; half of a surrogate pair is no UTF-8, and reported."""
        if self._data is None:
            self._data = self.text.whole.encode("utf-8", "surrogatepass")
        return self._data

    @property
    def format(self) -> str:
        """The format: `yaml`, `json` or `jsonl`."""
        return format_of(self.path.name) or guess_format(self.data)

    def change(
        self,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        version: int,
    ) -> None:
        """Apply changes, one after the other; one without a range replaces the whole text."""
        for change in changes:
            range_ = getattr(change, "range", None)
            if range_ is None:
                self.text.replace_all(change.text)
                continue
            start = self.text.point(range_.start.line, range_.start.character)
            end = self.text.point(range_.end.line, range_.end.character)
            self.text.replace(start, end, change.text)
        self.version = version
        self.state = next(self._states)
        self._data = None


class Snapshot(NamedTuple):
    """The open documents at one moment: their contents and states by resolved path."""

    texts: dict[Path, bytes]
    states: dict[Path, int]

    def files(self) -> OpenFiles:
        """Return the files of this machine with the open documents."""
        return OpenFiles(self.texts)


class Documents:
    """All open documents by address. `folder` is where documents without a file would be."""

    def __init__(self, folder: Path | None = None, encoding: str = "utf-16") -> None:
        self.folder = folder or Path.cwd()
        self.encoding = encoding
        self._open: dict[str, Open] = {}
        self._states = count(1)

    def __iter__(self) -> Iterator[Open]:
        return iter(self._open.values())

    def open(self, item: types.TextDocumentItem) -> Open:
        """Add a document, or replace it."""
        self._open[item.uri] = Open(item, self.folder, self.encoding, self._states)
        return self._open[item.uri]

    def get(self, uri: str) -> Open | None:
        """Return an open document, or None."""
        return self._open.get(uri)

    def close(self, uri: str) -> Open | None:
        """Remove a document, and return it."""
        return self._open.pop(uri, None)

    def at(self, path: Path) -> list[Open]:
        """Return the open documents of a file, by its resolved path; links may lead to it, too."""
        return [document for document in self if document.real == path]

    def snapshot(self) -> Snapshot:
        """Return the contents and states of now."""
        return Snapshot(
            {document.real: document.data for document in self},
            {document.real: document.state for document in self},
        )
