"""`tool_usage`: calls of tools, as recorded and as expected, and how they are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs
from evalcontract.checks._texts import quoted, quoted_list
from evalcontract.checks.outcome import (
    PASSED,
    Executor,
    Output,
    ToolCall,
    Verdict,
    error,
    failed,
    unavailable,
)
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple, made_of
from evalcontract.model.values import clipped, hashable, listed
from evalcontract.source.faults import ParseError
from evalcontract.structure.schemas import with_defaults


class CallShape(NamedTuple):
    """Where tools record the name of a call, and its arguments: an object, or its JSON text."""

    name: tuple[str, ...]
    arguments: tuple[str, ...]
    recorded_by: str


#: The shapes of recorded calls that are read. `schema/output.schema.json` describes them.
SHAPES = (
    CallShape(("name",), ("arguments",), "evalcontract, the Responses API of OpenAI, MLflow"),
    CallShape(("function", "name"), ("function", "arguments"), "chat completions of OpenAI"),
    CallShape(("custom", "name"), ("custom", "input"), "custom tools of OpenAI"),
    CallShape(("name",), ("input",), "Anthropic, custom tools of OpenAI in the Responses API"),
    CallShape(("name",), ("partial_json",), "Anthropic, as LangChain puts streamed parts together"),
    CallShape(("name",), ("args",), "LangChain"),
    CallShape(("name",), ("inputs",), "spans of MLflow"),
    CallShape(("name",), ("attributes", "mlflow.spanInputs"), "spans of MLflow, as they are kept"),
    CallShape(("name",), ("input_parameters",), "DeepEval"),
    CallShape(("name",), ("inputParameters",), "DeepEval, in its files"),
    CallShape(("function",), ("arguments",), "Inspect"),
)
_NAMES = tuple(dict.fromkeys(shape.name for shape in SHAPES))
_ARGUMENTS = tuple(dict.fromkeys(shape.arguments for shape in SHAPES))
# Keys that a call without arguments may have; what it returned is no argument.
_BESIDE = frozenset(
    {
        *("name", "function", "custom", "attributes"),
        *("id", "call_id", "tool_call_id", "index", "type", "status", "caller"),
        *("description", "reasoning", "output", "outputs", "result", "error", "exception", "view"),
        *("metadata", "events", "context", "internal", "extras", "thought_signature"),
        *("parse_error", "status_code", "status_message", "span_id", "trace_id", "span_type"),
        *("parent_id", "parent_span_id", "start_time", "end_time", "start_time_ns", "end_time_ns"),
        *("start_time_unix_nano", "end_time_unix_nano", "timestamp", "latency", "duration"),
    }
)
# Keys of messages, and of what tools returned. Their `name` may be that of an agent.
_OF_MESSAGES = ("role", "content", "tool_calls", "tool_use_id")
# The attributes of a span that are known to be no arguments begin so.
_OF_MLFLOW = "mlflow."
# What a call says of itself if its arguments are not those that the model gave.
_UNFINISHED = {
    "status": frozenset({"incomplete", "in_progress"}),
    "type": frozenset({"invalid_tool_call"}),
}
_FAULT = "parse_error"
# The keys that are looked at in each call.
_KEYS = frozenset((*(path[0] for path in (*_NAMES, *_ARGUMENTS)), *_UNFINISHED, _FAULT))
_call = made_of(ToolCall)
_OTHER_KEYS = _KEYS - {"name", "arguments"}
# What is none of the arguments, whatever its key is.
_NOTHING: tuple[Any, ...] = (None, "", [], {})


class ReadCalls(NamedTuple):
    """The recorded calls of an output, and the faults of those that cannot be read.

    Each fault has a message and its path below the list.
    """

    calls: tuple[ToolCall, ...]
    faults: tuple[tuple[str, Path], ...] = ()


def read_calls(recorded: Iterable[Any]) -> ReadCalls:
    """Read the calls of an output, each in any of the `SHAPES`.

    A call that cannot be read says so (`ToolCall.fault`); its name is empty if it has none.
    """
    calls, faults = [], []
    for index, item in enumerate(recorded):
        if _is_plain(item):
            calls.append(_call((item["name"], item["arguments"], None)))
            continue
        call, path = _read_call(item)
        calls.append(call)
        if call.fault is not None:
            faults.append((call.fault, (index, *path)))
    return ReadCalls(tuple(calls), tuple(faults))


def _is_plain(item: Any) -> bool:
    """Whether a call has a name, an object of arguments, and no other key that is known."""
    return (
        item.__class__ is dict
        and item.get("arguments").__class__ is dict
        and item.get("name").__class__ is str
        and _OTHER_KEYS.isdisjoint(item)
        and bool(item["name"].strip())
    )


def _read_call(item: Any) -> tuple[ToolCall, Path]:
    """Return a call, and where it has its fault, if it has one."""
    shape = _shape_of(_KEYS.intersection(item if isinstance(item, dict) else ()))
    names = [name for _, name in _values(item, shape.names) if isinstance(name, str)]
    if len(names) != 1 or not names[0].strip():
        several = "several names" if len(names) > 1 else "no name that is known"
        return ToolCall("", None, f"a recorded tool call has {several}"), ()
    (name,) = names
    given = [*_values(item, shape.arguments)]
    if len(given) > 1:
        keys = listed([f"`{'.'.join(path)}`" for path, _ in given])
        return ToolCall(name, None, f"a tool call has arguments under several keys: {keys}"), ()
    if shape.may_be_unfinished and (key := _unfinished(item)) is not None:
        message = f"the arguments of a tool call are not known, as its `{key}` says"
        return ToolCall(name, None, message), (key,)
    if not given:
        return _without_arguments(item, name)
    ((path, value),) = given
    is_text = isinstance(value, str) and item.get("type") in ("custom", "custom_tool_call")
    # Inspect names the text of a custom tool so, too.
    arguments = {"input": value} if is_text else _parsed(value)
    if arguments is None:
        message = "the arguments of a tool call are no object, nor the JSON text of one"
        return ToolCall(name, None, message), path
    return ToolCall(name, arguments), ()


class _KeysOfCall(NamedTuple):
    """Where a call may have its name and arguments, and whether it may say it is unfinished."""

    names: Sequence[tuple[str, ...]]
    arguments: Sequence[tuple[str, ...]]
    may_be_unfinished: bool


@lru_cache(maxsize=1 << 10)  # most calls have the same keys
def _shape_of(keys: frozenset[str]) -> _KeysOfCall:
    names, arguments = (
        [path for path in paths if path[0] in keys] for paths in (_NAMES, _ARGUMENTS)
    )
    may_be_unfinished = not keys.isdisjoint((*_UNFINISHED, _FAULT))
    return _KeysOfCall(names, arguments, may_be_unfinished)


def _unfinished(item: Mapping[str, Any]) -> str | None:
    """Return the key that says that the arguments are cut short, or could not be parsed."""
    for key, values in _UNFINISHED.items():
        if isinstance(value := item.get(key), str) and value in values:
            return key
    return _FAULT if item.get(_FAULT) else None


def _without_arguments(item: Mapping[str, Any], name: str) -> tuple[ToolCall, Path]:
    """Return a call that has nothing known as arguments: it has none, or a shape not known."""
    message_key = next((key for key in _OF_MESSAGES if item.get(key) is not None), None)
    if message_key is not None:
        message = f"`{message_key}` is no key of a tool call, but of a message or of a result"
        return ToolCall("", None, message), (message_key,)
    unknown = next(_may_be_arguments(item), None)
    if unknown is None:
        return ToolCall(name), ()
    message = f"`{clipped(str(unknown[-1]))}` is no known key of a tool call's arguments"
    if unknown[0] == "attributes":  # the name of a span that another tool keeps may be any
        name = ""
    return ToolCall(name, None, message), unknown


def _values(item: Any, paths: Iterable[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values of an item at some paths, but for those that are null."""
    for path in paths:
        value = item
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            yield path, value


