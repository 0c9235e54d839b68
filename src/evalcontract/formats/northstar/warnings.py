"""Warn of what NorthStar silently accepts, and then grades differently than intended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.formats.northstar.case import (
    LIMITS,
    LISTS,
    TEXT_GRADERS,
    fault_of,
    has_answer,
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
_MINIMA = ("min_retrieval_precision", "min_retrieval_recall")


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
    place = _unused_trace(row, path)
    if place is not None:
        message = "NorthStar ignores this trace: it has neither `run_id` nor `runs[0].id`"
        yield Problem("northstar/unused-trace", message, place, _PAYLOAD, on_key=True)
    elif (trace := trace_of(row)) is not None and (fault := fault_of(trace)):
        message = f"NorthStar stops at this trace, and evaluates no case: {fault}"
        keys = ("trace",) if row.get("trace") is not None else ("input", "trace")
        yield Problem("northstar/broken-trace", message, (*path, *keys), _PAYLOAD, on_key=True)
    if of_trace := expected.get("trace"):
        yield from _missing_trace(row, of_trace, (*where, "trace"), is_reported=place is not None)
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
    if texts and not has_answer(row["messages"]):
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
        yield from _blank_phrases(expected[key], key, (*where, key))


def _blank_phrases(value: Any, key: str, path: Path) -> Iterator[Problem]:
    result = "fails" if key == "not_contains" else "passes"
    for index, phrase in enumerate(phrases(value)):
        if is_blank(phrase):
            place = (*path, index) if isinstance(value, list) else path
            message = f"blank text in `{key}`: nearly every answer contains it, so it {result}"
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


def _unused_trace(row: dict[str, Any], path: Path) -> Path | None:
    """Return the path of a trace that NorthStar ignores; None if there is none."""
    if row.get("trace") is not None:
        place: Path = (*path, "trace")
    elif isinstance(given := row.get("input"), dict) and isinstance(given.get("trace"), dict):
        place = (*path, "input", "trace")
    else:
        return None
    return place if trace_of(row) is None else None


def _missing_trace(
    row: dict[str, Any], expected: dict[str, Any], place: Path, *, is_reported: bool
) -> Iterator[Problem]:
    is_used = any(value is not None for value in expected.values())
    if not is_reported and is_used and trace_of(row) is None:
        message = "the case has no trace, so the graders of `expected.trace` are skipped"
        advice = "record the run as `trace`, or remove what is expected of it"
        yield Problem("northstar/missing-trace", message, place, advice, on_key=True)


def _ungraded_retrieval(expected: dict[str, Any], place: Path) -> Iterator[Problem]:
    ids = "relevant_retrieval_ids"
    has_ids = expected.get(ids) is not None
    minima = [key for key in expected if key in _MINIMA and expected[key] is not None]
    if has_ids and not minima:
        message = "NorthStar does not grade retrieval without a minimum precision or recall"
        advice = "add `min_retrieval_precision` or `min_retrieval_recall`"
        yield Problem("northstar/ungraded-retrieval", message, (*place, ids), advice, on_key=True)
    if minima and not has_ids:
        message = f"NorthStar does not grade retrieval without `{ids}`"
        advice = f"add `{ids}`, or remove the minimum precision and recall"
        place = (*place, minima[0])
        yield Problem("northstar/ungraded-retrieval", message, place, advice, on_key=True)


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
