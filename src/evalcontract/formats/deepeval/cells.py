"""Write goldens as tables: every cell is a text that pandas and DeepEval read as the same value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import Loss
from evalcontract.formats.deepeval.reading import (
    DELIMITER,
    LISTS,
    OF_INPUT,
    OF_SCENARIO,
    document_of,
)
from evalcontract.formats.deepeval.rows import is_nothing, kind_of
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_CELL = "no cell of a table is read as this value"
_KIND = "pandas reads a column of {} as such, and DeepEval refuses it"
# In this order; tables have no personas.
_COLUMNS = tuple(dict.fromkeys(key for key in (*OF_INPUT, *OF_SCENARIO) if key != "persona"))
_TEXTS = (
    *("input", "actual_output", "expected_output", "comments", "name", "source_file"),
    *("scenario", "expected_outcome", "user_description"),
)
_COUNTS = ("token_cost", "input_token_count", "output_token_count")
# Without these there is no golden.
_NEEDED = ("input", "scenario")


def cells_of(golden: dict[str, Any]) -> tuple[dict[str, str], list[Loss], list[Problem]]:
    """Return a golden as cells of a table, what no cell can hold, and why it cannot be written."""
    cells: dict[str, str] = {}
    losses: list[Loss] = []
    problems: list[Problem] = []
    for key, value in golden.items():
        if value is None:
            continue
        if key in LISTS and value == []:
            cells[key] = ""  # In a column of lists, an empty cell is an empty list.
            continue
        cell = _cell(key, value) if key in _COLUMNS else None
        if cell is not None and not is_nothing(cell):
            cells[key] = cell
        elif key in _NEEDED:
            problems.append(Problem("deepeval/null-text", f"`{key}`: {_NO_CELL}", ()))
        else:
            losses.append(Loss((key,), _NO_CELL, is_kept=False))
    return cells, losses, problems


def table_of(
    rows: list[dict[str, str]],
) -> tuple[list[str], list[dict[str, str]], Sequence[Loss]]:
    """Return the header and the rows of a table, without columns that DeepEval would refuse."""
    used = {key for row in rows for key in row}
    losses = []
    for key in sorted(used & {*_TEXTS}):
        kind = kind_of([row[key] for row in rows if key in row])
        if kind:
            losses.append(Loss((key,), _KIND.format(kind), is_kept=False))
            used -= {key} - {*_NEEDED}
    header = [key for key in _COLUMNS if key in used]
    return header, [{key: row[key] for key in header if key in row} for row in rows], losses


def _cell(key: str, value: Any) -> str | None:
    """Return the cell that is read as a value; None if there is none."""
    if key in LISTS:
        return _joined(value)
    if key in _COUNTS:
        return str(value) if isinstance(value, int | float) else None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else None


def _joined(items: Any) -> str | None:
    """Return texts in one text; None if they would be split otherwise."""
    texts = []
    for item in items if isinstance(items, list) else ():
        source, text = document_of(item) or (None, None)
        if text is None or DELIMITER in text or DELIMITER in (source or ""):
            return None
        texts.append(
            f"deepeval_source={source},deepeval_context={text}" if source is not None else text
        )
    joined = DELIMITER.join(texts)
    return joined if joined and kind_of([joined]) is None else None
