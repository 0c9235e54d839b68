"""Read one recorded output: what it says, and what is wrong with it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import Output
from evalcontract.checks.tool_usage import read_calls
from evalcontract.datasets.columns import RECORDED
from evalcontract.model.codes import GUESSES
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest, normalise
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.structure.dialect_checker import NAMES_OF_OUTPUTS
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The code of a record that is not valid.
INVALID = "output/invalid-record"
_NO_ANSWER, _UNREAD = "output/no-answer", "output/unread-answer"
_CALL, _NEAR = "output/unreadable-tool-call", "output/near-miss-key"
#: The codes of what a program that records something wrongly does in many records.
OF_MANY = frozenset({_NO_ANSWER, _UNREAD, _NEAR, _CALL})
_ID, _OUTPUT, _CALLS = "id", "output", "tool_calls"
# A whole number of more bits is no id: its digits are not worked out.
_MAX_BITS = 1024
_SHAPES = "record its `name` and its `arguments`, which are an object or its JSON text"


class ReadRecord(NamedTuple):
    """What a record says: its output, None if it is not valid, and its problems.

    The paths of the problems begin in the record.
    """

    output: Output | None
    problems: list[Problem]


def read_record(record: Any) -> ReadRecord:
    """Read one record, and find what is wrong with it."""
    structure = structure_of("output")
    if structure.is_clean(record):
        return read_clean(record)
    if not isinstance(record, dict):
        return ReadRecord(None, [_recoded(each) for each in structure.check(record)])
    unread, calls = [*_unread(record)], _calls_of(record)
    # What the schema says of these is told already.
    told, faulty = {problem.path for problem in unread}, {problem.path[:2] for problem in calls}
    rest = {key: value for key, value in record.items() if (key,) not in told}
    if not rest.keys() & RECORDED.keys():
        rest[_OUTPUT] = None
    found = [each for each in structure.check(rest) if each.path[:2] not in faulty]
    problems = [*_problems_of_id(record), *(_recoded(each, has_id=_ID in record) for each in found)]
    is_valid = all(problem.code == _NEAR for problem in problems)
    has_answer = bool(record.keys() & RECORDED.keys())
    output = _output_of(record) if is_valid and has_answer else None
    return ReadRecord(output, [*problems, *unread, *calls])


def read_clean(record: Mapping[str, Any]) -> ReadRecord:
    """Read a record that the schema accepts and that has no unknown keys."""
    faults = _problems_of_id(record)
    output = None if faults else _output_of(record)
    if output is None or not output.tool_calls:
        return ReadRecord(output, faults)
    is_readable = all(call.fault is None for call in output.tool_calls)
    return ReadRecord(output, [] if is_readable else _calls_of(record))


def _recoded(problem: Problem, *, has_id: bool = False) -> Problem:
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
    found = {key: _other_key(key, record) for key in RECORDED if record.get(key) is None}
    for key, other in found.items():
        if other is None:
            continue
        message = f"`{clipped(other)}` is not read: the record has no `{key}`"
        code = _UNREAD if key == _OUTPUT or record.get(_OUTPUT) is None else _NEAR
        yield Problem(code, message, (other,), _advice(other, key, record[other]), on_key=True)
    if not record.keys() & RECORDED.keys() and not any(found.values()):
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
