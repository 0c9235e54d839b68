"""NorthStar: recorded agent runs as JSON or JSONL, checked as its pydantic models check them.

Written from the table of fields in its documentation, and from measurements of its loader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._findings import (
    SystemChecker,
    as_json,
    bom_rejected,
    is_list_of,
    misspelled_messages,
    parsed_json,
)
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.formats._graders import Fact, read_field
from evalcontract.formats.northstar.case import (
    LACKING,
    LIMITS,
    LISTS,
    TEXT_GRADERS,
    Trace,
    fault_of,
    has_content,
    is_blank,
    is_evaluated,
    is_judged,
    phrases,
    read_trace,
    to_bool,
    to_int,
    trace_of,
)
from evalcontract.formats.northstar.numbers import (
    EXPECTED,
    METRICS,
    TRACE,
    normal,
    number_faults,
    same_as,
    without_numbers,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.values import json_equal, quoted
from evalcontract.source.document import value_at
from evalcontract.source.installed import table

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

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


class NorthstarChecker(SystemChecker):
    """One pass over cases; remembers their ids, and counts those that only judges evaluate."""

    _judged = 0
    _first: Path = ()
    _has_expectations = False

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
            problems += self._names.duplicate(row["id"], path, "id", problem=_DUPLICATE)
        problems += _warnings(row, path)
        problems += misspelled_messages(self._schema, row["messages"], (*path, "messages"))
        self._observe(row, path)
        return problems

    def finish(self) -> Iterator[Problem]:
        """Report cases that expect nothing while others do; for the rest, one note."""
        judged, first = self._judged, self._first
        if self._has_expectations:
            yield from self.bare_rows(_not_evaluated(()))
        elif self._bare:
            judged += len(self._bare)
            first = first or self._bare[0]
        if judged:
            cases = "1 case is" if judged == 1 else f"{judged:,} cases are"
            message = f"{cases} not evaluated by the default plan: only judges and trace graders do"
            yield Problem("northstar/judges-only", message, first, _ADVICE)

    def _observe(self, row: dict[str, Any], path: Path) -> None:
        """Add a valid case."""
        expected = row.get("expected")
        if expected and is_evaluated(expected):
            self._has_expectations = True
        elif is_judged(row):
            self._has_expectations = self._has_expectations or bool(expected)
            self._first = self._first if self._judged else path
            self._judged += 1
        elif not expected:
            self._bare.append(path)

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        # The schema cannot describe everything that is read as a number, nor do its engines
        # support NaN.
        given = without_numbers(row) if isinstance(row, dict) else row
        return [_advised(problem, row, path) for problem in self._schema.faults(given, path)]


_NOTHING: dict[str, Any] = {}
# A `run_id` alone would make a trace that NorthStar stops at.
_PAYLOAD = "write all that `client.flush()` gives: its `runs`, `sessions`, `spans` and `events`"
# Empty, these pass always. An empty `tool_sequence` means that no tool may be called.
_VACUOUS = tuple(key for key in LISTS if key not in ("tool_sequence", "context"))
_TOOLS = ("required_tools", "tool_sequence", "forbidden_tools")
# The fields that read a single text as a list of one.
_WRAPPED = (*_TOOLS, "contains", "not_contains", "context")
_IDS, _MINIMA = "relevant_retrieval_ids", ("min_retrieval_precision", "min_retrieval_recall")


def _warnings(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the warnings of a valid case."""
    expected = row.get("expected") or _NOTHING
    where = (*path, "expected")
    if expected and not is_evaluated(expected) and not is_judged(row):
        yield _not_evaluated(where)
    else:
        yield from _grading(row, expected, where, path=path)
        yield from _lists_as_text(expected, where)
        if expected.get("not_contains"):
            yield from _clashing_phrases(expected, where)
        if expected.get("forbidden_tools") or expected.get("max_tool_calls") is not None:
            yield from _clashing_tools(expected, where)
    of_trace = expected.get("trace") or _NOTHING
    yield from _trace(row, of_trace, path)
    yield from _ungraded_retrieval(of_trace, (*where, "trace"))


def _not_evaluated(place: Path) -> Problem:
    """Report a case that nothing evaluates."""
    message = "the case is not evaluated: it has no expectation that a grader or a judge reads"
    advice = "add `contains`, `required_tools` or another expectation"
    return Problem("northstar/not-evaluated", message, place, advice)


