"""What was checked of a large table is not checked again, and what is found stays the same."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.cache import Cache
from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.known import KnownPieces
from evalcontract.datasets.opening import Advance, Input, Options
from evalcontract.model.reference import Kind
from evalcontract.source import DISK
from evalcontract.source.tables.parquet import ParquetTable, PartFile
from evalcontract.workspace import ChosenConfiguration

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import RunOutcome
if "CI" not in os.environ:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pyarrow as pa
import pyarrow.parquet as pq

RUBRIC = """\
id: facts
version: "1.0.0"
checks:
  - {id: facts, kind: fact_match}
  - {id: shape, kind: json_schema, schema_ref: shape.json}
scoring: {combine: all_pass}
"""
SMALL = {
    "evalcontract.datasets.tables.MIN_TABLE_BYTES": 0,
    "evalcontract.source.tables.parquet.PART_BYTES": 1 << 11,
    "evalcontract.source.tables.folders.PART_BYTES": 1 << 11,
    "evalcontract.source.tables.folders._LEAST": 1 << 9,
    "evalcontract.source.tables.parquet._JOINED_ROWS": 16,
}
NEAR = "dataset/near-miss-key"
#: What a row has instead of what most have.
CHANGES: tuple[dict[str, Any], ...] = (
    {"expecteed_facts": ["a"]},
    {"id": "twice"},
    {"id": None},
    {"rubric_ref": "rubric/gone@1.0.0"},
    {"rubric_ref": "rubric/fact@1.0.0"},
    {"bundle": "nobody"},
    {"metadata": {"evalcontract": {"ignore": [NEAR]}}, "expecteed_facts": ["a"]},
    {"metadata": {"evalcontract": {"ignore": [NEAR]}}},
    {"input": None},
    {"number": float("nan")},
    {"input": "é\ud7ff\n\0"},
    {"id": "with\nlines"},
)


def row(number: int, *, is_clean: bool = False) -> dict[str, Any]:
    generator = random.Random(number)  # noqa: S311 - no secret
    usual = {
        "id": f"q{generator.randrange(10**9)}",
        "input": f"When? {generator.random()}",
        "expected_facts": ["a"],
        "rubric_ref": "rubric/facts@1.0.0",
        "number": 1.5,
    }
    is_changed = not is_clean and number % 7 == 3
    return {**usual, **generator.choice(CHANGES)} if is_changed else usual


def put(file: Path, rows: list[dict[str, Any]], group: int = 50) -> None:
    keys = dict.fromkeys(key for each in rows for key in each)
    table = pa.table({key: [each.get(key) for each in rows] for key in keys})
    file.parent.mkdir(parents=True, exist_ok=True)
    data = io.BytesIO()
    pq.write_table(table, data, row_group_size=group, data_page_size=64)
    file.write_bytes(data.getvalue())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which even small tables are checked in pieces."""
    for name, size in SMALL.items():
        monkeypatch.setattr(name, size)
    (tmp_path / "w" / "rubrics").mkdir(parents=True)
    (tmp_path / "w" / "rubrics" / "facts.yaml").write_text(RUBRIC)
    (tmp_path / "w" / "shape.json").write_text('{"type": "object", "required": ["a"]}')
    monkeypatch.chdir(tmp_path / "w")
    return tmp_path / "w"


def checked(
    path: Path, *, is_cached: bool = True, **options: Any
) -> tuple[RunOutcome, tuple[int, int] | None]:
    """Return an outcome, and how many pieces were known and how many there were."""
    told: list[Advance] = []
    cache = Cache(path.parents[1] / "cache") if is_cached else None
    given = Options(path.parent, cache=cache, progress=told.append, **options)
    outcome = validate(Kind.DATASET, [Input(path)], given)
    return outcome, told[-1].known if told else None


def entries(place: Path) -> list[Path]:
    return sorted((place.parent / "cache" / "pieces-1").iterdir())


