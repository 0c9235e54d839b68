"""The floor under any reader of JSONL in Python: parse each line with orjson, and do nothing.

python bench/floor.py FILE [FILE]...
"""

from __future__ import annotations

import sys
from pathlib import Path

import orjson

for file in sys.argv[1:]:
    with Path(file).open("rb") as lines:
        for line in lines:
            orjson.loads(line)