def _grading(
    row: dict[str, Any], expected: dict[str, Any], where: Path, path: Path
) -> Iterator[Problem]:
    """Yield expectations that pass or fail whatever the agent does."""
    texts = [key for key in TEXT_GRADERS if expected.get(key) is not None]
    if texts and not has_content(row["messages"], "assistant"):
        message = f"{quoted(texts)} can only fail: no assistant message has content"
        advice = "record the answer as a message with `role: assistant`"
        yield Problem("northstar/missing-answer", message, (*path, "messages"), advice, on_key=True)
    for limit, metric in LIMITS.items():
        if expected.get(limit) is not None and (row.get("metrics") or _NOTHING).get(metric) is None:
            message = f"`{limit}` can only fail: the case has no `metrics.{metric}`"
            advice = f"add `metrics.{metric}`, or remove the limit"
            place = (*where, limit)
            yield Problem("northstar/missing-metric", message, place, advice, on_key=True)
    for key in _VACUOUS:
        if expected.get(key) == []:
            message = f"`{key}` is empty: NorthStar grades it, and it always passes"
            place = (*where, key)
            yield Problem("northstar/empty-list", message, place, "fill it in, or remove it")
    for key in texts:
        result = "fails" if key == "not_contains" else "passes"
        message = f"blank text in `{key}`: nearly every answer contains it, so it {result}"
        for index, phrase in enumerate(phrases(expected[key])):
            if is_blank(phrase):
                place = (*where, key, index) if isinstance(expected[key], list) else (*where, key)
                yield Problem("northstar/blank-text", message, place, "fill it in, or remove it")


