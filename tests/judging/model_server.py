"""An OpenAI-compatible chat endpoint on this machine, which answers as a test says."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pytest

from evalcontract.judging.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

KEY = "sk-local-3f1c"
#: For what asks with the client library, which is slow to import.
needs_client = pytest.mark.skipif(
    find_spec("openai") is None, reason="the extra `judges` is not installed"
)


class Response(NamedTuple):
    """What the endpoint answers: a status, headers, and a body or the text of a completion.

    `ended` is why the model ended, `sent` the share of the body that is sent.
    """

    text: str | None = None
    status: int = 200
    headers: Mapping[str, str] = {}
    body: Any = None
    seconds: float = 0.0
    usage: Mapping[str, Any] | None = {"prompt_tokens": 100, "completion_tokens": 10}
    ended: str = "stop"
    sent: float = 1.0


def failure(status: int, message: str = "no", **headers: str) -> Response:
    """Return an error of the endpoint, which may be retried at once."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": message, "type": "test", "param": None, "code": None}}
    return Response(None, status, {"retry-after-ms": "1", **names}, body)


def message(value: Any, ended: str = "end_turn", *, thought: str = "") -> Response:
    """Return a good answer of Anthropic's interface."""
    text = json.dumps({"reason": "because", "verdict": value})
    blocks = [{"type": "thinking", "thinking": thought, "signature": "s"}] if thought else []
    usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 10}
    content = [*blocks, {"type": "text", "text": text}]
    body = {"type": "message", "role": "assistant", "model": "m", "stop_reason": ended}
    return Response(body={**body, "content": content, "usage": usage})


def verdict(value: Any, reason: str = "because") -> Response:
    """Return a good answer."""
    return Response(json.dumps({"verdict": value, "reason": reason}))


class ModelServer:
    """A context manager: the endpoint, which records what it was asked.

    `answer` gets the body of a request and its number, from 0. `most_at_once` is the largest number
    of requests that were worked on at a time.
    """

    def __init__(self, answer: Callable[[dict[str, Any], int], Response]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._answer = answer
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.serve(self)

            def log_message(self, *_: object) -> None:
                return

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 64

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def settings(self, **others: Any) -> Settings:
        """Return settings for this endpoint."""
        return Settings(
            **{"base_url": self.url, "key": KEY, "model": "m-1", "seconds": 10, **others}
        )

    def prompts(self) -> list[str]:
        """Return the message of the user in each request."""
        return [request["messages"][1]["content"] for request in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self.paths.append(handler.path)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            response = self._answer(request, number)
            time.sleep(response.seconds)
        finally:
            with self._lock:
                self._at_once -= 1
        try:
            self._send(handler, response)
        except OSError:  # the client has not waited
            handler.close_connection = True

    def _send(self, handler: BaseHTTPRequestHandler, response: Response) -> None:
        body = _completion(response) if response.body is None else response.body
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        handler.send_response(response.status)
        for name, value in response.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: int(len(data) * response.sent)])
        handler.close_connection = handler.close_connection or response.sent < 1


def _completion(response: Response) -> dict[str, Any]:
    message = {"role": "assistant", "content": response.text}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": response.ended, "message": message}],
        "usage": response.usage,
    }
