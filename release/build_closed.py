"""Write `schema/closed.json`: what a row is checked against first, closed over the known keys.

python release/build_closed.py [FILE]

It is derived from `dataset.schema.json`, and ships so that it is not derived at each start.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from evalcontract.structure.gate import closed, gate_definitions
from evalcontract.structure.schemas import definition

FILE = Path(__file__).parents[1] / "schema" / "closed.json"


def text() -> str:
    """Return the content of the file: the schema of a row, and the definitions of a gate."""
    row = definition("row", of="dataset")
    return json.dumps({"row": closed(row), "gate": gate_definitions(row["$defs"])}) + "\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) if sys.argv[1:] else FILE).write_text(text(), encoding="utf-8")
