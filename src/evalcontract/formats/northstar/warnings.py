"""What NorthStar loads without a word, and grades in a way that nobody means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.case import (
    LIMITS,
    LISTS,
    TEXT_GRADERS,
    asks_of_retrieval,
    has_answer,
    is_evaluated,
    phrases,
    trace_of,
)
from evalcontract.formats.northstar.pydantic_coercion import whole
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

_NOTHING: dict[str, Any] = {}
# Of these an empty list asks for nothing. An empty `tool_sequence` asks that no tool is called.
_VACUOUS = tuple(each for each in LISTS if each not in ("tool_sequence", "context"))
_TOOLS = ("required_tools", "tool_sequence", "forbidden_tools")
# The fields that take one text for a list of one.
_WRAPPED = (*_TOOLS, "contains", "not_contains", "context")


def warnings(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the silent traps of a sound case."""
    expected = row.get("expected") or _NOTHING
    where = (*path, "expected")
    if not is_evaluated(expected):
        yield _not_evaluated(expected, where if "expected" in row else path)
    else:
        yield from _of_expected(row, expected, where, path)
        yield from _of_meaning(expected, where)
    trace = row.get("trace")
    if trace is None and isinstance(row.get("input"), dict):
        given = row["input"].get("trace")
        is_lost = isinstance(given, dict) and trace_of(row) is None
        place: Path = (*path, "input", "trace")
    else:
        is_lost, place = trace is not None and trace_of(row) is None, (*path, "trace")
    if is_lost:
        message = "NorthStar does not use this trace: it has no `run_id`, nor `runs[0].id`"
        yield Problem("northstar/unused-trace", message, place, "add the `run_id`", on_key=True)
    if expected.get("trace"):
        yield from _of_trace(row, expected["trace"], where, is_told=is_lost)


def _not_evaluated(expected: dict[str, Any], place: Path) -> Problem:
    asked = [key for key in ("rubric", "goal", "trace") if expected.get(key) is not None]
    listed = " and ".join(f"`{each}`" for each in asked)
    reads = "reads" if len(asked) == 1 else "read"
    message = "nothing is expected that the default graders read, so the case is not evaluated"
    if asked:
        of_whom = "graders of traces" if asked == ["trace"] else "judges"
        message = f"{message}: only {of_whom} {reads.removesuffix('s')} {listed}"
    advice = "add `contains`, `required_tools` or another expectation, or run it with judges"
    return Problem("northstar/not-evaluated", message, place, advice)


def _of_expected(
    row: dict[str, Any], expected: dict[str, Any], where: Path, path: Path
) -> Iterator[Problem]:
    asked = [key for key in TEXT_GRADERS if expected.get(key) is not None]
    if asked and not has_answer(row["messages"]):
        listed = ", ".join(f"`{each}`" for each in asked)
        message = f"{listed} can only fail: no assistant message has a text"
        advice = "record the answer as a message with `role: assistant`"
        yield Problem("northstar/missing-answer", message, (*path, "messages"), advice, on_key=True)
    for limit, metric in LIMITS.items():
        if expected.get(limit) is not None and (row.get("metrics") or _NOTHING).get(metric) is None:
            message = f"`{limit}` can only fail: there is no `metrics.{metric}` to hold against it"
            advice = f"add `metrics.{metric}`, or remove the limit"
            place = (*where, limit)
            yield Problem("northstar/missing-metric", message, place, advice, on_key=True)
    for key in _VACUOUS:
        if expected.get(key) == []:
            message = f"`{key}` is empty: NorthStar grades it, and it passes whatever happens"
            place = (*where, key)
            yield Problem("northstar/empty-list", message, place, "fill it in, or remove it")
    for key in asked:
        yield from _of_phrases(expected, key, where)


