"""What stands beside the rows of a dataset, and where its rows are."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.api.wrong_kind import other_kind, wrong_kind
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.source import Document, RowStream, format_of
from evalcontract.source.rows import DocumentRows
from evalcontract.structure.check import Structure
from evalcontract.structure.schemas import Schema, load

if TYPE_CHECKING:
    from evalcontract.source import Rows

_ROWS = "questions"
_CODE = "dataset/no-questions"


@cache
def root_schema() -> Schema:
    """Return the schema of a dataset without its rows."""
    schema = copy.deepcopy(load("dataset"))
    schema["required"] = [key for key in schema["required"] if key != _ROWS]
    del schema["properties"][_ROWS]
    return schema


@cache
def _root_structure() -> Structure:
    return Structure("dataset", root_schema())


def check_root(source: Document | RowStream) -> tuple[Rows | None, dict[str, Any], list[Problem]]:
    """Return the rows of a dataset, the keys beside them, and what is wrong with those.

    The rows are None where there are none to judge.
    """
    if isinstance(source, RowStream):
        return source, {}, []
    value = source.value
    if isinstance(value, list) and format_of(source.file) != "yaml":
        return DocumentRows(source, (), value), {}, []
    if isinstance(value, dict):
        return _check_mapping(source, value)
    if isinstance(value, list):
        message = "the rows of a YAML dataset stand below `questions`, and this file is a list"
        return None, {}, [_no_questions(message, (), "add `questions:` above the list")]
    return None, {}, [_no_questions("the file holds no mapping with `questions`", ())]


def _check_mapping(
    source: Document, value: dict[str, Any]
) -> tuple[Rows | None, dict[str, Any], list[Problem]]:
    other = other_kind(Kind.DATASET, value)
    if other is not None:
        return None, {}, [wrong_kind(Kind.DATASET, other)]
    root = {key: part for key, part in value.items() if key != _ROWS}
    meant = nearest(_ROWS, root) if _ROWS not in value else None
    beside = {key: part for key, part in root.items() if key != meant}
    problems = _root_structure().check(beside, (), source.raw)
    rows = value.get(_ROWS)
    if isinstance(rows, list):
        return DocumentRows(source, (_ROWS,), rows), root, problems
    if meant:
        message = f"`questions` is missing, and `{meant}` is unknown"
        problems.append(_no_questions(message, (meant,), "did you mean `questions`?"))
    elif _ROWS in value:
        what = "null" if rows is None else "no list"
        problems.append(_no_questions(f"`questions` is {what}", (_ROWS,)))
    else:
        problems.append(_no_questions("`questions` is missing", ()))
    return None, root, problems


def _no_questions(message: str, path: tuple[str, ...], advice: str | None = None) -> Problem:
    advice = advice or "list the rows below it: `questions: [{id: …, input: …}]`"
    return Problem(_CODE, message, path, advice, on_key=bool(path))
