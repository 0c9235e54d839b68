"""Start the server over standard input and output."""

from __future__ import annotations

import os
import sys

from evalcontract.lsp.features import register
from evalcontract.lsp.server import Server


def serve() -> int:
    """Serve an editor until it says `exit` or closes standard input; return the exit code.

    It is 1 if the editor says `exit` without `shutdown` before it, as the protocol asks for.

    Standard output belongs to the protocol alone: whatever else writes to it writes to standard
    error instead.
    """
    protocol = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = Server()
    register(server)
    try:
        server.start_io(sys.stdin.buffer, protocol)
    finally:
        server.stop()
    return int(server.is_asked_to_exit and not server.is_shut_down)
