"""The keys of tests of promptfoo, and what tells a configuration from a test."""

from __future__ import annotations

from typing import Any

#: The keys of a test, one of the first seven of which it needs.
NEEDED = ("assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold")
KEYS = (*NEEDED, "description", "providers", "prompts", "assertScoringFunction")
#: Keys that only a configuration has.
_OF_CONFIGURATION = (
    *("tests", "defaultTest", "scenarios", "targets", "commandLineOptions", "redteam"),
    *("extensions", "evaluateOptions", "outputPath", "assertionTemplates", "env", "sharing"),
)


def has_needed(test: dict[str, Any]) -> bool:
    """Whether a test has one of the keys that it needs: a value that is true in JavaScript."""
    limit = test.get("threshold")
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        return True
    values = [test.get(key) for key in NEEDED if key != "threshold"]
    return any(isinstance(value, dict | list) or value for value in values)


def is_configuration(value: dict[str, Any]) -> bool:
    """Whether a mapping is a configuration, and no test."""
    has_key = not value.keys().isdisjoint(_OF_CONFIGURATION)
    return has_key or ("prompts" in value and value.keys().isdisjoint(NEEDED))