def folder(place: Path, *, is_clean: bool = False) -> Path:
    """Return a table of partitions, each in several pieces."""
    for key in range(4):
        rows = [row(1000 * key + n, is_clean=is_clean) for n in range(300)]
        put(place / "t" / f"k={key}" / "a.parquet", rows)
    return place / "t"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@every_case(
    "options",
    [
        {},
        {"is_joined": False},
        {"max_findings": 5},
        {"max_findings": 40},
        {"columns": (("number", "metadata.n"), ("input", "input"))},
        {"configuration": ChosenConfiguration(keeps_nulls=True)},
    ],
)
@pytest.mark.parametrize("is_folder", [False, True])
def test_what_is_known_changes_no_finding(
    is_folder: Any, jobs: int, options: dict[str, Any], place: Path
) -> None:
    for entry in (place.parent / "cache" / "pieces-1").glob("*"):
        entry.unlink()  # of another case
    path = place / "a.parquet"
    if is_folder:
        path = folder(place)
    else:
        put(path, [row(n) for n in range(1200)])
    whole, none = checked(path, is_cached=False, jobs=1, **options)
    assert none is None
    first, (known, count) = checked(path, jobs=jobs, **options)  # type: ignore[misc]
    assert (known, first) == (0, whole)
    again, (known, _) = checked(path, jobs=jobs, **options)  # type: ignore[misc]
    assert again == whole
    assert known == len(entries(place)) or "max_findings" in options
    assert len(whole.diagnostics) >= 5
    assert count > 5 or "max_findings" in options
    for entry in entries(place)[::2]:
        entry.unlink()
    half, (fewer, _) = checked(path, jobs=3 - jobs, **options)  # type: ignore[misc]
    assert half == whole
    assert fewer < known or "max_findings" in options
    others = {**options, "strict": True}
    assert checked(path, **others)[0] == checked(path, is_cached=False, **others)[0]


def test_what_every_row_has_is_counted_to_the_last(place: Path) -> None:
    path = place / "a.parquet"
    rows = [{**row(n, is_clean=True), "rubric_ref": "rubric/gone@1.0.0"} for n in range(1600)]
    put(path, rows)
    whole, _ = checked(path, is_cached=False)
    (gone,) = [each for each in whole.diagnostics if each.code == "reference/dangling"]
    assert gone.sites is not None
    assert gone.sites.total == 1600
    assert [checked(path)[0] for _ in range(2)] == [whole, whole]


def test_ids_that_are_repeated_in_different_pieces_are_found(place: Path) -> None:
    path = place / "a.parquet"
    rows = [row(n, is_clean=True) for n in range(600)]
    put(path, [*rows, *rows[:3]])
    found, _ = checked(path)
    again, (known, count) = checked(path)  # type: ignore[misc]
    assert known == count
    assert again == found
    assert [each.code for each in found.diagnostics] == ["dataset/duplicate-id"] * 3


@pytest.mark.slow
def test_a_partition_that_changes_is_checked_alone(place: Path) -> None:
    path = folder(place)
    before, (_, count) = checked(path)  # type: ignore[misc]
    own = count // 4
    put(path / "k=1" / "a.parquet", [row(1000 + n, is_clean=True) for n in range(300)])
    after, (known, count) = checked(path)  # type: ignore[misc]
    assert count - known in range(1, own + 2 + len(unsure(path, place)))
    assert after == checked(path, is_cached=False)[0] != before
    # Rows that are gone move those that follow, and these are known nevertheless.
    put(path / "k=0" / "a.parquet", [row(5000 + n, is_clean=True) for n in range(20)])
    fewer, (known, count) = checked(path)  # type: ignore[misc]
    assert count - known in range(1, 2 + len(unsure(path, place)))
    assert fewer == checked(path, is_cached=False)[0]
    assert fewer.rows < after.rows - 250


def unsure(path: Path, place: Path) -> range:
    """Return as many numbers as there are pieces that are never kept."""
    _, (known, count) = checked(path)  # type: ignore[misc]
    assert known <= len(entries(place))
    return range(count - known)


def test_a_file_that_grows_is_known_up_to_there(place: Path) -> None:
    path = folder(place, is_clean=True)
    _, (_, count) = checked(path)  # type: ignore[misc]
    put(path / "k=9" / "a.parquet", [row(9000 + n, is_clean=True) for n in range(300)])
    _, (known, more) = checked(path)  # type: ignore[misc]
    assert known == count < more


