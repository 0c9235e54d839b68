"""Test sets and evaluation datasets of Ragas, as `EvaluationDataset` and `Testset` read them.

Measured on ragas 0.4.3: every key of a sample is optional, and unknown ones are dropped, so that a
sample with the columns of version 0.1 is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from evalcontract.formats._findings import as_json, without_keys
from evalcontract.formats._format import codes_of_system
from evalcontract.formats._plain import PlainChecker, PlainFormat, documents_by, texts
from evalcontract.model.diagnostic import Path, Problem

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool"}
_TYPES = {role: kind for kind, role in _ROLES.items()}


def _question(asked: Any) -> Any:
    if not isinstance(asked, list):
        return asked
    humans = [each["content"] for each in asked if each.get("type", "human") == "human"]
    return humans[-1] if humans else as_json(asked)


def _messages(asked: Any) -> list[Any] | None:
    """Return a conversation in the words of evalcontract; None if some message has no type."""
    if not isinstance(asked, list) or not all(each.get("type") in _ROLES for each in asked):
        return None
    said = [{"role": _ROLES[each["type"]], **without_keys(each, ["type"])} for each in asked]
    return said or None


def _sample(messages: Any) -> list[Any] | None:
    """Return messages as those of a sample; None if it has no place for one."""
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        return None
    said = [{**without_keys(each, ["role"]), "type": _TYPES[each["role"]]} for each in messages]
    return said or None


def _is_message(message: Any) -> bool:
    has_role = isinstance(message, dict) and message.get("role") in _TYPES
    return has_role and isinstance(message.get("content"), str) and "tool_calls" not in message


def _tools(calls: Any) -> list[Any] | None:
    found = [{"name": each["name"], "arguments": each["args"]} for each in calls or ()]
    return found or None


def _calls(tools: Any) -> list[Any] | None:
    if not isinstance(tools, list) or not tools:
        return None
    named = [{"name": each} if isinstance(each, str) else each for each in tools]
    return [{"name": each["name"], "args": each.get("arguments", {})} for each in named]


#: The keys that a sample of one turn and one of several are read with alone.
_OF_TEXT = frozenset({"retrieved_contexts", "reference_contexts", "retrieved_context_ids"}) | {
    *("reference_context_ids", "response", "multi_responses", "persona_name", "query_style"),
    "query_length",
}
_OF_MESSAGES = frozenset({"reference_tool_calls", "reference_topics"})


class _Checker(PlainChecker):
    """Knows besides that all samples of a file are of the kind of the first."""

    _has_messages: bool | None = None

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next sample."""
        yield from super().check(row, path, is_clean=is_clean)
        if not isinstance(row, dict):
            return
        has_messages = isinstance(row.get("user_input"), list)
        if self._has_messages is None:
            self._has_messages = has_messages
        if has_messages != self._has_messages and (self._has_messages or "user_input" in row):
            yield from self._mixed(row, path)
        if has_messages and self._has_messages:
            yield from _unasked(row["user_input"], (*path, "user_input"))
        for key in row.keys() & (_OF_TEXT if self._has_messages else _OF_MESSAGES):
            turns = "several turns" if self._has_messages else "one turn"
            message = f"Ragas does not read `{key}` in a sample of {turns}"
            yield Problem("ragas/ignored-key", message, (*path, key), "remove it", on_key=True)

    def _mixed(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield that a sample is of another kind than the first."""
        if row.get("user_input", 0) is None and not self._has_messages:
            return
        kind = "messages" if self._has_messages else "a text"
        message = f"`user_input` must be {kind}, as in the first sample: Ragas stops here"
        advice = "put samples of several turns into a file of their own"
        has_key = "user_input" in row
        code, where = ("wrong-type", (*path, "user_input")) if has_key else ("missing-key", path)
        yield Problem(f"ragas/{code}", message, where, advice)


def _unasked(messages: list[Any], path: Path) -> Iterator[Problem]:
    """Yield the messages of tools that follow no call."""
    before: Any = {}
    for index, message in enumerate(messages):
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "tool" and before.get("type") != "tool" and not before.get("tool_calls"):
            text = "a message of a `tool` must follow the `tool_calls` of an `ai`: Ragas stops here"
            yield Problem("ragas/wrong-type", text, (*path, index), "write the call before it")
        before = message if isinstance(message, dict) else {}


class Ragas(PlainFormat):
    """Samples of one turn, or of several."""

    name = "ragas"
    title = "Ragas"
    row_checker = _Checker
    media = ("json", "jsonl", "parquet")
    facts = MappingProxyType(
        {
            "several_turns": lambda row, _: isinstance(row.get("user_input"), list),
            "one_turn": lambda row, _: not isinstance(row.get("user_input"), list),
        }
    )
    basis = "`EvaluationDataset.from_list` and `from_jsonl` of ragas 0.4.3, run"
    codes = codes_of_system("ragas", rejected=("unknown-value",), never=("duplicate-id",))
    ways = MappingProxyType(
        {
            "question": (_question, None),
            "messages": (_messages, _sample),
            "texts": (texts, texts),
            "tools": (_tools, _calls),
            "contents": documents_by("content"),
            "ids": documents_by("id"),
        }
    )
    named_by = ()
    signs = (
        *(frozenset({"user_input", key}) for key in ("reference", "rubrics", "synthesizer_name")),
        *(frozenset({"user_input", key}) for key in _OF_MESSAGES | _OF_TEXT),
        *(frozenset({"question", "contexts", key}) for key in ("answer", "ground_truth")),
    )
    others = frozenset({"input", "inputs", "query"})
    meant = MappingProxyType(
        dict.fromkeys(("ground_truth", "ground_truths"), "reference")
        | {"question": "user_input", "answer": "response", "contexts": "retrieved_contexts"}
        | {"rubric": "rubrics"}
    )
    no_mark = ("json", "jsonl")
    has_blank_lines = False
    has_graders = True