def _of_meaning(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    for key in _WRAPPED:
        if _looks_like_list(key, expected.get(key)):
            message = f"`{key}` is one text, and NorthStar takes it for the only item"
            advice = 'write a list: ["a", "b"]'
            yield Problem("northstar/list-as-text", message, (*where, key), advice)
    if expected.get("not_contains"):
        yield from _clashing_phrases(expected, where)
    if expected.get("forbidden_tools") or expected.get("max_tool_calls") is not None:
        yield from _clashing_tools(expected, where)


def _of_phrases(expected: dict[str, Any], key: str, where: Path) -> Iterator[Problem]:
    outcome = "fails" if key == "not_contains" else "passes"
    for index, phrase in enumerate(phrases(expected[key])):
        if not phrase.strip():
            step = (index,) if isinstance(expected[key], list) else ()
            message = f"a blank text in `{key}`: nearly every answer holds it, so it {outcome}"
            place = (*where, key, *step)
            yield Problem("northstar/blank-text", message, place, "fill it in, or remove it")


def _of_trace(
    row: dict[str, Any], asked: dict[str, Any], where: Path, *, is_told: bool
) -> Iterator[Problem]:
    place = (*where, "trace")
    if not is_told and trace_of(row) is None and any(each is not None for each in asked.values()):
        message = "the case has no trace, so the graders of `expected.trace` skip"
        advice = "record the run as `trace`, or remove what is expected of it"
        yield Problem("northstar/missing-trace", message, place, advice, on_key=True)
    has_ids, has_least = asks_of_retrieval(asked)
    if has_ids and not has_least:
        message = "without a least precision or recall, NorthStar does not grade the retrieval"
        advice = "add `min_retrieval_precision` or `min_retrieval_recall`"
        place = (*place, "relevant_retrieval_ids")
        yield Problem("northstar/ungraded-retrieval", message, place, advice, on_key=True)
    if has_least and not has_ids:
        key = next(each for each in asked if each.startswith("min_") and asked[each] is not None)
        message = "without `relevant_retrieval_ids`, NorthStar does not grade the retrieval"
        advice = "add `relevant_retrieval_ids`, or remove the least precision and recall"
        yield Problem("northstar/ungraded-retrieval", message, (*place, key), advice, on_key=True)


def _looks_like_list(key: str, value: Any) -> bool:
    """Whether a text is taken for the one item of a list, and was meant as several."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return (text.startswith("[") and text.endswith("]")) or (key in _TOOLS and "," in text)


def _clashing_phrases(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    for key in ("contains", "ground_truth"):
        for wanted in phrases(expected.get(key)):
            for unwanted in phrases(expected["not_contains"]):
                if unwanted.strip() and unwanted.lower() in wanted.lower():
                    message = f"an answer with `{wanted}` of `{key}` holds `{unwanted}`: one fails"
                    yield _contradiction("not_contains", message, "remove one of the two", where)


def _clashing_tools(expected: dict[str, Any], where: Path) -> Iterator[Problem]:
    sequence = phrases(expected.get("tool_sequence"))
    calls = [each["name"] for each in expected.get("tool_arguments") or ()]
    wanted = dict.fromkeys((*phrases(expected.get("required_tools")), *sequence, *calls))
    forbidden = phrases(expected.get("forbidden_tools"))
    for name in wanted:
        if name in forbidden:
            message = f"the tool `{name}` is asked for as well, so one of the two fails"
            yield _contradiction("forbidden_tools", message, "remove it from one of them", where)
    most = expected.get("max_tool_calls")
    least = max(len(wanted), len(sequence))
    if most is not None and whole(most) < least:
        calls_are = "1 call is" if least == 1 else f"{least} calls are"
        message = f"{calls_are} asked for, and `max_tool_calls` is {whole(most)}: one of them fails"
        advice = f"write {least}, or ask for fewer tools"
        yield _contradiction("max_tool_calls", message, advice, where)


def _contradiction(key: str, message: str, advice: str, where: Path) -> Problem:
    return Problem("northstar/contradiction", message, (*where, key), advice, on_key=True)
