"""The root of a dataset: find its rows, and check its other keys."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS
from evalcontract.datasets.kinds import other_kind, wrong_kind
from evalcontract.datasets.plans import row_structure
from evalcontract.model.diagnostic import Fix, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.model.values import clipped, listed
from evalcontract.source import Document, RowBatches, RowSource, format_of
from evalcontract.source.rows import DocumentRows, RowIterable
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from evalcontract.datasets.tables import TableSource
    from evalcontract.structure.keys.mismatches import KeyMismatch

_ROWS = "questions"
_REQUIRED = frozenset({"id", "input"})
# So many rows of a list, and so many keys of a file, show what it is.
_EXAMINED_ROWS, _SHOWN_KEYS = 20, 3
_CODE = "dataset/no-questions"
# Keys that other formats use for the list of rows.
_USUAL_NAMES = (
    "tests",
    "test_cases",
    "cases",
    "goldens",
    "samples",
    "examples",
    "rows",
    "data",
    "items",
)


@cache
def root_schema() -> Schema:
    """Return the schema of a dataset without its rows, which are checked separately."""
    schema = load("dataset")
    return {**schema, "required": [key for key in schema["required"] if key != _ROWS]}


@cache
def _root_structure() -> SchemaValidator:
    return SchemaValidator("dataset", root_schema())


def check_root(
    source: RowSource | RowIterable | TableSource,
) -> tuple[RowBatches | None, dict[str, Any], list[Problem]]:
    """Return the rows of a dataset, its other keys, and the problems of the latter.

    The rows are None if the dataset has no list of rows.
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
        return None, {}, [_problem_of_list(value)]
    return None, {}, [_no_questions("the file is not a mapping with `questions`", ())]


def _check_mapping(
    source: Document, value: dict[str, Any]
) -> tuple[RowBatches | None, dict[str, Any], list[Problem]]:
    other = other_kind(Kind.DATASET, value)
    if other is not None:
        return None, {}, [wrong_kind(Kind.DATASET, other)]
    root = {key: part for key, part in value.items() if key != _ROWS}
    near = nearest(_ROWS, root) if _ROWS not in value else None
    if _ROWS not in value and not near and (foreign := _problem_of_root(value)):
        return None, {}, [foreign]
    meant = near or (_like_rows(root) if _ROWS not in value else None)
    if _ROWS not in value and not meant and (what := what_else(root)):
        return None, root, [_no_dataset(what)]
    problems = _check_other_keys(source, value, meant)
    rows = value.get(_ROWS)
    if isinstance(rows, list):
        return DocumentRows(source, (_ROWS,)), root, problems
    if near:
        message = f"`questions` is missing, and `{near}` is not a known key"
        fix = _rename_fix(near, root)
        problems.append(_no_questions(message, (near,), "did you mean `questions`?", fix=fix))
    elif meant:
        message = f"`questions` is missing; `{meant}` looks like the list of rows"
        fix = _rename_fix(meant, root)
        problems.append(_no_questions(message, (meant,), "rename it to `questions`", fix=fix))
    elif _ROWS in value:
        what = "null" if rows is None else "not a list"
        problems.append(_no_questions(f"`questions` is {what}", (_ROWS,)))
    else:
        problems.append(_no_questions("`questions` is missing", ()))
    return None, root, problems


def _problem_of_list(rows: list[Any]) -> Problem:
    from evalcontract.datasets.kinds import problem_of_rows  # slow to import

    if foreign := problem_of_rows(rows, ()):
        return foreign
    if what := what_else(rows):
        return _no_dataset(what)
    message = "a YAML dataset has its rows under `questions`, but this file is a list"
    return _no_questions(message, (), "add `questions:` above the list")


def _problem_of_root(value: dict[str, Any]) -> Problem | None:
    from evalcontract.datasets.kinds import problem_of_root  # slow to import

    return problem_of_root(Kind.DATASET, value)


def _check_other_keys(source: Document, value: dict[str, Any], meant: str | None) -> list[Problem]:
    """Check the keys of the root, with an empty list as rows."""
    # Most datasets have no other keys, so that the schema is not compiled for them.
    if value.keys() <= {_ROWS, meant}:
        return []
    structure = _root_structure()
    if structure.is_clean(_without_rows(value, meant)):
        return []  # also valid for the value of the fast reader
    return structure.check(_without_rows(source.root, meant), (), source.raw)


