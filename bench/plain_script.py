"""What a competent user would write instead: parse each line, check the row, look for double ids.

python bench/plain_script.py ROW_SCHEMA FILE

It checks less: nothing about references, misspelled or misplaced keys, duplicate keys of JSON, and
it tells no line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema_rs
import orjson

schema, file = map(Path, sys.argv[1:])
is_valid = jsonschema_rs.validator_for(json.loads(schema.read_text(encoding="utf-8"))).is_valid
ids = set()
rows = bad = 0
with file.open("rb") as lines:
    for line in lines:
        row = orjson.loads(line)
        rows += 1
        if not is_valid(row) or row["id"] in ids:
            bad += 1
        else:
            ids.add(row["id"])
print(f"{rows:,} rows, {bad:,} bad")
sys.exit(bad > 0)
