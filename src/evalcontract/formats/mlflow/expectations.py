"""Expectations that MLflow stores without a word, and that then do not do what they promise."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

FACTS, RESPONSE, GUIDELINES = "expected_facts", "expected_response", "guidelines"
TOOL_CALLS, CONTEXT = "expected_tool_calls", "expected_retrieved_context"
#: Names of expectations that scorers of MLflow or Databricks read.
RESERVED = frozenset({FACTS, RESPONSE, GUIDELINES, TOOL_CALLS, CONTEXT})
_IN_ORDER = (FACTS, RESPONSE, TOOL_CALLS, CONTEXT)


def are_texts(value: Any) -> bool:
    """Whether a value is a list of texts; an empty list is one."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def are_guidelines(value: Any) -> bool:
    """Whether a value can be read as guidelines: a list of texts, or one text."""
    return isinstance(value, str) or are_texts(value)


def unnamed_call(value: Any) -> int | None:
    """Return which of some expected tool calls cannot be read, where one cannot; -1 for all."""
    if not isinstance(value, list):
        return -1
    for index, call in enumerate(value):
        arguments = call.get("arguments") if isinstance(call, dict) else ""
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return index
        if arguments is not None and not isinstance(arguments, dict):
            return index
    return None


# Many rows have the same names of their own.
@lru_cache(maxsize=1024)
def meant(name: str) -> str | None:
    """Return the reserved name that a name of an expectation stands for, where it is a slip."""
    near = nearest(name, RESERVED)
    return near or next((each for each in _IN_ORDER if each == f"expected_{name}"), None)


def in_expectations(expectations: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield what is wrong with expectations that the store takes; `path` leads to them."""
    if not expectations.keys() <= RESERVED:
        for name in expectations.keys() - RESERVED:
            near = meant(name)
            if near and near not in expectations:
                message = f"no scorer of MLflow reads `{name}`"
                where = (*path, name)
                yield Problem(
                    "mlflow/near-miss-key", message, where, f"did you mean `{near}`?", True
                )
    facts, response = expectations.get(FACTS), expectations.get(RESPONSE)
    if facts is not None and response is not None:
        yield Problem(
            "mlflow/facts-and-response",
            f"`{FACTS}` and `{RESPONSE}` stand together: Correctness refuses to score the record",
            (*path, FACTS),
            "keep one of them",
            on_key=True,
        )
    if facts is not None and not are_texts(facts):
        yield _no_texts(FACTS, "Correctness and RetrievalSufficiency fail", path)
    guidelines = expectations.get(GUIDELINES)
    if guidelines is not None and not are_guidelines(guidelines):
        yield _no_texts(GUIDELINES, "ExpectationsGuidelines fails", path)
    calls = expectations.get(TOOL_CALLS)
    if calls and (index := unnamed_call(calls)) is not None:
        yield Problem(
            "mlflow/unreadable-tool-call",
            f"`{TOOL_CALLS}` is stored as it is, and ToolCallCorrectness cannot read it",
            (*path, TOOL_CALLS) if index < 0 else (*path, TOOL_CALLS, index),
            "write a list of mappings: `[{name: …, arguments: {…}}]`",
        )


def none_at_all(path: Path) -> Problem:
    """Say that a record expects nothing."""
    return Problem(
        "mlflow/no-expectations",
        "the record expects nothing: no scorer can compare an answer with it",
        path,
        f"add `expectations`, such as `{{{FACTS}: [...]}}`",
    )


def _no_texts(key: str, then: str, path: Path) -> Problem:
    return Problem(
        "mlflow/no-list-of-texts",
        f"`{key}` is no list of texts: it is stored, and {then} at scoring",
        (*path, key),
        f"write a list: `{key}: [...]`",
    )
