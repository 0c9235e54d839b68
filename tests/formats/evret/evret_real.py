"""Says what the real loaders of Evret make of files; run where the packages are installed.

`python evret_real.py LOADER FILE` reads JSON lines from FILE, each a text, and prints one
line for each: `[verdict, parsed]`. LOADER is `from_json` or `from_csv`. The release is the one
that is imported.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any


def verdict_of(loader: str, text: str, folder: Path) -> list[Any]:
    """Return what a loader makes of a text."""
    path = folder / "d.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read = getattr(import_module("evret").EvaluationDataset, loader)(path)
    except Exception as error:  # noqa: BLE001 - whatever escapes it is its verdict
        return ["reject", f"{type(error).__name__}: {error}"]
    return ["accept", dataclasses.asdict(read)]


def main() -> None:
    """Judge every line of a file."""
    loader, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        for line in Path(source).read_text(encoding="utf-8").splitlines():
            print(json.dumps(verdict_of(loader, json.loads(line), Path(name))))  # noqa: T201


if __name__ == "__main__":
    main()
