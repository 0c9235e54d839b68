"""Write all that is measured on into a folder, a workspace.

python bench/files.py FOLDER [--yaml 20000] [--lines 100000] [--own 200000] [--most 1000000]
                             [--parts 200]

It is a program of its own: a process that starts another lends it the memory that it had, in the
system's count, so the one that measures stays small.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from columnar import write_many_rows, write_shape
from dialects import write_dialects
from graded import write_graded
from layouts import LAYOUTS, left_empty, plain
from rows import SEED, rows, unlike_rows, with_faults
from shapes import SHAPES, TABLES
from subject import FULL, Sizes
from versions import write_versions
from workspaces import write, write_many, write_rubrics, write_schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rows import Row

ROWS_OF_FORTY_LINES = 2
#: Rows of the small files.
SMALL = {"hundred": 100, "thousand": 1_000}


def write_all(folder: Path, sizes: Sizes) -> None:
    """Write all files."""
    write_rubrics(folder)
    write_schemas(folder)
    for layout in LAYOUTS.values():
        write(folder / "yaml" / f"{layout.__name__}.yaml", layout(unlike_rows(sizes.yaml)))
    write(folder / "yaml" / "bad.yaml", plain(with_faults(unlike_rows(sizes.yaml))))
    write(folder / "yaml" / "tiny.yaml", plain(rows(ROWS_OF_FORTY_LINES)))
    for name, number in SMALL.items():
        write(folder / "yaml" / f"{name}.yaml", plain(unlike_rows(number)))
    for shape in SHAPES.values():
        write(folder / "jsonl" / f"{shape.__name__}.jsonl", shape(sizes.lines))
        write_shape(folder / "jsonl" / f"{shape.__name__}.jsonl")
    for shape in TABLES.values():
        write(folder / "tables" / f"{shape.__name__}.jsonl", shape(sizes.lines))
        rows_of_table = map(json.loads, shape(sizes.yaml))
        write(folder / "tables" / f"{shape.__name__}.yaml", left_empty(rows_of_table))
    write(folder / "jsonl" / "own.jsonl", _json(rows(sizes.own)))
    write(folder / "jsonl" / "bad.jsonl", _json(with_faults(rows(sizes.own))))
    write_graded(folder / "graded", sizes.lines)
    write_dialects(folder / "dialects", sizes.lines)
    if sizes.most:
        write_most(folder / "jsonl", sizes.most)
        write_many_rows(folder / "parquet" / "most.parquet", rows(sizes.most))
    if sizes.parts:
        write_many(folder / "many", sizes.parts)
        write_versions(folder / "versions", sizes.versioned)


def write_most(folder: Path, number: int) -> None:
    """Write the same rows with ids in ascending order, and in none."""
    order = list(range(number))
    random.Random(SEED).shuffle(order)
    lines = _json(rows(number))
    with (folder / "most.jsonl").open("w") as most, (folder / "shuffled.jsonl").open("w") as other:
        for line, index, chosen in zip(lines, range(number), order, strict=True):
            most.write(line)
            other.write(line.replace(f"question_{index:07}", f"question_{chosen:07}", 1))


def _json(of: Iterable[Row]) -> Iterator[str]:
    dump = json.JSONEncoder().encode
    return (f"{dump(row)}\n" for row in of)


def main() -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    for name, number in asdict(FULL).items():
        parser.add_argument(f"--{name}", type=int, default=number)
    asked = vars(parser.parse_args())
    write_all(asked.pop("folder"), Sizes(**asked))


if __name__ == "__main__":
    main()
