"""Warn of what NorthStar silently accepts, and then grades differently than intended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.formats.northstar.case import (
    LIMITS,
    LISTS,
    TEXT_GRADERS,
    fault_of,
    has_content,
    is_blank,
    is_evaluated,
    is_judged,
    phrases,
    to_int,
    trace_of,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.values import quoted

_NOTHING: dict[str, Any] = {}
# A `run_id` alone would make a trace that NorthStar stops at.
_PAYLOAD = "write all that `client.flush()` gives: its `runs`, `sessions`, `spans` and `events`"
# Empty, these pass always. An empty `tool_sequence` means that no tool may be called.
_VACUOUS = tuple(key for key in LISTS if key not in ("tool_sequence", "context"))
_TOOLS = ("required_tools", "tool_sequence", "forbidden_tools")
# The fields that read a single text as a list of one.
_WRAPPED = (*_TOOLS, "contains", "not_contains", "context")
_IDS, _MINIMA = "relevant_retrieval_ids", ("min_retrieval_precision", "min_retrieval_recall")


def warnings(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the warnings of a valid case."""
    expected = row.get("expected") or _NOTHING
    where = (*path, "expected")
    if expected and not is_evaluated(expected) and not is_judged(row):
        yield not_evaluated(where)
    else:
        yield from _grading(row, expected, where, path)
        yield from _lists_as_text(expected, where)
        if expected.get("not_contains"):
            yield from _clashing_phrases(expected, where)
        if expected.get("forbidden_tools") or expected.get("max_tool_calls") is not None:
            yield from _clashing_tools(expected, where)
    of_trace = expected.get("trace") or _NOTHING
    yield from _trace(row, of_trace, path)
    yield from _ungraded_retrieval(of_trace, (*where, "trace"))


def not_evaluated(place: Path) -> Problem:
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
                    yield _contradiction("not_contains", message, "remove one of the two", where)


def _clashing_tools(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    sequence = phrases(expected.get("tool_sequence"))
    calls = [call["name"] for call in expected.get("tool_arguments") or ()]
    required = dict.fromkeys((*phrases(expected.get("required_tools")), *sequence, *calls))
    forbidden = phrases(expected.get("forbidden_tools"))
    for name in required:
        if name in forbidden:
            message = f"the tool `{name}` is also required, so one of the two fails"
            yield _contradiction("forbidden_tools", message, "remove it from one of them", where)
    limit = expected.get("max_tool_calls")
    needed = max(len(required), len(sequence))
    if limit is not None and to_int(limit) < needed:
        calls_are = "1 call is" if needed == 1 else f"{needed} calls are"
        message = (
            f"{calls_are} required, but `max_tool_calls` is {to_int(limit)}: one of them fails"
        )
        advice = f"write {needed}, or require fewer tools"
        yield _contradiction("max_tool_calls", message, advice, where)


def _contradiction(key: str, message: str, advice: str, where: Path) -> Problem:
    return Problem("northstar/contradiction", message, (*where, key), advice, on_key=True)


def _trace(row: dict[str, Any], expected: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield that a trace is missing, ignored or broken."""
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


class Evaluation:
    """Counts the cases that the default plan does not evaluate, though judges can."""

    def __init__(self) -> None:
        self._judged = 0
        self._first: Path = ()
        self._bare: list[Path] = []
        self._has_expectations = False

    def observe(self, row: dict[str, Any], path: Path) -> None:
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

    def finish(self) -> Iterator[Problem]:
        """Report a case that expects nothing while others do; for the rest, one note."""
        judged, first = self._judged, self._first
        if self._has_expectations:
            for path in self._bare:
                index = path[-1] if path else 0
                yield not_evaluated(path)._replace(row_index=int(index))
        elif self._bare:
            judged += len(self._bare)
            first = first or self._bare[0]
        if judged:
            cases = "1 case is" if judged == 1 else f"{judged:,} cases are"
            message = f"{cases} not evaluated by the default plan: only judges and trace graders do"
            yield Problem("northstar/judges-only", message, first, _ADVICE)
