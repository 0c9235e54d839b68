"""Read the recorded outputs of a model: validate each record, and say where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.diagnostics import from_source_fault, to_diagnostics
from evalcontract.datasets.recorded import (
    INVALID,
    OF_MANY,
    ReadRecord,
    read_clean,
    read_record,
    row_id_of,
)
from evalcontract.model.diagnostic import Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.source.rows import DocumentRows, OneRow
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalcontract.checks.outcome import Output
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.policy import Policy
    from evalcontract.source import Source
    from evalcontract.source.json.lines import RowStream
    from evalcontract.source.rows import Rows

_ID, _REPEATED = "id", "output/duplicate-id"
#: After so many findings on a file no other is reported, as `--max-findings` has it.
MAX_FINDINGS = 10_000
_NO_ROWS = "outputs are JSON Lines, or a list of records in JSON or YAML"


class Record(NamedTuple):
    """One recorded output: the id of its row, its number in the file from 0, and the output."""

    id: str
    number: int
    output: Output


class Outputs:
    """The records of one file; `diagnostics` has the findings on it so far.

    Of the records of one id, only the first is yielded. `invalid` are the ids of records that are
    not valid, as far as they have one. `keys` are keys of the records, and those that they are read
    as.
    """

    def __init__(self, source: Source, policy: Policy, keys: ColumnKeys = ()) -> None:
        self.file = source.file
        self.diagnostics: list[Diagnostic] = []
        self.invalid: set[str] = set()
        self._policy = policy
        self._is_cut = False
        self._seen: dict[str, int] = {}
        self._repeated: dict[tuple[str, str], tuple[Problem, int, int]] = {}
        self._structure = structure_of("output")
        self._keys = dict(keys)
        self._rows: Rows | None = source.stream
        document = source.document
        if document is not None and isinstance(document.value, list):
            self._rows = DocumentRows(document, ())
        elif document is not None and isinstance(document.value, dict) and _ID in document.value:
            self._rows = OneRow(document)
        elif document is not None:
            problem = Problem(INVALID, f"the file is not a list: {_NO_ROWS}", ())
            self.diagnostics += to_diagnostics([problem], document, policy, {})

    @property
    def sha256(self) -> str | None:
        """The SHA-256 digest of the bytes that were read; None if there are no records."""
        return self._rows.sha256 if self._rows else None

    @property
    def progress(self) -> tuple[int, int] | None:
        """The bytes read and the total, for JSONL."""
        stream = self._rows.stream if self._rows else None
        return stream.progress if stream else None

    def batches(self) -> Iterator[list[Record]]:
        """Yield the valid records in order, batch by batch."""
        for batch in self._rows.batches() if self._rows else ():
            for fault, text in batch.faults:
                if self._is_full:
                    break
                if found := from_source_fault(fault, self.file, text, self._policy):
                    self.diagnostics.append(found)
            yield list(self._records(batch.first_index, batch.rows))
        for problem, number, count in self._repeated.values():
            more = f"; so it is in {count:,} records" if count > 1 else ""
            self.report(problem._replace(message=f"{problem.message}{more}"), number)
        self._repeated.clear()

    @property
    def stream(self) -> RowStream | None:
        """The stream of the records, for JSONL."""
        return self._rows.stream if self._rows else None

    def clean_records(self, part: RowStream) -> Iterator[list[Record] | None]:
        """Yield the records of a part of the stream, batch by batch; None if one is not valid.

        They are numbered from the start of the part; several may have the same id.
        """
        for batch in part.batches():
            values = [_renamed(value, self._keys) for value in batch.rows]
            if batch.faults or not self._structure.are_clean(values):
                yield None
                return
            read = [read_clean(value) for value in values]
            if any(each.problems for each in read):
                yield None
                return
            yield [
                Record(row_id_of(value), number, each.output)
                for number, (value, each) in enumerate(
                    zip(values, read, strict=True), batch.first_index
                )
                if each.output is not None
            ]

    def _records(self, first: int, rows: list[Any]) -> Iterator[Record]:
        values = [_renamed(value, self._keys) for value in rows]
        are_clean = self._structure.are_clean(values)
        for number, (value, row) in enumerate(zip(values, rows, strict=True), first):
            read = read_clean(value) if are_clean else self._read(value)
            for problem in read.problems:
                self._note(self._as_written(problem, row), number)
            id_ = row_id_of(value)
            if read.output is None:
                self.invalid.update([id_] if id_ else [])
                continue
            earlier = self._seen.setdefault(id_, number)
            if earlier == number:
                yield Record(id_, number, read.output)
            else:
                message = f"there is another output for the row `{id_}`, which is used"
                self.report(Problem(_REPEATED, message, (_ID,)), number)

    def _read(self, value: Any) -> ReadRecord:
        if self._is_full and not self._structure.is_clean(value):
            return ReadRecord(None, [])  # finding out what is wrong with it takes time
        return read_record(value)

    def _note(self, problem: Problem, number: int) -> None:
        """Report a problem of a record, one that many probably have when all records are read."""
        if problem.code not in OF_MANY:
            self.report(problem, number)
            return
        key = problem.code, problem.message
        first, at, count = self._repeated.get(key, (problem, number, 0))
        self._repeated[key] = first, at, count + 1

    def _as_written(self, problem: Problem, row: Any) -> Problem:
        """Return a problem of a record whose keys are renamed, where they stand in the file."""
        for old, new in self._keys.items():
            if problem.path[:1] == (new,) and isinstance(row, dict) and old in row:
                return problem._replace(path=(old, *problem.path[1:]))
        return problem

    @property
    def _is_full(self) -> bool:
        """Whether there are so many findings that no other is reported; one says so."""
        if len(self.diagnostics) < MAX_FINDINGS:
            return False
        if not self._is_cut:
            self._is_cut = True
            message = f"there are more than {MAX_FINDINGS:,} findings: the rest is not reported"
            self._place(Problem("source/limit-exceeded", message, ()), None)
        return True

    def report(self, problem: Problem, number: int | None = None) -> None:
        """Report a problem of the record with a number, or else of the file."""
        if not self._is_full:
            self._place(problem, number)

    def report_unknown(self, records: Iterable[Record]) -> None:
        """Report records whose id is that of no row."""
        for record in records:
            message = f"the dataset has no row `{clipped(record.id, NAME_LENGTH)}`"
            self.report(Problem("output/unknown-id", message, (_ID,)), record.number)

    def _place(self, problem: Problem, number: int | None) -> None:
        if self._rows is not None:
            path = (*self._rows.prefix, *(() if number is None else (number,)))
            placed = problem.relocated(lambda inner: (*path, *inner))
            self.diagnostics += to_diagnostics([placed], self._rows, self._policy, {})


def _renamed(record: Any, keys: Mapping[str, str]) -> Any:
    """Return a record by the keys that its own are read as."""
    if not keys or not isinstance(record, dict):
        return record
    given = {new: record[old] for old, new in keys.items() if old in record}
    rest = {key: value for key, value in record.items() if key not in given and key not in keys}
    return {**rest, **given}
