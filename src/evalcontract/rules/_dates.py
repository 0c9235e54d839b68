"""The date on which a judge was validated."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any


def validated_on(judge: dict[str, Any]) -> date | None:
    """Return the date of `validation.validated_at`, or None if it is missing or invalid."""
    text = judge.get("validation", {}).get("validated_at")
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None
