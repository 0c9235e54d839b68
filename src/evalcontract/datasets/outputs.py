"""The recorded outputs of a model: each record validated, placed, and joined with its row."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat, zip_longest
from typing import Any

from evalcontract.checks.outcome import Output
from evalcontract.checks.tool_usage import read_calls
from evalcontract.datasets.columns import RECORDED, ColumnKeys
from evalcontract.datasets.output_files import cells, has_only_texts, is_table
from evalcontract.datasets.passes import CheckedRow
from evalcontract.datasets.placing import from_source_fault, to_diagnostics
from evalcontract.datasets.recordings import (
    CUT_OFF,
    Reading,
    epoch_of,
    recording_of,
    rows_in,
    what_it_seems,
)
from evalcontract.model.codes import GUESSES
from evalcontract.model.diagnostic import Diagnostic, Problem, below
from evalcontract.model.nearest import nearest, normalise
from evalcontract.model.startup import NamedTuple, made_of
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.policy import Policy
from evalcontract.source import Document, RowSource
from evalcontract.source.jsonl import RowStream
from evalcontract.source.rows import DocumentRows, IterableRows, OneRow, RowBatches
from evalcontract.structure.keys.names import NAMES_OF_OUTPUTS
from evalcontract.structure.validator import structure_of


class Pair(NamedTuple):
    """A row and its record; `record` is None if the row has none."""

    row: CheckedRow
    record: OutputRecord | None


class SampleJoin:
    """Joins rows with all of their records, which are read first.

    When all pairs are yielded, `surplus` has the records without a row.
    """

    def __init__(self) -> None:
        self._records: dict[str, list[OutputRecord]] = {}

    @property
    def surplus(self) -> list[OutputRecord]:
        """The records whose id is that of no row, in their order."""
        every = (record for records in self._records.values() for record in records)
        return sorted(every, key=lambda record: record.number)

    def pairs(
        self, rows: Iterable[list[CheckedRow]], records: Iterable[list[OutputRecord]]
    ) -> Iterator[Pair]:
        """Yield every row once for each of its records, one after the other, or without any."""
        for some in records:
            for record in some:
                self._records.setdefault(record.id, []).append(record)
        for row in (row for some_rows in rows for row in some_rows):
            id_ = row.value.get("id") if isinstance(row.value, dict) else None
            found = self._records.pop(id_, []) if isinstance(id_, str) else []
            yield from (Pair(row, record) for record in found or (None,))


class Join:
    """Joins batches of rows with batches of records.

    When all pairs are yielded, `surplus` has the records without a row.
    """

    def __init__(self) -> None:
        self._rows: dict[str, CheckedRow] = {}
        self._records: dict[str, OutputRecord] = {}
        self._ids: set[str] = set()

    @property
    def surplus(self) -> list[OutputRecord]:
        """The records whose id is that of no row, in their order."""
        return sorted(self._records.values(), key=lambda record: record.number)

    def pairs(
        self, rows: Iterable[list[CheckedRow]], records: Iterable[list[OutputRecord]]
    ) -> Iterator[Pair]:
        """Yield every row once, with its record; rows without one come last.

        A row without a usable id, or with the id of an earlier row, gets no record.
        """
        for some_rows, some_records in zip_longest(rows, records):
            for row in some_rows or ():
                yield from self._take_row(row)
            for record in some_records or ():
                row_of_record = self._rows.pop(record.id, None)
                if row_of_record is not None:
                    yield Pair(row_of_record, record)
                else:
                    self._records[record.id] = record
        for row in self._rows.values():
            yield Pair(row, None)

    def _take_row(self, row: CheckedRow) -> Iterator[Pair]:
        id_ = row.value.get("id") if isinstance(row.value, dict) else None
        if not isinstance(id_, str) or id_ in self._ids:
            yield Pair(row, None)
            return
        self._ids.add(id_)
        record = self._records.pop(id_, None)
        if record is not None:
            yield Pair(row, record)
        else:
            self._rows[id_] = row


#: The code of a record that is not valid.
INVALID = "output/invalid-record"
_NO_ANSWER, _UNREAD = "output/no-answer", "output/unread-answer"
_CALL, _NEAR = "output/unreadable-tool-call", "output/near-miss-key"
#: The codes of what a program that records something wrongly does in many records.
OF_MANY = frozenset({_NO_ANSWER, _UNREAD, _NEAR, _CALL, CUT_OFF})
_ID, _OUTPUT, _CALLS = "id", "output", "tool_calls"
# A whole number of more bits is no id: its digits are not worked out.
_MAX_BITS = 1024
_output = made_of(Output)
_SHAPES = "record its `name` and its `arguments`, which are an object or its JSON text"


class ReadRecord(NamedTuple):
    """What a record says: its output, None if it is not valid, and its problems.

    The paths of the problems begin in the record. `id` is that of the row, if it stands elsewhere
    than in the record.
    """

    output: Output | None
    problems: list[Problem]
    id: str = ""


def read_record(record: Any) -> ReadRecord:
    """Read one record, and find what is wrong with it."""
    structure = structure_of("output")
    if structure.is_clean(record):
        return read_clean(record)
    if not isinstance(record, dict):
        return ReadRecord(None, [_recode(each) for each in structure.check(record)])
    unread, calls = [*_unread(record)], _calls_of(record)
    # What the schema says of these is told already.
    paths, faulty = {problem.path for problem in unread}, {problem.path[:2] for problem in calls}
    rest = {key: value for key, value in record.items() if (key,) not in paths}
    if not rest.keys() & RECORDED.keys():
        rest[_OUTPUT] = None
    structural = [each for each in structure.check(rest) if each.path[:2] not in faulty]
    problems = [
        *_problems_of_id(record),
        *(_recode(each, has_id=_ID in record) for each in structural),
    ]
    is_valid = all(problem.code == _NEAR for problem in problems)
    has_answer = bool(record.keys() & RECORDED.keys())
    output = _output_of(record) if is_valid and has_answer else None
    return ReadRecord(output, [*problems, *unread, *calls])


def read_clean(record: Mapping[str, Any]) -> ReadRecord:
    """Read a record that the schema accepts and that has no unknown keys."""
    output = _faultless(record)
    if output is not None:
        return ReadRecord(output, [])
    faults = _problems_of_id(record)
    return ReadRecord(None, faults) if faults else ReadRecord(_output_of(record), _calls_of(record))


def _faultless(record: Mapping[str, Any]) -> Output | None:
    """Return the output of a record that the schema accepts; None if something is wrong."""
    if record.get(_ID).__class__ is not str and _problems_of_id(record):
        return None
    calls, read = record.get(_CALLS), None
    if calls is not None:
        read, faults = read_calls(calls)
        if faults:
            return None
    return _output((record.get(_OUTPUT), read, record.get("context")))


def _recode(problem: Problem, *, has_id: bool = False) -> Problem:
    """Return a problem by the schema as one of a record; a key that it needs is no guess."""
    is_guess = has_id and problem.code.endswith(GUESSES)
    return problem._replace(code=_NEAR if is_guess else INVALID, fix=None)


def _problems_of_id(record: Mapping[str, Any]) -> list[Problem]:
    """Return the problem of an id that JSON Schema takes for an integer; mostly nothing."""
    id_ = record.get(_ID)
    if id_.__class__ is float and id_.is_integer():
        message = f"`id` must be text or a whole number, not {id_!r}"
        return [Problem(INVALID, message, (_ID,), f"write it without a fraction, as {int(id_)}")]
    if id_.__class__ is int and id_.bit_length() > _MAX_BITS:
        return [Problem(INVALID, "`id` has too many digits", (_ID,), "write it as text")]
    return []


def row_id_of(record: Any) -> str:
    """Return the id of the row that a record is for; "" if it has none."""
    id_ = record.get(_ID) if isinstance(record, dict) else None
    if id_.__class__ is str:
        return str(id_)
    return str(id_) if id_.__class__ is int and id_.bit_length() <= _MAX_BITS else ""


def _output_of(record: Mapping[str, Any]) -> Output:
    calls = record.get(_CALLS)
    read = None if calls is None else read_calls(calls).calls
    return Output(record.get(_OUTPUT), read, record.get("context"))


def _calls_of(record: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of the recorded tool calls that cannot be read."""
    calls = record.get(_CALLS)
    faults = read_calls(calls).faults if isinstance(calls, list) else ()
    return [Problem(_CALL, message, (_CALLS, *path), _SHAPES) for message, path in faults]


