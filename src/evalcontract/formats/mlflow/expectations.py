"""Check expectations that MLflow stores silently, but that no scorer can use."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import is_list_of
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path

FACTS, RESPONSE, GUIDELINES = "expected_facts", "expected_response", "guidelines"
TOOL_CALLS, CONTEXT = "expected_tool_calls", "expected_retrieved_context"
#: Names of expectations that scorers of MLflow or Databricks read.
RESERVED = frozenset({FACTS, RESPONSE, GUIDELINES, TOOL_CALLS, CONTEXT})


def are_texts(value: Any) -> bool:
    """Whether a value is a list of texts; an empty list is one."""
    return is_list_of(value, str)


def are_guidelines(value: Any) -> bool:
    """Whether a value can be read as guidelines: a list of texts, or one text."""
    return isinstance(value, str) or are_texts(value)


def unnamed_call(value: Any) -> int | None:
    """Return the index of the first expected tool call that cannot be read; -1 for no list."""
    if not isinstance(value, list):
        return -1
    for index, call in enumerate(value):
        arguments = call.get("arguments") if isinstance(call, dict) else ""
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return index
        if arguments is not None and not isinstance(arguments, dict):
            return index
    return None


# Many rows have the same custom names.
@lru_cache(maxsize=1024)
def meant_by(name: str) -> str | None:
    """Return the reserved name that a name probably stands for; None if there is none."""
    whole = f"expected_{name}"
    return nearest(name, RESERVED) or (whole if whole in RESERVED else None)


def expectation_problems(expectations: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the problems of the expectations at a path."""
    if not expectations.keys() <= RESERVED:
        yield from _misspelled(expectations, path)
    facts, response = expectations.get(FACTS), expectations.get(RESPONSE)
    if facts is not None and response is not None:
        yield Problem(
            "mlflow/facts-and-response",
            f"the record has both `{FACTS}` and `{RESPONSE}`: Correctness will not score it",
            (*path, FACTS),
            "remove one of them",
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
            f"`{TOOL_CALLS}` is stored, but ToolCallCorrectness cannot read it",
            (*path, TOOL_CALLS) if index < 0 else (*path, TOOL_CALLS, index),
            "write a list of mappings: `[{name: …, arguments: {…}}]`",
        )


def _misspelled(expectations: dict[str, Any], path: Path) -> Iterator[Problem]:
    for name in expectations.keys() - RESERVED:
        near = meant_by(name)
        if near and near not in expectations:
            message = f"no MLflow scorer reads `{name}`"
            advice = f"did you mean `{near}`?"
            yield Problem("mlflow/near-miss-key", message, (*path, name), advice, on_key=True)


def no_expectations(path: Path) -> Problem:
    """Report a record without expectations among others that have some."""
    return Problem(
        "mlflow/no-expectations",
        "the record has no expectations, and others have: the scorers that read them fail on it",
        path,
        f"add `expectations`, such as `{{{FACTS}: [...]}}`",
        row_index=int(path[-1]),
    )


def _no_texts(key: str, consequence: str, path: Path) -> Problem:
    return Problem(
        "mlflow/no-list-of-texts",
        f"`{key}` is not a list of texts: it is stored, but {consequence} at scoring",
        (*path, key),
        f"write a list: `{key}: [...]`",
    )
