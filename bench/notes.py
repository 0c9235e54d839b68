"""What is said below the table of goals, kept by hand: why one is not reached, what the bound is.

The keys are the names of groups; a note is a paragraph of Markdown.
"""

from __future__ import annotations

NOTES: dict[str, str] = {}
