"""Paths inside a value, such as `("questions", 3, "id")`."""

from __future__ import annotations

from evalcontract.model.lazy_pattern import lazy_pattern

Path = tuple[str | int, ...]

_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def format_path(path: Path) -> str:
    """Format a path as JSONPath (RFC 9535): `$.questions[3].id`, `$['odd key']`."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{step}")
        else:
            escaped = step.replace("\\", "\\\\").replace("'", "\\'")
            parts.append(f"['{escaped}']")
    return "".join(parts)


def key_of(path: Path) -> str:
    """Return a short name for a path: `scoring.combine`, `values[2]`, `expected.format`.

    The part up to the last list index is left out, except for indexes at the end.
    """
    end = len(path)
    while end and isinstance(path[end - 1], int):
        end -= 1
    start = next((n for n in range(end, 0, -1) if isinstance(path[n - 1], int)), 0)
    if start >= end:
        return format_path(path)
    rest = format_path(path[start + 1 :])[1:]
    return f"{path[start]}{rest}"
