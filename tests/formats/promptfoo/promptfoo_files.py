"""Writes many files as people write them, with the faults that they have: by a seed, the same."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import Any

TEXTS = ["noon", "At noon.", "a, b", "é 🙂", "12", 'say "noon"', "half\nway", "a.b*c", "{{topic}}"]
CELLS = [
    *("noon", "contains: noon", "icontains: NOON", "contains-any: noon, one", "not-contains: x"),
    *('contains-any: "a, b", c', "equals: noon", "regex: n.on", "starts-with: no", "is-json", ""),
    *("contain: noon", "icontains-all: a,b", "not-icontains-any: x,y", "javascript: output.length"),
    *("levenshtein(5): moon", "latency(500)", "fn: 1", "grade: is it right?", "contains:", "a: b"),
]
TYPES = [
    *("contains", "icontains", "equals", "regex", "starts-with", "not-contains", "not-regex"),
    *("contains-any", "icontains-any", "not-contains-any", "contains-all", "icontains-all"),
    *("is-json", "levenshtein", "not-equals", "contain"),
]
_OF_LISTS = ("any", "all")


def _assertion(random: Random) -> dict[str, Any]:
    type_ = random.choice(TYPES)
    assertion: dict[str, Any] = {"type": type_}
    if type_.endswith(_OF_LISTS):
        assertion["value"] = random.sample(TEXTS, random.choice([1, 2]))
    elif type_ != "is-json":
        assertion["value"] = random.choice(TEXTS)
    elif random.random() < 0.5:
        assertion["value"] = {"type": "object"}
    more = {"weight": 2, "metric": "m", "threshold": 9}
    return assertion | {key: part for key, part in more.items() if random.random() < 0.08}


def _test(random: Random) -> dict[str, Any]:
    """Return a test that is mostly right."""
    test: dict[str, Any] = {"vars": {"question": random.choice(TEXTS[:6])}}
    if random.random() < 0.4:
        test["vars"] |= {"topic": random.choice(["tides", "buoys"]), "n": 5}
    if random.random() < 0.85:
        test["assert"] = [_assertion(random) for _ in range(random.choice([0, 1, 1, 2, 3]))]
    more = {
        "description": random.choice(["one", "two"]), "threshold": 0.5, "metadata": {"a": "b"},
        "providerOutput": "noon", "options": {"prefix": "x"}, "asserts": [],
    }  # fmt: skip
    return test | {key: part for key, part in more.items() if random.random() < 0.15}


def _table(random: Random, size: int) -> str:
    columns = ["question", *random.sample(["__expected", "__expected2", "topic"], 2)]
    columns += [name for name in OTHERS if random.random() < 0.15]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=random.choice(["\n", "\r\n"]))
    writer.writerow(columns)
    for _ in range(size):
        writer.writerow([_cell(random, name) for name in columns])
    return out.getvalue()


OTHERS = {
    "__description": ["one", ""], "__threshold": ["0.5", "x", "0", ""], "__metric": ["m", ""],
    "__metadata:port": ["Wick", ""], "__metadata:tags[]": ["a,b", ""], "__providerOutput": ["noon"],
    "__expectd": ["x"], "__prefix": ["p"],
}  # fmt: skip


def _cell(random: Random, column: str) -> str:
    if column.startswith("__expected"):
        return random.choice(CELLS)
    if column in ("question", "topic"):
        return random.choice(TEXTS[:6])
    return random.choice(OTHERS[column])


def generated(count: int, seed: int) -> list[tuple[str, str]]:
    """Return files with their names; their texts are UTF-8 as Latin-1."""
    random = Random(seed)  # noqa: S311 - no secret
    files = []
    for _ in range(count):
        size = random.choice([1, 1, 2, 3])
        medium = random.choice(["json", "jsonl", "csv", "yaml"])
        tests = [_test(random) for _ in range(size)]
        if medium == "csv":
            text = _table(random, size)
        elif medium == "jsonl":
            text = "".join(f"{json.dumps(test, ensure_ascii=False)}\n" for test in tests)
        else:
            text = json.dumps(tests, ensure_ascii=False)
        files.append((f"t.{medium}", text.encode().decode("latin-1")))
    return files
