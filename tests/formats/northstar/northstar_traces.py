"""Recorded traces of NorthStar, as its client writes them."""

from __future__ import annotations

from typing import Any

RUN, SESSION = (f"7d3f0000-0000-4000-8000-00000000000{n}" for n in (1, 2))
#: A payload of `client.flush()`, of a run in which nothing happens.
TRACE: dict[str, Any] = {
    "run_id": RUN,
    "runs": [{"id": RUN, "session_id": SESSION, "name": "weather"}],
    "sessions": [{"id": SESSION}],
    "spans": [],
    "events": [],
}


def traced(spans: list[dict[str, Any]], events: list[dict[str, Any]], **run: Any) -> dict[str, Any]:
    """Return a trace with spans and events, and more of its run."""
    own = {"run_id": RUN}
    return {
        **TRACE,
        "runs": [{**TRACE["runs"][0], **run}],
        "spans": [{**own, "kind": "tool", "name": "weather", **span} for span in spans],
        "events": [{**own, "content": None, **event} for event in events],
    }