def _unread(record: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the keys that probably have what is recorded as `output` or `tool_calls`."""
    other_keys = {key: _other_key(key, record) for key in RECORDED if record.get(key) is None}
    for key, other in other_keys.items():
        if other is None:
            continue
        message = f"`{clipped(other)}` is not read: the record has no `{key}`"
        code = _UNREAD if key == _OUTPUT or record.get(_OUTPUT) is None else _NEAR
        yield Problem(code, message, (other,), _advice(other, key, record[other]), on_key=True)
    if not record.keys() & RECORDED.keys() and not any(other_keys.values()):
        message = "the record has neither `output` nor `tool_calls`"
        advice = "record the answer as `output`: a text, or null if there is none"
        yield Problem(_NO_ANSWER, message, (), advice)


def _other_key(key: str, record: Mapping[str, Any]) -> str | None:
    """Return the key that a record probably has in place of another; None if it has none."""
    shape = RECORDED[key]
    names = NAMES_OF_OUTPUTS[key]
    known = structure_of("output").schema["properties"]
    others = {
        name: normalise(name)
        for name, value in record.items()
        if isinstance(name, str) and name not in known and _has_content(value, shape)
    }
    by_name = {folded: name for name, folded in others.items()}
    named = next((by_name[name] for name in names if name in by_name), None)
    return named or next((name for name in others if nearest(name, (key,))), None)


def _has_content(value: Any, shape: tuple[type, ...]) -> bool:
    """Whether a value may be what was recorded: a text, also an empty one, or a collection."""
    return isinstance(value, shape) and (isinstance(value, str) or bool(value))


def _advice(name: str, key: str, value: Any) -> str:
    """Return what makes the value of a key read as that of another."""
    if not name.isprintable() or not isinstance(value, str if key == _OUTPUT else list):
        return f"record it as `{key}`"
    return f"pass `--map {shlex.quote(f'{name}={key}')}`, or name it `{key}`"


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and not value.keys().isdisjoint(RECORDED)


def _read_recording(reading: Reading, given: Mapping[str, Any]) -> ReadRecord:
    """Return what a row of another system says; `given` are keys that the caller maps."""
    if reading.record is None:
        return ReadRecord(None, [*reading.problems])
    record = {**reading.record, **given}
    problems = [each for each in reading.problems if not (given and each.code in _MAPPED)]
    if any(each.code in _WITHOUT for each in problems):
        return ReadRecord(None, problems, row_id_of(record))
    read = read_record(record)
    placed = [
        each._replace(path=(*reading.places.get(str(each.path[0]), ()), *each.path[1:]))
        if each.path
        else each
        for each in read.problems
    ]
    return ReadRecord(read.output, [*problems, *placed], row_id_of(record))


# What `--map` mends, and what leaves no answer to read.
_MAPPED, _WITHOUT = frozenset({_UNREAD, INVALID}), frozenset({_NO_ANSWER, _UNREAD, INVALID})
_ID_KEY, _REPEATED = "id", "output/duplicate-id"
#: After so many findings on a file no other is reported, as `--max-findings` has it.
MAX_FINDINGS = 10_000
_SAMPLE = "sample"
_MANY = "if the row has several outputs, number them: `sample`"
_EMPTY_ANSWER = "if the answer is an empty text, record it in JSON Lines or Parquet"
_NO_ROWS = "outputs are JSON Lines, or a list of records in JSON or YAML"


class OutputRecord(NamedTuple):
    """One recorded output: the id of its row, its number in the file from 0, and the output.

    `sample` says which of several outputs of the row it is; None if it is the only one.
    """

    id: str
    number: int
    output: Output
    sample: int | str | None = None


_record = made_of(OutputRecord)


class OutputFile:
    """The records of one file; `diagnostics` has the findings on it so far.

    Of the records of one id, only the first is yielded, or after `take_samples` of one id and
    sample. `invalid` are the ids of records that are not valid, as far as they have one. `keys` are
    keys of the records, and those that they are read as.
    """

    def __init__(self, source: RowSource, policy: Policy, keys: ColumnKeys = ()) -> None:
        self.file = source.file
        self.diagnostics: list[Diagnostic] = []
        self.invalid: set[str] = set()
        self._policy = policy
        self._is_cut = False
        self._is_sampled = self._has_epochs = False
        self._seen: dict[tuple[str, int | str | None], int] = {}
        self._times: Counter[str] = Counter()
        self._repeated: dict[tuple[str, str], tuple[Problem, int, int]] = {}
        self._structure = structure_of("output")
        self._keys = dict(keys)
        self._rows: RowBatches | None = source.stream
        if isinstance(self._rows, IterableRows):
            self._rows.keep()  # they are looked at before they are graded
        self._is_table, self._are_texts = is_table(source), has_only_texts(source)
        if source.document is not None:
            self._rows = self._rows_in(source.document)

    def _rows_in(self, document: Document) -> RowBatches | None:
        """Return the rows of a document; report what has none."""
        value = document.value
        if isinstance(value, list):
            return DocumentRows(document, ())
        prefix = rows_in(value)
        if prefix is not None:
            return DocumentRows(document, prefix)
        if isinstance(value, dict) and (_ID_KEY in value or recording_of(value)):
            return OneRow(document)
        seems = what_it_seems(value)
        advice = f"this seems to be {seems}" if seems else None
        problem = Problem(INVALID, f"the file is not a list: {_NO_ROWS}", (), advice)
        self.diagnostics += to_diagnostics([problem], document, self._policy)
        return None

    def take_samples(self) -> None:
        """Yield all outputs of a row, from now on."""
        self._is_sampled, rows = True, self._rows
        if rows is None or self._is_table or (rows.stream and not epoch_of(rows.stream.peek())):
            return
        self._has_epochs = any(
            epoch_of(row) > 1 for batch in rows.batches(quick=True) for row in batch.rows
        )

    def has_samples(self, dataset: RowStream | None) -> bool:
        """Whether rows have several outputs: records have a `sample`, epochs, or ids again.

        All ids have to be repeated equally often, which otherwise is a mistake. Of JSONL, only the
        first record is looked at unless there are more records than lines of `dataset`.
        """
        rows = self._rows
        if rows is None:
            return False
        if isinstance(rows, RowStream) and dataset is not None:
            first = rows.peek()
            if isinstance(first, dict) and _SAMPLE in first:
                return True
            if rows.line_count <= dataset.line_count and not epoch_of(first):
                return False
        times: Counter[str] = Counter()
        batches = rows.batches() if self._is_table else rows.batches(quick=True)
        for batch in batches:
            for number, row in enumerate(batch.rows, batch.first_index):
                named = row.get(_SAMPLE) if isinstance(row, dict) else None
                if named not in (None, "") or epoch_of(row) > 1:  # an empty cell is no name
                    return True
                times[self.id_in(row, number)] += 1
        del times[""]
        return len({*times.values()}) == 1 and times.total() > len(times)

    def id_in(self, row: Any, number: int) -> str:
        """Return the id of the row that a row of the file answers; "" if it has none."""
        given = _renamed(row, self._keys)
        recording = None if self._structure.is_clean(row) else recording_of(row)
        if recording is None or (_ID_KEY in self._keys.values() and _ID_KEY in given):
            return row_id_of(given)
        return row_id_of(recording.read(row, number).record)

    @property
    def progress(self) -> tuple[int, int] | None:
        """The bytes read and the total, for JSONL."""
        stream = self._rows.stream if self._rows else None
        return stream.progress if stream else None

    def batches(self) -> Iterator[list[OutputRecord]]:
        """Yield the valid records in order, batch by batch."""
        for batch in self._rows.batches() if self._rows else ():
            for fault, text in batch.faults:
                if self._is_full:
                    break
                if finding := from_source_fault(fault, self.file, text, policy=self._policy):
                    self.diagnostics.append(finding)
            yield list(self._records(batch.first_index, batch.rows))
        for problem, number, count in self._repeated.values():
            more = f"; so it is in {count:,} records" if count > 1 else ""
            self.report(problem._replace(message=f"{problem.message}{more}"), number)
        self._repeated.clear()

    @property
    def stream(self) -> RowStream | None:
        """The stream of the records, for JSONL."""
        stream = self._rows.stream if self._rows else None
        return stream if isinstance(stream, RowStream) else None

    def clean_records(self, part: RowStream) -> Iterator[list[OutputRecord] | None]:
        """Yield the records of a part of the stream, batch by batch; None if one is not valid.

        They are numbered from the start of the part; several may have the same id.
        """
        for batch in part.batches():
            keys = self._keys
            values = [_renamed(value, keys) for value in batch.rows] if keys else batch.rows
            if batch.faults or not self._structure.are_clean(values):
                yield None
                return
            outputs = list(map(_faultless, values))
            if None in outputs or any([_SAMPLE in value for value in values]):  # noqa: C419 - faster
                yield None
                return
            numbers = range(batch.first_index, batch.first_index + len(values))
            ids = map(row_id_of, values)
            yield list(map(_record, zip(ids, numbers, outputs, repeat(None))))

    def _records(self, first: int, rows: list[Any]) -> Iterator[OutputRecord]:
        values = [_renamed(value, self._keys) for value in rows]
        if self._is_table:
            values = [cells(value, are_texts=self._are_texts) for value in values]
        are_clean = self._structure.are_clean(values)
        for number, (value, row) in enumerate(zip(values, rows, strict=True), first):
            read = read_clean(value) if are_clean else self._read(value, row, number)
            for problem in read.problems:
                self._note(self._as_written(problem, row), number)
            id_, output = read.id or row_id_of(value), read.output
            if output is None:
                self.invalid.update([id_] if id_ else [])
                if not (id_ and self._is_sampled):
                    continue
                output = Output()  # one of several outputs: what it would have been is not known
            sample = self._sample_of(id_, value)
            earlier = self._seen.setdefault((id_, sample), number)
            if earlier == number:
                yield OutputRecord(id_, number, output, sample)
            else:
                which = "" if sample is None else f" with the sample `{clipped(str(sample))}`"
                message = f"there is another output for the row `{id_}`{which}, which is used"
                advice = "" if which else _MANY
                self.report(Problem(_REPEATED, message, (_ID_KEY,), advice or None), number)

    def _sample_of(self, id_: str, record: Mapping[str, Any]) -> int | str | None:
        """Return which sample of a row a record is: what it says, or else its number from 1."""
        if not self._is_sampled:
            return None
        self._times[id_] += 1
        named: int | str | None = record.get(_SAMPLE)
        if named is None and self._has_epochs:
            named = epoch_of(record) or None
        return self._times[id_] if named is None else named

    def _read(self, value: Any, row: Any, number: int) -> ReadRecord:
        if self._structure.is_clean(value):
            return read_record(value)
        if self._is_full:
            return ReadRecord(None, [])  # finding out what is wrong with it takes time
        recording = recording_of(row)
        if recording is not None:
            given = {key: value[key] for key in self._keys.values() if key in value}
            return _read_recording(recording.read(row, number), given)
        seems = None if _is_record(value) else what_it_seems(row)
        if seems is None:
            return read_record(value)
        message = f"this is no recorded output: it seems to be {seems}"
        return ReadRecord(None, [Problem(_NO_ANSWER, message, ())])

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
        if self._are_texts and problem.code == _NO_ANSWER and not problem.path:
            names = (old for old, new in self._keys.items() if new == _OUTPUT)
            name = next(names, _OUTPUT)
            if name in row:
                message = f"`{clipped(name)}` is empty: an empty cell of CSV is no answer"
                return Problem(_NO_ANSWER, message, (name,), _EMPTY_ANSWER)
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

    def report_unknown(self, records: Iterable[OutputRecord]) -> None:
        """Report records whose id is that of no row."""
        for record in records:
            message = f"the dataset has no row `{clipped(record.id, NAME_LENGTH)}`"
            self.report(Problem("output/unknown-id", message, (_ID_KEY,)), record.number)

    def _place(self, problem: Problem, number: int | None) -> None:
        if self._rows is not None:
            path = (*self._rows.prefix, *(() if number is None else (number,)))
            located = below(path, problem)
            self.diagnostics += to_diagnostics([located], self._rows, self._policy)


def _renamed(record: Any, keys: Mapping[str, str]) -> Any:
    """Return a record by the keys that its own are read as; a key may be one inside of another."""
    if not keys or not isinstance(record, dict):
        return record
    found = ((new, _value_at(record, old)) for old, new in keys.items())
    given = {new: value for new, value in found if value is not _NOTHING}
    rest = {key: value for key, value in record.items() if key not in given and key not in keys}
    return {**rest, **given}


_NOTHING = object()


def _value_at(record: Mapping[str, Any], name: str) -> Any:
    """Return what a record has under a key, or under keys with dots between them."""
    if name in record:
        return record[name]
    value: Any = record
    for key in name.split("."):
        value = value.get(key, _NOTHING) if isinstance(value, dict) else _NOTHING
    return value
