"""What a competent user would write instead of `grade`: the same six checks by hand.

python bench/plain_grade.py ROW_SCHEMA ROWS OUTPUTS

It parses and validates the rows as `bench/plain_script.py` does, pairs them with the outputs by id,
and computes the checks of `bench/graded.py` with the same meaning: texts are compared in form C
and without case, facts with single spaces. It does less: outputs are not validated, nothing is said
about a row that fails, and there are no intervals.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unicodedata import normalize

import jsonschema_rs
import orjson

PERIOD = re.compile("[0-9]+ (days|weeks)", re.IGNORECASE)
WANTED, UNWANTED = ("order", "the", "refund"), ("as an ai", "i cannot")


def comparable(text: str) -> str:
    return normalize("NFC", normalize("NFC", text).casefold())


def spaced(text: str) -> str:
    return " ".join(text.split())


def scores(row: dict[str, Any], record: dict[str, Any]) -> dict[str, float]:
    text = record["output"]
    lower = comparable(text)
    single = spaced(lower)
    facts = row["expected_facts"]
    recall = sum(spaced(comparable(fact)) in single for fact in facts) / len(facts)
    called = {call["name"] for call in record["tool_calls"]}
    return {
        "some": float(any(word in lower for word in WANTED)),
        "none": float(not any(word in lower for word in UNWANTED)),
        "period": float(PERIOD.search(text) is not None),
        "length": float(len(text) <= 20000),
        "facts": recall,
        "tools": float(any(tool in called for tool in row["expected_tools"])),
    }


schema, rows_file, outputs_file = map(Path, sys.argv[1:])
is_valid = jsonschema_rs.validator_for(json.loads(schema.read_text(encoding="utf-8"))).is_valid
rows: dict[str, Any] = {}
bad = 0
with rows_file.open("rb") as lines:
    for line in lines:
        row = orjson.loads(line)
        if not is_valid(row) or row["id"] in rows:
            bad += 1
        else:
            rows[row["id"]] = row
sums: Counter[str] = Counter()
results = []
with outputs_file.open("rb") as lines:
    for line in lines:
        record = orjson.loads(line)
        of_row = scores(rows[record["id"]], record)
        score = sum(of_row.values()) / len(of_row)
        results.append((record["id"], score, score >= 0.5))
        sums.update(of_row)
for check, total in sums.items():
    print(f"{check:10} {total / len(results):.2f}")
mean = sum(score for _, score, _ in results) / len(results)
print(f"{len(results):,} rows, mean score {mean:.2f}")
sys.exit(bad > 0)
