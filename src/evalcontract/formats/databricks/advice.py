"""What to write in place of a value of a wrong type: in JSON, which YAML takes as well."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evalcontract.formats.databricks.columns import CONTEXTS

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

_MOST = 60


def advised(problem: Problem, row: Any, path: Path) -> Problem:
    """Return a problem of a row at `path` with the help that fits what stands there."""
    if problem.code != "databricks/wrong-type":
        return problem
    where = problem.path[len(path) :]
    value = row
    for key in where:
        value = value[key]
    if isinstance(value, float) and math.isnan(value):
        message = f"{problem.message.rpartition(',')[0]}, not NaN"
        return problem._replace(message=message, help="write null, or leave the key out")
    if isinstance(value, str) and (instead := _of_text(value, where)):
        return problem._replace(help=f"write {_clipped(instead)}")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return problem._replace(help=f"write it without the brackets: {_clipped(_json(value[0]))}")
    return problem


def _of_text(text: str, where: Path) -> str | None:
    """Return the list or mapping that a bare text is meant as, by its place in a row."""
    match where:
        case ("expected_facts" | "guidelines",):
            return _listed(text)
        case (str(key),) if key in CONTEXTS:
            return _json([{"doc_uri": text}])
        case (str(key), int()) if key in CONTEXTS:
            return _json({"doc_uri": text})
        case ("request", "messages"):
            return _json([{"role": "user", "content": text}])
    return None


def _listed(text: str) -> str:
    """Return a text as a list; one that holds a list of JSON is that list."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return _json(found if isinstance(found, list) else [text])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _clipped(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"
