"""Everything that is printed: streams, colours, links, progress, and failures to write."""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EBADF, EINVAL, EIO, ENOSPC, EPIPE
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from evalcontract.model.errors import EvalContractError
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import COMMAND, escape_controls, harmless_json, integer, many
from evalcontract.policy import BUG, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from evalcontract.datasets.opening import Advance, Progress

#: The values of `--color`.
WHEN = ("auto", "always", "never")
# What `--color` says to this process and those that it starts.
_CHOSEN = "_EVALCONTRACT_COLOR"


def choose_colour(when: str) -> None:
    """Colour `always` or `never`, whatever the other variables say; `auto` changes nothing."""
    if when != "auto":
        os.environ[_CHOSEN] = when


@contextmanager
def choice_of_colour() -> Iterator[None]:
    """Forget at the end what was chosen in between."""
    before = os.environ.get(_CHOSEN)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_CHOSEN, None)
        else:
            os.environ[_CHOSEN] = before


def wants_colour(stream: IO[Any]) -> bool:
    """Whether to colour a stream: terminals only, unless NO_COLOR or FORCE_COLOR is set.

    See https://no-color.org. `--color` precedes both.
    """
    choice = os.environ.get(_CHOSEN)
    if choice in ("always", "never"):
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def wants_links(stream: IO[Any]) -> bool:
    """Whether a stream is a coloured terminal that is known to show OSC 8 hyperlinks.

    FORCE_HYPERLINK sets it, 0 for none. Terminals that do not know them may print them as text.
    """
    if not (stream.isatty() and wants_colour(stream)):
        return False
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced != "0"
    version = os.environ.get("VTE_VERSION", "")
    return (
        (integer(version) or 0) >= _FIRST_VTE
        or any(name in os.environ for name in _VARIABLES)
        or os.environ.get("TERM_PROGRAM") in _PROGRAMS
        or os.environ.get("TERM") in _TERMS
    )


# VTE 0.50, which GNOME Terminal, Tilix and others are made of, is the first one without a crash.
_FIRST_VTE = 5000
_VARIABLES = ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM")
_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty", "rio", "zed")
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "wezterm")


_BLOCK = 1 << 16
# What runners of CI act on when they read it in a log: `::error::` at the start of a line (GitHub),
# and `##[error]`, `##vso[…]` (Azure, GitHub) and `##teamcity[…]` anywhere.
_COMMAND_AT_START = lazy_pattern(r"(?:^|(?<=\r))(\s*:)(?=:)", re.MULTILINE)


class OutputError(Exception):
    """A standard stream cannot be written: it is closed or full, or its reader is gone.

    `quiet` is whether the reader is gone, which is not reported.
    """

    def __init__(self, reason: str, *, quiet: bool = False) -> None:
        super().__init__(reason)
        self.quiet = quiet


