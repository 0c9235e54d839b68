"""The commands that are measured, group by group."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from samples import ONE_BAD_IN
from timing import Command, environment

if TYPE_CHECKING:
    from peers import Peers
    from ratios import Row

HERE = Path(__file__).parent
PYTHON = sys.executable
OURS = (PYTHON, "-m", "evalcontract")
CLEAN = "no findings"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: rows, files, rounds of the groups by name."""

    lines: int
    yaml: int
    parts: int
    rounds: dict[str, int]


FULL = Sizes(1_000_000, 20_000, 1_000, {"lines": 5, "slow": 3, "yaml": 11, "start": 25, "many": 5})
QUICK = Sizes(2_000, 200, 10, dict.fromkeys(FULL.rounds, 1))


@dataclass(frozen=True, slots=True)
class Options:
    """Which options this version of ours has."""

    jobs: bool
    cache: bool

    def one_core(self) -> tuple[str, ...]:
        """Return what keeps a run to one process."""
        return ("--jobs", "1") if self.jobs else ()

    def alone(self) -> tuple[str, ...]:
        """Return what makes a run do all its work itself."""
        return (*self.one_core(), *(("--no-cache",) if self.cache else ()))


def find_options(work: Path) -> Options:
    """Ask the command which options it has."""
    helped = subprocess.run(
        (*OURS, "validate-dataset", "--help"),
        capture_output=True,
        text=True,
        check=True,
        env=environment(work),
    ).stdout
    return Options(jobs="--jobs" in helped, cache="--no-cache" in helped)


@dataclass(frozen=True, slots=True)
class Plan:
    """The commands by group, and why others are not there."""

    groups: dict[str, tuple[Command, ...]]
    missing: dict[str, str]

    def reason(self, row: Row) -> str:
        """Return why a row cannot be measured, or nothing."""
        return next((self.missing[key] for key in row.needs() if key in self.missing), "")


def make_plan(sizes: Sizes, data: Path, options: Options, peers: Peers) -> Plan:
    """List the commands, group by group: those of a group take turns."""
    listed = {
        "lines": [*_our_lines(sizes, data, options), *_their_lines(sizes, data, peers)],
        "yaml": _yaml(sizes, data, options, peers),
        "slow": _slow(sizes, data, options, peers),
        "start": _start(data, options, peers),
        "many": _many(data, options),
    }
    missing = {
        each.key: each.what
        for commands in listed.values()
        for each in commands
        if not each.arguments
    }
    there = {name: tuple(c for c in listed[name] if c.arguments) for name in listed}
    return Plan(there, missing)


def _ours(key: str, what: str, file: Path, rows: int, options: Options) -> Command:
    return Command(
        key,
        f"evalcontract, {what}",
        (*OURS, "validate-dataset", "--strict", *options.alone(), str(file)),
        rows,
        CLEAN,
    )


def _our_bad(key: str, what: str, file: Path, rows: int, options: Options) -> Command:
    asked = ("validate-dataset", "--strict", "--limit", "0", *options.alone())
    says = f": {rows // ONE_BAD_IN:,} errors"
    return Command(key, f"evalcontract, {what}", (*OURS, *asked, str(file)), rows, says, 1)


