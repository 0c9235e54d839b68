"""Datasets of Inspect, as `json_dataset` and `csv_dataset` of the package `inspect_ai` read them.

A task may read other keys, by a `FieldSpec` or a function; the file does not say so. Measured on
`inspect_ai` 0.3.285.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._conversion import last_question
from evalcontract.formats._findings import (
    SystemChecker,
    as_json,
    bom_rejected,
    parsed_json,
    ragged_row,
    stops_loader,
)
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped, integer, listed, quoted
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.source.external import ExternalFile

#: The keys of a record that Inspect reads by default.
KEYS = ("input", "target", "choices", "id", "metadata", "sandbox", "files", "setup", "checkpoint")
#: Values that a mapping may have as JSON text.
JSON_KEYS = ("metadata", "files", "checkpoint")


def is_nothing(value: Any) -> bool:
    """Whether a value is read as if the key were missing: null and NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def id_of(record: dict[str, Any]) -> str | None:
    """Return the id of a record as a text, by which Inspect compares it; None if it has none."""
    id_ = record.get("id")
    if id_ is None:
        return None
    return id_ if isinstance(id_, str) else str(int(id_))


def question_of(messages: list[Any]) -> str | None:
    """Return the text of the last user message; None if it has none."""
    content = last_question(messages)
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str) and text)
    return content if isinstance(content, str) and content else None


def targets_of(record: dict[str, Any]) -> list[str]:
    """Return the targets of a record; a missing one is an empty text, an empty list has none."""
    target = record.get("target")
    if is_nothing(target):
        return [""]
    return [str(part) for part in target] if isinstance(target, list) else [str(target)]


def choices_of(record: dict[str, Any]) -> list[str]:
    """Return the choices of a record: a text is split at commas, or else at blanks."""
    choices = record.get("choices")
    if is_nothing(choices):
        return []
    if isinstance(choices, list):
        return [str(choice) for choice in choices if str(choice).strip()]
    if not isinstance(choices, str):
        return [str(choices)]
    parts = choices.split(",")
    parts = choices.split() if len(parts) == 1 else parts
    return [part.strip() for part in parts if part.strip()]


