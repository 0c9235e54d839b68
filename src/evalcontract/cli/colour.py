"""Decide whether to colour the output."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from evalcontract.model.values import integer

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    chosen = os.environ.get(_CHOSEN)
    if chosen in ("always", "never"):
        return chosen == "always"
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
