"""What one row of a tiny file takes: calls, files, depth and modules, and time of the processor.

python bench/one_row.py [--rounds 15] [--work FOLDER] [--ours WHEEL_OR_ENVIRONMENT] [--functions]

The counts are of a row with one near miss, and are the same on each machine, but for the scan of
the installed packages for entry points, which has a figure of its own. Times are relative to those
of check-jsonschema with the same file, each the smallest of many runs that take turns; `libraries`
is Python and the libraries that ours imports, without any code of ours. Other work on the machine
moves times by some per cent, and counts not at all.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

from environments import HERE, Installed, install_ours, install_peers
from timing import Command, environment, run
from workspaces import write_schemas

CLEAN = """questions:
  - id: a
    input: What is 2+3?
    expected_facts: ["5"]
"""
NEAR_MISS = CLEAN.replace("expected_facts", "expected_fact")
LIBRARIES = "import jsonschema_rs, orjson, yaml_rs"
COUNTS = ("files", "calls", "entry points", "changes", "depth", "modules")
#: What check-jsonschema's time is called, to which the others are relative.
PEER = "check-jsonschema"


def main() -> None:
    """Print the counts and the times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="0 counts, and times nothing")
    parser.add_argument("--work", type=Path, default=HERE / ".work")
    parser.add_argument("--ours", type=Path)
    parser.add_argument("--functions", action="store_true", help="show what is called most")
    asked = parser.parse_args()
    work: Path = asked.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    files = write_files(work / "one_row")
    ours = install_ours(work, asked.ours)
    for name, file in files.items():
        counts = counts_of(ours, file, work)
        _say(f"{name}: " + ", ".join(f"{each} {counts[each]:,}" for each in COUNTS))
        if asked.functions:
            _say("\n".join(f"{count:6,}  {name}" for name, count in counts["functions"].items()))
            _say("\n".join(f"{n:6}  {name}" for n, name in enumerate(counts["deepest"], 1)))
    if asked.rounds:
        peers = install_peers(work, ours)
        _say(_shown(smallest(commands(ours, peers, files), asked.rounds, work)))


def write_files(folder: Path) -> dict[str, Path]:
    """Write a clean dataset of one row, and one with a near miss; return them by name."""
    folder.mkdir(parents=True, exist_ok=True)
    write_schemas(folder)
    texts = {"clean": CLEAN, "near miss": NEAR_MISS}
    files = {name: folder / name.replace(" ", "_") / "dataset.yaml" for name in texts}
    for name, file in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(texts[name], encoding="utf-8")
    return files


def counts_of(ours: Installed, file: Path, work: Path) -> dict[str, Any]:
    """Return what a check of a file calls, counted in a process of its own; see `traced.py`.

    It is run twice, since the first run of an installation may compile it.
    """
    out = work / "one_row.json"
    script = (ours.program("python"), "-P", str(HERE / "traced.py"), str(out))
    for _ in range(2):
        command = (*script, "validate-dataset", str(file))
        subprocess.run(command, check=True, cwd=file.parent, env=environment(work))
    counts: dict[str, Any] = json.loads(out.read_bytes())
    return counts


def commands(ours: Installed, peers: Installed, files: dict[str, Path]) -> list[Command]:
    """Return the commands whose times are compared."""
    program = ours.program("evalcontract")
    clean, near = (str(files[name]) for name in ("clean", "near miss"))
    schema = str(files["clean"].parents[1] / "dataset.schema.json")
    peer = (peers.program(PEER), "--schemafile", schema, clean)
    libraries = (ours.program("python"), "-P", "-c", LIBRARIES)
    return [
        Command("libraries", "libraries", libraries),
        Command("clean", "clean", (program, "validate-dataset", clean), 1, "no findings"),
        Command("near miss", "near miss", (program, "validate-dataset", near), 1, "1 warning"),
        Command(PEER, PEER, peer, 1, "ok -- validation done", missing=peers.missing),
    ]


def smallest(asked: list[Command], rounds: int, work: Path) -> dict[str, float]:
    """Return the smallest time of the processor of each command, in seconds."""
    found: dict[str, float] = {}
    for _ in range(rounds):
        for command in asked:
            if command.missing:
                continue
            taken = run(command, work).cpu
            found[command.key] = min(taken, found.get(command.key, taken))
    return found


def _shown(times: dict[str, float]) -> str:
    whole = times.get(PEER)
    return "\n".join(
        f"{key}: {seconds * 1000:.0f} ms" + (f", {seconds / whole:.3f}" if whole else "")
        for key, seconds in times.items()
    )


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