@every_case(
    ("name", "content"),
    [
        ("rubrics/facts.yaml", RUBRIC.replace("fact_match", "contains")),
        ("rubrics/other.yaml", RUBRIC.replace("id: facts\n", "id: other\n")),
        ("bundles/new.schema.json", "{}"),
        ("shape.json", '{"type": "object", "required": ["b"]}'),
        ("evalcontract.toml", 'nulls = "kept"'),
        ("evalcontract.toml", 'row_keys_graded = ["tags"]'),
    ],
)
def test_pieces_are_checked_again_where_what_they_hang_on_has_changed(
    name: str, content: str, place: Path
) -> None:
    path, file = place / "a.parquet", place / name
    put(path, [row(n, is_clean=True) for n in range(400)])
    before = file.read_bytes() if file.exists() else None
    checked(path)
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    changed, (known, _) = checked(path)  # type: ignore[misc]
    assert known == 0, name
    assert changed == checked(path, is_cached=False)[0]
    if before is None:
        file.unlink()
    else:
        file.write_bytes(before)
    _, (known, count) = checked(path)  # type: ignore[misc]
    assert known == count, name


@every_case(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda _: b"",
        lambda data: data[:-9] + b"x" + data[-8:],
        lambda data: b"x" * len(data),
    ],
)
def test_an_entry_that_is_damaged_is_none(damage: Any, place: Path) -> None:
    path = place / "a.parquet"
    put(path, [row(n, is_clean=n < 100) for n in range(400)])
    whole, _ = checked(path)
    for entry in entries(place):
        entry.write_bytes(damage(entry.read_bytes()))
    again, (known, _) = checked(path)  # type: ignore[misc]
    assert (again, known) == (whole, 0)


