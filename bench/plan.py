"""What is measured, group by group: the commands that take turns, and what is asked of them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from columnar import TIMES
from dialects import DIALECTS
from graded import OUTPUTS
from layouts import LAYOUTS
from ratios import Case, Goal
from shapes import SHAPES, TABLES
from subject import HERE, Group
from timing import Command
from versions import CHANGES, LOCKED, PLAIN

if TYPE_CHECKING:
    from environments import Installed
    from subject import Subject

#: The folder of files that are no part of the repository.
SHARED_VARIABLE = "EVALCONTRACT_SHARED"


def make_plan(of: Subject) -> tuple[Group, ...]:
    """List the groups."""
    makers = (
        *(_yaml, _jsonl, _tables, _own, _memory, _bad, _workspace, _small, _files, _real, _rule),
        *(_grade, _dialects, _versions, _parquet, _parquet_memory),
    )
    return tuple(make(of) for make in makers)


def _yaml(of: Subject) -> Group:
    commands, cases, number = [], [], of.sizes.yaml
    for title, layout in LAYOUTS.items():
        file, ours = f"yaml/{layout.__name__}.yaml", f"YAML, {title}"
        theirs = f"sourcemeta, {ours}"
        commands += [of.sourcemeta(theirs, file, number), of.check(ours, file, number)]
        cases.append(Case(theirs, ours, title))
    title = f"YAML, {number:,} clean rows, eight layouts: rows/s against sourcemeta `--fast`"
    return Group("yaml", 7, tuple(commands), (Goal(title, tuple(cases), 0.30, 0.60),))


def _jsonl(of: Subject) -> Group:
    commands, cases, number = [], [], of.sizes.lines
    for title, shape in SHAPES.items():
        file, ours = f"jsonl/{shape.__name__}.jsonl", f"JSONL, {title}"
        theirs = f"plain script, {ours}"
        files, says = ("row.schema.json", file), f"{number:,} rows, 0 bad"
        commands += [
            of.script(theirs, "plain_script.py", *files, rows=number, says=says),
            of.check(ours, file, number),
        ]
        cases.append(Case(theirs, ours, title))
    title = f"JSONL, {number:,} clean rows, seven shapes: the plain script's time over ours"
    return Group("jsonl", 7, tuple(commands), (Goal(title, tuple(cases), 1.0, 1.3),))


def _tables(of: Subject) -> Group:
    commands, cases = [], []
    clean: dict[str, tuple[str, str]] = {}
    for title, shape in TABLES.items():
        for form, number in (("jsonl", of.sizes.lines), ("yaml", of.sizes.yaml)):
            file = f"tables/{shape.__name__}.{form}"
            ours = f"table as {'JSONL' if form == 'jsonl' else 'YAML'}, {title}"
            theirs = f"{'plain script' if form == 'jsonl' else 'sourcemeta'}, {ours}"
            says = f"{number:,} rows, 0 bad"
            files = ("row.schema.json", file)
            commands += [
                of.script(theirs, "plain_script.py", *files, rows=number, says=says)
                if form == "jsonl"
                else of.sourcemeta(theirs, file, number),
                of.check(ours, file, number),
            ]
            first = clean.setdefault(form, (theirs, ours))
            if first[1] != ours:
                cases.append(Case(theirs, ours, ours.removeprefix("table as "), beside=first))
    title = "rows of tables, JSONL and YAML: speed beside others' as part of that of clean rows"
    speed = "rows of tables as JSONL: the plain script's time over ours"
    shown = tuple(
        Case(f"plain script, {ours}", ours, title)
        for title in TABLES
        for ours in (f"table as JSONL, {title}",)
    )
    goals = (Goal(title, tuple(cases), 0.50, 0.80), Goal(speed, shown))
    return Group("tables", 5, tuple(commands), goals)


def _own(of: Subject) -> Group:
    ours, theirs, number = "JSONL, own rows", "orjson alone, JSONL, own rows", of.sizes.own
    commands = (
        of.script(theirs, "floor.py", "jsonl/own.jsonl", rows=number),
        of.check(ours, "jsonl/own.jsonl", number),
    )
    title = f"JSONL, the benchmark's own rows, {number:,}: rows/s against orjson that parses alone"
    return Group("own", 7, commands, (Goal(title, (Case(theirs, ours),), 0.45, 0.60),))


def _memory(of: Subject) -> Group:
    number = of.sizes.most
    theirs, names = (
        f"orjson alone, JSONL, {number:,} own rows",
        ("ids ascending", "ids in no order"),
    )
    keys = [f"JSONL, {number:,} own rows, {name}" for name in names]
    commands = (
        of.script(theirs, "floor.py", "jsonl/most.jsonl", rows=number),
        of.check(keys[0], "jsonl/most.jsonl", number),
        of.check(keys[1], "jsonl/shuffled.jsonl", number),
    )
    peaks = tuple(Case(key, name=name) for key, name in zip(keys, names, strict=True))
    times = tuple(Case(theirs, peak.over, peak.name) for peak in peaks)
    goals = (
        Goal(f"peak memory, {number:,} own rows as JSONL", peaks, 160, 100, high=False),
        Goal(f"JSONL, {number:,} own rows: rows/s against orjson that parses alone", times),
    )
    return Group("memory", 3, commands, goals)


def _parquet(of: Subject) -> Group:
    commands, cases, number = [], [], of.sizes.lines
    for title, shape in SHAPES.items():
        theirs, ours = f"{title}, beside Parquet", f"Parquet, {title}"
        file = f"jsonl/{shape.__name__}.jsonl", f"parquet/{shape.__name__}.parquet"
        for key, each in zip((theirs, ours), file, strict=True):
            commands.append(of.check(key, each, number, of.with_arrow))
        cases.append(Case(theirs, ours, title))
    title = f"Parquet, {number:,} clean rows, seven shapes: rows/s against the same as JSONL"
    return Group("parquet", 5, tuple(commands), (Goal(title, tuple(cases), 0.80, 1.00),))


def _parquet_memory(of: Subject) -> Group:
    number, file = of.sizes.most * TIMES, "parquet/most.parquet"
    one = of.check("Parquet, one process", file, number, of.with_arrow)
    arguments = ("2" if each == "1" else each for each in one.arguments)
    name = "Parquet, two processes"
    two = replace(one, key=name, what=f"evalcontract, {name}", arguments=tuple(arguments))
    what = f"Parquet, {number:,} own rows, ids in no order"
    scaled = Case(one.key, two.key, elapsed=True)
    goals = (
        Goal(f"{what}: peak memory of a process", (Case(one.key),), 300, high=False),
        Goal(f"{what}: time of one process over that of two", (scaled,), 1.7),
    )
    return Group("parquet memory", 3, (one, two), goals)


def _bad(of: Subject) -> Group:
    lines, yaml = of.sizes.own, of.sizes.yaml
    commands = (
        of.check("JSONL, clean", "jsonl/own.jsonl", lines),
        of.check_bad("JSONL, 1 % bad", "jsonl/bad.jsonl", lines),
        of.check("YAML, clean", "yaml/plain.yaml", yaml),
        of.check_bad("YAML, 1 % bad", "yaml/bad.yaml", yaml),
    )
    cases = tuple(Case(f"{name}, clean", f"{name}, 1 % bad", name) for name in ("JSONL", "YAML"))
    title = "1 % bad rows, all reported with line and column: rows/s against clean"
    return Group("bad", 5, commands, (Goal(title, cases, 0.40, 0.70),))


def _workspace(of: Subject) -> Group:
    parts = of.sizes.parts
    many, rows = str(of.data / "many"), parts // 5 * 50
    says = f"{parts} rubrics, {parts} judges: no findings"

    def check(key: str, by: Installed, *options: str, empties: Path | None = None) -> Command:
        arguments = (by.program("evalcontract"), "check", "--strict", *options, many)
        what = f"evalcontract, {key}"
        return Command(key, what, arguments, rows, says, empties=empties, missing=by.missing)

    ours, before, first, second = (
        f"many files, {each}" for each in ("no cache", "version before", "first run", "second run")
    )
    commands = (
        check(ours, of.ours, "--no-cache"),
        check(before, of.before, "--no-cache"),
        check(first, of.ours, empties=of.cache),
        check(second, of.ours),
    )
    what = (
        f"`check --no-cache` of {parts // 5} datasets of 50 rows, {parts} rubrics, {parts} judges"
    )
    goals = (
        Goal(
            f"{what}: time against the version before",
            (Case(ours, before),),
            0.50,
            0.40,
            high=False,
        ),
        Goal(
            "the same with a cache: time of the second run against the first",
            (Case(second, first),),
            high=False,
        ),
    )
    return Group("workspace", 7, commands, goals)


def _small(of: Subject) -> Group:
    tiny, file = "YAML, 40 lines", "yaml/tiny.yaml"
    theirs, nothing = f"check-jsonschema, {tiny}", "`python -c pass`"
    version = (of.ours.program("evalcontract"), "--version")
    python = (of.ours.program("python"), "-c", "pass")
    commands = (
        of.check(tiny, file, 2),
        of.check_jsonschema(theirs, of.data / file),
        Command("version", "evalcontract, `--version`", version, says="evalcontract, version"),
        Command(nothing, nothing, python),
        Command("again", f"{nothing}, again", python),
    )
    title = "a file of 40 lines of YAML: time against check-jsonschema"
    goals = (
        Goal(title, (Case(tiny, theirs),), 0.30, 0.20, high=False),
        Goal(f"`--version`: time against {nothing}", (Case("version", nothing),), high=False),
        Goal(f"noise: {nothing} against itself", (Case(nothing, "again"),)),
    )
    return Group("small", 25, commands, goals)


def _files(of: Subject) -> Group:
    commands, cases = [], []
    for name, number in (("hundred", 100), ("thousand", 1_000)):
        file, ours = f"yaml/{name}.yaml", f"YAML, {number:,} rows"
        theirs = f"check-jsonschema, {ours}"
        commands += [
            of.check_jsonschema(theirs, of.data / file, number),
            of.check(ours, file, number),
        ]
        cases.append(Case(ours, theirs, f"{number:,} rows"))
    title = "YAML files of 100 and of 1,000 rows: time against check-jsonschema"
    return Group("files", 5, tuple(commands), (Goal(title, tuple(cases), high=False),))


def _real(of: Subject) -> Group:
    ours, theirs = "a real dataset", "check-jsonschema, a real dataset"
    folder = os.environ.get(SHARED_VARIABLE)
    file = Path(folder or "", "real", "ai_eval", "change_dataset.yaml")
    check = (of.ours.program("evalcontract"), "validate-dataset", "--strict", str(file))
    is_there = folder and file.exists()
    missing = "" if is_there else f"the dataset is no part of the repository: {SHARED_VARIABLE}"
    says = "1 dataset (6 rows): 1 warning"
    commands = (
        Command(ours, f"evalcontract, {ours}", check, says=says, missing=missing),
        of.check_jsonschema(theirs, file),
    )
    title = "a real dataset (of ai_eval, 88 lines of YAML): time against check-jsonschema"
    return Group("real", 11, commands, (Goal(title, (Case(ours, theirs),), high=False),))


def _rule(of: Subject) -> Group:
    commands, cases = [], []
    lines, yaml = of.sizes.own, of.sizes.yaml
    for name, file, number in (
        ("JSONL", "jsonl/own.jsonl", lines),
        ("YAML", "yaml/plain.yaml", yaml),
    ):
        ours, more = f"{name}, our rules", f"{name}, one more rule"
        commands += [of.check(ours, file, number), of.check(more, file, number, of.with_rule)]
        cases.append(Case(more, ours, name))
    title = "one more rule on rows, with a schema of its own: time against without"
    return Group("rule", 5, tuple(commands), (Goal(title, tuple(cases), 1.1, high=False),))


def _grade(of: Subject) -> Group:
    commands, cases, elapsed, beside, number = [], [], [], [], of.sizes.lines
    by_hand, written, compared = [], [], []
    for title in OUTPUTS:
        files = ("graded/rows.jsonl", f"graded/{title.replace(' ', '_')}.jsonl")
        rows, outputs = (str(of.data / file) for file in files)
        ours, theirs = f"evalcontract, grade, {title}", f"evalcontract, read both, {title}"
        bare, missing = f"orjson alone reads both, {title}", of.ours.missing
        asked = (of.ours.program("evalcontract"), "grade", rows, "--outputs", outputs)
        reading = (of.ours.program("python"), str(HERE / "read_both.py"), rows, outputs)
        plain, again = f"plain script, grade, {title}", f"evalcontract, grade --compare, {title}"
        saved = f"evalcontract, grade --results, {title}"
        kept = ("--results", f"{outputs.removesuffix('.jsonl')}_results.jsonl", "--force")
        says, pairs = f"{number:,} rows, mean score", f"{number} pairs, 0 findings"
        commands += [
            Command(ours, ours, asked, number, says, missing=missing),
            Command(theirs, theirs, reading, number, pairs, missing=missing),
            of.script(bare, "floor.py", *files, rows=number),
            of.script(plain, "plain_grade.py", "row.schema.json", *files, rows=number, says=says),
            Command(saved, saved, (*asked, *kept), number, says, missing=missing),
            Command(again, again, (*asked, "--compare", kept[1]), number, says, missing=missing),
        ]
        cases.append(Case(ours, theirs, title))
        elapsed.append(Case(ours, theirs, title, elapsed=True))
        beside.append(Case(ours, bare, title))
        by_hand.append(Case(ours, plain, title))
        written.append(Case(saved, ours, title))
        compared.append(Case(again, ours, title))
    title, floor = (
        f"{number:,} outputs by six checks",
        "time against reading and validating both files",
    )
    goals = (
        Goal(f"{title}: {floor}", tuple(cases), high=False),
        Goal(f"{title}, elapsed: {floor}", tuple(elapsed), 2.0, high=False),
        Goal(
            f"{number:,} outputs, bare: time against orjson that parses both files",
            tuple(beside),
            high=False,
        ),
        Goal(f"{title}: time against a plain script", tuple(by_hand), 2.0, high=False),
        Goal(f"{title}, with `--results`: time against without", tuple(written), high=False),
        Goal(f"{title}, with `--compare`: time against without", tuple(compared), 1.3, high=False),
    )
    return Group("grade", 5, tuple(commands), goals)


def _dialects(of: Subject) -> Group:
    number = of.sizes.lines
    names = {name: f"{name.replace('_', ' ')}, agent runs" for name in DIALECTS}
    commands = []
    for name, dialect in DIALECTS.items():
        plain = of.check(names[name], f"dialects/{name}.jsonl", number)
        *asked, file = plain.arguments
        commands.append(replace(plain, arguments=(*asked, "--dialect", dialect, file)))
    title = f"JSONL, {number:,} runs of an agent"
    first, second, third = names.values()
    goals = (
        Goal(
            f"{title}: time as NorthStar's against MLflow's",
            (Case(first, second),),
            2.0,
            high=False,
        ),
        Goal(
            f"{title}: time with arguments in JSON against texts without quotes",
            (Case(first, third),),
            1.5,
            high=False,
        ),
    )
    return Group("dialects", 5, tuple(commands), goals)


def _versions(of: Subject) -> Group:
    number = of.sizes.versioned
    folder = of.data / "versions"
    plain, locked = (str(folder / name) for name in (PLAIN, LOCKED))
    clean = f"{number:,} rubrics, {number:,} judges: no findings"
    without, within, lock = "check, no lock", "check, with a lock", "lock"
    commands = [
        of.evalcontract(lock, "lock", locked),  # in the first round, which is not counted: anew
        of.evalcontract(without, "check", "--no-cache", plain, says=clean),
        of.evalcontract(within, "check", "--no-cache", locked, says=clean),
    ]
    cases = [Case(within, without, "check with a lock"), Case(lock, without, lock)]
    for title in CHANGES:
        key, changed = f"diff, {title}", str(folder / title.replace(" ", "_"))
        commands.append(of.evalcontract(key, "diff", "--against", "HEAD", changed))
        cases.append(Case(key, without, f"diff of {title}"))
    what = f"{number:,} rubrics, {number:,} judges, {number // 5} datasets"
    title = f"a lock, and changes since a commit, of {what}: time against `check` without a cache"
    return Group("versions", 5, tuple(commands), (Goal(title, tuple(cases), 1.2, high=False),))
