"""Report a file of another tool as one problem, instead of several in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.workspace.other_tools import tool_of_root, tool_of_rows

if TYPE_CHECKING:
    from evalcontract.formats import Dialect
    from evalcontract.model.path import Path
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
    dialect = _dialect_of(first) if first is not None else None
    if dialect:
        return _of_dialect(dialect, path)
    tool = tool_of_rows(rows[:_EXAMINED_ROWS])
    return _of_tool(Kind.DATASET, tool, path) if tool else None


def problem_of_root(kind: Kind, value: dict[str, Any]) -> Problem | None:
    """Return the problem of a whole file of another tool; None if it may be of this package."""
    if kind is Kind.DATASET:
        dialect = _dialect_of(value)
        if dialect:
            return _of_dialect(dialect, ())
    elif value.keys() >= _IDENTITY:
        return None
    tool = tool_of_root(value)
    return _of_tool(kind, tool, ()) if tool else None


def _dialect_of(value: dict[str, Any]) -> Dialect | None:
    from evalcontract.engine.detection import detect  # both are slow to import

    return detect(value)


def _of_dialect(dialect: Dialect, path: Path) -> Problem:
    message = f"this looks like a dataset of {dialect.format.title}, not an evalcontract dataset"
    advice = (
        f"check it with `validate-dataset --dialect {dialect}`, or translate it with "
        f"`evalcontract convert --from {dialect}`"
    )
    return Problem("dataset/other-tool", message, path, advice)


def _of_tool(kind: Kind, tool: Tool, path: Path) -> Problem:
    message = f"this looks like a file of {tool.name}, not {_ARTICLES[kind]}"
    how = f"with `{tool.command}`" if tool.command else "by hand"
    return Problem(f"{kind}/other-tool", message, path, f"translate it {how}: {tool.advice}")
