"""The targets of a conversion: evalcontract datasets with their rubrics, or other formats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.engine.embedded_rubric import with_rubric
from evalcontract.engine.grading import row_structure
from evalcontract.engine.table_output import OurTable
from evalcontract.formats._codes import is_rejection
from evalcontract.formats._conversion import BUNDLES, Loss
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.structure.codes import ILL_FORMED
from evalcontract.structure.dialect_checker import DialectChecker
from evalcontract.structure.schemas import load
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evalcontract.formats import Dialect
    from evalcontract.formats._conversion import OurRow
    from evalcontract.structure.validator import SchemaValidator

_VERSION = "1.0.0"


class ConversionTarget(Protocol):
    """Converts rows one by one to the target format.

    `extra_files` are the values of further files to write, by path relative to the workspace root.
    """

    extra_files: dict[str, Any]

    def take(self, converted: OurRow, number: int) -> tuple[Any, Sequence[Loss], Sequence[Problem]]:
        """Return the row to write, what it loses, and the problems that prevent writing it.

        Rows are numbered from 0.
        """
        ...

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the document with the rows, and what is lost of the keys in `root`."""
        ...


class NativeTarget:
    """Writes evalcontract rows. New rubrics are named after the dataset; equal ones are shared."""

    def __init__(self, stem: str, medium: str) -> None:
        self.extra_files: dict[str, Any] = {}
        self._table = OurTable() if medium in ("csv", "tsv") else None
        self._medium = medium
        self._stem = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_") or "dataset"
        if not self._stem[0].isalpha():
            self._stem = f"dataset_{self._stem}"
        self._ids: dict[str, str] = {}

    def take(
        self,
        converted: OurRow,
        number: int,  # noqa: ARG002 - needed only for other formats
    ) -> tuple[Any, Sequence[Loss], Sequence[Problem]]:
        """Return the row, with a reference to its rubric."""
        row = converted.row
        if converted.is_new and converted.rubric is not None:
            if problems := [*self._faults(converted.rubric, converted.judges)]:
                return row, (), problems
            for judge in converted.judges:
                self.extra_files[_judge_file(judge)] = judge
            row = _with_reference(row, f"rubric/{self._id_of(converted.rubric)}@{_VERSION}")
        if converted.is_new and (problems := [*_faults("row", row_structure(), row)]):
            return row, (), problems
        if row.get("bundle") in BUNDLES:
            name = f"bundles/{row['bundle']}.schema.json"
            self.extra_files.setdefault(name, load(f"bundles/{row['bundle']}"))
        return (*self._table.cells(row), ()) if self._table else (row, (), ())

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return a dataset; JSONL and CSV cannot represent the keys in `root`."""
        if self._table:
            return self._table.wrap(rows, root)
        if self._medium == "jsonl":
            reason = "JSONL contains only rows; YAML and JSON can represent it"
            return rows, tuple(Loss((key,), reason, is_kept=False) for key in root)
        return {**root, "questions": rows}, ()

    def _faults(
        self, rubric: dict[str, Any], judges: Iterable[dict[str, Any]]
    ) -> Iterator[Problem]:
        """Yield the faults of a new rubric and its judges; a judge's id becomes a file name."""
        named = {"id": self._stem, "version": _VERSION, **rubric}
        yield from _faults("rubric", structure_of(Kind.RUBRIC), named)
        known: dict[str, Any] = {}
        for judge in judges:
            faults = [*_faults("judge", structure_of(Kind.JUDGE), judge)]
            yield from faults
            if faults:
                continue
            name = _judge_file(judge)
            if known.get(name, self.extra_files.get(name, judge)) != judge:
                message = f"there are two different judges `{judge['id']}`"
                yield Problem("judge/duplicate-version", message, ())
            known[name] = judge

    def _id_of(self, rubric: dict[str, Any]) -> str:
        key = repr(rubric)
        if key not in self._ids:
            id_ = f"{self._stem}_{len(self._ids) + 1}"
            self._ids[key] = id_
            self.extra_files[f"rubrics/{id_}.yaml"] = {"id": id_, "version": _VERSION, **rubric}
        return self._ids[key]


def _judge_file(judge: dict[str, Any]) -> str:
    return f"judges/{judge['id']}.yaml"


def _faults(name: str, structure: SchemaValidator, value: Any) -> Iterator[Problem]:
    """Yield what the schema of evalcontract forbids; such a value is not what was preserved."""
    for problem in structure.check(value):
        if problem.code in ILL_FORMED:
            message = f"in the converted {name}: {problem.message}"
            yield problem._replace(message=message, path=(), help=None, on_key=False, fix=None)


def _with_reference(row: dict[str, Any], reference: str) -> dict[str, Any]:
    """Return a row with `rubric_ref` inserted before `bundle` and `metadata`, or at the end."""
    keys = [*row]
    position = next((keys.index(key) for key in ("bundle", "metadata") if key in row), len(keys))
    items = [*row.items()]
    return dict([*items[:position], ("rubric_ref", reference), *items[position:]])


class DialectTarget:
    """Writes rows in another format."""

    def __init__(self, dialect: Dialect, medium: str) -> None:
        self.extra_files: dict[str, Any] = {}
        self._writer = dialect.format.writer(medium, dialect.variant)
        # A row of CSV consists of text cells, for which there is no schema.
        self._stage = DialectChecker(*dialect.stage) if medium != "csv" else None

    def take(self, converted: OurRow, number: int) -> tuple[Any, Sequence[Loss], Sequence[Problem]]:
        """Return the row in the target format."""
        row, rubric = converted.row, converted.rubric
        if converted.is_new and rubric is not None and not self._writer.says_rubrics:
            row, rubric = with_rubric(row, rubric, converted.judges), None
        written = self._writer.write(row, rubric, number)
        return written.row, written.losses, written.problems or self._rejections(written.row)

    def _rejections(self, row: Any) -> list[Problem]:
        """Return the problems for which the system would reject a written row."""
        if self._stage is None or self._stage.passes([row]):
            return []
        return [
            problem._replace(
                message=f"in the converted row: {problem.message}", path=(), on_key=False
            )
            for problem in self._stage.faults(row, ())
            if is_rejection(problem.code)
        ]

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the document in the target format."""
        return self._writer.wrap(rows, root)
