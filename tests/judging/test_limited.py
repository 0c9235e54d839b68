"""An endpoint cannot exhaust the memory, keep a run waiting, or make it show the key."""

from __future__ import annotations

import gzip
import json
import os
import socketserver
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from model_server import needs_client
from tables import every_case

from evalcontract.judging import limited
from evalcontract.judging.client import Client, NoReplyError
from evalcontract.judging.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from socket import socket

pytestmark = [pytest.mark.slow, needs_client]

KEY = "sk-local-3f1c"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@contextmanager
def endpoint(answer: Callable[[socket], object]) -> Iterator[str]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1 << 16)
            try:
                answer(self.request)
            except OSError:
                return  # the client has gone

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def endless(to: socket) -> None:
    to.sendall(HEAD + b"\r\n")
    while True:
        to.sendall(b" " * (1 << 16))


def dripping(to: socket) -> None:
    to.sendall(HEAD + b"\r\n")
    while True:
        to.sendall(b" ")
        time.sleep(0.05)


def compressed(to: socket) -> None:
    body = gzip.compress(os.urandom(200_000), 0)
    to.sendall(HEAD + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


def silent(to: socket) -> None:
    del to
    time.sleep(3)


def closing(to: socket) -> None:
    to.close()


def garbage(to: socket) -> None:
    to.sendall(b"\x00\xff\r\n\r\n")


@every_case(
    ("answer", "reason"),
    [
        (endless, "exceeds 1,000,000 bytes"),
        (dripping, "no answer within 0.5 s"),
        (compressed, "exceeds 100,000 bytes"),
        (silent, "no answer within 0.5 s"),
        (closing, "cannot be reached"),
        (garbage, "cannot be reached"),
    ],
)
def test_an_endpoint_that_does_not_end(
    answer: Callable[[socket], object], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "MAX_BYTES", 1_000_000)
    with endpoint(answer) as url, pytest.raises(NoReplyError, match=reason):
        asked(url)


def asked(url: str) -> Any:
    client = Client(Settings(url, KEY, "m", seconds=0.5, retries=0))
    try:
        return client.ask("m", [{"role": "user", "content": "JSON"}])
    finally:
        client.close()


@every_case("key", ["content", "refusal"])
def test_an_endpoint_that_repeats_the_key(key: str) -> None:
    """It knows it, and would have it in results and in the cache."""

    def answer(to: socket) -> None:
        body = json.dumps({"choices": [{"message": {key: f"the key is {KEY}"}}]}).encode()
        to.sendall(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)

    with endpoint(answer) as url:
        try:
            said = asked(url).text
        except NoReplyError as error:
            said = str(error)
    assert "the key is ***" in said
