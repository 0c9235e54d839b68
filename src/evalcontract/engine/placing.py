"""Where converted rows go: rows of ours with their rubrics, or another system's file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.engine.kept_rubric import with_rubric
from evalcontract.formats._codes import is_rejection
from evalcontract.formats._conversion import BUNDLES, Loss
from evalcontract.structure.dialect_checker import DialectChecker
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.formats import Dialect
    from evalcontract.formats._conversion import OurRow
    from evalcontract.model.diagnostic import Problem

_VERSION = "1.0.0"


class ConversionTarget(Protocol):
    """Takes rows one by one, and says what becomes of them.

    `beside` are the files that stand beside the dataset, by name below the workspace's root.
    """

    beside: dict[str, Any]

    def take(self, ours: OurRow, number: int) -> tuple[Any, Sequence[Loss], Sequence[Problem]]:
        """Return the row to be written, what is lost of it, and why it cannot be written.

        `number` counts rows from 0.
        """
        ...

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the document that holds the rows, and what it loses of what stands beside."""
        ...


class NativeTarget:
    """Rows of ours. New rubrics are named by the dataset, and rows with equal ones share one."""

    def __init__(self, stem: str, medium: str) -> None:
        self.beside: dict[str, Any] = {}
        self._medium = medium
        self._stem = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_") or "dataset"
        if not self._stem[0].isalpha():
            self._stem = f"dataset_{self._stem}"
        self._names: dict[str, str] = {}

    def take(
        self,
        ours: OurRow,
        number: int,  # noqa: ARG002 - rows of ours are not counted
    ) -> tuple[Any, Sequence[Loss], Sequence[Problem]]:
        """Return the row, with a reference to its rubric."""
        row = ours.row
        if ours.is_new and ours.rubric is not None:
            for judge in ours.judges:
                self.beside[f"judges/{judge['id']}.yaml"] = judge
            row = _referring(row, f"rubric/{self._named(ours.rubric)}@{_VERSION}")
        if row.get("bundle") in BUNDLES:
            name = f"bundles/{row['bundle']}.schema.json"
            self.beside.setdefault(name, load(f"bundles/{row['bundle']}"))
        return row, (), ()

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return a dataset; one of lines has no place for what stands beside its rows."""
        if self._medium == "jsonl":
            reason = "lines of rows have no place beside them; YAML and JSON have"
            return rows, tuple(Loss((key,), reason, is_kept=False) for key in root)
        return {**root, "questions": rows}, ()

    def _named(self, rubric: dict[str, Any]) -> str:
        key = repr(rubric)
        if key not in self._names:
            id_ = f"{self._stem}_{len(self._names) + 1}"
            self._names[key] = id_
            whole = {"id": id_, "version": _VERSION, **rubric}
            self.beside[f"rubrics/{id_}.yaml"] = whole
        return self._names[key]


def _referring(row: dict[str, Any], reference: str) -> dict[str, Any]:
    """Return a row with its rubric beside what it expects, above what was recorded."""
    keys = [*row]
    place = next((keys.index(each) for each in ("bundle", "metadata") if each in row), len(keys))
    items = [*row.items()]
    return dict([*items[:place], ("rubric_ref", reference), *items[place:]])


class DialectTarget:
    """Rows of another system."""

    def __init__(self, dialect: Dialect, medium: str) -> None:
        self.beside: dict[str, Any] = {}
        self._writer = dialect.format.writer(medium, dialect.variant)
        # A row of a table is cells of text, of which no schema speaks.
        self._stage = DialectChecker(*dialect.stage) if medium != "csv" else None

    def take(self, ours: OurRow, number: int) -> tuple[Any, Sequence[Loss], Sequence[Problem]]:
        """Return the row as the system writes it."""
        row, rubric = ours.row, ours.rubric
        if ours.is_new and rubric is not None and not self._writer.says_rubrics:
            row, rubric = with_rubric(row, rubric, ours.judges), None
        found = self._writer.write(row, rubric, number)
        return found.row, found.losses, found.problems or self._refused(found.row)

    def _refused(self, row: Any) -> list[Problem]:
        """Say what of a row that was written its system would not load."""
        if self._stage is None or self._stage.passes([row]):
            return []
        faults = (each for each in self._stage.faults(row, ()) if is_rejection(each.code))
        return [
            each._replace(message=f"written for it, {each.message}", path=(), on_key=False)
            for each in faults
        ]

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the system's document."""
        return self._writer.wrap(rows, root)