def configure_streams() -> None:
    """Make both streams accept every character, and discard output to a closed standard error.

    Raises:
        OutputError: standard output is closed.

    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Print `?` for characters that the stream's encoding cannot represent.
            stream.reconfigure(errors="replace")
    if sys.stdout is None:
        raise OutputError("standard output is closed")


def put(pieces: Iterable[str], *, err: bool = False, raw: bool = False) -> None:
    r"""Print pieces of text, in blocks.

    Unless the text is `raw`, a backslash breaks what a runner of CI takes for a command, as in
    `:\:error::` and `#\#[error]`: names and texts of files must not set variables or hide findings.

    Raises:
        OutputError: the stream cannot be written.

    """
    stream = sys.stderr if err else sys.stdout
    for block in _blocks(pieces):
        try:
            stream.write(block if raw else _without_commands(block))
            stream.flush()
        except OSError as error:
            raise not_written(error) from None


def put_json(pieces: Iterable[str]) -> None:
    r"""Print JSON in UTF-8, or as ASCII with `\u` escapes if the stream has another encoding.

    Characters that a terminal acts on, and `#` in what a runner of CI takes for a command, are
    always written as `\u` escapes, which changes no value.

    Raises:
        OutputError: the stream cannot be written.

    """
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")
    put(harmless_json(pieces, is_ascii=not is_utf8), raw=True)


class StandardOutput:
    """Standard output, as a stream of bytes."""

    def write(self, data: bytes) -> None:
        """Print bytes unchanged.

        Raises:
            OutputError: the stream cannot be written.

        """
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except OSError as error:
            raise not_written(error) from None


def not_written(error: OSError) -> OutputError:
    """Return the error for a stream that failed."""
    reason = (error.strerror or str(error)).lower()
    return OutputError(
        f"the output cannot be written: {reason}", quiet=isinstance(error, BrokenPipeError)
    )


def close_quietly(stream: IO[Any] | None) -> None:
    """Discard the buffer of a failed stream, or Python would fail again on it at exit."""
    try:
        if stream is not None:
            stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def _without_commands(text: str) -> str:
    if "::" not in text and "##" not in text:
        return text
    return COMMAND.sub(r"#\\", _COMMAND_AT_START.sub(r"\1\\", text))


def _blocks(pieces: Iterable[str]) -> Iterator[str]:
    """Join small pieces, since each block is flushed."""
    buffer: list[str] = []
    size = 0
    for piece in pieces:
        buffer.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield "".join(buffer)
            buffer, size = [], 0
    if buffer:
        yield "".join(buffer)


_OUTPUT_ERRORS = frozenset({EPIPE, EBADF, EIO, ENOSPC, EINVAL})
_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def guarded(work: Callable[..., int], *arguments: Any) -> int:
    """Run a command and return its exit code, or the exit code for its failure."""
    try:
        try:
            configure_streams()
            status = work(*arguments)
        except (OutputError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - any other exception is reported as a bug
            status = _report_failure(error)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OutputError as error:
        close_quietly(sys.stdout)
        status = USAGE if error.quiet else refuse(str(error))
    except MemoryError:
        status = None
    if status is None:  # out of the handler, which would keep all values of the command in memory
        status = refuse("out of memory: check fewer or smaller files at a time")
    close_quietly(sys.stderr)
    return status


def _report_failure(error: Exception) -> int:
    """Report an exception; return the exit code."""
    if isinstance(error, EvalContractError):
        return refuse(str(error))
    if isinstance(error, OSError):
        if error.filename is None and error.errno in _OUTPUT_ERRORS:  # click printed its help
            raise not_written(error) from None
        name = f"{error.filename}: " if error.filename is not None else ""
        return refuse(f"{name}{(error.strerror or str(error)).lower()}")
    from traceback import format_exception  # slow to import

    message = "this is a bug in evalcontract: please report it with the traceback above\n"
    with suppress(OutputError):
        put(["".join(format_exception(error)), message], err=True)
    return BUG


def refuse(message: str, usage: str = "") -> int:
    """Print an error message with control characters escaped; return the exit code for it."""
    name = f"{_RED}{_BOLD}error{_PLAIN}" if wants_colour(sys.stderr) else "error"
    # Keep line breaks, which come from click and are harmless.
    lines = [usage, f"{name}: "] if usage else [f"{name}: "]
    lines[-1] += "\n".join(escape_controls(line) for line in message.split("\n"))
    with suppress(OutputError):
        put([f"{line}\n" for line in lines], err=True)
    return USAGE


_DELAY_SECONDS = 1.0
#: The time from one drawing to the next.
_PAUSE_SECONDS = 0.1
# To the begin of the line, and: erase what is right of it.
_BEGIN, _ERASE = "\r", "\x1b[K"
#: Less of the name of a file says nothing.
_MIN_NAME_CELLS = 8
_USUAL_COLUMNS = 80


class Bar:
    """Counts what has been done, shows it on one line, and leaves nothing of it in the end."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._next = time.monotonic() + _DELAY_SECONDS
        self._file: str | None = None
        self._files = self._rows_before = self._rows_of_file = 0
        self._findings_before = self._findings_of_file = 0
        self._begun: tuple[float, int] | None = None  # when the rows began, and how many there were
        self._opened = (0.0, 0)  # when the file was begun, and the bytes of it that were read then
        self._is_drawn = False
        self._asking: tuple[float, int] | None = None  # when it began, and what was answered then
        # A dumb terminal would print every step as text.
        is_dumb = os.environ.get("TERM") == "dumb"
        self._is_shown = sys.stderr.isatty() and not is_dumb and not is_quiet

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_drawn:
            _put(_BEGIN + _ERASE)

    @property
    def progress(self) -> Progress | None:
        """What a run tells how far it has come, if anybody sees it."""
        return self.advance if self._is_shown else None

    def advance(self, at: Advance) -> None:
        """Count, and draw the line anew, but not more than some times a second."""
        if not self._is_shown:
            return
        if at.file != self._file:
            self._file = at.file
            self._files += 1
            self._rows_before += self._rows_of_file
            self._findings_before += self._findings_of_file
            self._opened = (time.monotonic(), at.read[0] if at.read else 0)
        self._rows_of_file = at.rows
        self._findings_of_file = at.findings or 0
        # A model takes its time for the first answer: what it is asked is shown before.
        is_first_question = at.questions is not None and not self._is_drawn
        if time.monotonic() >= self._next or is_first_question:
            _put(_BEGIN + self._line(at) + _ERASE)
            self._is_drawn = True
            self._next = time.monotonic() + _PAUSE_SECONDS

    def _line(self, at: Advance) -> str:
        """Return what has been done, and the end of the name of the file if there is room."""
        # What does not fit is left out as a whole: a number that is cut would be another.
        from evalcontract.report.frame import (
            display_width,
            in_encoding,
            truncate_left,
            truncate_right,
        )

        room = _columns() - 1  # some terminals wrap after the last cell
        line, *others = self._counts(at) or [""]
        for count in others:
            if len(line) + len(", ") + len(count) > room:
                break
            line += f", {count}"
        rest = room - len(line) - len(": ")
        if rest >= _MIN_NAME_CELLS:
            name = in_encoding(escape_controls(at.file), sys.stderr.encoding)
            line += f": {name if display_width(name) <= rest else truncate_left(name, rest)}"
        return truncate_right(line, room)

    def _counts(self, at: Advance) -> list[str]:
        rows = self._rows_before + at.rows
        counts = []
        if at.read:
            read, size = at.read
            counts.append(f"{100 * read // max(size, 1)} %")
        if at.files and at.files[1] > 1:
            counts.append(f"{at.files[0]:,} of {many(at.files[1], 'file')}")
        elif self._files > 1:
            counts.append(many(self._files, "file"))
        if at.questions:
            counts += self._counts_of_questions(at, *at.questions)
        if rows:
            counts.append(many(rows, "row"))
        if at.questions is None:
            counts += self._speed(at, rows)
        if at.findings is not None:
            counts.append(many(self._findings_before + at.findings, "finding"))
        return counts

    def _speed(self, at: Advance, rows: int) -> Iterator[str]:
        """Yield the rows a second, and the time that the only file, or the last one, needs yet."""
        now = time.monotonic()
        begun, before = self._begun = self._begun or (now, rows)
        if rows > before and now > begun:
            yield f"{(rows - before) / (now - begun):,.0f} rows a second"
        opened, read_before = self._opened
        is_last = at.files is None or at.files[0] >= at.files[1]
        if at.read and is_last and at.read[0] > read_before and now > opened:
            read, size = at.read
            left = max(0, size - read) * (now - opened) / (read - read_before)
            yield f"{_duration(left)} left"

    def _counts_of_questions(self, at: Advance, done: int, total: int) -> Iterator[str]:
        now = time.monotonic()
        begun, before = self._asking = self._asking or (now, done)
        yield f"{done:,} of {many(total, 'question')}"
        if at.errors:
            yield many(at.errors, "error")
        if done > before and now > begun:
            rate = (done - before) / (now - begun)
            yield f"{rate:.1f} a second"
            yield f"{_duration(max(0, total - done) / rate)} left"
        yield many(at.tokens, "token")


def _duration(seconds: float) -> str:
    """Return a time, the larger units alone if it is long: `40 s`, `3 min`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004 - a minute
        return f"{whole} s"
    hours, minutes = divmod(round(whole / 60), 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min"


def _columns() -> int:
    """Return the width of the terminal that standard error is; `shutil` asks standard output."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def _put(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that no temporary files are left behind."""
    import signal  # not for a check, which writes nothing

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    defaults = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in defaults:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in defaults:
            signal.signal(number, signal.SIG_DFL)