def _without_rows(value: dict[str, Any], meant: str | None) -> dict[str, Any]:
    return {key: [] if key == _ROWS else part for key, part in value.items() if key != meant}


def is_graded_above(root: dict[str, Any]) -> bool:
    """Whether a key at the root of a dataset is meant to grade its rows, and is reported there."""
    unknown = _unknown_keys(root)
    if unknown.isdisjoint(_grading_keys()):
        return bool(unknown) and any(map(_grades_rows, _root_structure().mismatches(root)))
    return True


def _unknown_keys(root: dict[str, Any]) -> set[str]:
    """Return the keys of a root that no dataset has."""
    return {key for key in root if key not in root_schema()["properties"]}


def _grading_keys() -> tuple[str, ...]:
    return tuple(key for key in ("rubric_ref", *OWN_EXPECTATIONS) if "_" in key)


def _grades_rows(mismatch: KeyMismatch) -> bool:
    """Whether a key at the root, misplaced or of another tool, has a counterpart that grades."""
    if mismatch.meant != _ROWS:
        return mismatch.key == "checks"
    from evalcontract.structure.keys.names import is_other_list  # needed only for a finding

    return mismatch.fault == "misplaced-key" or is_other_list(mismatch.key)


def _like_rows(root: dict[str, Any]) -> str | None:
    """Return the only key of the root that looks like the list of rows; None if unclear."""
    unknown = _unknown_keys(root)
    lists = [key for key in root if key in unknown and _is_list_of_rows(root[key])]
    usual = [key for key in lists if key.lower() in _USUAL_NAMES]
    if not usual:
        from evalcontract.structure.keys.mismatches import misplaced_words
        from evalcontract.structure.keys.names import is_other_list  # needed only for a finding

        lists = [key for key in lists if not is_other_list(key) and key not in misplaced_words()]
    candidates = usual or lists
    return candidates[0] if len(candidates) == 1 else None


def what_else(value: Any) -> str | None:
    """Say what a mapping without rows, or a list, seems to be; None if it may be a dataset.

    The mapping has a key that no dataset has, even misspelled; the list has no rows.
    """
    if not isinstance(value, dict):
        return None if _is_list_of_rows(value) else "a list"
    unknown = _unknown_keys(value)
    if not unknown - {each.key for each in _root_structure().mismatches(value)}:
        return None
    return f"a file with {listed([f'`{clipped(key)}`' for key in value], _SHOWN_KEYS)}"


def _is_list_of_rows(value: Any) -> bool:
    """Whether the first mappings of a list are like rows."""
    values = value if isinstance(value, list) else []
    mappings = [value for value in values if isinstance(value, dict)][:_EXAMINED_ROWS]
    return bool(mappings) and all(map(_is_like_row, mappings))


def _is_like_row(mapping: dict[str, Any]) -> bool:
    """Whether a mapping has `input`, or an id beside what may be meant by it or what grades."""
    meant = {mismatch.meant for mismatch in row_structure().mismatches(mapping)}
    is_graded = not mapping.keys().isdisjoint(("rubric_ref", *OWN_EXPECTATIONS))
    is_row = "id" in mapping and (is_graded or "input" in meant)
    return "input" in mapping or is_row or meant >= _REQUIRED


def _rename_fix(key: str, root: dict[str, Any]) -> Fix | None:
    if not isinstance(root[key], list):
        return None
    from evalcontract.model.diagnostic import Fix, Rename  # needed only for a fix
    from evalcontract.structure.keys.spelling import key_names

    names = key_names(tuple(root_schema()["properties"]))
    return Fix((key,), Rename(_ROWS), names.is_certain(key, _ROWS))


def _no_dataset(what: str) -> Problem:
    message = f"this seems to be no dataset, but {what}: it is not checked"
    return Problem(_CODE, message, (), "a dataset has its rows under `questions`")


def _no_questions(
    message: str, path: tuple[str, ...], advice: str | None = None, fix: Fix | None = None
) -> Problem:
    advice = advice or "list the rows under it: `questions: [{id: …, input: …}]`"
    return Problem(_CODE, message, path, advice, on_key=bool(path), fix=fix)