def test_an_entry_with_a_right_checksum_and_other_content_is_none(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place / "a.parquet"
    put(path, [row(n, is_clean=True) for n in range(400)])
    whole, _ = checked(path)
    contents = [b"[[]]", b"{}", b"7", b"[[0, 1, [[]], [], [], [], 0, []]]", b"\xff", b"[null]"]
    contents += [b"[[0, 1, [], [[0, [9], [], true]], [], [], 0, []]]\nab", b"[]\nab"]
    for content in contents:
        with monkeypatch.context() as patch:
            patch.setattr(Cache, "get", lambda *_, content=content: content)
            again, (known, _) = checked(path)  # type: ignore[misc]
        assert (again, known) == (whole, 0), content


def test_rows_that_are_deleted_and_other_names_make_another_content(place: Path) -> None:
    path = place / "a.parquet"
    put(path, [row(n, is_clean=True) for n in range(200)])

    def contents(**of_log: Any) -> list[str | None]:
        part = PartFile("a", {}, **of_log)
        return [each.content() for each in ParquetTable("a", DISK.stream(path), part).cut()]

    def without(*deleted: int) -> list[str | None]:
        return contents(left=pa.array([n not in deleted for n in range(200)]))

    whole = contents()
    assert len(whole) > 2
    assert without() == whole
    for deleted in ((3,), (4,), (3, 4)):
        first, *others = without(*deleted)
        assert (first != whole[0], others) == (True, whole[1:])
    assert without(3)[0] != without(4)[0]
    physical = "delta.columnMapping.physicalName"
    fields = [
        {"name": "id", "type": "string", "metadata": {physical: name}} for name in ("id", "input")
    ]
    assert not {*contents(fields=fields[:1])} & {*contents(fields=fields[1:]), *whole}


def test_rows_that_cannot_be_read_are_read_again(place: Path) -> None:
    path = place / "a.parquet"
    rows = [row(n, is_clean=True) for n in range(400)]
    put(path, [*rows[:200], {**rows[200], "number": float("inf")}, *rows[201:]])
    first, _ = checked(path)
    again, (known, count) = checked(path)  # type: ignore[misc]
    assert known == count - 1
    assert again == first
    assert [each.code for each in again.diagnostics] == ["source/unsupported"]


def test_a_file_that_changes_meanwhile_is_not_remembered(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place / "a.parquet"
    put(path, [row(n, is_clean=True) for n in range(400)])
    other = place / "other"
    put(other, [row(n) for n in range(400)])
    from evalcontract.datasets.row_check import DatasetCheck

    look = DatasetCheck._check_batch  # noqa: SLF001 - what is called while a piece is read

    def replacing(*given: Any, **more: Any) -> Any:
        if other.exists():
            other.replace(path)
        return look(*given, **more)

    monkeypatch.setattr(DatasetCheck, "_check_batch", replacing)
    checked(path)
    assert checked(path)[0] == checked(path, is_cached=False)[0]


def test_with_rules_of_other_packages_nothing_is_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalcontract.cache import checks

    found = checks.installation_fingerprint()
    assert found is not None
    for other in (None, found._replace(has_plugins=True)):
        monkeypatch.setattr(checks, "installation_fingerprint", lambda other=other: other)
        pieces = KnownPieces(Cache(place.parent / "cache"))
        assert pieces.checked_with("anything") is None


def test_check_remembers_the_pieces_of_tables_too(place: Path) -> None:
    put(place / "datasets" / "a.parquet", [row(n, is_clean=True) for n in range(400)])
    told: list[Advance] = []
    options = Options(place, cache=Cache(place.parent / "cache"), progress=told.append)
    first = check_workspaces(place, options)
    assert told[-1].known == (0, len(entries(place)))
    (place / "datasets" / "b.jsonl").write_text(json.dumps(row(1, is_clean=True)) + "\n")
    told.clear()
    again = check_workspaces(place, options)
    assert again.rows == first.rows + 1
    assert [each.known for each in told if each.known][-1] == (len(entries(place)),) * 2


PROGRAM = """
import os, sys, time
from importlib import import_module
for name, size in {small!r}.items():
    module, _, attribute = name.rpartition(".")
    setattr(import_module(module), attribute, size)
from evalcontract.cli import start
from evalcontract.datasets import known
load, keep, kept = known.PieceResults.load, known.PieceResults.keep, []
def noted(*given):
    found = load(*given)
    os.write(2, b"known\\n" if found else b"")
    return found
def slowly(*given):
    keep(*given)
    kept.append(1)
    os.write(2, b"checked\\n")
    if len(kept) == {after}:
        time.sleep(60)
known.PieceResults.load, known.PieceResults.keep = noted, slowly
sys.argv = ["evalcontract", "validate-dataset", "a.parquet", "--output-format", "json"]
sys.argv += {arguments!r}
start.evalcontract()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_check_that_was_killed_goes_on_where_it_was(
    jobs: int, number: signal.Signals, place: Path
) -> None:
    """Its process, or each of its two, stops for good after some pieces, and is killed there."""
    put(place / "a.parquet", [row(n) for n in range(1200)])

    def begun(*arguments: str, after: int) -> subprocess.Popen[bytes]:
        program = PROGRAM.format(small=SMALL, after=after, arguments=arguments)
        environment = {**os.environ, "EVALCONTRACT_CACHE_DIR": str(place.parent / "cache")}
        call = [sys.executable, "-c", program]
        pipe = subprocess.PIPE
        return subprocess.Popen(call, stdout=pipe, stderr=pipe, cwd=place, env=environment)

    after = 4
    with begun("--cache", "--jobs", str(jobs), after=after) as process:
        assert process.stderr
        assert [process.stderr.readline() for _ in range(after * jobs)] == [b"checked\n"] * (
            after * jobs
        )
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
        assert process.returncode not in (0, 1)
    assert b"Traceback" not in told
    written = {entry.name for entry in entries(place)}
    assert 0 < len(written) <= after * jobs  # those of rows that cannot be read are not kept
    found = {}
    for how in ("--cache", "--no-cache"):
        with begun(how, after=-1) as process:
            found[how], told = process.communicate(timeout=60)
        steps = told.split()
        assert steps.count(b"known") == (len(written) if how == "--cache" else 0)
        assert (b"checked" in steps) is (how == "--cache")
    assert found["--cache"] == found["--no-cache"] != b""
    assert written < {entry.name for entry in entries(place)}