def _our_lines(sizes: Sizes, data: Path, options: Options) -> list[Command]:
    one, number = data / "one" / "datasets", sizes.lines
    rag = data / "rag" / "datasets" / "rag.jsonl"
    two = tuple("2" if word == "1" else word for word in options.alone())
    jobs = (*OURS, "validate-dataset", "--strict", *two, str(one / "clean.jsonl"))
    return [
        Command(
            "floor",
            "orjson alone, JSONL",
            (PYTHON, str(HERE / "floor.py"), str(one / "clean.jsonl")),
            number,
        ),
        _ours("clean", "JSONL, clean", one / "clean.jsonl", number, options),
        _ours("shuffled", "JSONL, ids shuffled", one / "shuffled.jsonl", number, options),
        _our_bad("bad", "JSONL, 1 % bad", one / "bad.jsonl", number, options),
        _ours("own", "JSONL, own keys", one / "own.jsonl", number, options),
        _ours("rag", "JSONL, bundle, 200 rubrics", rag, number, options),
        _ours("tenth", "JSONL, a tenth", one / "tenth.jsonl", number // 10, options),
        _ours("first", "JSONL, one row", one / "first.jsonl", 1, options),
        Command("jobs", "evalcontract, JSONL, `--jobs 2`", jobs, number, CLEAN)
        if options.jobs
        else Command("jobs", "this version has no option `--jobs`", ()),
    ]


def _their_lines(sizes: Sizes, data: Path, peers: Peers) -> list[Command]:
    schema = str(data / "row.schema.json")
    file = str(data / "one" / "datasets" / "clean.jsonl")
    number = sizes.lines
    tenth = str(data / "one" / "datasets" / "tenth.jsonl")
    return [
        _sourcemeta("sourcemeta", "JSONL", schema, file, number, peers),
        _sourcemeta("sourcemeta_tenth", "JSONL, a tenth", schema, tenth, number // 10, peers),
        Command(
            "ajv", "ajv, JSONL", (*peers.ajv.command, schema, file), number, f"{number} rows, 0 bad"
        )
        if peers.ajv.command
        else Command("ajv", peers.ajv.missing, ()),
    ]


def _yaml(sizes: Sizes, data: Path, options: Options, peers: Peers) -> list[Command]:
    one, number = data / "one" / "datasets", sizes.yaml
    schema = str(data / "dataset.schema.json")
    return [
        _ours("yaml_clean", "YAML, clean", one / "clean.yaml", number, options),
        _our_bad("yaml_bad", "YAML, 1 % bad", one / "bad.yaml", number, options),
        _sourcemeta("sourcemeta_yaml", "YAML", schema, str(one / "clean.yaml"), number, peers),
    ]


def _slow(sizes: Sizes, data: Path, options: Options, peers: Peers) -> list[Command]:
    file = data / "one" / "datasets" / "clean.yaml"
    return [
        _ours("yaml_clean", "YAML, clean", file, sizes.yaml, options),
        _check_jsonschema("check_jsonschema_yaml", "YAML", file, sizes.yaml, peers),
    ]


def _start(data: Path, options: Options, peers: Peers) -> list[Command]:
    small = data / "one" / "datasets" / "small.yaml"
    nothing = (PYTHON, "-c", "pass")
    return [
        _ours("small", "YAML, 40 lines", small, 0, options),
        _check_jsonschema("check_jsonschema_small", "YAML, 40 lines", small, 0, peers),
        Command("pass", "`python -c pass`", nothing),
        Command("version", "evalcontract, `--version`", (*OURS, "--version")),
        Command("pass_again", "`python -c pass`, again", nothing),
    ]


def _many(data: Path, options: Options) -> list[Command]:
    check = (*OURS, "check", "--strict", *options.one_core(), str(data / "many"))
    first, second = "evalcontract, many files, first run", "evalcontract, many files, second run"
    return [
        Command("many_first", first, check, says=CLEAN, empties=data.parent / "cache"),
        Command("many_second", second, check, says=CLEAN),
    ]


def _check_jsonschema(key: str, what: str, file: Path, rows: int, peers: Peers) -> Command:
    peer = peers.check_jsonschema
    if not peer.command:
        return Command(key, peer.missing, ())
    arguments = (*peer.command, "--schemafile", str(file.parents[2] / "dataset.schema.json"))
    return Command(key, f"check-jsonschema, {what}", (*arguments, str(file)), rows)


def _sourcemeta(key: str, what: str, schema: str, file: str, rows: int, peers: Peers) -> Command:
    peer = peers.sourcemeta
    if not peer.command:
        return Command(key, peer.missing, ())
    arguments = (*peer.command, "validate", "--fast", schema, file)
    says = f"{rows if file.endswith('.jsonl') else 1} passed"
    return Command(key, f"sourcemeta, {what}", arguments, rows, says)
