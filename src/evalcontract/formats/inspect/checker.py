"""One pass over the records of a dataset of Inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, as_json, quoted, stops_loader
from evalcontract.formats._format import RowChecker
from evalcontract.formats.inspect.reading import (
    JSON_KEYS,
    choices_of,
    has_other_choice,
    id_of,
    is_nothing,
    parsed,
    targets_of,
)
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.values import clipped, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.diagnostic import Path

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


class RecordChecker(RowChecker):
    """Reports what Inspect rejects in each record, and what it silently drops or changes."""

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._ids = FirstRows()

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
        yield from self._target(row, path, {problem.path for problem in found})
        yield from self._choices(row, path)
        yield from self._duplicate(row, path)

    def _duplicate(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield that an earlier sample has the id; one without an id gets its number when run."""
        id_ = id_of(row)
        number = int(path[-1]) + 1 if path else 1
        first = self._ids.before(str(number) if id_ is None else id_, path)
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
            yield from split_choices(value, read, place, f"write a list: {clipped(as_json(read))}")
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


def split_choices(text: str, read: list[str], place: Path, advice: str) -> Iterator[Problem]:
    """Yield that a text is read as several choices."""
    if len(read) > 1:
        where = "commas" if "," in text else "blanks"
        shown = listed([f"`{clipped(choice)}`" for choice in read])
        message = f"the text is split at its {where}, into {len(read)} choices: {shown}"
        yield Problem("inspect/split-choices", message, place, advice)


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
