"""Kinds of checks: what each needs from a row, and whether it will run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks._time_limit import Searches
from evalcontract.library.library import Artifact, Library
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.authored import SchemaAnalyses

if TYPE_CHECKING:
    from evalcontract.checks.outcome import Executor, Verdict

    #: Asks a judge, given the variables of its template.
    Ask = Callable[[Artifact, Mapping[str, Any]], Verdict]

_INDEX = lazy_pattern("[0-9]{1,9}")

Check = dict[str, Any]
Row = Mapping[str, Any]

#: A key of a row that checks read, or a dotted path such as `expected.format`.
Field = str


class State(StrEnum):
    """The predicted state of a check on a row.

    RUN: the check runs. SKIP: it is skipped because the row lacks a key. VACUOUS: it passes
    whatever the output is. UNAVAILABLE: it cannot run on this machine or in this workspace. FAIL:
    it fails whatever the output is; only graders of other systems do that.
    """

    RUN = "run"
    SKIP = "skip"
    VACUOUS = "vacuous"
    UNAVAILABLE = "unavailable"
    FAIL = "fail"


class Prediction(NamedTuple):
    """The predicted state of a check, and the reason if it will not run.

    `field` is the key of the row that causes it; None if the cause is the rubric or the machine.
    With `may_run`, a check that is unavailable can judge some outputs all the same: it is tried,
    and is unavailable on the others.
    """

    state: State
    reason: str | None = None
    field: str | None = None
    may_run: bool = False

    @property
    def runs(self) -> bool:
        """Whether the check will run."""
        return self.state is State.RUN

    @property
    def is_tried(self) -> bool:
        """Whether the check is given the output."""
        return self.state is State.RUN or self.may_run


RUNS = Prediction(State.RUN)
#: The prediction for `format: text` without any other constraint.
ANY_TEXT = Prediction(
    State.VACUOUS, "the row expects text, and every output is text", "expected.format"
)


class Needs(NamedTuple):
    """What a check needs from a row.

    `fields` must be present and not empty, `present` may be empty. With all of them the check runs,
    unless `never_runs` gives the reason why it never does. `judges` are those whose templates show
    some of these.
    """

    fields: tuple[Field, ...] = ()
    never_runs: Prediction | None = None
    present: tuple[Field, ...] = ()
    judges: tuple[Artifact, ...] = ()


class EvalContext(NamedTuple):
    """The context of a prediction, besides rubric and row: library, machine, workspace files.

    `schemas` analyses what authors write. `ask` asks a judge about an output, given the judge and
    the variables of its template, and returns the verdict; its score is from 0 to 1. It is None if
    no model is configured. `declared` are the kinds of checks that only another runner knows.
    `searches` limits the time of all searches for patterns together. `reads` gets the names of the
    files that the checks of each rubric read, by the exact name of the rubric.
    """

    library: Library
    has_php: bool
    read_json: Callable[[str], Any]
    schemas: SchemaAnalyses
    ask: Ask | None = None
    declared: frozenset[str] = frozenset()
    searches: Searches | None = None
    reads: dict[str, set[str]] | None = None

    def of(self, rubric: Artifact) -> EvalContext:
        """Return the context for the checks of a rubric, which notes the files that they read.

        Those of a rubric of a library are files of that library.
        """
        if self.reads is None and rubric.library is None:
            return self
        names = set() if self.reads is None else self.reads.setdefault(rubric.name, set())
        prefix, read_json = f"{rubric.library}:" if rubric.library else "", self.read_json

        def noted(name: str) -> Any:
            names.add(prefix + name)
            return read_json(prefix + name)

        return self._replace(read_json=noted)


def reads_nothing(check: Check, context: EvalContext) -> frozenset[str]:
    """Return no fields: the kind reads only the output."""
    return frozenset()


def always_runs(check: Check, context: EvalContext) -> Needs:
    """Return no needs: the kind runs on every row."""
    return Needs()


class CheckKind(NamedTuple):
    """A kind of check: `reads` returns the fields that it may read, `needs` what it needs.

    `schema` is for kinds of other packages: a JSON Schema for checks of the kind, with its
    parameters as `properties`. The keys that every check may have are added to it. The schemas of
    the built-in kinds are part of the rubric schema.

    `prepare` returns what runs a check on outputs; None if nothing does. It is called once for a
    check, which must be well-formed. What it returns is called only for rows that have what the
    check `needs`, or for which its prediction says that it `may_run`.
    """

    name: str
    reads: Callable[[Check, EvalContext], frozenset[str]] = reads_nothing
    needs: Callable[[Check, EvalContext], Needs] = always_runs
    schema: Mapping[str, Any] | None = None
    prepare: Callable[[Check, EvalContext], Executor] | None = None


def reads_unless(key: str, field: Field) -> Callable[[Check, EvalContext], frozenset[str]]:
    """Return the `reads` of a kind that reads a field of the row unless the check has a key."""

    def reads(check: Check, context: EvalContext) -> frozenset[str]:
        return frozenset() if key in check else frozenset({field})

    return reads


def needs_unless(key: str, field: Field) -> Callable[[Check, EvalContext], Needs]:
    """Return the `needs` of a kind that reads a field of the row unless the check has a key."""

    def needs(check: Check, context: EvalContext) -> Needs:
        return Needs() if key in check else Needs((field,))

    return needs


def never_runs(state: State, reason: str) -> Needs:
    """Return the needs of a check that runs on no row, with the reason."""
    return Needs(never_runs=Prediction(state, reason))


def field_of(row: Row, field: str) -> Any:
    """Return the value of a row's field, or None if it has none.

    A number is an index of a list, as in Mustache.
    """
    if row.__class__ is dict and "." not in field:
        return row.get(field)
    value: Any = row
    for name in field.split("."):
        if isinstance(value, dict):  # tested first, since this runs often
            value = value.get(name)
        elif isinstance(value, list) and _INDEX.fullmatch(name):
            value = value[int(name)] if int(name) < len(value) else None
        elif isinstance(value, Mapping):
            value = value.get(name)
        else:
            return None
    return value


_WANTED = ("expected_facts", "must_contain_any")


def is_empty(field: str, value: Any) -> bool:
    """Whether a value is an empty collection or a blank text.

    A list of texts of which the output has to contain some is empty if all of them are blank:
    a blank text is part of almost every output.
    """
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, list) and field in _WANTED:
        for text in value:  # noqa: SIM110 - faster, and mostly the first one decides
            if not isinstance(text, str) or text.strip():
                return False
        return True
    return not value and isinstance(value, list | dict)


def outlooks_of(needs: Iterable[Needs], row: Row) -> Iterator[Prediction]:
    """Yield the prediction for each of some checks on a row; each field is looked up once."""
    known: dict[tuple[Field, bool], Prediction | None] = {}

    def obstacle(field: Field, row: Row, may_be_empty: bool) -> Prediction | None:  # noqa: FBT001 - as `_obstacle`
        key = field, may_be_empty
        if key not in known:
            known[key] = _obstacle(field, row, may_be_empty)
        return known[key]

    for each in needs:
        yield outlook_of(each, row, obstacle)


@lru_cache(maxsize=1 << 12)  # it is asked for each row that lacks the field
def _skip_prediction(field: Field) -> Prediction:
    return Prediction(State.SKIP, f"the row has no `{field}`", field)


def _obstacle(
    field: Field,
    row: Row,
    may_be_empty: bool,  # noqa: FBT001 - it is called for each row
) -> Prediction | None:
    """Return what a check that needs a field of a row comes to because of it; None if it runs."""
    value = field_of(row, field)
    if value is None:
        return _skip_prediction(field)
    if may_be_empty:  # a judge, which may be shown a format that says nothing of the output
        return None
    if is_empty(field, value):
        return Prediction(State.VACUOUS, f"the row's `{field}` is empty", field)
    return ANY_TEXT if field == "expected.format" and value == "text" else None


def outlook_of(
    needs: Needs,
    row: Row,
    obstacle_of: Callable[[Field, Row, bool], Prediction | None] = _obstacle,
) -> Prediction:
    """Return the prediction for one check on a row; `obstacle_of` looks up what it needs."""
    if needs.never_runs is not None:
        return needs.never_runs
    for field in needs.fields:
        obstacle = obstacle_of(field, row, False)
        if obstacle is not None:
            return obstacle
    for field in needs.present:
        obstacle = obstacle_of(field, row, True)
        if obstacle is not None:
            return obstacle
    return RUNS
