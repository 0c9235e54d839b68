"""The problem of a text that a comment cuts off, in any kind of file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.model.code import Code
    from evalcontract.source.comments import CutText


def cut_text_problem(code: Code, cut: CutText, row_index: int | None = None) -> Problem:
    """Return the problem of a text; `row_index` is that of its row, if it is in a dataset."""
    message = f"the text ends before `{cut.rest}`, which is a comment"
    advice = "put the whole text in quotation marks"
    return Problem(code, message, cut.path, advice, row_index=row_index)
