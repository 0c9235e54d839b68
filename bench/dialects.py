"""Recorded runs of an agent as lines of two other systems, in about the same bytes."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from rows import SEED, TOOLS, text
from workspaces import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: The dialect of each file.
DIALECTS = {"northstar": "northstar", "mlflow": "mlflow:oss", "without_quotes": "northstar"}


def write_dialects(folder: Path, number: int) -> None:
    """Write the files of all dialects."""
    writers: tuple[Callable[[Any, int], Any], ...] = (_case, _record, _case)
    for name, write_row in zip(DIALECTS, writers, strict=True):
        is_quoted = name != "without_quotes"
        write(folder / f"{name}.jsonl", _lines(number, write_row, is_quoted=is_quoted))


def _lines(number: int, one: Callable[[Any, int], Any], *, is_quoted: bool) -> Iterator[str]:
    chance = random.Random(SEED)
    for index in range(number):
        yield f"{json.dumps(one(_run(chance, index, is_quoted=is_quoted), index))}\n"


def _run(chance: random.Random, index: int, *, is_quoted: bool) -> list[dict[str, Any]]:
    """Return a question, two calls as OpenAI's API records them, what they gave, and an answer."""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"Where is order {index}, {text(chance, 8)}?"}
    ]
    for place, name in enumerate(chance.sample(TOOLS, 2)):
        given: Any = {"query": text(chance, 6), "limit": place, "deep": True}
        arguments = json.dumps(given) if is_quoted else f"{given['query']}, limit {place}"
        call = {"id": f"call_{place}", "function": {"name": name, "arguments": arguments}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{place}", "content": text(chance, 12)},
        ]
    return [*messages, {"role": "assistant", "content": f"It is sent. {text(chance, 20)}."}]


def _case(messages: list[dict[str, Any]], index: int) -> dict[str, Any]:
    expected = {"contains": ["sent"], "max_tool_calls": 4, "max_latency_ms": 2000}
    metrics = {"latency_ms": 120.5 + index % 7}
    return {"id": f"case-{index}", "messages": messages, "expected": expected, "metrics": metrics}


def _record(messages: list[dict[str, Any]], index: int) -> dict[str, Any]:
    expectations = {"expected_facts": ["It is sent"], "guidelines": ["Names no other order."]}
    return {
        "inputs": {"messages": messages},
        "expectations": expectations,
        "tags": {"case": f"{index}"},
    }
