"""Compare recorded tool calls with expected ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks._texts import quoted
from evalcontract.model.equality import hashable
from evalcontract.source.fault import ParseError
from evalcontract.source.json import load_json

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from evalcontract.checks.outcome import ToolCall


class Call(NamedTuple):
    """A call, or what is expected of one; the values of `arguments` are comparable.

    They are equal as in JSON Schema: 1 is 1.0, but not true. `arguments` is None if what was
    recorded is no object, or nothing asks for them.
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
    """Return the recorded calls; arguments that are the text of a JSON object are parsed.

    They have their arguments only if an expected call has some.
    """
    if any(call.arguments for call in expected):
        return [Call(call.name, _comparable(_parsed(call.arguments))) for call in recorded]
    return [Call(call.name, None) for call in recorded]


def _parsed(arguments: Any) -> Any:
    if arguments is None:
        return {}
    if not isinstance(arguments, str):
        return arguments
    try:
        return load_json(arguments.encode()) if arguments.strip() else {}
    except (ParseError, ValueError):  # not JSON, or not Unicode
        return None


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
        made = by_name.get(name, ())
        particular = [item for item in items if item.arguments]
        if particular:
            lacking = _without_call(particular, made)
            free = len(made) - (len(particular) - len(lacking))
            missing += [*lacking, *[item for item in items if not item.arguments][free:]]
        else:
            missing += items[len(made) :]
    return missing


def _without_call(expected: Sequence[Call], calls: Sequence[Call]) -> list[Call]:
    """Return the expected calls that a largest matching leaves without a call."""
    taken: dict[int, int] = {}  # the number of an expected call by that of its call
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
                if number not in taken:
                    free = number
                    break
                pending.append(taken[number])
        if free is None:
            lacking.append(item)
            continue
        held = {by: number for number, by in taken.items()}
        while free is not None:  # each on the path takes the call that it reached
            current = origins[free]
            taken[free] = current
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