def _lists_as_text(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    """Yield texts that are read as a single item, but look like several."""
    for key in _WRAPPED:
        value = expected.get(key)
        if not isinstance(value, str):
            continue
        text = value.strip()
        is_list = text.startswith("[") and text.endswith("]")
        if is_list or (key in _TOOLS and "," in text):
            message = f"`{key}` is a text, which NorthStar reads as a single item"
            advice = 'write a list: ["a", "b"]'
            yield Problem("northstar/list-as-text", message, (*where, key), advice)


def _clashing_phrases(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    unwanted = [text for text in phrases(expected["not_contains"]) if not is_blank(text)]
    for key in ("contains", "ground_truth"):
        for wanted in phrases(expected.get(key)):
            for text in unwanted:
                if text.lower() in wanted.lower():
                    message = f"`{wanted}` of `{key}` contains `{text}`, so one of the two fails"
                    yield _contradiction(
                        "not_contains", message, "remove one of the two", where=where
                    )


def _clashing_tools(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    sequence = phrases(expected.get("tool_sequence"))
    calls = [call["name"] for call in expected.get("tool_arguments") or ()]
    required = dict.fromkeys((*phrases(expected.get("required_tools")), *sequence, *calls))
    forbidden = phrases(expected.get("forbidden_tools"))
    for name in required:
        if name in forbidden:
            message = f"the tool `{name}` is also required, so one of the two fails"
            yield _contradiction(
                "forbidden_tools", message, "remove it from one of them", where=where
            )
    limit = expected.get("max_tool_calls")
    needed = max(len(required), len(sequence))
    if limit is not None and to_int(limit) < needed:
        calls_are = "1 call is" if needed == 1 else f"{needed} calls are"
        message = (
            f"{calls_are} required, but `max_tool_calls` is {to_int(limit)}: one of them fails"
        )
        advice = f"write {needed}, or require fewer tools"
        yield _contradiction("max_tool_calls", message, advice, where=where)


def _contradiction(key: str, message: str, advice: str, where: Path) -> Problem:
    return Problem("northstar/contradiction", message, (*where, key), advice, on_key=True)


def _trace(row: dict[str, Any], expected: dict[str, Any], path: Path) -> Iterator[Problem]:
    given = row.get("input")
    if row.get("trace") is not None:
        place: Path = (*path, "trace")
    elif isinstance(given, dict) and isinstance(given.get("trace"), dict):
        place = (*path, "input", "trace")
    else:
        if any(value is not None for value in expected.values()):
            message = "the case has no trace, so the graders of `expected.trace` are skipped"
            advice = "record the run as `trace`, or remove what is expected of it"
            place = (*path, "expected", "trace")
            yield Problem("northstar/missing-trace", message, place, advice, on_key=True)
        return
    trace = trace_of(row)
    if trace is None:
        message = "NorthStar ignores this trace: it has neither `run_id` nor `runs[0].id`"
        yield Problem("northstar/unused-trace", message, place, _PAYLOAD, on_key=True)
    elif fault := fault_of(trace):
        message = f"NorthStar stops at this trace, and evaluates no case: {fault}"
        yield Problem("northstar/broken-trace", message, place, _PAYLOAD, on_key=True)


def _ungraded_retrieval(expected: dict[str, Any], place: Path) -> Iterator[Problem]:
    key, what, advice = _IDS, "a minimum precision or recall", f"add {quoted(_MINIMA, ' or ')}"
    minima = [key for key in expected if key in _MINIMA and expected[key] is not None]
    if (expected.get(_IDS) is not None) == bool(minima):
        return
    if minima:
        key, what = minima[0], f"`{_IDS}`"
        advice = f"add {what}, or remove the minimum precision and recall"
    message = f"NorthStar does not grade retrieval without {what}"
    yield Problem("northstar/ungraded-retrieval", message, (*place, key), advice, on_key=True)


_ADVICE = "enable judges, or add `contains`, `required_tools` or another expectation"


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
        if value.keys() == {"name", "arguments"}:
            meant = [value]
        elif all(isinstance(part, dict) for part in value.values()):  # from names to arguments
            meant = [{"name": name, "arguments": part} for name, part in value.items()]
    text = as_json(meant)
    return text if meant and len(text) <= _MAX_LENGTH else None


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


def _passages(context: Any) -> list[str] | None:
    texts = [context] if isinstance(context, str) else context
    return texts if texts and is_list_of(texts, str) else None


def _mapping(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _numbers(metrics: Any) -> dict[str, Any] | None:
    return normal(metrics, METRICS) if isinstance(metrics, dict) else None


def _same_numbers(metrics: Any) -> dict[str, Any] | None:
    is_same = isinstance(metrics, dict) and json_equal(same_as(metrics, METRICS), metrics)
    return metrics if is_same else None


_KEYS = frozenset({"id", "input", "messages", "expected", "metrics", "metadata", "trace"})
# An empty JSONL file is a dataset without cases.
_PASSED_OVER = frozenset({"source/empty"})
_BOM = bom_rejected("northstar", "the file begins with a byte order mark, which NorthStar rejects")
_NO_CASES = Problem(
    "northstar/rejected",
    "the file holds neither a list of cases nor a case",
    (),
    'write a list of cases, or `{"cases": […]}`',
)


class Northstar(Format):
    """Cases: a recorded conversation each, and what is expected of it."""

    name = "northstar"
    title = "NorthStar"
    media = ("json", "jsonl")
    basis = "the loader of NorthStar as of 2026-06, run with pydantic 2.14"
    row_checker = NorthstarChecker
    conversion = "evalcontract.formats.northstar.conversion:RunLens"
    codes = codes_of_system(
        "northstar",
        rejected=("unknown-key", "out-of-range", "malformed-value"),
        silently_accepted=(
            "blank-id",
            "blank-text",
            "broken-trace",
            "contradiction",
            "empty",
            "empty-list",
            "missing-answer",
            "missing-metric",
            "missing-trace",
            "not-evaluated",
            "ungraded-retrieval",
            "unused-trace",
        ),
        guesses=("list-as-text",),
        notes=("judges-only",),
    )
    ways = MappingProxyType(
        {
            "passages": (EXPECTED["context"], _passages),
            "mapping": (_mapping, _mapping),
            "numbers": (_numbers, _same_numbers),
        }
    )
    facts = FACTS
    has_text_lines = True

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a case by its expectations, if it has no key of another system."""
        row = _case_in(value)
        is_case = any(isinstance(row.get(key), dict) for key in ("expected", "metrics"))
        return cls() if is_case else None

    @classmethod
    def may_recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a case that expects nothing, by its `id` and its messages, which have roles."""
        messages = _case_in(value).get("messages")
        are_said = messages and all(isinstance(each.get("role"), str) for each in messages)
        return cls() if are_said else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if file.has_mark:
            return RowLayout.without_rows(_BOM)
        if file.document is None:
            return RowLayout(passed_over=_PASSED_OVER)
        value = file.document.value
        if isinstance(value, list):
            return RowLayout(value, (), _empty(value))
        if not isinstance(value, dict):
            return RowLayout.without_rows(_NO_CASES)
        if isinstance(rows := value.get("cases"), list):
            ignored = schema.unread({**value, "cases": []}, (), "file")
            return RowLayout(rows, ("cases",), (*_empty(rows, "cases"), *ignored))
        misread = _misread(value)
        return RowLayout.without_rows(misread) if misread else RowLayout([value], is_row=True)


def _empty(rows: list[Any], *prefix: str) -> tuple[Problem, ...]:
    if rows:
        return ()
    message = "there are no cases: NorthStar loads the file, and a run without cases passes"
    return (Problem("northstar/empty", message, prefix, "add a case"),)


def _misread(value: dict[str, Any]) -> Problem | None:
    """Report a document with several cases that NorthStar reads as a single case."""
    if not value.keys().isdisjoint(("id", "messages")):
        return None
    if "cases" in value:
        message = "`cases` must be a list; otherwise NorthStar reads the file as a single case"
        advice = "write a list of cases, each with its `id`"
        return Problem("northstar/wrong-type", message, ("cases",), advice)
    keys = [key for key, part in value.items() if part and is_list_of(part, dict)]
    if len(keys) != 1:
        return None
    message = f"`{keys[0]}` is not read: without `cases`, the file is read as a single case"
    advice = "rename it to `cases`"
    return Problem("northstar/unknown-key", message, (keys[0],), advice, on_key=True)


def _case_in(value: dict[str, Any]) -> dict[str, Any]:
    """Return the first case of a document, or the case that it is; an empty one if it has none."""
    rows = value.get("cases")
    row = next(iter(rows), None) if isinstance(rows, list) else value
    if not isinstance(row, dict) or not row.keys() <= _KEYS:
        return {}
    is_case = isinstance(row.get("id"), str) and is_list_of(row.get("messages"), dict)
    return row if is_case else {}
