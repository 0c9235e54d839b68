"""Decide whether to colour the output."""

from __future__ import annotations

import os
from typing import IO, Any


def wants_colour(stream: IO[Any]) -> bool:
    """Whether to colour a stream: terminals only, unless NO_COLOR or FORCE_COLOR is set.

    See https://no-color.org.
    """
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
        (version.isdecimal() and int(version) >= _FIRST_VTE)
        or any(name in os.environ for name in _VARIABLES)
        or os.environ.get("TERM_PROGRAM") in _PROGRAMS
        or os.environ.get("TERM") in _TERMS
    )


# VTE 0.50, which GNOME Terminal, Tilix and others are made of, is the first one without a crash.
_FIRST_VTE = 5000
_VARIABLES = ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM")
_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty", "rio", "zed")
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "wezterm")
