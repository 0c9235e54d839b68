"""Read the recorded outputs of a model: validate each record, and say where it stands."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks.outcome import Output, ToolCall
from evalcontract.engine.diagnostics import from_source_fault, to_diagnostics
from evalcontract.model.diagnostic import Problem
from evalcontract.source.fault import ParseError
from evalcontract.source.json import load_json
from evalcontract.source.rows import DocumentRows
from evalcontract.structure.codes import GUESSES
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.policy import Policy
    from evalcontract.source import Source
    from evalcontract.source.jsonl import RowStream
    from evalcontract.source.rows import Rows

_INVALID, _REPEATED = "output/invalid-record", "output/duplicate-id"
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
    not valid, as far as they have one.
    """

    def __init__(self, source: Source, policy: Policy) -> None:
        self.file = source.file
        self.diagnostics: list[Diagnostic] = []
        self.invalid: set[str] = set()
        self._policy = policy
        self._is_cut = False
        self._seen: dict[str, int] = {}
        self._structure = structure_of("output")
        self._rows: Rows | None = source.stream
        document = source.document
        if document is not None and isinstance(document.value, list):
            self._rows = DocumentRows(document, ())
        elif document is not None:
            problem = Problem(_INVALID, f"the file is not a list: {_NO_ROWS}", ())
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

    @property
    def stream(self) -> RowStream | None:
        """The stream of the records, for JSONL."""
        return self._rows.stream if self._rows else None

    def clean_records(self, part: RowStream) -> Iterator[list[Record] | None]:
        """Yield the records of a part of the stream, batch by batch; None if one is not valid.

        They are numbered from the start of the part; several may have the same id.
        """
        for batch in part.batches():
            if batch.faults or not self._structure.are_clean(batch.rows):
                yield None
                return
            yield [
                Record(value["id"], number, output_of(value))
                for number, value in enumerate(batch.rows, batch.first_index)
            ]

    def _records(self, first: int, values: list[Any]) -> Iterator[Record]:
        are_clean = self._structure.are_clean(values)
        for number, value in enumerate(values, first):
            if not are_clean and not self._is_usable(number, value):
                continue
            id_ = value["id"]
            earlier = self._seen.setdefault(id_, number)
            if earlier == number:
                yield Record(id_, number, output_of(value))
            else:
                message = f"there is another output for the row `{id_}`, which is used"
                self.report(Problem(_REPEATED, message, ("id",)), number)

    def _is_usable(self, number: int, value: Any) -> bool:
        """Report the problems of a record; return whether it is valid."""
        if self._structure.is_clean(value):
            return True
        problems, is_whole = None, _is_whole(value)
        if not self._is_full:
            problems = self._structure.check(value)
        for problem in problems or ():
            is_guess = is_whole and problem.code.endswith(GUESSES)
            code = "output/near-miss-key" if is_guess else _INVALID
            self.report(problem._replace(code=code, fix=None), number)
        are_guesses = all(problem.code.endswith(GUESSES) for problem in problems or ())
        if problems is not None and are_guesses and (is_whole or not problems):
            return True
        id_ = value.get("id") if isinstance(value, dict) else None
        self.invalid.update([id_] if isinstance(id_, str) else [])
        return False

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

    def _place(self, problem: Problem, number: int | None) -> None:
        if self._rows is not None:
            path = (*self._rows.prefix, *(() if number is None else (number,)))
            placed = problem.relocated(lambda inner: (*path, *inner))
            self.diagnostics += to_diagnostics([placed], self._rows, self._policy, {})


def _is_whole(record: Any) -> bool:
    """Whether a record has the keys that it needs; of others, a misspelled one is no guess."""
    if not isinstance(record, dict) or "id" not in record:
        return False
    calls = record.get("tool_calls") or ()
    return all("name" in (call.get("function") or call) for call in calls if isinstance(call, dict))


def output_of(record: Mapping[str, Any]) -> Output:
    """Return the output of a valid record."""
    calls = record.get("tool_calls")
    return Output(
        record.get("output"),
        None if calls is None else tuple(map(_call_of, calls)),
        record.get("context"),
    )


def _call_of(call: Mapping[str, Any]) -> ToolCall:
    parts = call.get("function") or call
    arguments = parts.get("arguments")
    if isinstance(arguments, str):
        with suppress(ParseError, ValueError):  # not JSON: then its text is the argument
            arguments = load_json(arguments.encode())
    return ToolCall(parts["name"], arguments)
