"""Check cases: what NorthStar's models reject, and what its loader silently accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evalcontract.formats._findings import FirstRows, as_json, misspelled_messages, parsed_json
from evalcontract.formats._format import RowChecker, SchemaChecker
from evalcontract.formats._graders import Fact, read_field
from evalcontract.formats.northstar.case import (
    LACKING,
    Trace,
    has_content,
    is_blank,
    phrases,
    read_trace,
    to_bool,
    trace_of,
)
from evalcontract.formats.northstar.numbers import (
    EXPECTED,
    METRICS,
    TRACE,
    number_faults,
    without_numbers,
)
from evalcontract.formats.northstar.warnings import Evaluation, warnings
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.source.document import value_at
from evalcontract.source.installed import table

_REJECTED = frozenset(
    f"northstar/{fault}"
    for fault in ("missing-key", "wrong-type", "unknown-key", "out-of-range", "malformed-value")
)
_DUPLICATE = Problem(
    "northstar/duplicate-id",
    "duplicate id `{name}`: NorthStar loads both cases, and their results look the same",
    (),
    "ids must be unique",
)


class NorthstarChecker(RowChecker):
    """One pass over cases; remembers their ids."""

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._ids = FirstRows()
        self._evaluation = Evaluation()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Sequence[Problem]:
        """Check the next case."""
        problems = [] if is_clean else self._faults(row, path)
        if is_clean or isinstance(row, dict):
            problems += number_faults(row, path)
        if problems and any(problem.code in _REJECTED for problem in problems):
            return problems
        if is_blank(row["id"]):
            message = "the id is blank, so the result cannot be attributed to the case"
            where = (*path, "id")
            problems.append(Problem("northstar/blank-id", message, where, "write a name"))
        else:
            problems += self._ids.duplicate(row["id"], path, "id", _DUPLICATE)
        problems += warnings(row, path)
        problems += misspelled_messages(self._schema, row["messages"], (*path, "messages"))
        self._evaluation.observe(row, path)
        return problems

    def finish(self) -> Iterator[Problem]:
        """Report the cases that the default plan does not evaluate."""
        return self._evaluation.finish()

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        # The schema cannot describe everything that is read as a number, nor do its engines
        # support NaN.
        given = without_numbers(row) if isinstance(row, dict) else row
        return [_advised(problem, row, path) for problem in self._schema.faults(given, path)]


_FIELDS: dict[str, Any] = {"metrics": METRICS, "expected": EXPECTED, "expected.trace": TRACE}
# The mapping that a key belongs to; `trace` is also a key of a case.
_HOMES = {key: home for home, keys in _FIELDS.items() for key in keys if key != "trace"}
_MAX_LENGTH = 60


def _advised(problem: Problem, row: Any, path: Path) -> Problem:
    """Return a schema problem with the JSON to write, or the mapping that its key belongs to."""
    where = problem.path[len(path) :]
    fault = problem.code.partition("/")[2]
    if fault == "unknown-key":
        return problem._replace(help=_right_key(where) or problem.help)
    if fault == "missing-key":
        missing = table("formats/northstar.samples")["missing"]
        return problem._replace(help=missing.get(problem.message, problem.help))
    if fault == "wrong-type" and "write" in (problem.help or ""):
        return problem._replace(help=_right_value(row, where) or problem.help)
    return problem


def _right_key(where: Path) -> str | None:
    """Return the help for an unknown key: its mapping, or its whole name."""
    key, within = str(where[-1]), ".".join(map(str, where[:-1]))
    home = _HOMES.get(key)
    if home is not None and home != within:
        return f"it belongs below `{home}`"
    near = [known for known in _FIELDS.get(within, ()) if key in _abbreviations(known)]
    return f"did you mean `{near[0]}`?" if len(near) == 1 else None


def _abbreviations(key: str) -> tuple[str, str]:
    """Return a key without its unit and prefix: `max_cost` and `cost` for `max_cost_usd`."""
    shorter = key.removesuffix("_usd").removesuffix("_ms")
    return shorter, shorter.removeprefix("max_")


def _right_value(row: Any, where: Path) -> str | None:
    """Return the help for a value of a wrong type: what was probably meant, or a sample."""
    keys = [step for step in where if isinstance(step, str)]
    if meant := _meant_by(keys[-1] if keys else "", value_at(row, where)):
        return f"write {meant}"
    samples = table("formats/northstar.samples")["samples"]
    sample = samples.get(".".join(keys)) or samples.get(keys[-1])
    if sample is None:
        return None
    is_item = bool(keys) and isinstance(where[-1], int)
    return f"write {sample[1:-1] if is_item else sample}"


def _meant_by(key: str, value: Any) -> str | None:
    """Return as JSON what a value of a wrong type surely means; None if it is unclear or long."""
    meant: Any = None
    if key == "relevant_retrieval_ids" and isinstance(value, str):
        meant = [value]
    elif key == "messages" and isinstance(value, str):
        meant = [{"role": "user", "content": value}]
    elif key == "messages" and isinstance(value, dict) and "role" in value:
        meant = [value]
    elif key == "arguments" and isinstance(value, str):
        parsed = parsed_json(value)
        meant = parsed if isinstance(parsed, dict) else None
    elif key == "tool_arguments" and isinstance(value, dict):
        is_call = value.keys() == {"name", "arguments"}
        meant = [value] if is_call else _calls(value)
    text = as_json(meant)
    return text if meant and len(text) <= _MAX_LENGTH else None


def _calls(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return tool calls that were written as a mapping from names to arguments."""
    if not all(isinstance(part, dict) for part in value.values()):
        return None
    return [{"name": name, "arguments": part} for name, part in value.items()]


def _of_trace(is_true: Callable[[Trace], bool]) -> Fact:
    return lambda case, _: (trace := read_trace(case)) is not None and is_true(trace)


#: The facts that the verdicts of `northstar.graders.json` refer to.
FACTS: Mapping[str, Fact] = {
    "empty_list": lambda case, key: read_field(case, key) == [],
    "no_calls": lambda case, key: read_field(case, key) == [],
    "no_answer": lambda case, _: not has_content(case["messages"], "assistant"),
    "no_texts": lambda case, key: not phrases(read_field(case, key)),
    "holds_empty": lambda case, key: "" in phrases(read_field(case, key)),
    "blank": lambda case, key: not any(phrases(read_field(case, key))),
    "false": lambda case, key: not to_bool(read_field(case, key)),
    "context": lambda case, _: bool(phrases(read_field(case, "expected.context"))),
    "tool_output": lambda case, _: has_content(case["messages"], "tool"),
    "no_trace": lambda case, _: trace_of(case) is None,
    "broken_trace": lambda case, _: read_trace(case) is None,
    **{name: _of_trace(is_lacking) for name, is_lacking in LACKING.items()},
}
