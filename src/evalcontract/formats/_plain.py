"""A dialect that is data: its keys stand in its schema, and what they mean in its table of fields.

A `PlainFormat` says besides where the rows of a file are, by which keys they are recognised, and
what the loader rejects of whole files. What only that system does is a method of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from evalcontract.formats._findings import (
    SystemChecker,
    as_json,
    bom_rejected,
    is_ignored_key,
    is_list_of,
    may_be_json,
    parsed_json,
    ragged_row,
    stops_loader,
)
from evalcontract.formats._format import Format, RowLayout
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.errors import UsageError
from evalcontract.source.document import value_at
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.formats._lens import Lens
    from evalcontract.source.external import ExternalFile

# An empty file of lines, or of a table, is a dataset without rows.
_PASSED_OVER = frozenset({"source/empty"})


class PlainChecker(SystemChecker):
    """One pass over rows: what the schema says, keys of other versions, and names given twice."""

    def __init__(self, dialect: PlainFormat, schema: SchemaChecker) -> None:
        super().__init__(dialect, schema)
        self._dialect = dialect

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next row."""
        found = [] if is_clean else self._schema.faults(row, path)
        yield from (self._meant(problem, row, path) for problem in found)
        if not stops_loader(found):
            near = self._schema.near_misses(row, path)
            yield from (self._nested(problem, row, path) for problem in near)
            yield from self._duplicate(row, path) if self._dialect.duplicate else ()

    def _meant(self, problem: Problem, row: Any, path: Path) -> Problem:
        """Report a key of an earlier version with the key that is meant."""
        if not is_ignored_key(problem):
            return problem
        key, code = problem.path[-1], f"{self._dialect.name}/near-miss-key"
        meant = self._dialect.meant.get(str(key)) if len(problem.path) == len(path) + 1 else None
        if meant is not None:
            advice = f"it is called `{meant}`" if meant not in row else f"`{meant}` is read instead"
            return problem._replace(code=code, message=f"`{key}` is not read", help=advice)
        if problem.code.endswith(("/foreign-key", "/misplaced-key")):  # codes of evalcontract
            return problem._replace(code=code, message=f"`{key}` is not read")
        return problem

    def _nested(self, problem: Problem, row: Any, path: Path) -> Problem:
        """Report a mapping whose keys are read beside it."""
        place = problem.path[len(path) :]
        advice = self._dialect.nested.get(".".join(step for step in place if isinstance(step, str)))
        if advice is None or not isinstance(value_at(row, place), dict):
            return problem
        return problem._replace(message=f"`{place[-1]}` is not read", help=advice)

    def _duplicate(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield that an earlier row has the name of a row."""
        key = self._dialect.named_by[0]
        code = f"{self._dialect.name}/duplicate-id"
        message = f"`{{clipped}}` is the `{key}` of row {{number}} as well: "
        problem = Problem(code, message + self._dialect.duplicate, ())
        yield from self._names.duplicate(row.get(key), path, key, problem=problem)


class PlainFormat(Format):
    """A dataset whose rows its schema describes; a subclass is mostly data."""

    row_checker = PlainChecker
    #: The key of the rows, if a file is a mapping; its other keys are those of `$defs/file`.
    below: ClassVar[str | None] = None
    #: The key beside the rows that is the label of the dataset.
    label: ClassVar[str | None] = None
    #: Sets of keys, all of one of which only rows of the system have.
    signs: ClassVar[tuple[frozenset[str], ...]]
    #: Keys that only rows of other systems have.
    others: ClassVar[frozenset[str]] = frozenset()
    #: The keys of earlier versions and of similar readers, with the key that is meant.
    meant: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: The keys of mappings below a row that hold what is read beside them, with what to write.
    nested: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: What two rows with one name lead to; empty if names are not compared.
    duplicate: ClassVar[str] = ""
    #: The media in which a byte order mark stops the loader.
    no_mark: ClassVar[tuple[str, ...]] = ()
    #: Whether its graders are known, by a table.
    has_graders: ClassVar[bool] = False
    #: Whether a blank line of JSONL stops the loader.
    has_blank_lines: ClassVar[bool] = True
    #: The keys of a question and an answer that may be values of any kind, if they are.
    values: ClassVar[tuple[str, str] | None] = None
    #: The names of both in mappings, if the loader reads these alone.
    named: ClassVar[tuple[str, str] | None] = None

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a row, or the first one of a file, by its keys."""
        if cls.below is not None:
            rows = value.get(cls.below)
            value = rows[0] if isinstance(rows, list) and rows else {}
        if not isinstance(value, dict) or not cls.others.isdisjoint(value):
            return None
        return cls() if any(sign <= value.keys() for sign in cls.signs) else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if file.has_mark and file.medium in self.no_mark:
            message = f"the file begins with a byte order mark, at which {self.title} stops"
            return RowLayout.without_rows(bom_rejected(self.name, message))
        if isinstance(file.source, CsvTable):
            return self.rows_of_table(file.source)
        if file.document is not None:
            return self.rows_of_document(file.document.value, schema)
        lines = [] if self.has_blank_lines else self._blank_lines(file)
        return RowLayout(problems=tuple(lines), passed_over=_PASSED_OVER)

    def rows_of_document(self, value: Any, schema: SchemaChecker) -> RowLayout:
        """Find the rows of a document: the list that it is, or has below a key."""
        if self.below is None:
            if isinstance(value, list):
                return RowLayout(value)
            return RowLayout.without_rows(self._rejected("the file must be a list", "write […]"))
        if not isinstance(value, dict):
            advice = f"write {{{as_json(self.below)}: […]}}"
            message = f"the file must be a mapping with a list `{self.below}`"
            return RowLayout.without_rows(self._rejected(message, advice))
        rows = value.get(self.below)
        shallow = {**value, self.below: []} if isinstance(rows, list) else value
        problems = tuple(schema.faults(shallow, (), of="file"))
        if not isinstance(rows, list):
            return RowLayout.without_rows(*problems)
        return RowLayout(rows, (self.below,), problems)

    def rows_of_table(self, table: CsvTable) -> RowLayout:
        """Find the rows of a table: a cell may hold a JSON mapping, list or text."""
        problems = [
            ragged_row(self.name, self.title, index, len(record), len(table.header))
            for index, record in enumerate(table.records)
            if len(record) > len(table.header)
        ]
        rows = [
            {name: self.cell(name, text) for name, text in row.items() if text}
            for batch in table.batches()
            for row in batch.rows
        ]
        return RowLayout(rows, problems=tuple(problems), passed_over=_PASSED_OVER)

    def cell(self, column: str, text: str) -> Any:
        """Return the value of a cell that is not empty."""
        del column
        return parsed_json(text, text) if may_be_json(text) else text

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        return super().predict(row, file) if self.has_graders else iter(())

    def chosen(self, plan: str | None, only: Sequence[str]) -> frozenset[str] | None:
        if (plan is None and not only) or self.has_graders:
            return super().chosen(plan, only)
        raise UsageError(f"the graders of {self.title} are chosen in code, and none are known")

    def lens(self, medium: str) -> Lens:
        from evalcontract.formats._values import PlainLens, ValueLens  # a check does not need it

        of_dialect = (self.name, self.own_fields, self.variant, medium)
        if self.values is None:
            lens = PlainLens(*of_dialect)
        else:
            lens = values = ValueLens(*of_dialect)
            values.name_values(self.values, self.named)
        lens.place_rows(self.below, self.label)
        return lens

    def _rejected(self, message: str, advice: str) -> Problem:
        return Problem(f"{self.name}/rejected", f"{message}: {self.title} stops", (), advice)

    def _blank_lines(self, file: ExternalFile) -> Iterator[Problem]:
        rows = file.source
        blank = rows.line_where(lambda line: not line) if isinstance(rows, RowStream) else None
        if blank is not None:
            yield self._rejected(f"line {blank[0]:,} is blank", "remove the blank lines")


def texts(value: Any) -> list[str] | None:
    """Return a list of texts; None for anything else, and for an empty list."""
    return value if value and is_list_of(value, str) else None


def documents_by(key: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return the ways between texts and documents that have nothing but them below a key."""

    def read(value: Any) -> Any:
        found = texts(value)
        return [{key: text} for text in found] if found else None

    def write(documents: Any) -> Any:
        are_plain = is_list_of(documents, dict) and all(each.keys() == {key} for each in documents)
        return texts([each[key] for each in documents]) if are_plain else None

    return read, write
