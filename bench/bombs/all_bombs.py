"""The table of all bombs; `python all_bombs.py NAME FOLDER SIZE` writes one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import bombs_of_dialects
import bombs_of_folders
import bombs_of_grading
import bombs_of_ignores
import bombs_of_labels
import bombs_of_patterns
import bombs_of_references
import bombs_of_rows
import bombs_of_rubrics
import bombs_of_schemas
import bombs_of_texts

if TYPE_CHECKING:
    from bomb import Bomb

BOMBS: dict[str, Bomb] = {
    bomb.name: bomb
    for module in (
        bombs_of_texts,
        bombs_of_rows,
        bombs_of_rubrics,
        bombs_of_references,
        bombs_of_patterns,
        bombs_of_schemas,
        bombs_of_folders,
        bombs_of_grading,
        bombs_of_labels,
        bombs_of_ignores,
        bombs_of_dialects,
    )
    for bomb in module.BOMBS
}

if __name__ == "__main__":
    # A process of its own writes the files: in the system's count, a process begins with the
    # memory of the one that started it, so the one that measures stays small.
    print(BOMBS[sys.argv[1]].write(Path(sys.argv[2]), int(sys.argv[3])))
