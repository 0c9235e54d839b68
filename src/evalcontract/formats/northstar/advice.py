"""What to write instead of what NorthStar refuses: in JSON, and where it belongs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import as_json, value_at
from evalcontract.formats.northstar.normalization import EXPECTED, METRICS, TRACE
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

_KNOWN: dict[str, Any] = {"metrics": METRICS, "expected": EXPECTED, "expected.trace": TRACE}
# The mapping that a key belongs into; a case has a `trace` of its own.
_HOMES = {key: home for home, keys in _KNOWN.items() for key in keys if key != "trace"}
_MOST = 60


def advised(problem: Problem, row: Any, path: Path) -> Problem:
    """Say in JSON what to write, and where a key belongs that stands in the wrong mapping."""
    where = problem.path[len(path) :]
    if problem.code == "northstar/unknown-key":
        key, within = str(where[-1]), ".".join(map(str, where[:-1]))
        home = _HOMES.get(key)
        if home is not None and home != within:
            return problem._replace(help=f"it belongs below `{home}`")
        whole = [each for each in _KNOWN.get(within, ()) if key in _cut(each)]
        if len(whole) == 1:
            return problem._replace(help=f"did you mean `{whole[0]}`?")
    elif problem.code == "northstar/missing-key":
        missing = table("formats/northstar.samples")["missing"]
        return problem._replace(help=missing.get(problem.message, problem.help))
    elif problem.code == "northstar/wrong-type" and "write" in (problem.help or ""):
        keys = [each for each in where if isinstance(each, str)]
        if meant := _meant(keys[-1] if keys else "", value_at(row, where)):
            return problem._replace(help=f"write {meant}")
        samples = table("formats/northstar.samples")["samples"]
        sample = samples.get(".".join(keys)) or samples.get(keys[-1])
        if sample is not None:
            is_item = bool(keys) and isinstance(where[-1], int)
            return problem._replace(help=f"write {sample[1:-1] if is_item else sample}")
    return problem


def _cut(key: str) -> tuple[str, str]:
    """Return a key without its unit: `max_cost` for `max_cost_usd`."""
    shorter = key.removesuffix("_usd").removesuffix("_ms")
    return shorter, shorter.removeprefix("max_")


def _meant(key: str, value: Any) -> str | None:
    """Return as JSON what a value of a wrong type was surely meant as; None where it is long."""
    meant: Any = None
    if key == "relevant_retrieval_ids" and isinstance(value, str):
        meant = [value]
    elif key == "messages" and isinstance(value, str):
        meant = [{"role": "user", "content": value}]
    elif key == "messages" and isinstance(value, dict) and "role" in value:
        meant = [value]
    elif key == "arguments" and isinstance(value, str):
        meant = _parsed(value)
    elif key == "tool_arguments" and isinstance(value, dict):
        is_call = value.keys() == {"name", "arguments"}
        meant = [value] if is_call else _calls(value)
    text = as_json(meant)
    return text if meant and len(text) <= _MOST else None


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _calls(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return calls that were written as arguments by the names of tools."""
    if not all(isinstance(each, dict) for each in value.values()):
        return None
    return [{"name": name, "arguments": each} for name, each in value.items()]
