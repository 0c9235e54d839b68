"""Report a file of another tool as one problem, instead of several in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.workspace.other_tools import tool_of_root, tool_of_rows

if TYPE_CHECKING:
    from evalcontract.formats import Dialect
    from evalcontract.model.diagnostic import Path
    from evalcontract.workspace.other_tools import Tool

# Only this many rows are compared with those of other tools.
_EXAMINED_ROWS = 100
_IDENTITY = frozenset({"id", "version"})
_ARTICLES = {
    Kind.DATASET: "an evalcontract dataset",
    Kind.RUBRIC: "a rubric",
    Kind.JUDGE: "a judge",
}


def problem_of_rows(rows: list[Any], path: Path) -> Problem | None:
    """Return the problem of rows of another tool; None if they may be of this package.

    `path` leads to the first row.
    """
    first = next((row for row in rows if isinstance(row, dict)), None)
    found = _dialects_of(rows) if first is not None else None
    if found:
        return _of_dialects(found, path)
    tool = tool_of_rows(rows[:_EXAMINED_ROWS])
    return _of_tool(Kind.DATASET, tool, path) if tool else None


def problem_of_root(kind: Kind, value: dict[str, Any]) -> Problem | None:
    """Return the problem of a whole file of another tool; None if it may be of this package."""
    if kind is Kind.DATASET:
        found = _dialects_of(value)
        if found:
            return _of_dialects(found, ())
    elif value.keys() >= _IDENTITY:
        return None
    tool = tool_of_root(value)
    return _of_tool(kind, tool, ()) if tool else None


def _dialects_of(value: Any) -> list[Dialect]:
    from evalcontract.datasets.detection import candidates  # both are slow to import

    return [each.dialect for each in candidates(value)]


def _of_dialects(dialects: list[Dialect], path: Path) -> Problem:
    systems = " or ".join(dialect.format.title for dialect in dialects)
    message = f"this looks like a dataset of {systems}, not an evalcontract dataset"
    names = " or ".join(f"`--dialect {dialect}`" for dialect in dialects)
    advice = f"check it with {names}"
    if len(dialects) == 1:
        advice = (
            f"check it with `validate-dataset --dialect {dialects[0]}`, or translate it with "
            f"`evalcontract convert --from {dialects[0]}`"
        )
    return Problem("dataset/other-tool", message, path, advice)


def _of_tool(kind: Kind, tool: Tool, path: Path) -> Problem:
    message = f"this looks like a file of {tool.name}, not {_ARTICLES[kind]}"
    how = f"with `{tool.command}`" if tool.command else "by hand"
    advice = f"translate it {how}: {tool.advice}"
    if tool.like:
        advice = f"{advice}; if it is of another system, such as {tool.like}, pass its `--dialect`"
    return Problem(f"{kind}/other-tool", message, path, advice)
