"""What a kind of check is to a row: whether it will run, and what it needs of the row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.library.library import Library

_INDEX = re.compile("[0-9]{1,9}")

Check = dict[str, Any]

#: A key of a row that checks read, or a dotted name below one: `expected.format`.
Field = str


class State(StrEnum):
    """What will become of a check on a row.

    It runs; it is skipped for want of something; it passes whatever the output is; it cannot
    be run on this machine or in this workspace; or it fails whatever the output is, which only
    those of other systems do.
    """

    RUN = "run"
    SKIP = "skip"
    VACUOUS = "vacuous"
    UNAVAILABLE = "unavailable"
    FAIL = "fail"


class Prediction(NamedTuple):
    """What will become of a check, and why if it will not run.

    `field` is the key of the row that is to blame; without one it is the rubric's fault, or the
    machine's.
    """

    state: State
    reason: str | None = None
    field: str | None = None

    @property
    def runs(self) -> bool:
        """Whether the check will say something of the output."""
        return self.state is State.RUN


RUNS = Prediction(State.RUN)
#: Of a row that asks for the format `text`, and for nothing else.
ANY_TEXT = Prediction(
    State.VACUOUS, "the row asks for text, and every output is", "expected.format"
)


class Needs(NamedTuple):
    """What a check asks of a row, whatever the row is.

    `fields` must be there and hold something, `present` may be empty; with all of them the check
    runs, unless `never_runs` says why it never does.
    """

    fields: tuple[Field, ...] = ()
    never_runs: Prediction | None = None
    present: tuple[Field, ...] = ()


class EvalContext(NamedTuple):
    """What decides besides the rubric: the library, the machine, the files of the workspace."""

    library: Library
    has_php: bool
    read_json: Callable[[str], Any]


class CheckKind(NamedTuple):
    """A kind of check: `reads` are the fields that it may read, `needs` what it asks of a row.

    `schema` is for kinds of other packages: a JSON Schema of such a check, with the `properties`
    that are its parameters. The keys that every check may have are added to it. Of the built-in
    kinds the rubric schema has it.
    """

    name: str
    reads: Callable[[Check, EvalContext], frozenset[str]]
    needs: Callable[[Check, EvalContext], Needs]
    schema: Mapping[str, Any] | None = None


def reads_nothing(check: Check, around: EvalContext) -> frozenset[str]:
    """Say that a kind looks at the output alone."""
    del check, around
    return frozenset()


def always_runs(check: Check, around: EvalContext) -> Needs:
    """Say that a kind runs on every row."""
    del check, around
    return Needs()


def never_runs(state: State, reason: str) -> Needs:
    """Say why a check never runs, on whatever row."""
    return Needs(never_runs=Prediction(state, reason))


def field_of(row: Mapping[str, Any], field: str) -> Any:
    """Return what a row holds in a field; None where it has none.

    A number is the place in a list, as in Mustache.
    """
    value: Any = row
    for name in field.split("."):
        if isinstance(value, list) and _INDEX.fullmatch(name):
            value = value[int(name)] if int(name) < len(value) else None
        elif isinstance(value, Mapping):
            value = value.get(name)
        else:
            return None
    return value


def is_empty(field: str, value: Any) -> bool:
    """Whether a value says nothing: no items, no text but spaces, or facts that are all so.

    Facts are looked for spaces aside: a blank one stands in every output.
    """
    if isinstance(value, str):
        return not value.strip()
    if field == "expected_facts" and isinstance(value, list):
        return all(isinstance(each, str) and not each.strip() for each in value)
    return value in ([], {})


def outlook_of(needs: Needs, row: Mapping[str, Any]) -> Prediction:
    """Return what will become of a check with such needs on a row."""
    if needs.never_runs is not None:
        return needs.never_runs
    for field in (*needs.fields, *needs.present):
        value = field_of(row, field)
        if value is None:
            return Prediction(State.SKIP, f"the row has no `{field}`", field)
        if field in needs.fields and is_empty(field, value):
            return Prediction(State.VACUOUS, f"the row's `{field}` is empty", field)
        if field == "expected.format" and value == "text":
            return ANY_TEXT
    return RUNS