def _may_be_arguments(item: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the paths of what a call without known arguments may have as such."""
    for path in ((), ("function",), ("custom",), ("attributes",)):
        mapping = item.get(path[0]) if path else item
        for key, value in mapping.items() if isinstance(mapping, dict) else ():
            is_known = key.startswith(_OF_MLFLOW) if path == ("attributes",) else key in _BESIDE
            if not is_known and value not in _NOTHING:
                yield (*path, key)


def _parsed(arguments: Any) -> dict[str, Any] | None:
    """Return arguments, which may be JSON text; None if they are no object."""
    if isinstance(arguments, str):
        from evalcontract.source.json import load_json  # slow to import

        try:
            arguments = load_json(arguments.encode()) if arguments.strip() else {}
        except (ParseError, ValueError):  # not JSON, or not Unicode
            return None
    return arguments if isinstance(arguments, dict) else None


class Call(NamedTuple):
    """A call, or what is expected of one; the values of `arguments` are comparable.

    They are equal as in JSON Schema: 1 is 1.0, but not true. `arguments` is None if what was
    given is no object, or nothing asks for them.
    """

    name: str
    arguments: Mapping[str, Hashable] | None

    def fits(self, expected: Call) -> bool:
        """Whether the call is one that is expected: it may have further arguments."""
        if self.name != expected.name or not expected.arguments:
            return self.name == expected.name
        own = self.arguments
        return own is not None and all(
            key in own and own[key] == value for key, value in expected.arguments.items()
        )

    def __str__(self) -> str:
        return f"{quoted(self.name)}{' with the expected arguments' if self.arguments else ''}"


def expectations_of(expected: Iterable[Any]) -> list[Call]:
    """Return the expected calls of a check or a row: names, or mappings with `arguments`."""
    return [
        Call(item["name"], _comparable(item.get("arguments") or {}))
        if isinstance(item, dict)
        else Call(item, {})
        for item in expected
    ]


def calls_of(recorded: Iterable[ToolCall], expected: Iterable[Call]) -> list[Call]:
    """Return the recorded calls; they have their arguments only if an expected call has some."""
    if any(call.arguments for call in expected):
        return [Call(call.name, _comparable(call.arguments or {})) for call in recorded]
    return [Call(call.name, None) for call in recorded]


def fault_of(recorded: Iterable[ToolCall], expected: Iterable[Call]) -> str | None:
    """Return why recorded calls cannot be compared with the expected ones; None if they can.

    Without its name none can; without its arguments one that may be expected to have some.
    """
    compared = {call.name for call in expected if call.arguments}
    faulty = (call for call in recorded if call.fault is not None)
    return next((call.fault for call in faulty if not call.name or call.name in compared), None)


def _comparable(arguments: Any) -> dict[str, Hashable] | None:
    if not isinstance(arguments, dict):
        return None
    return {key: hashable(value) for key, value in arguments.items()}


def unmatched(expected: Sequence[Call], calls: Sequence[Call]) -> list[Call]:
    """Return the expected calls for which no call is left, as few as possible.

    Each call stands for one expected call. Those with arguments choose first: one without takes
    any call of its name.
    """
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    groups: dict[str, list[Call]] = {}
    for item in expected:
        groups.setdefault(item.name, []).append(item)
    missing: list[Call] = []
    for name, items in groups.items():
        calls_by_name = by_name.get(name, ())
        particular = [item for item in items if item.arguments]
        if particular:
            lacking = _without_call(particular, calls_by_name)
            free = len(calls_by_name) - (len(particular) - len(lacking))
            missing += [*lacking, *[item for item in items if not item.arguments][free:]]
        else:
            missing += items[len(calls_by_name) :]
    return missing


def _without_call(expected: Sequence[Call], calls: Sequence[Call]) -> list[Call]:
    """Return the expected calls that a largest matching leaves without a call."""
    matches: dict[int, int] = {}  # the number of an expected call by that of its call
    lacking = []
    for start, item in enumerate(expected):
        origins: dict[int, int] = {}  # for each call that was reached, the expected call before
        pending, free = [start], None
        while pending and free is None:
            current = pending.pop(0)
            for number, call in enumerate(calls):
                if number in origins or not call.fits(expected[current]):
                    continue
                origins[number] = current
                if number not in matches:
                    free = number
                    break
                pending.append(matches[number])
        if free is None:
            lacking.append(item)
            continue
        held = {by: number for number, by in matches.items()}
        while free is not None:  # each on the path takes the call that it reached
            current = origins[free]
            matches[free] = current
            free = held.get(current)
    return lacking


def first_out_of_order(expected: Sequence[Call], calls: Sequence[Call]) -> Call | None:
    """Return the first expected call that does not follow the one before it, or None.

    Other calls may come between. With as many calls as expected ones, none can.
    """
    remaining = iter(calls)
    for item in expected:
        if not any(call.fits(item) for call in remaining):
            return item
    return None


_OWN = ("forbidden_tools", "max_calls")
# So many verdicts are kept for a check, each on at most so many names.
_TEXTS, _name_of = {str}, itemgetter(0)
_MAX_KNOWN, _MAX_NAMES = 1 << 10, 50


def _reads(check: Check, context: EvalContext) -> frozenset[str]:
    return frozenset() if "expected_tools" in check else frozenset({"expected_tools"})


def _needs(check: Check, context: EvalContext) -> Needs:
    exact = check.get("match") == "exact"
    if any(check.get(key) not in (None, []) for key in _OWN):
        return Needs()
    if "expected_tools" not in check:
        # With an exact match, an empty list requires that no tool is called.
        return Needs(present=("expected_tools",)) if exact else Needs(("expected_tools",))
    if not check["expected_tools"] and not exact:
        return never_runs(State.VACUOUS, "its `expected_tools` is empty")
    return Needs()


def _prepare(check: Check, context: EvalContext) -> Executor:
    filled = with_defaults(check)
    own = filled.get("expected_tools")

    def judge(expected: Iterable[Any] | None, recorded: Sequence[ToolCall]) -> Verdict:
        expectations = None if expected is None else expectations_of(expected)
        if (unread := fault_of(recorded, expectations or ())) is not None:
            return unavailable(unread)
        calls = calls_of(recorded, expectations or ())
        fault = _limit_fault(filled, calls)
        if fault is None and expectations is not None:
            fault = _fault_of(expectations, calls, filled["match"], order=filled["order"])
        return PASSED if fault is None else failed(fault)

    @lru_cache(maxsize=_MAX_KNOWN)  # many rows expect the same tools and call the same
    def judge_names(expected: tuple[str, ...], called: tuple[str, ...]) -> Verdict:
        return judge(expected, [*map(ToolCall, called)])

    def execute(row: Mapping[str, Any], output: Output) -> Verdict:
        recorded = output.tool_calls
        if recorded is None:
            return unavailable("no tool calls of the output were recorded")
        expected = row.get("expected_tools") if own is None else own
        if expected and _TEXTS.issuperset(map(type, expected)):
            called = tuple(map(_name_of, recorded))
            if len(expected) + len(called) <= _MAX_NAMES and all(called):
                return judge_names(tuple(expected), called)
        try:
            return judge(expected, recorded)
        except RecursionError:
            return error("the arguments of a tool call are nested too deeply")

    return execute


def _limit_fault(check: Check, calls: list[Call]) -> str | None:
    """Return why the calls break a limit that does not depend on what is expected, or None."""
    names = dict.fromkeys(call.name for call in calls)
    forbidden = [name for name in check.get("forbidden_tools", ()) if name in names]
    if forbidden:
        return f"it called {quoted_list(forbidden)}, which it must not"
    most = check.get("max_calls")
    if most is not None and len(calls) > most:
        return f"it made {len(calls):,} calls, and at most {most:,} are allowed"
    return None


def _fault_of(expected: list[Call], calls: list[Call], match: str, order: str) -> str | None:
    missing = unmatched(expected, calls)
    if match == "any":
        if expected and len(missing) == len(expected):
            return f"it called none of {_calls_of(expected)}"
        return None
    if missing:
        return f"it did not call {_calls_of(missing)}"
    if match == "exact" and len(calls) > len(expected):
        surplus = Counter(call.name for call in calls)
        surplus.subtract(call.name for call in expected)
        others = [name for name, count in surplus.items() if count > 0]
        return f"it also called {quoted_list(others)}"
    if order == "sequence" and (late := first_out_of_order(expected, calls)) is not None:
        return f"it did not call {late} in the order expected"
    return None


def _calls_of(expected: list[Call]) -> str:
    return listed(list(dict.fromkeys(map(str, expected))))


KIND = CheckKind("tool_usage", _reads, _needs, prepare=_prepare)
