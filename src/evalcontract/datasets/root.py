"""The root of a dataset: find its rows and what these refer to, and check its other keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS
from evalcontract.datasets.kinds import (
    other_kind,
    problem_of_root,
    problem_of_rows,
    wrong_kind,
)
from evalcontract.datasets.plans import row_structure
from evalcontract.library.library import references_in_row
from evalcontract.model.diagnostic import Fix, Path, Place, Problem, Rename
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, listed
from evalcontract.source import Document, RowBatches, RowSource, format_of
from evalcontract.source.document import value_at
from evalcontract.source.rows import DocumentRows, RowIterable
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator
from evalcontract.workspace import Workspace

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
    if _ROWS not in value and not near and (foreign := problem_of_root(Kind.DATASET, value)):
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
    if foreign := problem_of_rows(rows, ()):
        return foreign
    if what := what_else(rows):
        return _no_dataset(what)
    message = "a YAML dataset has its rows under `questions`, but this file is a list"
    return _no_questions(message, (), "add `questions:` above the list")


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


class Use(NamedTuple):
    """A place where a name is used: the file, the path of the text, and the text."""

    document: Document | RowBatches
    path: Path
    text: str

    @property
    def place(self) -> Place:
        """The place of the text."""
        return self.document.place(self.path)

    @property
    def path_in_text(self) -> Path:
        """The path for edits of the file's text: in JSON Lines, a row is a line."""
        if format_of(self.document.file) != "jsonl":
            return self.path
        span = self.place.span
        return ((span.line if span else 1) - 1, *self.path[1:])


def every_use(workspace: Workspace, *, with_rows: bool = True) -> Iterator[tuple[Use, Reference]]:
    """Yield every reference, in rubrics and, `with_rows`, in the rows of all datasets."""
    for artifact in workspace.library.artifacts:
        for use in artifact.uses:
            text = value_at(artifact.document.value, use.path)
            yield Use(artifact.document, use.path, str(text)), use.reference
    if with_rows:
        yield from _uses_in_rows(workspace)


def uses_of(workspace: Workspace, kind: Kind, id_: str) -> Iterator[tuple[Use, Reference]]:
    """Yield every reference to an id; only rubrics refer to judges."""
    for use, reference in every_use(workspace, with_rows=kind is Kind.RUBRIC):
        if (reference.kind, reference.id) == (kind, id_):
            yield use, reference


def _uses_in_rows(workspace: Workspace) -> Iterator[tuple[Use, Reference]]:
    for _, source in workspace.scan():
        if source is not None and not source.unreadable:
            for rows, path, row in rows_of(source):
                for use in references_in_row(row, path):
                    yield Use(rows, use.path, str(row["rubric_ref"])), use.reference


def rows_of(source: RowSource) -> Iterator[tuple[RowBatches, Path, Any]]:
    """Yield the rows of a dataset with their paths."""
    rows, _, _ = check_root(source)
    if rows is None:
        return
    for batch in rows.batches(quick=True):
        for index, row in enumerate(batch.rows, batch.first_index):
            yield rows, (*rows.prefix, index), row
