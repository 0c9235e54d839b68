"""Whether a stream is to be coloured: only a terminal, and never against NO_COLOR."""

from __future__ import annotations

import os
from typing import IO, Any


def wants_colour(stream: IO[Any]) -> bool:
    """Decide as https://no-color.org says; FORCE_COLOR colours what is no terminal too."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()
