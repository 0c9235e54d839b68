"""The day on which a judge was validated."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any


def validated_on(judge: dict[str, Any]) -> date | None:
    """Return the day of `validation.validated_at`; None where there is none, or no such day."""
    text = judge.get("validation", {}).get("validated_at")
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None
