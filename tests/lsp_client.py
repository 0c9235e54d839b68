"""A small client of the Language Server Protocol, over a process's standard input and output.

The protocol: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from dataclasses import dataclass
from itertools import count
from typing import IO, TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

_PATIENCE_SECONDS = 60.0
_SETTINGS: dict[str, Any] = {
    "yaml": {
        "validate": True,
        "hover": True,
        "completion": True,
        # Only the schemas that a file names: nothing is fetched from a catalogue.
        "schemaStore": {"enable": False},
        "kubernetesCRDStore": {"enable": False},
    },
}


class Process(Protocol):
    """What a client needs of the process of its server."""

    @property
    def stdin(self) -> IO[bytes] | None:
        """What the server reads."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """What it writes."""

    def kill(self) -> None:
        """End it."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; return its exit code."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that the server knows; positions in it count from 0."""

    server: Client
    uri: str

    def diagnostics(self) -> list[dict[str, Any]]:
        """Wait for what the server says of the document."""
        return self.server.diagnostics_of(self.uri)

    def completion(self, line: int, character: int) -> list[str]:
        """List the labels that the server offers at a position."""
        return [item["label"] for item in self.items(line, character)]

    def items(self, line: int, character: int) -> list[dict[str, Any]]:
        """List what the server offers at a position, with the text and what is inserted."""
        found = self._ask("completion", line, character)
        offered: list[dict[str, Any]] = found["items"]
        return offered

    def hover(self, line: int, character: int) -> str:
        """Return the text that is shown for a position."""
        found = self._ask("hover", line, character)
        return str(found["contents"]["value"]) if found else ""

    def _ask(self, what: str, line: int, character: int) -> Any:
        position = {"line": line, "character": character}
        params = {"textDocument": {"uri": self.uri}, "position": position}
        return self.server.request(f"textDocument/{what}", params)


class Client:
    """Starts a server, and ends it with the `with` block.

    Each document is opened once, under a path of its own: servers remember what they said.
    """

    def __init__(
        self,
        command: list[str],
        root: Path,
        settings: dict[str, Any] | None = None,
        errors: IO[bytes] | int = subprocess.DEVNULL,
    ) -> None:
        environment = {
            name: value
            for name, value in os.environ.items()
            if name.lower() not in ("http_proxy", "https_proxy", "all_proxy")
        }
        self._process = self._started(command, environment, errors)
        self._root = root
        self._settings = {"yaml": {**_SETTINGS["yaml"], **(settings or {})}}
        self._ids = count(1)
        self._inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._published: dict[str, list[dict[str, Any]]] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)

    def _started(
        self, command: list[str], environment: dict[str, str], errors: IO[bytes] | int
    ) -> Process:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
        )

    def __enter__(self) -> Self:
        self._reader.start()
        items = {"snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}
        documents = {
            "publishDiagnostics": {},
            "hover": {"contentFormat": ["markdown"]},
            "completion": {"completionItem": items},
        }
        params = {
            "processId": os.getpid(),
            "rootUri": self._root.as_uri(),
            "workspaceFolders": [{"uri": self._root.as_uri(), "name": self._root.name}],
            "capabilities": {
                "textDocument": documents,
                "workspace": {"configuration": True, "workspaceFolders": True},
            },
        }
        self.request("initialize", params)
        self._notify("initialized", {})
        self._notify("workspace/didChangeConfiguration", {"settings": self._settings})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def open(self, path: Path, text: str | None = None) -> Opened:
        """Open a document: the file's own text, or another that an author is about to save."""
        content = path.read_text(encoding="utf-8") if text is None else text
        uri = path.as_uri()
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": content}
        self._notify("textDocument/didOpen", {"textDocument": item})
        return Opened(self, uri)

    def request(self, method: str, params: Any) -> Any:
        """Return the server's answer.

        Raises:
            RuntimeError: the server answers with an error.
            TimeoutError: it does not answer.

        """
        number = next(self._ids)
        self._send({"id": number, "method": method, "params": params})
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            message = self._next(deadline)
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def diagnostics_of(self, uri: str) -> list[dict[str, Any]]:
        """Wait until the server has published what it says of a document.

        Raises:
            TimeoutError: it does not.

        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while uri not in self._published:
            self._next(deadline)
        return self._published[uri]

    def _next(self, deadline: float) -> dict[str, Any]:
        """Return the next message, after doing what the server asks or tells by it."""
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError("the language server does not answer") from None
        if message is None:
            raise RuntimeError(f"the language server ended: {self._process.wait(1)}")
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self._published[params["uri"]] = params["diagnostics"]
        elif "method" in message and "id" in message:
            self._send({"id": message["id"], "result": self._answer(message)})
        return message

    def _answer(self, message: dict[str, Any]) -> Any:
        if message["method"] == "workspace/configuration":
            items = message["params"]["items"]
            return [self._settings.get(item.get("section", "")) for item in items]
        if message["method"] == "workspace/workspaceFolders":
            return [{"uri": self._root.as_uri(), "name": self._root.name}]
        return None

    def _notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stream.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while (message := _message(stream)) is not None:
            self._inbox.put(message)
        self._inbox.put(None)


def _message(stream: IO[bytes]) -> dict[str, Any] | None:
    """Read one message; None at the end."""
    size = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    if not size:
        return None
    message: dict[str, Any] = json.loads(stream.read(size))
    return message
