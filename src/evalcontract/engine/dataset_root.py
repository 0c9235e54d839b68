"""What stands beside the rows of a dataset, and where its rows are."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS
from evalcontract.engine.wrong_kind import other_kind, wrong_kind
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.source import format_of
from evalcontract.source.rows import DocumentRows
from evalcontract.structure.schemas import Schema, load
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from evalcontract.model.fix import Fix
    from evalcontract.source import Document, Rows, Source

_ROWS = "questions"
_CODE = "dataset/no-questions"
# What rows are called elsewhere.
_USUAL = ("tests", "test_cases", "cases", "goldens", "samples", "examples", "rows", "data", "items")


@cache
def root_schema() -> Schema:
    """Return the schema of a dataset whose rows are judged apart, and may be missing."""
    schema = load("dataset")
    return {**schema, "required": [key for key in schema["required"] if key != _ROWS]}


@cache
def _root_structure() -> SchemaValidator:
    return SchemaValidator("dataset", root_schema())


def check_root(source: Source) -> tuple[Rows | None, dict[str, Any], list[Problem]]:
    """Return the rows of a dataset, the keys beside them, and what is wrong with those.

    The rows are None where there are none to judge.
    """
    document = source.document
    if document is None:
        return source.stream, {}, []
    value = document.quick
    if isinstance(value, list) and format_of(source.file) != "yaml":
        return DocumentRows(document, ()), {}, []
    if isinstance(value, dict):
        return _check_mapping(document, value)
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
    near = nearest(_ROWS, root) if _ROWS not in value else None
    meant = near or (_like_rows(root) if _ROWS not in value else None)
    problems = _check_beside(source, value, meant)
    rows = value.get(_ROWS)
    if isinstance(rows, list):
        return DocumentRows(source, (_ROWS,)), root, problems
    if near:
        message = f"`questions` is missing, and `{near}` is unknown"
        fix = _renamed(near, root)
        problems.append(_no_questions(message, (near,), "did you mean `questions`?", fix))
    elif meant:
        message = f"`questions` is missing; `{meant}` may be the rows"
        fix = _renamed(meant, root)
        problems.append(_no_questions(message, (meant,), "here it is `questions`", fix))
    elif _ROWS in value:
        what = "null" if rows is None else "no list"
        problems.append(_no_questions(f"`questions` is {what}", (_ROWS,)))
    else:
        problems.append(_no_questions("`questions` is missing", ()))
    return None, root, problems


def _check_beside(source: Document, value: dict[str, Any], meant: str | None) -> list[Problem]:
    """Check what stands at the root beside the rows, which stand there empty."""
    # Most datasets have nothing but rows, and need no schema compiled for it.
    if value.keys() <= {_ROWS, meant}:
        return []
    structure = _root_structure()
    if structure.is_clean(_beside(value, meant)):
        return []  # also where a fast reader has read it
    return structure.check(_beside(source.root, meant), (), source.raw)


def _beside(value: dict[str, Any], meant: str | None) -> dict[str, Any]:
    return {key: [] if key == _ROWS else part for key, part in value.items() if key != meant}


def graded_by() -> tuple[str, ...]:
    """Return the keys by which a row is graded, and that are reported at the root of a dataset."""
    return tuple(key for key in ("rubric_ref", *OWN_EXPECTATIONS) if "_" in key)


def _like_rows(root: dict[str, Any]) -> str | None:
    """Return the one key at the root that holds what may be the rows; None if unclear."""
    known = root_schema()["properties"]
    unknown = {key: part for key, part in root.items() if key not in known}
    lists = [
        key
        for key, part in unknown.items()
        if isinstance(part, list) and any(isinstance(row, dict) for row in part)
    ]
    usual = [key for key in lists if key.lower() in _USUAL]
    found = usual or lists
    return found[0] if len(found) == 1 else None


def _renamed(key: str, root: dict[str, Any]) -> Fix | None:
    if not isinstance(root[key], list):
        return None
    from evalcontract.model.fix import Fix, Rename  # only for what is wrong
    from evalcontract.structure.keys.spelling import is_certain

    return Fix((key,), Rename(_ROWS), is_certain(key, _ROWS, root_schema()["properties"]))


def _no_questions(
    message: str, path: tuple[str, ...], advice: str | None = None, fix: Fix | None = None
) -> Problem:
    advice = advice or "list the rows below it: `questions: [{id: …, input: …}]`"
    return Problem(_CODE, message, path, advice, on_key=bool(path), fix=fix)