def parsed(value: Any) -> Any:
    """Return the value of a JSON text, and any other value as it is.

    Raises:
        ValueError: the text is not JSON, as for Inspect.

    """
    try:
        return json.loads(value) if isinstance(value, str) else value
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def metadata_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a valid record; an empty mapping if it has none."""
    value = record.get("metadata")
    found = None if is_nothing(value) else parsed(value)
    return found if isinstance(found, dict) else {}


def has_other_choice(record: dict[str, Any]) -> bool:
    """Whether a target names a choice that there is not, at which `choice()` fails.

    Between commas and blanks it has numbers, or else letters, one for each right choice.
    """
    count = len(choices_of(record))
    if not count:
        return False
    words = [word for target in targets_of(record) for word in target.replace(",", " ").split()]
    return any(not 0 <= position < count for word in words for position in _positions(word))


def _positions(word: str) -> list[int]:
    """Return the positions of the choices that a word names, from 0; -1 for none."""
    if word.isnumeric():
        # One of too many digits is beyond all choices, as zero and a fraction are.
        number = integer(word)
        return [25 + number if number else -1]
    return [ord(letter.upper()[0]) - ord("A") if letter.isalpha() else -1 for letter in word]


_DUPLICATE = "inspect/duplicate-id"
_REFUSED = "Inspect loads both samples, and `eval` refuses them"
_EMPTY = "the id is empty, as that of another sample"
_OWN_ID = "give each sample its own id, as a text or as a number"
# Choices after Z are numbers, from 1.
_LETTERS = 26
# A sample that has one of these is often graded by a scorer of its own, without a target.
_OWN_SCORER = ("files", "setup", "sandbox")
# The schema restricts no other lengths.
_EMPTY_INPUT = ("inspect/empty-value", "inspect/too-few-items")
_NO_TARGET = (
    "the target is empty: `includes()` and `match()` take every output for correct, "
    "and other comparisons none"
)
_NO_TARGETS = "the list of targets is empty: no comparison takes an output for correct"


def _of_empty(problem: Problem) -> Problem:
    """Report an empty input as a missing one, as which Inspect takes it."""
    if problem.code not in _EMPTY_INPUT:
        return problem
    message = "`input` is empty: Inspect takes it for missing, and stops here"
    return problem._replace(code="inspect/missing-key", message=message, help="write the question")


class InspectChecker(SystemChecker):
    """Reports what Inspect rejects in each record, and what it silently drops or changes."""

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next record."""
        found = [] if is_clean else [*map(_of_empty, self._schema.faults(row, path))]
        yield from found
        if stops_loader(found):
            return
        malformed = [*_malformed(row, path)]
        yield from malformed
        if malformed:
            return
        yield from self._schema.near_misses(row, path)
        yield from self._target(row, path, {problem.path for problem in found})
        yield from self._choices(row, path)
        yield from self._duplicate(row, path)

    def _duplicate(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield that an earlier sample has the id; one without an id gets its number when run."""
        id_ = id_of(row)
        number = int(path[-1]) + 1 if path else 1
        first = self._names.before(str(number) if id_ is None else id_, path)
        if first is None:
            return
        message = f"duplicate id `{clipped(id_)}`: {_REFUSED}" if id_ else f"{_EMPTY}: {_REFUSED}"
        if id_ is None:
            message = f"without an id, the sample gets its number {number}, as another: {_REFUSED}"
        related = (Related("first used here", (*first, "id")),)
        where = path if id_ is None else (*path, "id")
        yield Problem(_DUPLICATE, message, where, _OWN_ID, related=related)

    def _target(self, row: dict[str, Any], path: Path, reported: set[Path]) -> Iterator[Problem]:
        value, place = row.get("target"), (*path, "target")
        targets = targets_of(row)
        if not any(target.strip() for target in targets):
            misspelled = any(of[: len(path)] == path and len(of) > len(path) for of in reported)
            if not misspelled and all(is_nothing(row.get(key)) for key in _OWN_SCORER):
                where = place if "target" in row else path
                message = _NO_TARGET if targets else _NO_TARGETS
                yield Problem("inspect/no-target", message, where, "write the right answer")
            return
        odd = [part for part in (value if isinstance(value, list) else [value]) if _is_odd(part)]
        if odd:
            text = str(odd[0])
            message = f"the target is read as the text {clipped(as_json(text))}"
            yield Problem("inspect/text-of-value", message, place, "write the text that is meant")

    def _choices(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        value, place = row.get("choices"), (*path, "choices")
        if is_nothing(value):
            return
        read = choices_of(row)
        if isinstance(value, str):
            meant = parsed_json(value)
            shown = as_json(meant if isinstance(meant, list) else read)
            yield from split_choices(value, read, place, advice=f"write a list: {clipped(shown)}")
        elif not isinstance(value, list) or any(_is_odd(part) for part in value):
            shown = quoted(clipped(choice) for choice in read[:5])
            message = f"the choices are read as the texts {shown}"
            yield Problem("inspect/text-of-value", message, place, "write a list of texts")
        elif len(read) < len(value):
            message = f"{len(value) - len(read)} of {len(value)} choices are blank, and are dropped"
            advice = "remove them: the letters of those that follow change"
            yield Problem("inspect/empty-item", message, place, advice)
        if has_other_choice(row):
            known = "is only A" if len(read) == 1 else f"are A to {_name(len(read))}"
            message = f"the target names no choice: `choice()` fails, since there {known}"
            advice = "write the letter of the right choice"
            yield Problem("inspect/choice-target", message, (*path, "target"), advice)


def split_choices(
    text: str, read: list[str], place: Path, advice: str, *, is_list: bool = False
) -> Iterator[Problem]:
    """Yield that a text is read as several choices, or a list in a text as one."""
    if len(read) > 1:
        where = "commas" if "," in text else "blanks"
        shown = listed([f"`{clipped(choice)}`" for choice in read])
        message = f"the text is split at its {where}, into {len(read)} choices: {shown}"
        yield Problem("inspect/split-choices", message, place, advice)
    elif is_list:
        message = f"the choices are read as the text `{clipped(text)}`"
        yield Problem("inspect/text-of-value", message, place, advice)


def _name(count: int) -> str:
    """Return the name of the last of some choices: letters, and digits after Z."""
    return chr(ord("A") + count - 1) if count <= _LETTERS else str(count - _LETTERS)


def _is_odd(value: Any) -> bool:
    """Whether the text of a value is probably not what its author means: a number has its own."""
    return value is None or isinstance(value, bool | dict | list)


def _malformed(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the texts that Inspect cannot read as the mapping that they should be."""
    for key in JSON_KEYS:
        value = row.get(key)
        if not isinstance(value, str) or (key == "checkpoint" and not value.strip()):
            continue
        try:
            read = parsed(value)
        except ValueError:
            what = "is empty, and" if not value.strip() else "is a text that"
            message = f"`{key}` {what} is not JSON: Inspect stops here"
            advice = "write {} for nothing" if not value.strip() else 'write {"name": "value"}'
            yield Problem("inspect/malformed-value", message, (*path, key), advice)
            continue
        yield from _misfit(key, read, (*path, key))
    sandbox = row.get("sandbox")
    if isinstance(sandbox, str) and sandbox.strip().startswith("["):
        yield from _sandbox(sandbox, (*path, "sandbox"))
    checkpoint = row.get("checkpoint")
    if isinstance(checkpoint, dict) and checkpoint.get("trigger") is not None:
        yield _trigger((*path, "checkpoint", "trigger"))


def _misfit(key: str, read: Any, place: Path) -> Iterator[Problem]:
    """Yield why the value of a JSON text cannot be taken."""
    is_fine = isinstance(read, dict) or (key != "files" and read is None)
    if key == "files" and isinstance(read, dict):
        is_fine = all(isinstance(part, str) for part in read.values())
    if not is_fine:
        what = "a mapping of texts" if key == "files" else "a mapping"
        message = f"`{key}` is the JSON text of something else than {what}: Inspect stops here"
        yield Problem("inspect/malformed-value", message, place, 'write {"name": "value"}')
    elif key == "checkpoint" and isinstance(read, dict) and read.get("trigger") is not None:
        yield _trigger(place)


def _sandbox(text: str, place: Path) -> Iterator[Problem]:
    try:
        read = parsed(text)
    except ValueError:
        read = None
    if not isinstance(read, list) or len(read) != len(("type", "file")):
        message = "`sandbox` begins as a list, and is no JSON list of two: Inspect stops here"
        advice = 'write ["docker", "compose.yaml"]'
        yield Problem("inspect/malformed-value", message, place, advice)


def _trigger(place: Path) -> Problem:
    message = "a record cannot set the `trigger` of a checkpoint: Inspect stops here"
    return Problem("inspect/malformed-value", message, place, "set it in the task")


_BOM = bom_rejected(
    "inspect", "the file begins with a byte order mark, which `json_dataset` rejects"
)
_NO_ROWS = Problem(
    "inspect/no-rows", "there are no records: Inspect loads an empty dataset", (), "add a record"
)
_NO_RECORDS = Problem(
    "inspect/rejected", "the file holds neither a list of records nor a record", (), "write a list"
)
# Texts that stand for nothing in tables, and are targets like any other here.
_NULLS = frozenset({"nan", "none", "null", "na", "n/a", "#n/a"})
_COMMAS = "write commas between the choices"
# A list of JSON or Python, and what looks like one.
_LIST = lazy_pattern(r"\[[^\[\]]*\]|\{[^{}]*\}", re.DOTALL)
# An empty file of lines, or of a table, is a dataset without samples.
_PASSED_OVER = frozenset({"source/empty"})


def find_rows(read: ExternalFile) -> RowLayout:
    """Return the records of a file."""
    if isinstance(read.source, CsvTable):
        return _of_table(read.source)
    if isinstance(read.source, RowStream):
        return _of_lines(read.source)
    if read.document is None:
        return RowLayout(passed_over=_PASSED_OVER)
    return RowLayout.without_rows(_BOM) if read.has_mark else _of_document(read.document.value)


def _of_document(value: Any) -> RowLayout:
    if isinstance(value, list):
        return RowLayout(value, problems=() if value else (_NO_ROWS,))
    if isinstance(value, dict):
        return RowLayout([value], is_row=True)
    return RowLayout.without_rows(_NO_RECORDS)


def _of_lines(stream: RowStream) -> RowLayout:
    problems = []
    if PurePath(stream.file).suffix.lower() != ".jsonl":
        message = "Inspect reads the lines of files alone whose names end in `.jsonl`"
        problems.append(Problem("inspect/rejected", message, (), "rename it"))
    if found := stream.line_where(_is_padded):
        number, line = found
        why = "has white space around it that is not JSON" if line else "is blank"
        message = f"line {number:,} {why}: `json_dataset` stops there"
        advice = "remove it" if line else "remove the blank lines"
        problems.append(Problem("inspect/rejected", message, (), advice))
    return RowLayout(problems=tuple(problems), passed_over=_PASSED_OVER)


def _is_padded(line: bytes) -> bool:
    """Whether a line is blank, or has white space of Unicode around it, at which JSON stops."""
    text = "" if line[:1] == b"{" and line[-1:] == b"}" else line.decode("utf-8", "replace")
    return not line or text != text.strip()


def _of_table(table: CsvTable) -> RowLayout:
    if table.text[:1] in ("\r", "\n"):
        message = "the first line is blank, and is the header of the table for Inspect"
        return RowLayout.without_rows(
            Problem("inspect/rejected", message, (), "remove the blank line")
        )
    header = table.header
    table.keep_rows(lambda record: len(record) != len(header) or not _is_blank(header, record))
    problems = [*_of_header(table), *_ragged(table)]
    if not table.records:
        problems.append(_NO_ROWS)
    rows = []
    for index, record in enumerate(table.records):
        cells = dict(zip(table.header, record, strict=False))
        problems += _misread(cells, index)
        rows.append(_record(cells))
    return RowLayout(rows, problems=tuple(problems))


def _is_blank(header: list[str], record: list[str]) -> bool:
    """Whether Inspect drops a row: of columns with one name it sees the last alone."""
    return not any(map(str.strip, dict(zip(header, record, strict=True)).values()))


def _record(cells: dict[str, str]) -> dict[str, Any]:
    """Return a row of a table as a record of JSON, with its lists and mappings."""
    record: dict[str, Any] = {**cells}
    if "choices" in cells:
        record["choices"] = choices_of(cells)
        if not record["choices"]:
            del record["choices"]
    for key in JSON_KEYS:
        if cells.get(key, "").strip():
            with suppress(ValueError):  # the checker reports it, and what is no mapping
                read = parsed(cells[key])
                record[key] = read if isinstance(read, dict) else cells[key]
    return record


def _misread(cells: dict[str, str], index: int) -> Iterator[Problem]:
    """Yield the cells that are probably not read as their author means."""
    path: Path = (index,)
    target = cells.get("target", "").strip()
    if target.lower() in _NULLS:
        message = f"the target is the text `{target}`, not nothing"
        advice = "leave the cell empty, if nothing is meant"
        yield Problem("inspect/null-text", message, (*path, "target"), advice, row_index=index)
    for key in ("input", "target"):
        if isinstance(parsed_json(cells.get(key, "")), list | dict):
            message = f"the JSON in the cell of `{key}` is read as one text"
            advice = "write the text that is meant; lists and messages need a file of JSON"
            yield Problem("inspect/text-of-value", message, (*path, key), advice, row_index=index)
    choices, place = cells.get("choices", "").strip(), (*path, "choices")
    is_list = bool(_LIST.fullmatch(choices))
    if is_list or "," not in choices:
        advice = "write commas alone between the choices" if is_list else _COMMAS
        for problem in split_choices(
            choices, choices_of(cells), place, advice=advice, is_list=is_list
        ):
            yield problem._replace(row_index=index)
    if cells.get("sandbox") == "":
        message = "an empty cell of `sandbox` is read as an empty text, which is no sandbox"
        advice = "remove the column `sandbox`, or fill all of its cells"
        yield Problem("inspect/empty-item", message, (*path, "sandbox"), advice, row_index=index)


def _of_header(table: CsvTable) -> Iterator[Problem]:
    """Yield the columns with a name that another has; the last of them is read."""
    seen: set[str] = set()
    for name in table.header:
        if name in seen:
            message = f"several columns are called `{name}`: Inspect reads the last of them"
            yield Problem("inspect/duplicate-key", message, (name,), "rename the others")
        seen.add(name)


def _ragged(table: CsvTable) -> Iterator[Problem]:
    width = len(table.header)
    for index, record in enumerate(table.records):
        if len(record) != width:
            yield ragged_row("inspect", "Inspect", index, len(record), width)


# Keys of other systems, whose rows have `input` and `target`, too.
_OTHERS = frozenset({"expected_output", "ideal", "inputs", "queries", "cases", "assert", "vars"})
FACTS = {
    "no_targets": lambda row, _: not targets_of(row),
    "empty_target": lambda row, _: not all(targets_of(row)),
    "only_empty_targets": lambda row, _: not any(targets_of(row)),
    "no_choices": lambda row, _: not choices_of(row),
    "other_choice": lambda row, _: has_other_choice(row),
    "nothing_to_compare": lambda row, _: not any(targets_of(row)),
}


class Inspect(Format):
    """Records, each of which becomes a sample."""

    name = "inspect"
    title = "Inspect"
    media = ("json", "jsonl", "csv")
    basis = "`json_dataset` and `csv_dataset` of inspect_ai 0.3.285, run"
    row_checker = InspectChecker
    conversion = "evalcontract.formats.inspect.conversion:RecordLens"
    codes = codes_of_system(
        "inspect",
        rejected=("ragged-row", "malformed-value", "unknown-value"),
        silently_accepted=("no-target", "text-of-value", "split-choices", "empty-item", "no-rows"),
        guesses=("choice-target", "misplaced-key", "null-text"),
    )
    facts = FACTS
    has_text_lines = True

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a record by its input and its target."""
        is_record = value.keys() >= {"input", "target"} and _OTHERS.isdisjoint(value)
        return cls() if is_record else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        return find_rows(file)

    def name_of(self, row: Any) -> str | None:
        id_ = row.get("id") if isinstance(row, dict) else None
        return str(id_) if isinstance(id_, str | int) and str(id_) else None
