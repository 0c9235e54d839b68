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
