"""Findings as the protocol has them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from evalcontract.lsp.text import Text
from evalcontract.lsp.uris import uri_of_path
from evalcontract.model.diagnostic import Severity
from evalcontract.model.values import escape_controls
from evalcontract.source import DISK, UnreadableFile, read_text
from evalcontract.workspace.catalogue import url_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Diagnostic, Place, Span

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


class Publisher:
    """Converts findings; `text_of` returns the texts of files that are open."""

    def __init__(self, text_of: TextOf, encoding: str) -> None:
        self._text_of = text_of
        self._encoding = encoding
        self._on_disk: dict[Path, Text] = {}
        self._real: dict[str, Path] = {}

    def diagnostic(self, finding: Diagnostic) -> types.Diagnostic:
        """Return a finding as the protocol has it."""
        related = [
            types.DiagnosticRelatedInformation(self.location(place), _plain(message))
            for message, place in finding.related
        ]
        message = finding.message
        if finding.help:
            message = f"{message}\nhelp: {finding.help}"
        url = url_of(finding.code)
        return types.Diagnostic(
            self.range(self._file(finding.place), finding.place.span),
            _plain(message),
            _SEVERITIES[finding.severity],
            finding.code or None,
            types.CodeDescription(url) if url else None,
            SOURCE,
            [tag for ending, tag in _TAGS if finding.code.endswith(ending)] or None,
            related or None,
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

    def _file(self, place: Place) -> Path:
        if place.file not in self._real:
            self._real[place.file] = DISK.real(Path(place.file).absolute())
        return self._real[place.file]

    def _lines(self, path: Path) -> Text:
        if text := self._text_of(path):
            return text
        if path not in self._on_disk:
            content = read_text(path, path.name)
            shown = "" if isinstance(content, UnreadableFile) else content
            self._on_disk[path] = Text(shown, self._encoding)
        return self._on_disk[path]


def _position(text: Text, line: int, column: int) -> types.Position:
    return types.Position(max(line - 1, 0), text.units(line - 1, max(column - 1, 0)))


def _plain(message: str) -> str:
    """Return a message without control characters, which an editor might act on."""
    return "\n".join(map(escape_controls, message.split("\n")))
