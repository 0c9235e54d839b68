"""Our language server in a process that finds its modules imported: a fork of one that waits.

To import them takes most of the time of a server that answers a few questions. How a server starts
and ends is tested with processes that begin at the beginning (`test_server_robust.py`).
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Whether there are forks, and sockets that carry pipes and keep messages apart.
CAN_FORK = hasattr(os, "fork") and hasattr(socket, "SOCK_SEQPACKET") and sys.platform != "darwin"

_MOST_BYTES = 1 << 17

# Forks a server for each message with pipes, and waits for the end of one for each other message.
_PROGRAM = """\
import gc, json, os, socket, sys
import evalcontract.checking.pipeline, evalcontract.lsp.server
from evalcontract.cli import start
messages = socket.socket(fileno=int(sys.argv[1]))
gc.collect()
gc.freeze()
codes = {}
while True:
    data, pipes, *_ = socket.recv_fds(messages, 1 << 17, 3)
    if not data:
        break
    asked = json.loads(data)
    if not pipes:
        pid = asked["pid"]
        if pid not in codes:
            codes[pid] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        messages.send(json.dumps({"pid": pid, "code": codes[pid]}).encode())
    elif pid := os.fork():
        for pipe in pipes:
            os.close(pipe)
        messages.send(json.dumps({"pid": pid}).encode())
    else:
        messages.close()
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
            os.close(pipe)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["variables"])
        sys.argv = ["evalcontract", "lsp", "--stdio"]
        start.evalcontract()
"""


class _Forks:
    """The process that waits, started when the first server is."""

    def __init__(self, source: Path) -> None:
        self._messages, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": str(source)},
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.end)

    def fork(self, variables: Mapping[str, str], pipes: list[int]) -> int:
        """Return the process of another server, whose standard streams are the pipes."""
        asked = {"folder": str(Path.cwd()), "variables": dict(variables)}
        socket.send_fds(self._messages, [json.dumps(asked).encode()], pipes)
        answer = json.loads(self._messages.recv(_MOST_BYTES))
        while "code" in answer:  # of one that nobody waits for any more
            answer = json.loads(self._messages.recv(_MOST_BYTES))
        return int(answer["pid"])

    def code_of(self, pid: int, timeout: float | None) -> int:
        """Wait for the end of a server; return its exit code."""
        self._messages.settimeout(timeout)
        self._messages.send(json.dumps({"pid": pid}).encode())
        while True:
            answer: dict[str, Any] = json.loads(self._messages.recv(_MOST_BYTES))
            if answer["pid"] == pid and "code" in answer:
                self._messages.settimeout(None)
                return int(answer["code"])

    def end(self) -> None:
        """End the process that waits, so that its time counts as ours."""
        atexit.unregister(self.end)
        self._messages.close()
        self._process.wait()


class Forked:
    """A server, with the part of `subprocess.Popen` that tests need."""

    _forks: _Forks | None = None

    def __init__(self, source: Path, variables: Mapping[str, str], errors: IO[bytes] | int) -> None:
        if Forked._forks is None:
            Forked._forks = _Forks(source)
        self._waiting = Forked._forks
        their_input, our_output = os.pipe()
        our_input, their_output = os.pipe()
        no_errors = os.open(os.devnull, os.O_WRONLY)
        their_errors = no_errors if isinstance(errors, int) else errors.fileno()
        self.pid = self._waiting.fork(variables, [their_input, their_output, their_errors])
        for each in (their_input, their_output, no_errors):
            os.close(each)
        self.stdin: IO[bytes] | None = os.fdopen(our_output, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(our_input, "rb")
        self._code: int | None = None

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended; return its exit code."""
        if self._code is None:
            self._code = self._waiting.code_of(self.pid, timeout)
        return self._code

    @classmethod
    def end_all(cls) -> None:
        """End the process that forks them."""
        if cls._forks is not None:
            cls._forks.end()
            cls._forks = None
