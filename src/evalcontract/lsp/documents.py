"""The open documents of the editor, and the findings that are published for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TypedDict

from lsprotocol import types

from evalcontract.lsp.text import Text, path_of_uri, unsaved_name, uri_of_path
from evalcontract.model.diagnostic import Diagnostic, Place, Severity, Span
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import escape_controls
from evalcontract.source import (
    DISK,
    SCHEMA_SUFFIX,
    Files,
    UnreadableFile,
    format_of,
    read_file,
    read_text,
)
from evalcontract.source.files import guess_format
from evalcontract.source.filesystem import OpenFiles
from evalcontract.workspace import display_name, find_root
from evalcontract.workspace.catalogue import url_of
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.recognition import is_dataset
from evalcontract.workspace.roots import ARTIFACT_FOLDERS


class OpenDocument:
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

    def change(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int) -> None:
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


class Documents(dict[str, OpenDocument]):
    """All open documents by address. `folder` is where documents without a file would be."""

    def __init__(self, folder: Path | None = None, encoding: str = "utf-16") -> None:
        super().__init__()
        self.folder = folder or Path.cwd()
        self.encoding = encoding
        self._states = count(1)

    def open(self, item: types.TextDocumentItem) -> OpenDocument:
        """Add a document, or replace it."""
        self[item.uri] = OpenDocument(item, self.folder, self.encoding, states=self._states)
        return self[item.uri]

    def at(self, path: Path) -> list[OpenDocument]:
        """Return the open documents of a file, by its resolved path; links may lead to it, too."""
        return [document for document in self.values() if document.real == path]

    def snapshot(self) -> Snapshot:
        """Return the contents and states of now."""
        return Snapshot(
            {document.real: document.data for document in self.values()},
            {document.real: document.state for document in self.values()},
        )


#: A bundle and the configuration are checked with their workspace alone.
BUNDLE, CONFIGURATION = "bundle", "configuration"
_KIND_OF_FOLDER: dict[str, str] = {
    **{f"{kind}s": kind for kind in (Kind.RUBRIC, Kind.JUDGE, Kind.TARGET)},
    "bundles": BUNDLE,
}
#: The name of a schema in the first characters: in a modeline, or under `$schema`.
_SCHEMA = lazy_pattern(rf"\$schema\W{{1,6}}\S*?\b(?P<kind>{'|'.join(Kind)})\.schema\.json")
_HEAD = 1 << 10


def kind_of(path: Path, files: Files) -> str | None:
    """Return the kind of a file, by its folder, the schema that it names, or its content.

    A file that the command line does not read has no kind.
    """
    if path.name == FILE_NAME:
        return CONFIGURATION
    root = find_root(path, files)
    real = files.real(path)
    folder = real.relative_to(root).parts[0] if root in real.parents else ""
    if real.parent == root or folder not in ARTIFACT_FOLDERS:
        return _kind_by_content(path, root, files)
    is_schema = path.name.endswith(SCHEMA_SUFFIX)
    kind = _KIND_OF_FOLDER[folder]
    is_read = format_of(path.name) is not None and is_schema == (kind == BUNDLE)
    return kind if is_read else None


def _kind_by_content(path: Path, root: Path, files: Files) -> str | None:
    try:
        head = files.read(path)[:_HEAD].decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    if match := _SCHEMA.search(head):
        return Kind(match["kind"])
    real = files.real(path)
    inside = real if root in real.parents else root / path.name
    source = read_file(path, display_name(path), files, quick=True)
    return Kind.DATASET if is_dataset(inside, root, source, files=files) else None


#: Returns the text that an editor shows for a file, or None.
TextOf = Callable[[Path], Text | None]

SOURCE = "evalcontract"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
#: How an editor shows what has no effect, and what another keyword has replaced.
_TAGS = (
    ("-unused", types.DiagnosticTag.Unnecessary),
    ("/outdated-keyword", types.DiagnosticTag.Deprecated),
)


class _OfCode(TypedDict):
    """What all findings with a code have in common."""

    code_description: types.CodeDescription | None
    tags: list[types.DiagnosticTag] | None


def _about(code: str) -> _OfCode:
    url = url_of(code)
    tags = [tag for ending, tag in _TAGS if code.endswith(ending)]
    description = types.CodeDescription(url) if url else None
    return _OfCode(code_description=description, tags=tags or None)


class Publisher:
    """Converts findings at one moment; `text_of` returns the texts of files that are open."""

    def __init__(self, text_of: TextOf, encoding: str) -> None:
        self._text_of = text_of
        self._encoding = encoding
        self._texts: dict[Path, Text] = {}
        self._about: dict[str, _OfCode] = {}
        self._real: dict[str, Path] = {}

    def diagnostic(self, finding: Diagnostic) -> types.Diagnostic:
        """Return a finding as the protocol has it."""
        related = [
            types.DiagnosticRelatedInformation(self.location(place), _plain(message))
            for message, place in finding.related
            if self._is_there(place)
        ]
        message = finding.message
        if finding.help:
            message = f"{message}\nhelp: {finding.help}"
        if finding.code not in self._about:
            self._about[finding.code] = _about(finding.code)
        return types.Diagnostic(
            self.range(self._file(finding.place), finding.place.span),
            _plain(message),
            _SEVERITIES[finding.severity],
            finding.code or None,
            source=SOURCE,
            related_information=related or None,
            **self._about[finding.code],
        )

    def location(self, place: Place) -> types.Location:
        """Return a place as the protocol has it."""
        path = self._file(place)
        return types.Location(uri_of_path(path), self.range(path, place.span))

    def range(self, path: Path, span: Span | None) -> types.Range:
        """Return a span of a file; a finding on the whole file is at the beginning."""
        if span is None:
            return types.Range(types.Position(0, 0), types.Position(0, 0))
        text = self._lines(path)
        return types.Range(
            _position(text, span.line, span.column), _position(text, span.end_line, span.end_column)
        )

    def _is_there(self, place: Place) -> bool:
        """Whether an editor can open the file of a place: that of a library has no path."""
        path = self._file(place)
        return DISK.is_there(path) or self._text_of(path) is not None

    def _file(self, place: Place) -> Path:
        if place.file not in self._real:
            self._real[place.file] = DISK.real(Path(place.file).absolute())
        return self._real[place.file]

    def _lines(self, path: Path) -> Text:
        if path not in self._texts:
            self._texts[path] = self._text_of(path) or self._text_on_disk(path)
        return self._texts[path]

    def _text_on_disk(self, path: Path) -> Text:
        content = read_text(path, path.name)
        return Text("" if isinstance(content, UnreadableFile) else content, self._encoding)


def _position(text: Text, line: int, column: int) -> types.Position:
    return types.Position(max(line - 1, 0), text.units(line - 1, max(column - 1, 0)))


def _plain(message: str) -> str:
    """Return a message without control characters, which an editor might act on."""
    return "\n".join(map(escape_controls, message.split("\n")))
