"""Writes many files as people write them, with the faults that they have: by a seed, the same."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import Any

TEXTS = ["Paris", "a, b", " a ", "", "  ", "nan", "None", "é 🙂", "a\nb", '"q"', "1,5", "[1]", "7"]
CALLS = [[{"name": "a"}], [{"name": "a", "input_parameters": {"b": 1}}], [], [{"nam": "a"}], "a"]
KEYS: dict[str, list[Any]] = {
    "expected_output": [*TEXTS, None, 5, True],
    "actual_output": [*TEXTS, None],
    "context": [["a"], ["a", "b c"], [], ["", "a"], ["a|b"], "a|b", "a", None, 5],
    "retrieval_context": [["a"], ["deepeval_source=s,deepeval_context=c"], [], "a|b", None],
    "expected_tools": [*CALLS, None],
    "tools_called": [*CALLS, None],
    "name": ["one", "two", "", None, "None"],
    "comments": ["note", None, ""],
    "source_file": ["a.md", None],
    "additional_metadata": [{}, {"a": [1, None]}, None, "x", [1]],
    "custom_column_key_values": [{"a": "b"}, {"a": 1}, None],
    "expectations": [
        {"must": ["a"]},
        {"must": ["a", "b"], "must_not": ["c"]},
        {"must": [""]},
        None,
    ],
    "expected_outptu": ["Paris"],
    "turns": [[{"role": "user", "content": "a"}], None],
}


def _golden(random: Random, *, is_conversation: bool) -> dict[str, Any]:
    """Return a golden that is mostly right."""
    golden: dict[str, Any] = {"input": random.choice(["q?", "Which?", "a\nb"])}
    if is_conversation:
        golden = {"scenario": "Asks.", "expected_outcome": random.choice(["Knows.", None])}
    chances = {"turns": 0.01}
    for key, values in KEYS.items():
        if random.random() < chances.get(key, 0.18):
            golden[key] = random.choice(values)
    return dict(random.sample([*golden.items()], len(golden)))


def _table(random: Random, goldens: list[dict[str, Any]]) -> str:
    header = [*dict.fromkeys(key for golden in goldens for key in golden)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=random.choice(["\n", "\r\n"]))
    writer.writerow(header)
    for golden in goldens:
        writer.writerow([_cell(golden.get(key), key) for key in header])
    return out.getvalue()


def _cell(value: Any, key: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and "context" in key:
        return "|".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def generated(count: int, seed: int) -> list[tuple[str, str]]:
    """Return files with their names; their texts are UTF-8 as Latin-1."""
    random = Random(seed)  # noqa: S311 - no secret
    files = []
    for _ in range(count):
        is_conversation = random.random() < 0.15
        size = random.choice([1, 1, 1, 2, 3])
        goldens = [_golden(random, is_conversation=is_conversation) for _ in range(size)]
        medium = random.choice(["json", "jsonl", "csv"])
        if medium == "json":
            text = json.dumps(goldens, ensure_ascii=False)
        elif medium == "jsonl":
            text = "".join(f"{json.dumps(golden, ensure_ascii=False)}\n" for golden in goldens)
        else:
            text = _table(random, goldens)
        files.append((f"d.{medium}", text.encode().decode("latin-1")))
    return files


PARTS: dict[str, list[Any]] = {
    "context": [["a"], ["a|b", "c"], [], [""]],
    "name": TEXTS,
    "comments": TEXTS,
    "additional_metadata": [{}, {"a": [1, None]}, {"b": "é"}],
    "custom_column_key_values": [{"a": "b"}],
    "expectations": [{"must": ["a"]}, {"must": ["a"], "must_not": ["b"]}],
}
PARTS_OF_INPUT: dict[str, list[Any]] = PARTS | {
    "expected_output": TEXTS,
    "actual_output": TEXTS,
    "retrieval_context": [
        ["a", {"source": "s", "context": "c|d"}],
        [{"source": "", "context": ""}],
    ],
    "tools_called": [[{"name": "a", "input_parameters": {"b": [None]}, "output": 5}], []],
    "expected_tools": [
        [{"name": "a", "input_parameters": {}}],
        [{"name": "a"}, {"name": "b", "type": "MCP", "input_parameters": {"c": 1}}],
        [{"name": "a", "description": "b", "reasoning": "c\nd"}],
    ],
    "source_file": ["a.md"],
}
PARTS_OF_SCENARIO: dict[str, list[Any]] = PARTS | {
    "expected_outcome": TEXTS,
    "user_description": ["Hurried."],
    "turns": [
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
        [{"role": "assistant", "content": "b", "tools_called": [{"name": "c"}], "user_id": "d"}],
        [{"role": "assistant", "content": "", "retrieval_context": ["a"], "metadata": {"b": 1}}],
        [],
    ],
}


def goldens_to_save(count: int, seed: int) -> list[list[dict[str, Any]]]:
    """Return lists of goldens, of one kind each, as a script makes them."""
    random = Random(seed)  # noqa: S311 - no secret
    lists = []
    for _ in range(count):
        needed, parts = random.choice([("input", PARTS_OF_INPUT), ("scenario", PARTS_OF_SCENARIO)])
        lists.append(
            [
                {needed: random.choice(["q?", "a\nb", "é, 🙂", "7"])}
                | {key: random.choice(parts[key]) for key in parts if random.random() < 0.35}
                for _ in range(random.choice([1, 2, 3]))
            ]
        )
    return lists
