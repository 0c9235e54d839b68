"""Read the rows of a labels file or a verdicts file: CSV with a header, or JSON Lines.

Faults are problems with the path of the row and the key, from which the file gives the place.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcontract.source import SourceProblem
    from evalcontract.source.json.lines import RowStream

#: After so many problems of one sort of fault no other is kept; a further one says so.
MAX_PROBLEMS = 10_000


def note(problems: list[Problem], problem: Problem) -> None:
    """Add a problem, unless there are too many."""
    if len(problems) < MAX_PROBLEMS:
        problems.append(problem)
    elif len(problems) == MAX_PROBLEMS:
        message = f"there are more than {MAX_PROBLEMS:,} faults: the rest is not reported"
        problems.append(Problem("source/limit-exceeded", message, problem.path[:1]))


#: The keys that are read. Any other key is ignored, unless it is probably meant as one of these.
KEYS = ("id", "human", "judge", "split", "model", "annotator")
#: The keys with what a judge is shown. They are read of labels without verdicts.
SHOWN = ("input", "output", "criteria", "expected", "context")


class LabelRecord(NamedTuple):
    """A row: its number from 0, the id of its output, and the keys that are not empty.

    `split` and `annotator` are text, `model` is a mapping with a `name`; `human` and `judge` are
    as they stand in the file. Of the `SHOWN` keys, `input`, `output` and `criteria` are text, and
    the output may be empty; `expected` is a mapping.
    """

    row: int
    id: str
    values: dict[str, Any]


class Records(NamedTuple):
    """The rows of a file that can be used, and what is wrong with the file.

    `faults` are problems of lines that cannot be parsed, each with its text.
    """

    rows: Sequence[LabelRecord]
    problems: Sequence[Problem]
    faults: Sequence[tuple[SourceProblem, str]] = ()

    def have(self, key: str) -> bool:
        """Whether any row has a value for a key."""
        return any(key in row.values for row in self.rows)


def read_records(
    source: CsvTable | RowStream, required: Sequence[str], *, is_shown: bool = False
) -> Records:
    """Read all rows of a file, which must have the `required` keys, and may have all `KEYS`.

    With `is_shown`, it may have the `SHOWN` keys, too, unless it has verdicts.
    """
    rows: list[tuple[int, Any]] = []
    faults: list[tuple[SourceProblem, str]] = []
    for batch in source.batches():
        rows += enumerate(batch.rows, batch.first_index)
        faults += batch.faults
    names: dict[str, int] = {}  # every key, and the first row that has it
    if isinstance(source, CsvTable):
        names.update(dict.fromkeys(source.header, 0))
    for index, row in rows:
        for key in row if isinstance(row, dict) else ():
            names.setdefault(key, index)
    shown = SHOWN if is_shown and "judge" not in names else ()
    problems = (
        [*_of_keys(names, required, (*KEYS, *shown))]
        if rows or isinstance(source, CsvTable)
        else []
    )
    if any(problem.code == "labels/missing-column" for problem in problems):
        return Records((), problems, faults)
    if isinstance(source, CsvTable):
        problems += _of_table(source, (*KEYS, *shown))
    reader = _RecordReader(required, shown)
    records = [record for index, row in rows if (record := reader.read(index, row))]
    return Records(records, [*problems, *reader.problems], faults)


def _of_keys(
    names: dict[str, int], required: Sequence[str], keys: Sequence[str]
) -> Iterable[Problem]:
    """Yield the required keys that no row has, and the keys that are meant as others."""
    meant: dict[str, str] = {}
    for name in names:
        known = None if name in keys else nearest(name, keys)
        if known and known not in names:
            meant.setdefault(known, name)
    for key in required:
        if key not in names:
            near = f"rename `{clipped(meant[key])}` to `{key}`" if key in meant else None
            at = (names[meant[key]], meant[key]) if key in meant else ()
            message = f"there is no `{key}`"
            yield Problem("labels/missing-column", message, at, near or _NEEDED[key], on_key=True)
    for key, name in meant.items():
        if key not in required:
            message = f"`{clipped(name)}` is not a key of labels, and ignored"
            advice = f"did you mean `{key}`?"
            yield Problem("labels/near-miss-key", message, (names[name], name), advice, on_key=True)


_NEEDED = {
    "id": "name each output by an `id`",
    "human": "give what people said in `human`: pass or fail",
    "judge": "give what the judge said in `judge`",
}


def _of_table(table: CsvTable, keys: Sequence[str]) -> Iterable[Problem]:
    for key in keys:
        if table.header.count(key) > 1:
            message = f"the header has `{key}` {table.header.count(key)} times"
            advice = "remove all but one: only the last would be read"
            yield Problem("labels/duplicate-column", message, (0, key), advice, on_key=True)
    for index, record in enumerate(table.records):
        if len(record) > len(table.header):
            message = f"the row has {len(record)} cells, the header has {len(table.header)}"
            advice = "put a text that contains a comma in double quotes"
            yield Problem("labels/extra-cell", message, (index,), advice, row_index=index)


class _RecordReader:
    """Turns rows into records, and notes the `problems` of those that it cannot use."""

    def __init__(self, required: Sequence[str], shown: Sequence[str]) -> None:
        self.problems: list[Problem] = []
        self._required = required
        self._shown = shown

    def read(self, index: int, row: Any) -> LabelRecord | None:
        if not isinstance(row, dict):
            self._note("wrong-type", "a row must be an object", (index,), index, None)
            return None
        values = {key: row[key] for key in KEYS if not _is_blank(row.get(key))}
        id_ = self._text(values, "id", index)
        for key in self._required:
            # A label without a verdict is told when both are joined.
            if key not in values and (key == "id" or (key == "human" and id_ is not None)):
                at = (index, key) if key in row else (index,)
                self._note("missing-value", f"the row has no `{key}`", at, index, id_)
        if id_ is None or any(key not in values for key in self._required):
            return None
        for key in ("split", "annotator"):
            if key in values and (text := self._text(values, key, index)) is not None:
                values[key] = text
        if "model" in values:
            model = self._model(values.pop("model"), index)
            values |= {} if model is None else {"model": model}
        for key in self._shown:
            value = row.get(key)
            if value is not None and (key == "output" or not _is_blank(value)):
                self._show(values, key, value, index)
        return LabelRecord(index, id_, values)

    def _show(self, values: dict[str, Any], key: str, value: Any, index: int) -> None:
        """Keep what a judge is shown; note a value of another type."""
        if key == "expected" and isinstance(value, str):  # a cell of CSV
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        wanted = {"expected": dict, "context": object}.get(key, str)
        if isinstance(value, wanted):
            values[key] = value
        else:
            what = "an object" if key == "expected" else "text"
            self._note("wrong-type", f"`{key}` must be {what}", (index, key), index, None)

    def _text(self, values: dict[str, Any], key: str, index: int) -> str | None:
        """Return a value as text; a whole number is one. Note and drop any other value."""
        value = values.get(key)
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return _text_of(value)
        if key in values:
            self._note("wrong-type", f"`{key}` must be text", (index, key), index, None)
            del values[key]
        return None

    def _model(self, value: Any, index: int) -> dict[str, str] | None:
        model = {"name": value} if isinstance(value, str) else value
        keys = ("provider", "name")
        if isinstance(model, dict) and isinstance(model.get("name"), str):
            known = {key: model[key] for key in keys if key in model}
            if all(isinstance(part, str) for part in known.values()):
                return known
        message = "`model` must be a name, or `{provider, name}`"
        self._note("wrong-type", message, (index, "model"), index, None)
        return None

    def _note(
        self, fault: str, message: str, at: tuple[int | str, ...], index: int, row: str | None
    ) -> None:
        problem = Problem(f"labels/{fault}", message, at, row=row, row_index=index)
        if not any(each.path == at for each in self.problems[-1:]):  # one fault of a value
            note(self.problems, problem)


def _text_of(value: str | int) -> str:
    try:
        return str(value)
    except ValueError:  # too many digits
        return hex(value) if isinstance(value, int) else value


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
