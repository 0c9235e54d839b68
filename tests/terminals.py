"""A command on a terminal of its own: what it sends there, and what a line of it shows."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def environment(**more: str) -> dict[str, str]:
    """Return the variables of this process, without those that colour or width depend on."""
    dropped = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "CI")
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    return {**kept, "TERM": "xterm-256color", "FORCE_HYPERLINK": "0", **more}


def on_terminal(
    command: list[str],
    cwd: Path,
    variables: dict[str, str] | None = None,
    *,
    stream: str = "stdout",
    columns: int = 80,
) -> tuple[str, str]:
    """Run a command with one stream on a terminal; return what that got, and the other's text."""
    screen, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    other = "stderr" if stream == "stdout" else "stdout"
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(**(variables or {})),
        stdin=subprocess.DEVNULL,
        **{stream: side, other: subprocess.PIPE},  # type: ignore[call-overload]
    )
    os.close(side)
    seen = b""
    while True:
        try:
            data = os.read(screen, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # the way in which Linux says that the end is reached
                raise
            data = b""
        if not data:
            break
        seen += data
    os.close(screen)
    piped = process.communicate()[1 if other == "stderr" else 0]
    return seen.decode().replace("\r\n", "\n"), piped.decode()


def cells(text: str) -> int:
    """Count the cells of a terminal that a text takes: marks take none, wide characters two."""
    return sum(
        0
        if unicodedata.category(each) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(each) in "WF"
        else 1
        for each in text
    )


def drawings(sent: str, columns: int = 80) -> list[str]:
    """Return what one line of a terminal showed, one drawing after the other, and in the end."""
    assert "\n" not in sent
    shown, seen = "", []
    for drawn in sent.split("\r"):
        text, erases, rest = drawn.partition("\x1b[K")
        assert rest == ""
        assert "\x1b" not in text
        assert cells(text) < columns  # the next character would go to the next line
        shown = text + ("" if erases else shown[len(text) :])
        seen.append(shown)
    return seen
