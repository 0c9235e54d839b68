"""A client of our own language server: it edits, and waits for what the server says of that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from forked import CAN_FORK, Forked
from lsp_client import Client, Process

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = [sys.executable, "-m", "evalcontract", "lsp", "--stdio"]
SOURCE = Path(__file__).parents[2] / "src"
_PATIENCE_SECONDS = float(os.environ.get("LIVE_PATIENCE", "60"))
_LANGUAGES = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}


class Live(Client):
    """The server in a process of its own, with a folder that is open in the editor.

    It is a fork of one that has all modules, unless a command is given.
    """

    def __init__(
        self,
        folder: Path,
        command: list[str] | None = None,
        encodings: list[str] | None = None,
        capabilities: dict[str, Any] | None = None,
        errors: IO[bytes] | int = subprocess.DEVNULL,
    ) -> None:
        os.environ["PYTHONPATH"] = str(SOURCE)
        super().__init__(command or [], folder, errors=errors)
        self.folder = folder
        general = {"general": {"positionEncodings": encodings}} if encodings else {}
        self._capabilities = {**general, **(capabilities or {})}
        self._published_versions: dict[str, int | None] = {}
        self._file_versions: dict[str, int] = {}

    def _started(
        self, command: list[str], environment: dict[str, str], errors: IO[bytes] | int
    ) -> Process:
        if command:
            return super()._started(command, environment, errors)
        if not CAN_FORK:
            return super()._started(COMMAND, environment, errors)
        return Forked(SOURCE, environment, errors)

    def start(self, path: Path | str, text: str | None = None, language: str = "") -> Document:
        """Open a document by its path, or by an address."""
        uri = path if isinstance(path, str) else path.as_uri()
        if text is None:
            text = Path(path).read_text(encoding="utf-8")
        language = language or _LANGUAGES.get(Path(uri).suffix, "yaml")
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self._file_versions[uri] = 1
        self.notify("textDocument/didOpen", {"textDocument": item})
        return Document(self, uri)

    def notify(self, method: str, params: Any) -> None:
        """Tell the server something."""
        self._notify(method, params)

    def send_bytes(self, data: bytes) -> None:
        """Send what may be no message at all."""
        stream = self._process.stdin
        assert stream is not None
        stream.write(data)
        stream.flush()

    def next_version(self, uri: str) -> int:
        """Return the version of a document after another change."""
        self._file_versions[uri] += 1
        return self._file_versions[uri]

    def until(
        self,
        uri: str,
        is_right: Callable[[list[dict[str, Any]]], bool],
        version: int | None = None,
        about: Callable[[], str] = str,
    ) -> list[dict[str, Any]]:
        """Return the findings in a document as soon as they are right.

        Raises:
            AssertionError: they never are; `about` says what was expected.

        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            found = self._published.get(uri)
            is_new = version is None or self._published_versions.get(uri) == version
            if found is not None and is_new and is_right(found):
                return found
            try:
                self._next(deadline)
            except TimeoutError:
                shown = json.dumps(found, indent=1)
                raise AssertionError(f"{uri}: {about()} {shown}") from None

    def forget(self, uri: str) -> None:
        """Forget what the server has said of a file."""
        while not self._inbox.empty():
            self._next(time.monotonic() + 1)
        self._published.pop(uri, None)

    def published(self) -> dict[str, list[dict[str, Any]]]:
        """Return what the server has said so far of each file."""
        return self._published

    def request(self, method: str, params: Any) -> Any:
        """Return the answer of the server; say at the start what the editor can."""
        if method == "initialize":
            params["capabilities"].update(self._capabilities)
        return super().request(method, params)

    def wait_for_end(self) -> int:
        """Wait until the server ends by itself; return its exit code."""
        return self._process.wait(_PATIENCE_SECONDS)

    def close_input(self) -> None:
        """Close the standard input of the server."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _next(self, deadline: float) -> dict[str, Any]:
        message = super()._next(deadline)
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self._published_versions[params["uri"]] = params.get("version")
        return message


class Document:
    """A document that is open in the editor."""

    def __init__(self, server: Live, uri: str) -> None:
        self.server = server
        self.uri = uri

    def replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> int:
        """Replace what is between two positions; return the new version."""
        range_ = {"start": _position(start), "end": _position(end)}
        return self._change({"range": range_, "text": text})

    def replace_all(self, text: str) -> int:
        """Replace the whole text; return the new version."""
        return self._change({"text": text})

    def _change(self, change: dict[str, Any]) -> int:
        version = self.server.next_version(self.uri)
        params = {
            "textDocument": {"uri": self.uri, "version": version},
            "contentChanges": [change],
        }
        self.server.notify("textDocument/didChange", params)
        return version

    def codes(self, *expected: str, version: int | None = None) -> list[dict[str, Any]]:
        """Wait until just these codes are found; return the findings."""
        return self.server.until(
            self.uri,
            lambda found: sorted(each.get("code", "") for each in found) == sorted(expected),
            version,
        )

    def codes_at_all(self) -> list[dict[str, Any]]:
        """Wait until the server has said something of the document."""
        return self.server.until(self.uri, lambda _: True)

    def published_after(self, change: Callable[[], object]) -> list[dict[str, Any]]:
        """Make a change, and wait until the server has said something more of the document."""
        self.server.forget(self.uri)
        change()
        return self.server.until(self.uri, lambda _: True)

    def until_message(self, text: str, version: int) -> list[dict[str, Any]]:
        """Wait until some finding has a text in its message; return the findings."""
        return self.server.until(
            self.uri, lambda found: any(text in each["message"] for each in found), version
        )

    def ask(self, what: str, at: tuple[int, int] | None = None, **more: Any) -> Any:
        """Return the answer to a request on the document."""
        params: dict[str, Any] = {"textDocument": {"uri": self.uri}, **more}
        if at is not None:
            params["position"] = _position(at)
        return self.server.request(f"textDocument/{what}", params)

    def completions(self, line: int, character: int) -> dict[str, dict[str, Any]]:
        """Return what can be written at a position, by label."""
        return {item["label"]: item for item in self.ask("completion", (line, character))["items"]}

    def hover(self, line: int, character: int) -> str:
        """Return what is shown for a position."""
        found = self.ask("hover", (line, character))
        return str(found["contents"]["value"]) if found else ""

    def close(self) -> None:
        """Close the document."""
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})


def _position(at: tuple[int, int]) -> dict[str, int]:
    return {"line": at[0], "character": at[1]}


def split(marked: str) -> tuple[str, int, int]:
    """Return a text without the `|` at the cursor, and the position of it."""
    at = marked.index("|")
    line = marked.count("\n", 0, at)
    return marked.replace("|", "", 1), line, at - (marked.rfind("\n", 0, at) + 1)


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text with edits made in it; positions count characters of ASCII texts."""
    lines = text.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))

    def offset(position: dict[str, int]) -> int:
        return min(offsets[min(position["line"], len(lines))] + position["character"], len(text))

    for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
        start, end = (offset(edit["range"][side]) for side in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text
