"""An endpoint cannot exhaust the memory, keep a run waiting, or make it show the key."""

from __future__ import annotations

import gzip
import json
import os
import socketserver
import struct
import threading
import time
from contextlib import contextmanager
from socket import SO_LINGER, SOL_SOCKET
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from model_server import needs_client
from tables import every_case

from evalcontract.judging import client as limited
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


def cut(to: socket) -> None:
    to.sendall(HEAD + b'content-length: 500\r\n\r\n{"choices": [{"mess')
    to.close()


def reset(to: socket) -> None:
    to.sendall(HEAD + b'content-length: 500\r\n\r\n{"choices": [{"mess')
    to.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    to.close()


def broken(to: socket) -> None:
    to.sendall(HEAD + b'content-length: 20\r\n\r\n{"choices": [{"messa')


def garbage(to: socket) -> None:
    to.sendall(b"\x00\xff\r\n\r\n")


@every_case(
    ("answer", "reason"),
    [
        (endless, "exceeds 1,000,000 bytes"),
        (dripping, "no answer within 0.5 s"),
        (compressed, "exceeds 100,000 bytes"),
        (silent, "no answer within 0.5 s"),
        (closing, "no whole answer after 1 try"),
        (garbage, "no whole answer after 1 try"),
        (cut, "no whole answer after 1 try"),
        (reset, "no whole answer after 1 try"),
        (broken, "answers strangely"),
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


#: Ways to write the key in a text that is JSON, or quotes JSON.
WRITTEN = [
    KEY,
    KEY.replace("s", "\\u0073"),
    "".join(f"\\u{ord(char):04x}" for char in KEY),
    "".join(f"\\u{ord(char):04X}" for char in KEY),
    json.dumps("".join(f"\\u{ord(char):04x}" for char in KEY)),
    KEY.replace("-", "\\-"),
]


@every_case("key", ["content", "refusal"])
def test_an_endpoint_that_repeats_the_key(key: str) -> None:
    """It knows it, and would have it in results and in the cache."""
    for written in WRITTEN:
        body = json.dumps({"choices": [{"message": {key: f"the key is {written}"}}]}).encode()
        sent = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body

        def answer(to: socket, sent: bytes = sent) -> None:
            to.sendall(sent)

        with endpoint(answer) as url:
            try:
                said = asked(url).text
            except NoReplyError as error:
                said = str(error)
        assert "***" in said, written
        assert "3f1c" not in said, written
        assert "\\u" not in said, written


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1), st.data())
@examples(100)
def test_no_spelling_of_a_key_is_left(key: str, data: st.DataObject) -> None:
    """What a text says of a key once it is decoded, and what it says if that is decoded again."""
    spelled = "".join(
        data.draw(st.sampled_from([json.dumps(char)[1:-1], f"\\u{ord(char):04x}"])) for char in key
    )
    for _ in range(data.draw(st.integers(0, 2))):
        spelled = json.dumps(spelled)[1:-1]
    client = Client(Settings("http://127.0.0.1", key, "m"))
    assert client._without_key(f"é {spelled} é") in ("é *** é", f"é {'***' * len(key)} é")  # noqa: SLF001


def test_looking_for_a_key_takes_linear_time() -> None:
    """Where the time is quadratic, this takes minutes."""
    client = Client(Settings("http://127.0.0.1", "s" * 40 + "k", "m"))
    text = "\\" * 1_000_000 + "s" * 30
    assert client._without_key(text) == text  # noqa: SLF001
